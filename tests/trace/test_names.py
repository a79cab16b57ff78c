"""Names made to be obeyed, or to fetch files: shown as escapes, and not followed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import heapstory as library
from tests.conftest import Compile, Heapstory, Record

# Every _XXXX is patched in the program: compilers are given names by people, programs are not.
NAMES = r"""#include <stdlib.h>
#include "heapstory.h"
struct type_XXXX { struct type_XXXX *next_XXXX; long value_XXXX; };
struct type_XXXX *variable_XXXX;
__attribute__((noinline)) static struct type_XXXX *make_XXXX(void) {
    struct type_XXXX *one = malloc(sizeof *one);
    one->next_XXXX = malloc(sizeof *one);
    one->value_XXXX = 7;
    return one;
}
int main(void) {
    variable_XXXX = make_XXXX();
    HEAPSTORY_ROOT(&variable_XXXX, "root_XXXX");
    HEAPSTORY_CPOINT("point_XXXX");
    abort();
}
"""
PATCH = b"\n\xff\x1b[m"
SHOWN = r"\n\xff\x1b[m"


@pytest.fixture
def path(compile_program: Compile, record: Record, tmp_path: Path) -> Path:
    include = Path(library.__file__).parent / "include"
    program = tmp_path / "evil"
    program.write_bytes(
        compile_program(NAMES, f"-I{include}", "-O1").read_bytes().replace(b"_XXXX", PATCH)
    )
    program.chmod(0o755)
    return record(program, status=134)


def test_nothing_is_printed_that_a_terminal_obeys(path: Path, heapstory: Heapstory) -> None:
    queries = ("nodes", "sites", "cpoints", "events")
    for words in (
        ("graph", path, "--all"),
        ("graph", path, "--evolution", "--all", "--format", "dot"),
        ("graph", path, "--format", "svg"),
        ("info", path),
        *(("query", path, f"SELECT * FROM {table}") for table in queries),
        *(("query", path, "--format", "csv", f"SELECT * FROM {table}") for table in queries),
    ):
        answer = heapstory(*words, text=False)
        assert answer.returncode == 0, answer.stderr
        assert not set(answer.stdout) & (set(range(32)) - {10}), words
        answer.stdout.decode()
    names = heapstory("query", path, "--format", "csv", "SELECT name FROM cpoints").stdout
    assert f"point{SHOWN}" in names and f"make{SHOWN}" in names
    graph = heapstory("graph", path, "--data").stdout
    for name in ("root", "variable", "type", "next", "value"):
        assert f"{name}{SHOWN}" in graph


def test_no_file_but_the_programs_source(
    heapstory: Heapstory, compile_program: Compile, tmp_path: Path
) -> None:
    secret = tmp_path / "elsewhere" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text("the secret\n")
    program = compile_program(
        f"#include <stdlib.h>\nvoid *a, *b;\nstatic void f(void) {{ a = malloc(8); }}\n"
        f'int main(void) {{\n    f();\n#line 1 "{secret}"\n    b = malloc(8);\n    return 0;\n}}\n'
    )
    trace = tmp_path / "t.story"
    words = ("record", "--force", "-o", trace)

    def texts() -> set[str]:
        with library.open(trace) as opened:
            return {Path(path).name for path in opened.core.sources()}

    assert heapstory(*words, "--", program).returncode == 0
    assert texts() == {"program.c"}
    heapstory(*words, "--source-from", secret.parent, "--", program)
    assert texts() == {"program.c", "secret.txt"}
    heapstory(*words, "--no-source", "--", program)
    assert texts() == set()
    source = program.with_name("program.c")
    os.utime(source, (time.time() + 60, time.time() + 60))  # was changed after it was compiled
    heapstory(*words, "--", program)
    assert texts() == set()
    os.utime(source, (0, 0))
