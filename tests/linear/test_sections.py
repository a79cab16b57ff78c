"""Critical sections as atomic steps: when they are, and that nothing can tell."""

from __future__ import annotations

from typing import Any

import pytest

from heapstory.errors import SpecificationError
from heapstory.linear.program.load import load, parse
from heapstory.linear.program.steps import Program, prepare
from heapstory.linear.proof.sections import atomic_sections
from heapstory.linear.states.machine import FRESH, Machine, State
from tests.linear.mutants import EXAMPLES
from tests.linear.random_specifications import specification

COUNTER = """implements counter; int x; int lock;
increment() int l;
  1 < lock == 0; > lock = ID;
  1 l = x;
  1 x = l + 1;
  1 < lock == ID; > lock = 0; return l;
"""


def test_a_section_is_one_step() -> None:
    paths = atomic_sections(prepare(parse(COUNTER), turns=None)).paths
    assert [len(path.steps) for path in paths] == [1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return l;\n", "return l;\nread() 1 return x;\n"),  # without the lock
        ("1 l = x;\n  1 x = l + 1;\n", "1 l = x; return l;\n"),  # answers while it holds the lock
        ("1 < lock == ID; > lock = 0;", "1"),  # never gives it back
    ],
)
def test_what_others_can_see_is_left_alone(old: str, new: str) -> None:
    text = COUNTER.replace(old, new)
    if "x; return l;" in text:
        text = text.replace("lock = 0; return l;", "lock = 0;")
    program = prepare(parse(text), turns=None)
    assert atomic_sections(program) == program


def test_a_walk_under_a_lock_is_closed() -> None:
    text = COUNTER.replace("1 x = l + 1;", "1 loop < x < 3; > x = x + 1;\n  1 x = l + 1;")
    path = atomic_sections(prepare(parse(text), turns=None)).paths[0]
    assert [step.loop for step in path.steps] == [False, True, False]
    assert path.closed == {1, 2}


def test_two_locks_do_not_protect_what_both_touch() -> None:
    """In the two-lock queue, head and tail may be the same node."""
    program = prepare(load(EXAMPLES / "ms_two_lock_queue.lin"), turns=None)
    assert atomic_sections(program) == program


def outcomes(program: Program, limit: int) -> set[Any]:
    """All that two instances can have answered when both have ended, with what is left behind."""
    machine = Machine(program)
    first = machine.initial()
    found, seen = set(), set()
    todo: list[tuple[State, tuple[Any, ...]]] = [(first, ())]
    while todo:
        state, said = todo.pop()
        if (state, said) in seen:
            continue
        seen.add((state, said))
        if state[4] == limit and not any(state[3]):
            found.add((machine.signature(state, len(first[2])), frozenset(said)))
        for slot, path, _, after, answer, given in machine.moves(
            state, limit, FRESH + 10 * state[4]
        ):
            more = () if given is None else ((slot, program.paths[path].name, given),)
            more += () if answer is None else ((slot, answer),)
            todo.append((after, (*said, *more)))
    return found


def test_the_outcomes_are_the_same() -> None:
    joined = 0
    for seed in range(900):
        try:
            spec = parse(specification(seed))
        except SpecificationError:
            continue
        program = prepare(spec, turns=None)
        reduced = atomic_sections(program)
        if reduced != program:
            joined += 1
            assert outcomes(reduced, 2) == outcomes(program, 2), seed
    assert joined > 40
