"""The native explorer against one that shares nothing with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapstory.errors import SpecificationError
from heapstory.linear.budget import Budget
from heapstory.linear.program.load import parse
from heapstory.linear.states.exhaustive import Checker
from heapstory.linear.verdict.counterexample import build
from tests.linear import LONG
from tests.linear.independent.explorer import Explorer, TooMany
from tests.linear.independent.generate import specification
from tests.linear.mutants import EXAMPLES
from tests.support.examples import examples

MOST = 4_000  # states of the slower one


def agree(text: str, count: int, reuse: bool = False, keys: int = 2) -> str:
    """Both say the same of a specification, and of what ran; or it is too large for one."""
    try:
        spec = parse(text)
        other = Explorer(text, count, keys, reuse, MOST)
        found = Checker(spec, keys, reuse).search(count, Budget(LONG, 4 * MOST))
    except (SpecificationError, TooMany):
        return "nothing"
    if not found.complete:
        assert "model" in found.reason, text
        return "nothing"
    assert (found.trail is None) == (other.wrong is None), (text, other.wrong, found.trail)
    if found.trail is None:
        assert found.ran == other.ran and found.ended == other.completed, text
        return "right"
    shown = build(spec, found.trail, reuse)
    assert shown is not None and shown.confirmed, text
    return "wrong"


@examples(300)
@given(st.integers(min_value=0, max_value=10_000_000), st.booleans())
def test_two_operations(seed: int, reuse: bool) -> None:
    agree(specification(seed), 2, reuse)


@examples(40)
@given(st.integers(min_value=0, max_value=10_000_000), st.booleans())
def test_three_operations(seed: int, reuse: bool) -> None:
    agree(specification(seed), 3, reuse, 1)


def test_both_verdicts_occur() -> None:
    found = [agree(specification(seed), 2) for seed in range(60)]
    assert found.count("right") > 10 and found.count("wrong") > 10


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.lin")), ids=lambda p: p.stem)
def test_examples(path) -> None:  # type: ignore[no-untyped-def]
    agree(path.read_text(), 2, keys=1)
