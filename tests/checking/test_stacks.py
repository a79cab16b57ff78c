"""Stacks: changing them is right; what lies beyond the top of one is not to be accessed."""

from __future__ import annotations

import pytest

from tests.checking.checking import Check, line_of
from tests.conftest import Compile
from tests.support.programs import program

SOURCE = program("checking/stacks.c")
ENDED = 3
FLAGS = ["-O0", "-O2"]
RIGHT = [
    *("between", "blocks", "adjacent", "mapped", "inside", "beside"),
    *("loop", "jump", "signals", "threads", "given"),
]
WRONG = {
    "beyond": "unaddressable-read",
    "beyond-write": "unaddressable-write",
    "fiber-beyond": "unaddressable-read",
}


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("what", RIGHT)
def test_nothing_is_said_of_stacks_that_are_changed(
    what: str, flags: str, compile_program: Compile, check: Check
) -> None:
    built = compile_program("checking/stacks", flags, "-w")
    answer = check(built, what, options=("--no-leaks",))
    assert answer["returned"] == ENDED
    assert answer["errors"] == [], answer["said"]


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize(("what", "kind"), WRONG.items())
def test_what_is_beyond_the_top_is_noticed(
    what: str, kind: str, flags: str, compile_program: Compile, check: Check
) -> None:
    built = compile_program("checking/stacks", flags, "-w")
    answer = check(built, what, options=("--no-leaks",))
    assert answer["returned"] == ENDED
    found = [(error["kind"], error["place"]["line"]) for error in answer["errors"]]
    assert found == [(kind, line_of(SOURCE, what))], answer["said"]


@pytest.mark.parametrize("shift", range(0, 64, 16))
def test_the_loader_rounds_the_stack_pointer(
    shift: int, compile_program: Compile, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks up a function that is called the first time, with the stack at a multiple of 64."""
    monkeypatch.setenv("SHIFT", "x" * shift)
    answer = check(
        compile_program("checking/stacks", "-O0", "-w"), "beyond", options=("--no-leaks",)
    )
    assert [error["place"]["line"] for error in answer["errors"]] == [line_of(SOURCE, "beyond")]
