"""Names that are no text: of programs, arguments and folders, in any locale."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from heapstory.recording import folder
from tests.conftest import COMMAND, Compile

PROGRAM = """#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    void *kept = malloc(24);
    for (int i = 1; i < count; i++)
        puts(words[i]);
    return kept == NULL;
}
"""
LOCALES = ({"LC_ALL": "C.UTF-8"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"})


def run(words: list[bytes], **environment: str) -> subprocess.CompletedProcess[bytes]:
    settings = {**os.environ, "HEAPSTORY_DEBUG": "0", **environment}
    command = [os.fsencode(COMMAND), *words]
    return subprocess.run(command, env=settings, capture_output=True, timeout=120)


@pytest.mark.parametrize("locale", LOCALES, ids=["utf-8", "posix"])
def test_names_that_are_no_text(
    compile_program: Compile, tmp_path: Path, locale: dict[str, str]
) -> None:
    home = tmp_path / os.fsdecode(b"caf\xe9\x1b[31m")
    home.mkdir()
    program = os.fsencode(home / os.fsdecode(b"prog\xff"))
    shutil.copy(compile_program(PROGRAM), program)
    trace = os.fsencode(home / os.fsdecode(b"trace\xfe.story"))
    word = "h\u00e9".encode()
    done = run([b"record", b"-o", trace, b"--", program, b"\x80\x81", word], **locale)
    assert (done.returncode, done.stdout) == (0, b"\x80\x81\n" + word + b"\n"), done.stderr
    assert done.stderr == b""
    for verb in ([b"info"], [b"info", b"--json"], [b"graph"], [b"graph", b"--json"]):
        answer = run([*verb[:1], trace, *verb[1:]], **locale)
        assert answer.returncode == 0, answer.stderr
        answer.stdout.decode()  # is text
        assert b"\x1b" not in answer.stdout
        if verb[1:]:
            json.loads(answer.stdout)
    info = run([b"info", trace], **locale).stdout
    assert rb"prog\xff" in info and rb"trace\xfe.story" in info and word in info
    again = run([b"record", b"--force", b"-o", trace, b"--", program], **locale)
    assert again.returncode == 0, again.stderr
    missing = run([b"info", trace + b"\x1b[1m"], **locale)
    assert missing.returncode == 2 and rb"trace\xfe.story\x1b[1m" in missing.stderr


def test_arrows_in_a_locale_that_has_none(compile_program: Compile, tmp_path: Path) -> None:
    program = compile_program(
        "#include <stdlib.h>\nvoid **held;\n"
        "int main(void) { held = malloc(8); *held = malloc(8); return 0; }\n"
    )
    trace = os.fsencode(tmp_path / "t.story")
    assert run([b"record", b"-o", trace, b"--", os.fsencode(program)]).returncode == 0
    answer = run([b"graph", trace], LC_ALL="POSIX", PYTHONUTF8="0")
    assert answer.returncode == 0 and "\u2192 node" in answer.stdout.decode()


def test_what_a_failure_left_behind_is_replaced(tmp_path: Path) -> None:
    trace = tmp_path / "t.story"
    trace.mkdir()
    (trace / ".record.json.4711").write_text("{")
    folder.prepare(trace, force=True)
    assert list(trace.iterdir()) == []
