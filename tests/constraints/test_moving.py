"""The engine keeps what it knows from one moment to the next: whatever the order in which moments
are asked for, the answers are those of the naive evaluator."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.constraints.random_worlds import SPECIFICATIONS, moving_worlds
from tests.constraints.reading import counted
from tests.constraints.test_engine import contributions, found_by_engine, structure
from tests.constraints.verbatim import check, locate
from tests.constraints.world import Checked, World, plan_of
from tests.support.examples import examples

WHOLE = [
    "acyclic", "counted", "mixed", "ring", "rooted", "rooted degrees", "search", "tree", "two roots"
]  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
@examples(12)
@given(world=moving_worlds(), data=st.data())
def test_moments_in_any_order(name: str, world: World, data: st.DataObject) -> None:
    checked = Checked(world, plan_of(SPECIFICATIONS[name]))
    engine = structure(world, checked)
    moments = st.integers(0, checked.model.last)
    for at in data.draw(st.lists(moments, min_size=2, max_size=12)):
        expected = set(check(checked.at(at), checked.plan))
        assert found_by_engine(engine.check(at)) == expected, f"as of {at}"


@examples(8)
@given(world=moving_worlds(steps=40, size=12), data=st.data())
def test_totals_to_and_fro(world: World, data: st.DataObject) -> None:
    checked = Checked(world, plan_of(SPECIFICATIONS["totals"]))
    engine = structure(world, checked)
    at = checked.model.last // 2
    for step in data.draw(st.lists(st.integers(-6, 6), min_size=8, max_size=24)):
        at = min(max(at + step, 0), checked.model.last)
        expected = set(check(checked.at(at), checked.plan))
        assert found_by_engine(engine.check(at)) == expected, f"as of {at}"


@pytest.mark.parametrize("name", WHOLE)
@examples(12)
@given(world=moving_worlds(), data=st.data())
def test_back_from_the_first_bad_cpoint(name: str, world: World, data: st.DataObject) -> None:
    checked = Checked(world, plan_of(SPECIFICATIONS[name]))
    last = checked.model.last
    points = sorted({last, *data.draw(st.lists(st.integers(0, last), max_size=4))})
    found = structure(world, checked).locate([(at, [], None) for at in points], strict=False)
    bad = [at for at in points if counted(check(checked.at(at), checked.plan), checked, at)]
    assert found.bad == (points.index(bad[0]) if bad else None)
    if bad:
        wrong = counted(check(checked.at(bad[0]), checked.plan), checked, bad[0])
        expected = locate(checked.plan, checked.at, bad[0], wrong)
        assert found_by_engine(found.inconsistencies) == set(wrong)
        assert contributions(found) == expected.contributed
