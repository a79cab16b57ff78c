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
    *("between", "blocks", "adjacent", "mapped", "inside"),
    *("loop", "jump", "signals", "threads"),
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
