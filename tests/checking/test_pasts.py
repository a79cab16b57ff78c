"""Where checking and recording meet: who held the pointer behind an error, and who lost a block."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import heapstory as api
from tests.checking.checking import Check, line_of
from tests.conftest import Compile, Heapstory
from tests.support.programs import program

SOURCE = program("checking/pasts.c")


@pytest.fixture(params=["-O0", "-O2"])
def built(request: pytest.FixtureRequest, compile_program: Compile) -> Path:
    return compile_program("checking/pasts", request.param, "-fno-optimize-sibling-calls")


def recorded(tmp_path: Path, *more: str) -> tuple[str, ...]:
    return ("--record", str(tmp_path / "checked.story"), *more)


def lines_of_holders(error: Any) -> dict[str, int]:
    """The lines at which holders that have a statement were stored, by name."""
    held = error["pointer"]["held_by"]
    known = [one for one in held if one["stored"] and one["stored"]["place"]]
    return {one["name"]: one["stored"]["place"]["line"] for one in known}


@pytest.mark.parametrize("stream", [(), ("--stream",)])
def test_an_error_has_who_held_the_pointer(
    stream: tuple[str, ...], built: Path, check: Check, tmp_path: Path
) -> None:
    (error,) = check(built, options=recorded(tmp_path, *stream))["errors"]
    assert error["place"]["line"] == line_of(SOURCE, "name used")
    pointer = error["pointer"]
    stored = lines_of_holders(error)
    assert stored["cached"] == line_of(SOURCE, "variable stored")
    (field,) = [name for name in stored if name.endswith(".user")]
    assert stored[field] == line_of(SOURCE, "field stored")
    assert pointer["born"]["place"]["line"] == line_of(SOURCE, "name made")
    assert pointer["died"]["place"]["line"] == line_of(SOURCE, "name freed")
    assert pointer["born"]["timestamp"] < pointer["died"]["timestamp"]
    assert (pointer["reused"], pointer["exact"]) == (None, bool(stream))


def test_the_stream_says_which_one_was_used(built: Path, check: Check, tmp_path: Path) -> None:
    answer = check(built, options=recorded(tmp_path, "--stream"))
    held = answer["errors"][0]["pointer"]["held_by"]
    used = {one["name"] for one in held if one["used"]}
    assert any(name.endswith(".user") for name in used)
    assert "cached" not in used
    assert "cached, stored at" in answer["said"]


def test_a_double_free_has_them_as_well(built: Path, check: Check, tmp_path: Path) -> None:
    answer = check(built, "twice", options=recorded(tmp_path))
    (error,) = [each for each in answer["errors"] if each["kind"] == "double-free"]
    assert lines_of_holders(error)["cached"] == line_of(SOURCE, "variable stored")


SCANNED = """\
#include <stdlib.h>

int main(void) {
    char *volatile local = malloc(10); /* made */
    local[10] = 1;                     /* overrun */
    free(local);
    return 0;
}
"""


def test_stacks_are_looked_at_when_it_happens(
    compile_program: Compile, check: Check, tmp_path: Path
) -> None:
    built = compile_program(SCANNED)
    (error,) = check(built, options=recorded(tmp_path))["errors"]
    start = int(error["block"]["address"], 16)
    stack = [one for one in error["pointer"]["held_by"] if one["name"] == "thread 1 stack"]
    assert start in {int(one["value"], 16) for one in stack}
    assert all(one["stored"] is None for one in stack)
    other = (*recorded(tmp_path, "--stream", "--force"),)
    (error,) = check(built, options=other)["errors"]
    assert lines_of_holders(error)["local"] == 4


REUSED = """\
#include <stdio.h>
#include <stdlib.h>

char *old, *other, *young;

int main(void) {
    old = malloc(24);   /* old made */
    free(old);          /* old freed */
    other = malloc(24);
    free(other);
    young = malloc(24); /* young made */
    printf("%d", old == young);
    fflush(stdout);
    free(young);        /* young freed */
    volatile char seen = old[3]; /* used */
    return 0;
}
"""


def test_a_block_whose_memory_was_given_out_again(
    compile_program: Compile, check: Check, tmp_path: Path
) -> None:
    built = compile_program(REUSED)
    answer = check(built, options=recorded(tmp_path, "--delay", "60"))
    (error,) = answer["errors"]
    assert answer["printed"] == "1"  # the program says so itself
    pointer = error["pointer"]
    lines = {word: pointer[word]["place"]["line"] for word in ("born", "died", "reused")}
    assert error["place"]["line"] == 15
    assert lines == {"born": 7, "died": 8, "reused": 11}
    stale = [one for one in pointer["held_by"] if one["name"] == "old"]
    assert [one["stored"]["place"]["line"] for one in stale] == [7]


def test_nothing_is_known_without_a_recording(built: Path, check: Check) -> None:
    answer = check(built)
    assert answer["errors"][0]["pointer"] is None
    assert all(leak["lost"] is None for leak in answer["leaks"])


def test_a_leak_has_the_moment_of_the_loss(built: Path, check: Check, tmp_path: Path) -> None:
    answer = check(built, options=recorded(tmp_path))
    (leak,) = [each for each in answer["leaks"] if each["kind"] == "leak"]
    lost = leak["lost"]
    assert leak["place"]["line"] == line_of(SOURCE, "session made")
    assert lost["place"]["line"] == line_of(SOURCE, "session lost")
    assert lost["after"] <= lost["timestamp"] <= lost["before"]
    exact = check(built, options=recorded(tmp_path, "--stream", "--force"))
    (leak,) = [each for each in exact["leaks"] if each["kind"] == "leak"]
    assert (leak["lost"]["exact"], leak["lost"]["place"]["line"]) == (
        True,
        line_of(SOURCE, "session lost"),
    )
    assert f"pasts.c:{line_of(SOURCE, 'session lost')}" in exact["said"]


LOCAL = """\
#include <stdlib.h>

__attribute__((noinline)) static int drop(void) {
    int *p = malloc(40); /* made */
    p[1] = 4;
    return p[1];
} /* lost */

int main(void) {
    return drop() - 4;
}
"""


def test_a_local_is_lost_between_two_moments(
    compile_program: Compile, check: Check, tmp_path: Path, heapstory: Heapstory
) -> None:
    built = compile_program(LOCAL)
    (leak,) = [e for e in check(built, options=recorded(tmp_path))["leaks"] if e["kind"] == "leak"]
    lost = leak["lost"]
    assert (lost["exact"], lost["place"]) == (False, None)
    assert lost["after"] < lost["before"]
    options = recorded(tmp_path, "--stream", "--force")
    (leak,) = [each for each in check(built, options=options)["leaks"] if each["kind"] == "leak"]
    assert (leak["lost"]["exact"], leak["lost"]["place"]["function"]) == (True, "drop")
    assert lost["after"] <= leak["lost"]["timestamp"] <= lost["before"]


def test_a_stream_wants_a_recording(built: Path, heapstory: Heapstory) -> None:
    done = heapstory("check", "--stream", "--", built)
    assert (done.returncode, "--record" in done.stderr) == (125, True)


def test_pointers_of_some_blocks_are_those_among_all(
    built: Path, check: Check, tmp_path: Path
) -> None:
    check(built, options=recorded(tmp_path))
    with api.open(tmp_path / "checked.story") as trace:
        chosen = [node for node in trace.graph(freed=True).nodes if node.kind == "heap"][::2]
        ranges = [(node.address, node.address + node.size - 1) for node in chosen]
        within = " OR ".join(f"value BETWEEN {low} AND {high}" for low, high in ranges)
        columns = ("timestamp", "node", "value", "until", "site")
        table = trace.core.pointers_into(ranges)
        found = zip(*map(table.column, columns), strict=True)
        rows = trace.query(f"SELECT {', '.join(columns)} FROM edges WHERE {within}").rows
    assert rows
    assert sorted(row for row in found if row[2]) == sorted(tuple(row) for row in rows)
