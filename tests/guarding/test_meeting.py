"""Where findings meet: who else found one, what is accepted, whose line an allocation has."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory
from tests.guarding.guarding import Guard, errors
from tests.support.full_disk import no_large_files
from tests.support.programs import program

LOSES = """#include <stdlib.h>
static __attribute__((noinline)) int lose(int size) {
    char *block = malloc(size);
    if (!block)
        return 1;
    block[0] = 'x';
    return block[0] == 'y';
}
int main(void) { return lose(77); }
"""


def test_a_leak_that_the_static_analysis_found_too(
    compile_program: Compile, heapstory: Heapstory, guard: Guard, tmp_path: Path
) -> None:
    source, known = tmp_path / "program.c", tmp_path / "leaks.json"
    source.write_text(LOSES)
    leaks = heapstory("leaks", "--json", "--no-cache", source)
    known.write_text(leaks.stdout)
    answer = guard(compile_program(LOSES, "-O0"), options=("--known", str(known)))
    (found,) = answer["findings"]
    assert (found["kind"], found["also"]) == (
        "leak",
        ["leaks: local-lost-at-return at program.c:7"],
    )
    assert "also found by leaks" in answer["said"]


def test_an_answer_that_is_none(heapstory: Heapstory, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"schema": "something/1"}')
    done = heapstory("guard", "--known", other, "--", "true")
    assert done.returncode == 125
    assert "not an answer" in done.stderr


@pytest.mark.parametrize(
    ("verb", "status"), [(("guard", "--"), 125), (("check", "--"), 125), (("leaks",), 2)]
)
def test_what_is_no_fingerprint(verb: tuple[str, ...], status: int, heapstory: Heapstory) -> None:
    for wrong in ("double-free", "0123456789ABCDEF", "0123456789abcde", ""):
        done = heapstory(verb[0], "--suppress", wrong, *verb[1:], "true")
        assert done.returncode == status
        assert f"{wrong} is no fingerprint (16 of 0-9a-f" in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("option", ["--json", "--sarif", "--write-baseline"])
def test_an_answer_that_does_not_fit_on_the_disk(
    option: str, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    """It is on stderr, and no part of it is left in the file."""
    file = tmp_path / "answers" / "answer"
    file.parent.mkdir()
    built = compile_program("guarding/many", "-O0")
    room = f"ulimit -S -f unlimited; exec {built}"
    words = ("guard", option, file, "--", "/bin/sh", "-c", room)
    done = heapstory(*words, preexec_fn=no_large_files)
    assert done.returncode == 125
    assert "guard: 8 findings" in done.stderr.splitlines()
    assert f"{file}: " in done.stderr.splitlines()[-1] and "File too large" in done.stderr
    assert list(file.parent.iterdir()) == []


def test_an_accepted_finding(compile_program: Compile, heapstory: Heapstory, guard: Guard) -> None:
    built = compile_program("guarding/errors")
    (found,) = errors(guard(built, "double-free"))
    words = ("guard", "--error-exitcode", "9", "--suppress", found["fingerprint"])
    done = heapstory(*words, "--", built, "double-free")
    assert done.returncode == 3
    assert "0 findings (1 accepted)" in done.stderr and "freed twice" not in done.stderr
    shown = heapstory(*words, "--show-suppressed", "--", built, "double-free")
    assert "freed twice (accepted: fingerprint)" in shown.stderr


INSIDE_LIBC = """#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static __attribute__((noinline)) char *made(const char *what) {
    char *text = NULL;
    size_t room = 0;
    if (!strcmp(what, "asprintf") && asprintf(&text, "%100d", 7) < 0) /* asprintf */
        return NULL;
    if (!strcmp(what, "getline")) {
        FILE *file = fopen("/proc/self/status", "r");
        if (getline(&text, &room, file) < 0) /* getline */
            return NULL;
        fclose(file);
    }
    if (!strcmp(what, "strdup"))
        text = strdup("some words"); /* strdup */
    return text;
}
static char *volatile kept;
int main(int count, char **words) {
    kept = made(words[count - 1]);
    return kept == NULL;
}
"""


@pytest.mark.parametrize("flags", [("-O0",), ("-O2", "-fomit-frame-pointer")])
@pytest.mark.parametrize("what", ["asprintf", "getline", "strdup"])
def test_an_allocation_inside_libc_has_the_line_of_its_caller(
    what: str, flags: tuple[str, ...], compile_program: Compile, guard: Guard
) -> None:
    answer = guard(compile_program(INSIDE_LIBC, *flags), what)
    line = next(n for n, text in enumerate(INSIDE_LIBC.splitlines(), 1) if f"/* {what} */" in text)
    assert line in [site["place"]["line"] for site in answer["sites"] if site["place"]]


@pytest.mark.parametrize("mistake", ["double-free", "overrun", "after-free"])
def test_the_command_that_explains_a_finding_does(
    mistake: str, compile_program: Compile, heapstory: Heapstory, guard: Guard, tmp_path: Path
) -> None:
    built = compile_program("guarding/errors", "-O0")
    (found,) = errors(guard(built, mistake))
    command = shlex.split(found["explain"])
    done = heapstory(*command[1:], cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    lines = program("guarding/errors.c").read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if f"/* {mistake} */" in text)
    line += {"overrun": -1, "after-free": 1}.get(mistake, 0)  # the write itself
    assert f"errors.c:{line} (" in done.stderr or f"errors.c:{line}:" in done.stderr
    (trace,) = tmp_path.glob("*.story")
    assert heapstory("info", trace).returncode == 0


@pytest.mark.parametrize("mistake", ["double-free", "inside", "overrun", "after-free", "lost"])
def test_a_mistake_that_the_checker_found_too(
    mistake: str, compile_program: Compile, heapstory: Heapstory, guard: Guard, tmp_path: Path
) -> None:
    built = compile_program(LOSES, "-O0")
    if mistake != "lost":
        built = compile_program("guarding/errors", "-O0")
    known = tmp_path / "check.json"
    heapstory("check", "--json", known, "--", built, mistake)
    found = guard(built, mistake, options=("--known", str(known)))["findings"]
    assert any(also.startswith("check: ") for each in found for also in each["also"])
