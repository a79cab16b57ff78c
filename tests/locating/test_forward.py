"""Checking C-point after C-point, only what changed, against checking each from scratch."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapstory._core import Relation
from tests.constraints.random_worlds import SPECIFICATIONS, worlds
from tests.constraints.test_engine import contributions, found_by_engine, structure
from tests.constraints.verbatim import check, locate
from tests.constraints.world import Checked, World, plan_of
from tests.support.examples import examples


@pytest.mark.parametrize("name", sorted(SPECIFICATIONS))
@examples(15)
@given(world=worlds(), data=st.data())
def test_the_first_bad_cpoint_and_what_led_to_it(
    name: str, world: World, data: st.DataObject
) -> None:
    checked = Checked(world, plan_of(SPECIFICATIONS[name]))
    last = checked.model.last
    points = sorted({last, *data.draw(st.lists(st.integers(0, last), max_size=6))})
    found = structure(world, checked).locate([(at, [], None) for at in points])
    bad = [at for at in points if check(checked.at(at), checked.plan)]
    if not bad:
        assert found.bad is None and found.faults == []
        return
    assert found.bad is not None and points[found.bad] == bad[0]
    expected = set(check(checked.at(bad[0]), checked.plan))
    assert found_by_engine(found.inconsistencies) == expected
    assert contributions(found) == locate(checked.plan, checked.at, bad[0]).contributed


def test_what_is_fixed_before_the_operation_ends_was_temporary() -> None:
    world = World()
    plan = plan_of("node { next*; prev^; } inverse(next, prev);")
    one, other = world.alloc(1, 2), world.alloc(1, 2)
    world.link(one, 0, other)
    broken = world.now
    world.link(other, 1, one)
    fixed = world.now
    engine = structure(world, Checked(world, plan))
    assert engine.locate([(broken, [], None), (fixed, [], None)]).bad == 0
    assert engine.locate([(broken, [], (fixed, 0)), (fixed, [], None)]).bad is None
    assert engine.locate([(broken, [], (broken + 1, 0))]).bad is None


def test_destroying_the_structure_fixes_nothing() -> None:
    world = World()
    plan = plan_of("node { next*; prev^; } inverse(next, prev);")
    one, other = world.alloc(1, 2), world.alloc(1, 2)
    world.link(one, 0, other)
    broken = world.now
    world.free(one)
    world.free(other)
    engine = structure(world, Checked(world, plan))
    assert engine.locate([(broken, [], (world.now, 0))]).bad == 0


def test_what_a_wrong_value_was_fed_with_is_named() -> None:
    """The key is wrong before it is linked in; Algorithm 3 alone stops at the link."""
    world = World()
    plan = plan_of("node { key; next*; } sorted(next, key);")
    one = world.alloc(1, 2)
    world.put(one, 0, 5)
    clean = world.now
    other = world.alloc(1, 2)
    world.put(other, 0, 3)
    key = world.now
    world.link(one, 1, other)
    engine = structure(world, Checked(world, plan))
    found = engine.locate([(clean, [], None), (world.now, [], None)])
    relations = {fault.time: fault.relation for fault in found.faults}
    assert relations == {world.now: Relation.DIRECT, key: Relation.FED}


def test_where_a_lost_part_was_cut_off_is_named() -> None:
    """The one witness of the lost part was lost before the rest was: both cuts are named."""
    world = World()
    plan = plan_of("node { key; next*; }\nroot: node from list.head;")
    holder = world.alloc(2, 1)
    nodes = [world.alloc(1, 2) for _ in range(4)]
    world.link(holder, 0, nodes[0])
    for one, other in pairwise(nodes):
        world.link(one, 1, other)
    clean = world.now
    world.link(nodes[0], 1, nodes[2])  # takes the second out, which still leads to the third
    taken_out = world.now
    world.link(nodes[0], 1, None)  # and the rest is lost
    engine = structure(world, Checked(world, plan))
    found = engine.locate([(clean, [], None), (world.now, [], None)])
    assert len(found.inconsistencies) == 1
    assert {fault.time for fault in found.faults} == {taken_out, world.now}


def test_an_operation_that_ends_badly_began_where_it_left_its_usual_way() -> None:
    """The first step leaves the list whole every time but the last; there the second overwrites
    what is wrong and breaks something else."""
    world = World()
    plan = plan_of("node { next*; prev^; } inverse(next, prev); no alias: node.next;")
    points: list[tuple[int, list[int], tuple[int, int] | None]] = []
    for wrong in (False, False, True):
        one, other = world.alloc(1, 2), world.alloc(1, 2)
        world.link(other, 1, None if wrong else one)
        stored = world.now
        world.link(one, 0, other)
        half = world.now
        world.link(other, 1, one)
        if wrong:
            world.link(other, 0, other)
        points += [(half, [], (world.now, 1)), (world.now, [], None)]
    engine = structure(world, Checked(world, plan))
    found = engine.locate(points)
    assert found.bad == 4 and found.ended == 5 and found.clean == 3
    assert stored in {operation.time for operation in found.decisive}
    unknown = [(at, types, way and (way[0], 0)) for at, types, way in points]
    assert engine.locate(unknown).bad == 5


def test_what_is_always_wrong_half_way_is_told_of_the_end() -> None:
    """A new node is never linked when the first step returns; the last time it stays so."""
    world = World()
    plan = plan_of("node { key; next*; }\nroot: node from list.head;")
    holder = world.alloc(2, 1)
    points: list[tuple[int, list[int], tuple[int, int] | None]] = []
    top = None
    for linked in (True, True, False):
        node = world.alloc(1, 2)
        half = world.now
        world.link(node, 1, top)
        if linked:
            world.link(holder, 0, node)
            top = node
        points += [(half, [], (world.now, 1)), (world.now, [], None)]
    engine = structure(world, Checked(world, plan))
    found = engine.locate(points)
    assert found.bad == 5 and found.clean == 3
    unknown = [(at, types, way and (way[0], 0)) for at, types, way in points]
    assert engine.locate(unknown).bad == 4


def test_of_very_many_inconsistencies_some_of_each_constraint_are_traced_back() -> None:
    world = World()
    nodes = [world.alloc(1, 2) for _ in range(300)]
    for node in nodes:
        world.put(node, 0, 7)
        world.put(node, 1, 1)
    clean = world.now
    for node in nodes:
        world.put(node, 0, 8)
    world.put(nodes[0], 1, 2)
    last = world.now
    text = "node { key; side; }\nnode X; X.key < 8;\nnode X; X.side < 2;"
    checked = Checked(world, plan_of(text))
    found = structure(world, checked).locate([(clean, [], None), (last, [], None)])
    assert len(found.inconsistencies) == 301
    assert 2 < found.traced < 301
    direct = [fault.time for fault in found.faults if fault.relation is Relation.DIRECT]
    assert len(direct) == found.traced and direct[0] == clean + 1 and direct[-1] == last


def test_a_new_block_may_be_incomplete_at_the_end_of_a_round() -> None:
    """Nothing points to it, so the compiler may have moved stores to it beyond the next call."""
    world = World()
    plan = plan_of("node { key!; next*; } sorted(next, key);")
    one = world.alloc(1, 2, zeroed=False)
    world.put(one, 0, 5)
    world.put(one, 1, 0)
    rounds = [world.now]
    two = world.alloc(1, 2, zeroed=False)
    world.link(two, 1, one)
    rounds.append(world.now)
    world.put(two, 0, 9)
    engine = structure(world, Checked(world, plan))
    points = [(at, [], (world.now, 1)) for at in rounds]
    found = engine.locate([*points, (world.now, [], None)], rounds=[0, 1])
    assert found.bad == 2
    assert [row.time for row in found.decisive] == [world.now]
