"""Two runs of a program whose argument says where they part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory

# Run with N, the N-th insertion goes to the wrong end; everything before is the same.
LIST = """#include <stdlib.h>
struct item { struct item *next; long value; };
struct item *first, *last;
static void append(long value) {
    struct item *item = malloc(sizeof *item);
    item->next = 0;
    item->value = value;
    if (last)
        last->next = item;   /* right */
    else
        first = item;
    last = item;
}
static void prepend(long value) {
    struct item *item = malloc(sizeof *item);
    item->next = first;      /* wrong */
    item->value = value;
    first = item;
}
int main(int argc, char **argv) {
    long wrong = argc > 1 ? atol(argv[1]) : 0;
    for (long i = 1; i <= 10; i++)
        if (i == wrong)
            prepend(i);
        else
            append(i);
    return 0;
}
"""


def line_of(mark: str) -> int:
    return next(n for n, text in enumerate(LIST.splitlines(), 1) if f"/* {mark} */" in text)


@pytest.fixture
def run(tmp_path: Path, heapstory: Heapstory, compile_program: Compile):  # type: ignore[no-untyped-def]
    def recorded(name: str, *arguments: str) -> Path:
        trace = tmp_path / f"{name}.story"
        program = compile_program(LIST)
        assert heapstory("record", "-o", trace, "--", program, *arguments).returncode == 0
        return trace

    return recorded


def test_the_same_twice(run, heapstory: Heapstory) -> None:  # type: ignore[no-untyped-def]
    done = heapstory("diff", run("a"), run("b"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("no difference: ")


def test_where_two_runs_part(run, heapstory: Heapstory) -> None:  # type: ignore[no-untyped-def]
    done = heapstory("diff", run("good"), run("bad", "6"), "--json")
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    # Five insertions agree; the sixth makes its node elsewhere and first stores its next.
    assert answer["parting"]["b"]["function"] == "prepend"
    assert answer["parting"]["b"]["place"] == f"program.c:{line_of('wrong')}"
    assert answer["parting"]["a"]["function"] == "append"
    grown = {one["made"]: one["nodes"] for one in answer["growth"]}
    assert grown == {"program.c:5": [10, 9], "program.c:15": [0, 1]}
    only = [one["place"] for one in answer["statements"] if one["writes"][0] == 0]
    assert f"program.c:{line_of('wrong')}" in only
    assert f"program.c:{line_of('right')}" not in only


def test_text_and_page(run, heapstory: Heapstory, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    good, bad = run("good"), run("bad", "6")
    text = heapstory("diff", good, bad).stdout
    assert "they part after" in text
    assert f"program.c:{line_of('wrong')} in prepend" in text
    page = tmp_path / "diff.html"
    assert heapstory("diff", good, bad, "-o", page).returncode == 1
    assert f"program.c:{line_of('wrong')} in prepend" in page.read_text()


def test_bad_input(run, heapstory: Heapstory, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = heapstory("diff", run("good"), tmp_path / "none.story")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
