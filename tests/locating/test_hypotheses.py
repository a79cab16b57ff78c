"""Decisive operations: what another value in one field would fix."""

from __future__ import annotations

from itertools import pairwise

from heapstory import _core
from tests.constraints.world import Checked, World, plan_of

LIST = "node { key; next*; }\nroot: node from list.head;\nlist(next);"
BOTH_WAYS = "node { next*; prev^; }\nroot: node from list.head;\ninverse(next, prev);"


def structure(
    world: World, checked: Checked, sites: dict[int, int] | None = None
) -> _core.Structure:
    """The heap for the engine; every store is a statement of its own unless `sites` says so."""
    model = checked.model
    nodes = [
        (n.id, n.address, n.size, n.created, n.freed, checked.types.get(n.id, 0), 0,
         bool(getattr(world.events[n.born], "zeroed", False)))
        for n in model.nodes
    ]  # fmt: skip
    writes = [
        (v.timestamp, v.address, v.data, (sites or {}).get(v.timestamp, v.timestamp))
        for v in model.end.versions
    ]
    return _core.Structure.given(checked.plan, nodes, writes, model.last)


def decisive(
    world: World, text: str, clean: int, sites: dict[int, int] | None = None
) -> dict[int, str]:
    checked = Checked(world, plan_of(text))
    found = structure(world, checked, sites).locate([(clean, [], None), (world.now, [], None)])
    assert found.clean == 0 and found.bad == 1
    return {operation.time: operation.grade.name.lower() for operation in found.decisive}


def chain(world: World, length: int) -> tuple[int, list[int]]:
    holder = world.alloc(2, 1)
    nodes = [world.alloc(1, 2) for _ in range(length)]
    world.link(holder, 0, nodes[0])
    for one, other in pairwise(nodes):
        world.link(one, 1, other)
    return holder, nodes


def test_a_store_that_only_fails_to_fix_is_decisive() -> None:
    """Nodes are freed, then the gap is closed with NULL: the rest was lost before that store."""
    world = World()
    _, nodes = chain(world, 5)
    clean = world.now
    world.free(nodes[1])
    world.free(nodes[2])
    world.link(nodes[0], 1, None)
    assert decisive(world, LIST, clean) == {world.now: "value"}


def test_a_free_of_a_node_that_is_still_linked_is_decisive() -> None:
    world = World()
    _, nodes = chain(world, 4)
    clean = world.now
    world.free(nodes[1])
    freed = world.now
    world.put(nodes[3], 0, 7)
    assert decisive(world, LIST, clean) == {freed: "value"}


def test_a_free_before_the_node_is_linked_is_decisive() -> None:
    """The pointer that is stored then dangles."""
    world = World()
    _, nodes = chain(world, 3)
    other, (moved,) = chain(world, 1)
    clean = world.now
    world.link(other, 0, None)
    world.free(moved)
    freed = world.now
    world.link(nodes[2], 1, moved)
    assert decisive(world, LIST, clean)[freed] == "value"


def test_two_fields_that_one_statement_mixed_up_are_decisive() -> None:
    world = World()
    holder = world.alloc(2, 1)
    one, two, new = (world.alloc(1, 2) for _ in range(3))
    world.link(holder, 0, one)
    world.link(one, 0, two)
    world.link(two, 1, one)
    world.free(new)
    clean = world.now
    new = world.alloc(1, 2)
    world.link(new, 0, one)  # these two are the wrong way round
    first = world.now
    world.link(new, 1, two)
    second = world.now
    world.link(one, 0, new)
    world.link(two, 1, new)
    assert set(decisive(world, BOTH_WAYS, clean)) == {first, second}  # either, in the wrong field
    assert decisive(world, BOTH_WAYS, clean, {first: 900, second: 900}) == {first: "value"}


def test_a_field_that_should_have_been_written_too_is_an_omission() -> None:
    world = World()
    holder = world.alloc(2, 1)
    one, two = world.alloc(1, 2), world.alloc(1, 2)
    world.link(holder, 0, one)
    world.link(one, 0, two)
    world.link(two, 1, one)
    clean = world.now
    new = world.alloc(1, 2)
    world.link(new, 0, two)
    world.link(new, 1, one)
    world.link(one, 0, new)  # two.prev still leads to one
    found = decisive(world, BOTH_WAYS, clean)
    assert set(found.values()) == {"omission"}


def test_a_field_that_no_value_suits_is_not_decisive() -> None:
    """Left unknown it would violate nothing, but that is no value."""
    world = World()
    node = world.alloc(1, 2, zeroed=False)
    clean = world.now
    world.put(node, 0, 4)
    text = "node { key; next*; }\nnode X; X.key > 5; X.key < 3;"
    assert decisive(world, text, clean) == {}


def test_an_operation_could_not_have_stored_what_was_not_there_yet() -> None:
    """The new holder was zeroed before there was a node: a later write of it is missing."""
    world = World()
    clean = world.now
    world.alloc(2, 1)
    world.alloc(1, 2)
    assert decisive(world, LIST, clean) == {}
    world = World()
    world.alloc(2, 1)
    clean = world.now
    world.alloc(2, 1)
    world.alloc(1, 2)
    assert set(decisive(world, LIST, clean).values()) == {"omission"}


def test_where_a_wild_pointer_was_stored_first_is_decisive_too() -> None:
    world = World()
    holder, nodes = chain(world, 3)
    clean = world.now
    world.put(nodes[0], 1, 0x5EED0)
    first = world.now
    world.put(holder, 0, 0x5EED0)
    world.free(nodes[0])
    assert first in decisive(world, LIST, clean)


def test_a_number_beside_the_field_that_was_forgotten_came_from_nowhere() -> None:
    """The key stored there reads as a wild pointer, and so did a word of a freed block."""
    text = "node { key; next*; }\nholder { head^; }\nnode X; X.key == 0 or X.next == X;"
    world = World()
    node, other = world.alloc(1, 2), world.alloc(2, 1)
    clean = world.now
    world.put(other, 0, 1)
    first = world.now
    world.free(other)
    world.put(node, 0, 1)
    assert first not in decisive(world, text, clean)


def test_what_the_rest_of_the_operation_computed_by_is_decisive() -> None:
    """A list that keeps its lengths: the last node is dropped, and they are computed after that."""
    text = (
        "node { length; next*; }\nroot: node from list.head;\nlist(next);\n"
        "node X; X.length == ((X.next == NULL) ? 0 : X.next.length + 1);"
    )
    world = World()
    _, (first, second, _) = chain(world, 3)
    world.put(second, 0, 1)
    world.put(first, 0, 2)
    clean = world.now
    world.link(second, 1, None)
    dropped = world.now
    world.put(second, 0, 0)
    world.put(first, 0, 1)
    assert decisive(world, text, clean) == {dropped: "derived"}


def test_what_the_rest_of_the_operation_followed_is_decisive() -> None:
    """Two nodes are exchanged. By a NULL the second one is taken for the first of the list and
    becomes its head, where the node before should lead to it."""
    world = World()
    holder = world.alloc(2, 1)
    one, two, three, four = nodes = [world.alloc(1, 2) for _ in range(4)]
    world.link(holder, 0, one)
    for before, after in pairwise(nodes):
        world.link(before, 0, after)
        world.link(after, 1, before)
    clean = world.now
    world.link(two, 0, four)
    world.link(three, 1, None)  # should be `one`
    faulty = world.now
    world.link(four, 1, two)
    world.link(holder, 0, three)  # and then this would be one.next
    world.link(three, 0, two)
    world.link(two, 1, three)
    found = decisive(world, BOTH_WAYS, clean)
    assert found[faulty] == "followed" and len(found) <= 2


def test_a_freed_node_that_was_written_to_after_that_is_decisive() -> None:
    """The store into the freed node is not part of the trace."""
    world = World()
    _, nodes = chain(world, 3)
    other, (moved, rest) = chain(world, 2)
    clean = world.now
    world.link(other, 0, rest)
    world.free(moved)  # it goes between the last two, and its own pointer is set after the free
    freed = world.now
    world.link(nodes[1], 1, moved)
    assert decisive(world, LIST, clean)[freed] == "value"


def test_a_freed_node_that_was_wrong_itself_is_not_decisive() -> None:
    """Both of its pointers lead to itself: there again, with one of them elsewhere, it would still
    be a cycle."""
    world = World()
    holder = world.alloc(2, 1)
    one, two = world.alloc(1, 2), world.alloc(1, 2)
    world.link(holder, 0, one)
    clean = world.now
    world.link(two, 0, two)
    world.link(two, 1, two)
    world.link(one, 0, two)
    world.free(two)
    text = "node { left*; right*; }\nnode X, Y; X ->> Y => Y -/>> X;"
    assert world.now not in decisive(world, text, clean)


def test_a_number_is_tried_with_which_a_comparison_would_hold() -> None:
    world = World()
    one, other = world.alloc(1, 3), world.alloc(1, 3)
    world.put(one, 0, 7000)
    world.put(other, 0, 7003)
    world.link(one, 1, other)
    clean = world.now
    world.put(other, 0, 20)
    text = "node { key; next*; }\nnode X; X.next.key > X.key + 1; X.next.key < X.key + 10;"
    assert decisive(world, text, clean)[world.now] == "value"


def test_a_value_that_was_stored_in_the_wrong_field_is_decisive() -> None:
    """Another value in either field alone does not fix it."""
    text = "node { low; high; next*; }\nnode X; X.low <= 1; X.high >= 5; X.low + X.high == 6;"
    world = World()
    node = world.alloc(1, 3)
    world.put(node, 0, 1)
    world.put(node, 1, 5)
    clean = world.now
    world.put(node, 1, 0)
    world.put(node, 0, 6)  # these two are the wrong way round
    assert decisive(world, text, clean)[world.now] == "value"


def wild(world: World, clean: int, sites: dict[int, int] | None = None) -> list[int]:
    engine = structure(world, Checked(world, plan_of(LIST)), sites)
    found = engine.locate([(clean, [], None), (world.now, [], None)])
    return [store.time for store in found.wild]


def test_a_wild_pointer_is_named_even_if_it_is_gone() -> None:
    world = World()
    holder, nodes = chain(world, 3)
    clean = world.now
    world.put(nodes[1], 1, 0x5EED0)
    stored = world.now
    world.link(nodes[1], 1, nodes[2])
    world.link(holder, 0, None)
    assert wild(world, clean) == [stored]


def test_a_statement_that_always_stores_wild_pointers_is_not_named_for_it() -> None:
    world = World()
    holder, nodes = chain(world, 3)
    stores = []
    for _ in range(2):
        clean = world.now
        world.put(nodes[1], 1, 0x5EED0)
        stores.append(world.now)
        world.link(nodes[1], 1, nodes[2])
    world.link(holder, 0, None)
    assert wild(world, clean) == [stores[1]]
    assert wild(world, clean, dict.fromkeys(stores, 900)) == []
