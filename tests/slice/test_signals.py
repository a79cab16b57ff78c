# SPDX-License-Identifier: GPL-2.0-or-later
"""What a signal's handler did: why it ran is followed in part, and then the slice is incomplete."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compile, Heapstory
from tests.slice.recorded import recorded

# The criterion is the line that sets `result`.
FAULT = r"""
#include <setjmp.h>
#include <signal.h>
static jmp_buf there;
int result, seen;
static void handler(int number) {
    seen = 5;
    longjmp(there, 1);
}
int main(void) {
    int *nothing = 0; // wrong
    signal(SIGSEGV, handler);
    if (!setjmp(there))
        *nothing = 7;
    result = seen;
    int after = 3; // after
    return after & 0;
}
"""
RAISED = r"""
#include <signal.h>
int result, seen;
static void handler(int number) {
    seen = number;
}
int main(void) {
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    result = seen;
    return 0;
}
"""
TIMER = r"""
#include <signal.h>
#include <unistd.h>
int result;
volatile int seen;
static void handler(int number) {
    seen = 5;
}
int main(void) {
    signal(SIGALRM, handler);
    alarm(1);
    while (!seen)
        pause();
    result = seen;
    return 0;
}
"""
# A handler runs, but has nothing to do with the result.
UNRELATED = RAISED.replace("result = seen;", "result = 4;")


def answer(
    text: str, mark: str, compile_program: Compile, heapstory: Heapstory, folder: Path, *more: str
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    program = compile_program(text, "-O0")
    recorded(program, folder)
    (line,) = (n for n, one in enumerate(text.splitlines(), 1) if mark in one)
    where = f"{Path(f'{program}.c').name}:{line}"
    done = heapstory("slice", folder / "stream.story", "--criterion", where, *more, "--json")
    return done, json.loads(done.stdout)


@pytest.mark.parametrize("text", [FAULT, RAISED, TIMER], ids=["fault", "raised", "timer"])
def test_what_a_handler_did_is_incomplete(
    text: str, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    done, found = answer(text, "result = ", compile_program, heapstory, tmp_path)
    assert done.returncode == 4, done.stderr
    assert not found["complete"]
    assert "signals that ran handlers of the slice: 1." in found["notes"][0]


def test_a_handler_beside_the_slice_is_none_of_its_business(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    done, found = answer(UNRELATED, "result = ", compile_program, heapstory, tmp_path)
    assert done.returncode == 0, done.stderr
    assert found["complete"]
    assert found["notes"] == []


@pytest.mark.parametrize(("mark", "status"), [("// wrong", 4), ("// after", 0)])
def test_a_signal_after_the_criterion_of_a_forward_slice(
    mark: str, status: int, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    done, found = answer(FAULT, mark, compile_program, heapstory, tmp_path, "--forward")
    assert done.returncode == status, done.stderr
    assert found["complete"] == (status == 0)
    assert bool(found["notes"]) == (status == 4)


def test_a_chop_through_a_fault_is_incomplete(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    program = compile_program(FAULT, "-O0")
    recorded(program, tmp_path)
    lines = FAULT.splitlines()
    name = Path(f"{program}.c").name
    first, last = (
        f"{name}:{next(n for n, one in enumerate(lines, 1) if mark in one)}"
        for mark in ("// wrong", "result = seen")
    )
    trace = tmp_path / "stream.story"
    done = heapstory("slice", trace, "--criterion", first, "--chop", last, "--json")
    assert done.returncode == 4, done.stderr
    assert not json.loads(done.stdout)["complete"]


# The graph of executed blocks ends at the fault; where it does not tell what decided, say so.
CRASH = r"""
int *volatile where;
int main(int argc, char **argv) {
    if (argc > 0) // branch
        *where = 5;
    return 0;
}
"""


def test_a_crash_has_its_branch_or_is_incomplete(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    recorded(compile_program(CRASH, "-O0"), tmp_path)
    done = heapstory("slice", tmp_path / "stream.story", "--criterion", "crash", "--json")
    found = json.loads(done.stdout)
    (branch,) = (n for n, one in enumerate(CRASH.splitlines(), 1) if "// branch" in one)
    has_branch = branch in {one["line"] for one in found["statements"]}
    assert (done.returncode, found["complete"]) == ((0, True) if has_branch else (4, False))
