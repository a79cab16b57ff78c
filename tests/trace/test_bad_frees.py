"""Double, bad and mismatched frees: none is lost, and all answers tell them alike."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

import heapstory as library
from tests.conftest import Compile, Heapstory
from tests.support.programs import program as source

Kinds = list[tuple[str, int]]


def said(name: str, word: str) -> list[tuple[int, list[str]]]:
    """Lines of a program with a comment that begins like this, and the words of the comment."""
    lines = source(name).read_text().splitlines()
    found = [(n, re.search(rf"// ({word}\S*.*)", line)) for n, line in enumerate(lines, 1)]
    return [(n, match[1].split()) for n, match in found if match and n > 1]


@pytest.fixture
def bad(compile_program: Compile, heapstory: Heapstory, tmp_path: Path) -> Any:
    """Records the program and returns how that went and the trace."""

    def run(*options: str) -> tuple[subprocess.CompletedProcess[str], Path]:
        trace = tmp_path / "bad.story"
        program = compile_program("trace/bad_frees", "-O0", "-w")
        return heapstory("record", *options, "-o", trace, "--", program), trace

    return run


def test_all_are_there_and_the_program_goes_on(bad: Any) -> None:
    done, trace = bad()
    assert (done.returncode, done.stdout) == (7, "1\n")
    expected = said("trace/bad_frees.c", "(?:double|bad)-")
    with library.open(trace) as opened:
        found = opened.info().bad_frees
        assert [(one.place.line, one.kind) for one in found if one.place] == [
            (line, words[0]) for line, words in expected
        ]
        first, inside, variable, stack, nowhere, again = found
        assert (
            first.node and first.node.freed and first.node.size == 40 and again.node == first.node
        )
        assert inside.node and (inside.node.size, inside.address - inside.node.address) == (24, 8)
        assert variable.node and variable.node.name == "variable"
        assert stack.node is None and nowhere.node is None
        assert nowhere.address == 0x123456789ABCDEF0 and again.deallocator == "realloc"
        events = opened.query(
            "SELECT kind, s.line FROM events JOIN sites s USING (site) WHERE kind LIKE '%-free'"
        )
        assert list(events) == [(words[0], line) for line, words in expected]
        frees = opened.query("SELECT error, node FROM frees WHERE error IS NOT NULL").rows
        assert frees == [(one.kind, one.node.id if one.node else None) for one in found]


def test_said_once_on_stderr(bad: Any) -> None:
    done, trace = bad()
    line = said("trace/bad_frees.c", "double-")[0][0]
    assert done.stderr.count("\n") == 1
    first = rf"6 bad frees, the first: double-free at \(\d+\):bad_frees.c:{line}: free of node \d+"
    assert re.search(first, done.stderr)
    assert str(trace) in done.stderr


def test_findings_have_a_status(bad: Any, compile_program: Compile, heapstory: Heapstory) -> None:
    done, trace = bad("--error-exitcode", "99")
    assert done.returncode == 99
    harmless = compile_program("int main(void) {\n    return 3;\n}\n")
    words = ("record", "--force", "-o", trace, "--error-exitcode", "99", "--", harmless)
    assert heapstory(*words).returncode == 3


def test_the_program_ends_as_it_would(bad: Any) -> None:
    done, trace = bad("--abort-on-bad-free")
    assert (done.returncode, done.stdout) == (128 + signal.SIGABRT, "")
    with library.open(trace) as opened:
        (only,) = opened.info().bad_frees
        assert only.kind == "double-free" and opened.info().exit_signal == signal.SIGABRT


def test_a_reallocation_ends_it_as_well(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    program = compile_program(
        "#include <stdlib.h>\n"
        "void *volatile p;\n"
        "int main(void) { p = malloc(9); free(p); p = realloc(p, 20); return 0; }\n",
        "-w",
    )
    words = ("record", "--abort-on-bad-free", "-o", tmp_path / "t.story", "--", program)
    assert heapstory(*words).returncode == 128 + signal.SIGABRT


def test_functions_of_another_family(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    text = source("trace/mismatched.cpp").read_text()
    program = compile_program(text, "-xc++", "-w", compiler="g++")
    trace = tmp_path / "t.story"
    done = heapstory("record", "-o", trace, "--", program)
    assert done.returncode == 0 and "4 bad frees, the first: mismatched-free" in done.stderr
    with library.open(trace) as opened:
        rows = opened.query(
            "SELECT s.line, n.allocator, f.deallocator FROM frees f JOIN nodes n USING (node) "
            "JOIN sites s USING (site) WHERE f.error = 'mismatched-free' ORDER BY s.line"
        )
    expected = said("trace/mismatched.cpp", "mismatched ")
    assert list(rows) == [(line, words[1], words[2]) for line, words in expected]


def test_custom_allocators(compile_program: Compile, heapstory: Heapstory, tmp_path: Path) -> None:
    program = compile_program(
        "static char pool[64];\n"
        "static void *take(unsigned long n) { return pool + (n - n); }\n"
        "static void put(void *p) { pool[0] = p != 0; }\n"
        "int main(void) {\n"
        "    void *p = take(32);\n"
        "    put(p);\n"
        "    put(p);\n"
        "    put(pool + 8);\n"
        "    p = take(32);\n"
        "    put(p);\n"
        "    return 0;\n"
        "}\n"
    )
    trace = tmp_path / "t.story"
    heapstory("record", "--alloc-fn", "take", "--free-fn", "put", "-o", trace, "--", program)
    with library.open(trace) as opened:
        (only,) = opened.info().bad_frees
    assert only.kind == "double-free" and only.deallocator == "custom"
    assert only.place and only.place.line == 7


def test_a_loop_of_them(compile_program: Compile, heapstory: Heapstory, tmp_path: Path) -> None:
    """All are counted, the first thousand named; check tells one for each line that allocated."""
    program = compile_program(
        "#include <stdlib.h>\n"
        "char *p, *q;\n"
        "int main(void) {\n"
        "    p = malloc(16);\n"
        "    q = malloc(16);\n"
        "    free(p);\n"
        "    free(q);\n"
        "    for (int i = 0; i < 3000; i++)\n"
        "        free(i % 3 ? p : q);\n"
        "    return 0;\n"
        "}\n",
        "-w",
    )
    trace = tmp_path / "loop.story"
    assert "3,000 bad frees, the first: double-free" in str(
        heapstory("record", "-o", trace, "--", program).stderr
    )
    with library.open(trace) as opened:
        info = opened.info()
        assert (len(info.bad_frees), info.bad_free_count) == (1000, 3000)
        (row,) = opened.query("SELECT count(*) FROM frees WHERE error = 'double-free'").rows
        assert row == (3000,)
    report = tmp_path / "report.json"
    heapstory("check", "--json", report, "--", program)
    errors = json.loads(report.read_text())["errors"]
    blocks = [(one["count"], one["block"]["allocated"][0]["line"]) for one in errors]
    assert sorted(blocks) == [(1000, 5), (2000, 4)]


ENDLESS = r"""
#include <stdlib.h>
int main(int count, char **words) {
    void *block = malloc(8);
    free(block);
    for (long i = atol(words[count - 1]); i; i--)
        free(block);
    return 0;
}
"""


@pytest.mark.parametrize(("times", "told"), [(999_999, 0), (1_000_001, 1)])
def test_it_is_told_that_bad_frees_go_on(
    times: int, told: int, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    built = compile_program(ENDLESS, "-O0", "-w")
    done = heapstory("record", "-o", tmp_path / "endless.story", "--", built, str(times))
    assert done.stderr.count("1000000 frees of what is no block, and it goes on") == told
