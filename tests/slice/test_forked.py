# SPDX-License-Identifier: GPL-2.0-or-later
"""Traces of forked children, whose streams begin in the middle of the parent's run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compile, Heapstory, Record

SOURCE = """#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int result, limit = 3, written, cleared;
int main(int argc, char **argv) {
    int local = argc + 4;
    written = argc * 2;
    cleared = argc - argc;
    for (int i = 0; i < 5; i++) {
        if (i == 2 && fork() == 0) { /* cut */
            static int mine[4];
            for (int k = 0; k < 4; k++) /* own */
                mine[k] = k;
            result = local; /* stack */
            result = written; /* global */
            result = cleared; /* zero */
            result = limit; /* initial */
            result = 7; /* constant */
            if (argc > 1)
                execl(argv[0], argv[0], (char *)0);
            _exit(0);
        }
    }
    wait(NULL);
    return 0; /* end */
}
"""


def line(comment: str) -> int:
    return next(n for n, text in enumerate(SOURCE.splitlines(), 1) if f"/* {comment} */" in text)


@pytest.fixture(scope="module")
def traces(
    compile_program: Compile, heapstory: Heapstory, tmp_path_factory: pytest.TempPathFactory
) -> list[Path]:
    """Of the parent, of the child, and of the program that the child becomes."""
    folder = tmp_path_factory.mktemp("forked")
    words = ("record", "--stream", "--follow-children", "-o", folder / "t.story", "--")
    done = heapstory(*words, compile_program(SOURCE), "exec")
    assert done.returncode == 0, done.stderr
    made = [folder / name for name in ("t.story", "t.1.story", "t.2.story")]
    assert all(trace.exists() for trace in made)
    return made


def asked(heapstory: Heapstory, trace: Path, at: str, *options: str) -> tuple[int, Any]:
    done = heapstory(
        "slice", trace, "--criterion", f"program.c:{line(at)}:result", *options, "--json"
    )
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("at", ["stack", "global", "constant"])
def test_what_led_to_the_fork_is_unknown(at: str, traces: list[Path], heapstory: Heapstory) -> None:
    status, answer = asked(heapstory, traces[1], at)
    assert (status, answer["complete"]) == (4, False)
    assert "branches" in answer["beyond"]


@pytest.mark.parametrize(
    ("at", "name"), [("global", "written"), ("zero", "cleared"), ("initial", "limit")]
)
def test_values_from_before_the_fork(
    at: str, name: str, traces: list[Path], heapstory: Heapstory
) -> None:
    """Whether the parent wrote them or not: the child's trace does not know."""
    status, answer = asked(heapstory, traces[1], at, "--data-only")
    assert (status, answer["beyond"]) == (4, [name])


def test_a_child_is_told_as_such(traces: list[Path], heapstory: Heapstory) -> None:
    done = heapstory("slice", traces[1], "--criterion", f"program.c:{line('global')}")
    assert "forked child" in done.stderr and "--stream-from" not in done.stderr


def test_parents_and_what_exec_begins_are_whole(traces: list[Path], heapstory: Heapstory) -> None:
    for trace in (traces[0], traces[2]):
        done = heapstory("slice", trace, "--criterion", "program.c:7:written", "--json")
        assert done.returncode == 0 and json.loads(done.stdout)["complete"], trace


def test_loops_that_the_fork_cut(traces: list[Path], heapstory: Heapstory) -> None:
    done = heapstory("loops", traces[1], "--json")
    loops = json.loads(done.stdout)["loops"]
    assert done.returncode == 4 and "forked child" in done.stderr
    told = {loop["place"]["line"]: loop["verdict"] for loop in loops}
    assert told == {line("own"): "independent", line("cut"): "unknown"}


def test_sections_of_children(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    """--from main says nothing of a child."""
    options = ("--stream", "--follow-children", "--from", "main")
    trace = record(compile_program(SOURCE), options=options)
    status, answer = asked(heapstory, trace.with_name(f"{trace.stem}.1.story"), "constant")
    assert (status, answer["complete"]) == (4, False)
