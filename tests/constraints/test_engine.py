"""The engine against the naive evaluator and the verbatim algorithm, on random heaps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from heapstory import _core
from tests.constraints.naive_values import Found, Object
from tests.constraints.random_worlds import SPECIFICATIONS, worlds
from tests.constraints.verbatim import check, locate
from tests.constraints.world import Checked, World, plan_of
from tests.support.examples import examples


def structure(world: World, checked: Checked) -> _core.Structure:
    """The same heap for the engine."""
    model = checked.model
    nodes = [
        (
            n.id,
            n.address,
            n.size,
            n.created,
            n.freed,
            checked.types.get(n.id, 0),
            0,
            _zeroed(world, n),
        )
        for n in model.nodes
    ]
    writes = [(v.timestamp, v.address, v.data, 0) for v in model.end.versions]
    return _core.Structure.given(checked.plan, nodes, writes, model.last)


def _zeroed(world: World, node: Any) -> bool:
    return node.kind == "global" or bool(getattr(world.events[node.born], "zeroed", False))


def found_by_engine(rows: list[_core.Inconsistency]) -> set[Found]:
    return {
        Found(
            row.constraint,
            tuple(Object(*one) if isinstance(one, tuple) else one for one in row.binding),
        )
        for row in rows
    }


def contributions(result: _core.LocateAnswer) -> dict[int, set[Found]]:
    """The operations of Algorithm 3, and what each contributed to."""
    return {
        fault.time: found_by_engine(fault.contributed_to)
        for fault in result.faults
        if fault.relation is not _core.Relation.FED
    }


@pytest.mark.parametrize("name", sorted(SPECIFICATIONS))
@examples(8)
@given(world=worlds())
def test_the_same_inconsistencies_at_every_timestamp(name: str, world: World) -> None:
    plan = plan_of(SPECIFICATIONS[name])
    checked = Checked(world, plan)
    engine = structure(world, checked)
    for at in range(checked.model.last + 1):
        expected = set(check(checked.at(at), plan))
        assert found_by_engine(engine.check(at)) == expected, f"as of {at}"


@pytest.mark.parametrize("name", sorted(SPECIFICATIONS))
@examples(8)
@given(world=worlds())
def test_the_same_operations_as_the_verbatim_algorithm(name: str, world: World) -> None:
    plan = plan_of(SPECIFICATIONS[name])
    checked = Checked(world, plan)
    last = checked.model.last
    expected = locate(plan, checked.at, last)
    result = structure(world, checked).locate([(last, [], None)])
    assert found_by_engine(result.inconsistencies) == set(expected.inconsistencies[last])
    assert contributions(result) == expected.contributed


@pytest.mark.parametrize("name", sorted(SPECIFICATIONS))
@examples(8)
@given(world=worlds())
def test_canonical_witnesses_stand_for_all(name: str, world: World) -> None:
    plan = plan_of(SPECIFICATIONS[name])
    snapshot = Checked(world, plan).at(world.now)
    for number in range(len(plan.constraints)):
        witnesses, violations = snapshot.canonical(number), snapshot.violations(number)
        assert bool(witnesses) == bool(violations)
        assert all(snapshot.is_violated(witness) for witness in witnesses)
