"""Moments by their names: where --at takes them, and what is said where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import heapstory as library
from tests.conftest import Compile, Heapstory, Record

# Grows to 7 nodes and shrinks to 2; what stands at each moment follows from the text.
STACK = """#include <stdlib.h>
struct cell { struct cell *below; long value; };
struct cell *top;
static void push(long value) {
    struct cell *cell = malloc(sizeof *cell);
    cell->value = value; /* value */
    cell->below = top;
    top = cell;          /* top */
}
static void pop(void) {
    struct cell *gone = top;
    top = gone->below;
    free(gone);
}
int main(void) {
    for (long i = 1; i <= 7; i++)
        push(i);
    for (int i = 0; i < 5; i++)
        pop();
    return 0;
}
"""


def line_of(mark: str) -> int:
    return next(n for n, text in enumerate(STACK.splitlines(), 1) if f"/* {mark} */" in text)


@pytest.fixture
def stack(compile_program: Compile, record: Record) -> Path:
    return record(compile_program(STACK))


def cells(trace: Path, at: str) -> int:
    with library.open(trace) as opened:
        return sum(node.type == "struct cell" for node in opened.graph(at=at).nodes)


@pytest.mark.parametrize(
    ("at", "alive"),
    [
        ("begin", 0),
        ("end", 2),
        ("-1", 2),
        ("peak", 7),
        ("push#1", 1),
        ("push#4", 4),
        ("push", 7),
        ("push:entry#4", 3),
        ("pop#2", 5),
        ("pop#-2", 3),
        (f"program.c:{line_of('top')}#3", 3),
        (f"program.c:{line_of('value')}#-1", 7),
    ],
)
def test_what_is_alive_at_a_moment(stack: Path, at: str, alive: int) -> None:
    assert cells(stack, at) == alive


def test_a_statement_has_been_done_at_its_moment(stack: Path) -> None:
    with library.open(stack) as opened:
        before = opened.moment(f"program.c:{line_of('value')}#3")
        after = opened.moment(f"program.c:{line_of('top')}#3")
        made = opened.query("SELECT node FROM nodes WHERE type = 'struct cell' ORDER BY created")
        third = made[2][0]
        assert before < after
        assert not opened.incoming(third, before)
        assert [edge.target for edge in opened.incoming(third, after)] == [third]


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("crash", "did not crash"),
        ("shove", "no call of shove"),
        ("push#8", "returned 7 times only"),
        ("push#0", "there is no #0"),
        ("program.c:1", "nothing was written there"),
        (f"program.c:{line_of('top')}#8", "it wrote 7 times only"),
        ("other.c:3", "no line of other.c did"),
        ("99999999", "is not in"),
    ],
)
def test_moments_that_are_none(stack: Path, heapstory: Heapstory, at: str, said: str) -> None:
    done = heapstory("graph", stack, "--at", at)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_page_opens_at_a_moment(stack: Path, heapstory: Heapstory, tmp_path: Path) -> None:
    done = heapstory("view", stack, "--at", "shove", "-o", tmp_path / "x.html")
    assert done.returncode == 2
    assert heapstory("view", stack, "--at", "peak", "-o", tmp_path / "x.html").returncode == 0


def test_pictures_by_their_endings(stack: Path, heapstory: Heapstory, tmp_path: Path) -> None:
    for ending, start in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")):
        picture = tmp_path / f"graph.{ending}"
        assert heapstory("graph", stack, "-o", picture).returncode == 0
        assert picture.read_bytes().startswith(start)
    done = heapstory("graph", stack, "-o", tmp_path / "graph.gif")
    assert done.returncode == 2
    assert ".gif is no format" in done.stderr
    assert not (tmp_path / "graph.gif").exists()


FAULTS = {
    "*(int *)((struct far *)0)->room = 1;": ("unmapped", "0x10", "NULL + 16 (0x10)"),
    '*(char *)"text" = 1;': ("protected", None, "may not be accessed so"),
    "*(char *)0x8000000000000000 = 1;": ("not-canonical", None, "a wild address"),
    "deep(1);": ("stack-overflow", None, "the stack cannot grow"),
}


@pytest.mark.parametrize("statement", FAULTS)
def test_the_address_of_a_crash(
    compile_program: Compile, record: Record, heapstory: Heapstory, statement: str
) -> None:
    access, address, words = FAULTS[statement]
    text = (
        "struct far { char before[16]; int room[1]; };\n"
        "static int deep(int n) { volatile char big[3000]; big[0] = n; return deep(n + 1) + "
        "big[0]; }\n"
        f"static void fault(void) {{\n    {statement}\n}}\n"
        "int main(int argc, char **argv) {\n    if (argc > 9) deep(1);\n    fault();\n}\n"
    )
    trace = record(compile_program(text, "-O0", "-w"), status=139)
    answer = json.loads(heapstory("info", trace, "--json").stdout)
    crash = answer["crash"]
    assert crash["access"] == access
    assert address is None or crash["address"] == address
    assert words in crash["words"]
    functions = [place["function"] for place in crash["stack"]]
    assert functions[0] == ("deep" if "deep" in statement else "fault")
    assert "main" in functions
    assert words in heapstory("info", trace).stdout


def test_no_crash_has_no_address(stack: Path, heapstory: Heapstory) -> None:
    assert json.loads(heapstory("info", stack, "--json").stdout)["crash"] is None


def test_a_crash_behind_a_block(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    program = compile_program(
        "#include <stdlib.h>\n#include <sys/mman.h>\nint main(void) {\n"
        "    char *block = malloc(64);\n"
        "    for (long i = 0;; i += 4096)\n        block[i] = 1;\n}\n"
    )
    trace = record(program, status=139)
    answer = json.loads(heapstory("info", trace, "--json").stdout)["crash"]
    assert "behind the end of node" in answer["words"]


def test_only_the_shell_is_recorded(heapstory: Heapstory, tmp_path: Path) -> None:
    plain = heapstory("record", "-o", tmp_path / "a.story", "--", "sh", "-c", "true")
    assert "--follow-children" in plain.stderr
    followed = heapstory(
        "record", "-o", tmp_path / "b.story", "--follow-children", "--", "sh", "-c", "true"
    )
    assert "--follow-children" not in followed.stderr
    script = tmp_path / "script.sh"
    script.write_text("true\n")
    other = heapstory("record", "-o", tmp_path / "c.story", "--", "sh", script)
    assert "--follow-children" not in other.stderr
