"""What the language has beyond the thesis, each checked on a little heap."""

from __future__ import annotations

from itertools import pairwise

import pytest

from heapstory.constraints.language.oneliners import ONE_LINERS
from heapstory.constraints.plan import BinderKind, Op, ShapeKind
from tests.constraints.world import Checked, World, plan_of

TREE = "node { key; left*; right*; parent^; }\n"
KEY, LEFT, RIGHT, PARENT = range(4)


def node(world: World, key: int = 0, kind: int = 1, words: int = 4) -> int:
    made = world.alloc(kind, words)
    world.put(made, KEY, key)
    return made


def chain(world: World, *keys: int) -> list[int]:
    """Nodes linked by their left pointers."""
    nodes = [node(world, key) for key in keys]
    for one, other in pairwise(nodes):
        world.link(one, LEFT, other)
    return nodes


def names(world: World, text: str) -> set[str]:
    return set(Checked(world, plan_of(text)).violated())


# X1, X2: named fields, pointers that are not counted, restricted edges and paths.


def test_parent_pointers_are_no_edges() -> None:
    world = World()
    top, low = chain(world, 2, 1)
    world.link(low, PARENT, top)
    spec = TREE + "node X, Y; X ->> Y => Y -/>> X; X.ISROOT == false => X.INDEGREE == 1;"
    assert names(world, spec) == set()
    assert names(
        world, TREE + "node X, Y; c: X -[left, parent]->> Y => Y -[left, parent]/>> X;"
    ) == {"c"}


def test_degrees_over_some_fields() -> None:
    world = World()
    top, low = chain(world, 2, 1)
    world.link(low, PARENT, top)
    spec = TREE + "node X; a: X.OUTDEGREE[left] == 1; b: X.INDEGREE[parent] == 0;"
    found = Checked(world, plan_of(spec)).violated()
    assert found == {"a": {(low,)}, "b": {(top,)}}


# X3: pointer safety.


@pytest.mark.parametrize("word", [LEFT, PARENT])
def test_pointers_must_be_null_or_lead_to_a_live_node(word: int) -> None:
    world = World()
    one, other = node(world), node(world)
    name = f"safe(node.{'left' if word == LEFT else 'parent'})"
    world.link(one, word, other)
    assert names(world, TREE) == set()
    world.link(one, word, other, offset=8)
    assert names(world, TREE) == {name}
    world.put(one, word, 0x99)
    assert names(world, TREE) == {name}
    world.link(one, word, other)
    world.free(other)
    assert names(world, TREE) == {name}
    again = node(world)
    assert world.address[again] == world.address[other]
    assert names(world, TREE) == {name}, "a stale pointer does not mean the new node"
    assert names(world, TREE.replace("left*", "left*?").replace("^", "^?")) == set()


def test_a_field_that_was_never_written_violates_nothing() -> None:
    world = World()
    world.alloc(1, 4, zeroed=False)
    assert names(world, TREE + "node X; X.key == 3; X.left == NULL;") == set()


def test_a_marked_field_must_have_been_written() -> None:
    world = World()
    one = world.alloc(1, 4, zeroed=False)
    spec = "node { key!; left*!; right*; parent^; }"
    assert names(world, spec) == {"written(node.key)", "written(node.left)"}
    world.put(one, KEY, 0)
    world.link(one, LEFT, None)
    assert names(world, spec) == set()


def test_the_parts_of_a_conjunction_are_violated_one_by_one() -> None:
    world = World()
    node(world, 1)
    plan = plan_of(TREE + "node X; both: X.key == 1 and X.left != NULL;")
    violated = [
        number
        for number in range(len(plan.constraints))
        if Checked(world, plan).at(world.now).violations(number)
    ]
    assert [plan.constraints[number].words for number in violated] == [
        "For every node X, X.left is not NULL."
    ]


# X4: instances by root.

ROOTED = TREE + "root: node from tree.root;\ntree T; T.root == T.root;\n"


def test_lost_nodes_and_keys_by_instance() -> None:
    world = World()
    first, second = node(world, 1), node(world, 1)
    holders = [world.alloc(2, 1), world.alloc(2, 1)]
    for holder, top in zip(holders, (first, second), strict=True):
        world.link(holder, 0, top)
    assert names(world, ROOTED + "unique(node.key);") == set()
    assert names(world, TREE + "unique(node.key);") == {"node.unique.once"}
    below = node(world, 1)
    world.link(first, LEFT, below)
    assert names(world, ROOTED + "unique(node.key);") == {"node.unique.once"}
    world.link(first, LEFT, None)
    assert Checked(world, plan_of(ROOTED)).violated() == {"rooted(node)": {(below,)}}


def test_a_root_may_hold_no_address_that_was_never_a_nodes() -> None:
    world = World()
    holder, one = world.alloc(2, 1), node(world)
    world.link(holder, 0, one)
    world.free(one)
    assert names(world, ROOTED) == set(), "the structure may be gone"
    world.put(holder, 0, 0x99)
    assert names(world, ROOTED) == {"safe(tree.root)"}
    assert names(world, ROOTED.replace("left*", "left*?").replace("right*", "right*?").replace(
        "parent^", "parent^?")) == set()  # fmt: skip


def test_a_one_liner_may_say_where_structures_begin() -> None:
    world = World()
    both = "node { next*; prev^; }\ndlist(next, prev, list.head, list.tail);"
    one, other = world.alloc(1, 2), world.alloc(1, 2)
    world.link(one, 0, other)
    world.link(other, 1, one)
    assert names(world, both) == {"rooted(node)"}
    holder = world.alloc(2, 2)
    world.link(holder, 0, one)
    assert names(world, both) == {"node.dlist.no_last"}
    world.link(holder, 1, one)
    assert names(world, both) == {"node.dlist.last"}
    world.put(holder, 1, 0x5EED0)
    assert names(world, both) == {"node.dlist.last"}
    world.link(holder, 1, other)
    assert names(world, both) == set()
    tree = "node { left*; right*; }\ntree(left, right, top.root);"
    assert plan_of(tree).types[0].roots


def test_a_lost_part_is_one_inconsistency() -> None:
    world = World()
    holder = world.alloc(2, 1)
    top, *rest = chain(world, 1, 2, 3, 4)
    world.link(holder, 0, top)
    world.link(top, LEFT, None)
    plan = plan_of(ROOTED)
    number = next(i for i, c in enumerate(plan.constraints) if c.name == "rooted(node)")
    found = Checked(world, plan).at(world.now).canonical(number)
    assert [f.binding[0].node for f in found] == [rest[0]]


# X5: aggregates.


def test_aggregates_over_what_is_reachable() -> None:
    world = World()
    chain(world, 5, 3, 8)
    spec = TREE + (
        "node X; a: X.key == 5 => COUNT(X, *) == 3; b: X.key == 5 => SUM(X, key) == 16;"
        "c: X.key == 5 => MIN(X, key) == 3; d: X.key == 5 => MAX(X.left, key) == 8;"
        "e: X.key == 8 => COUNT(X.left, *) == 0 and COUNT(X, key > 7) == 1;"
    )
    assert names(world, spec) == set()
    assert names(world, TREE + "node X; f: COUNT(X, *) <= 2;") == {"f"}


# X6: one-liners.

GOOD = {
    "acyclic": "acyclic(left, right)",
    "list": "list(left)",
    "forest": "forest(left, right)",
    "tree": "tree(left, right)",
    "bst": "bst(left, right, key)",
    "heap": "heap(left, right, key)",
    "sorted": "sorted(left, key)",
    "unique": "unique(node.key)",
    "inverse": "inverse(left, parent)",
    "dlist": "dlist(left, parent)",
    "circular": "circular(left)",
    "connected": "connected(left)",
}


def test_every_one_liner_is_tried() -> None:
    assert set(GOOD) == set(ONE_LINERS)


@pytest.mark.parametrize(
    ("name", "keys", "extra", "holds"),
    [
        ("acyclic", [1, 2], [], True),
        ("acyclic", [1, 2], [(1, LEFT, 0)], False),
        ("list", [1, 2, 3], [], True),
        ("list", [1, 2, 3], [(0, LEFT, 2)], False),
        ("forest", [1, 2, 3], [], True),
        ("forest", [1, 2, 3], [(0, RIGHT, 2)], False),
        ("tree", [1, 2, 3], [], True),
        ("tree", [1, 2, 3], [(0, LEFT, None)], False),
        ("bst", [3, 2, 1], [], True),
        ("bst", [3, 2, 2], [], False),
        ("bst", [3, 1, 2], [], False),
        ("heap", [1, 2, 2], [], True),
        ("heap", [1, 2, 1], [], False),
        ("sorted", [1, 2, 2], [], True),
        ("sorted", [1, 3, 2], [], False),
        ("unique", [1, 2, 3], [], True),
        ("unique", [1, 2, 1], [], False),
        ("inverse", [1, 2], [(1, PARENT, 0)], True),
        ("inverse", [1, 2], [], False),
        ("dlist", [1, 2], [(1, PARENT, 0)], True),
        ("dlist", [1, 2], [(1, PARENT, 1)], False),
        ("circular", [1, 2, 3], [(2, LEFT, 0)], True),
        ("circular", [1, 2, 3], [], False),
        ("connected", [1, 2, 3], [(2, LEFT, 0)], True),
        ("connected", [1, 2, 3], [(2, LEFT, 1)], False),
    ],
)
def test_one_liners(
    name: str, keys: list[int], extra: list[tuple[int, int, int | None]], holds: bool
) -> None:
    world = World()
    nodes = chain(world, *keys)
    for source, word, target in extra:
        world.link(nodes[source], word, None if target is None else nodes[target])
    assert (names(world, f"{TREE}{GOOD[name]};") == set()) is holds


# X8: owners and aliases.


def test_owner_and_alias() -> None:
    world = World()
    box, other, buffer = world.alloc(1, 1), world.alloc(1, 1), world.alloc(9, 2)
    world.link(box, 0, buffer)
    spec = "box { data^; }\n"
    assert names(world, spec + "owner: box.data; no alias: box.data;") == set()
    world.link(other, 0, buffer)
    found = names(world, spec + "owner: box.data; no alias: box.data;")
    assert found == {"owner(box.data)", "no alias(box.data)"}


# X9: more operators.


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("min(X.key, 3) == 3", True),
        ("max(X.key, 3) == 3", False),
        ("abs(X.key - 9) == 2", True),
        ("|X.key - 9| == 2", True),
        ("X.key % 4 == 3", True),
        ("X.key & 3 == 3", True),
        ("-X.key / 2 == -3", True),
        ("X.key / 0 == 1", True),
        ("not X.key == 7", False),
        ("exists node Z: Z.key == X.key + 1", False),
        ("exists node Z: Z.key == X.key and Z.left == NULL", True),
        ("(X.key > 3 ? 1 : 2) == 1", True),
        ("X.key != 7 or X.left == NULL", True),
        ("X.key == 0x7", True),
        ("X.key < 7.5", True),
    ],
)
def test_operators(condition: str, holds: bool) -> None:
    world = World()
    node(world, 7)
    assert (names(world, f"{TREE}node X; c: {condition};") == set()) is holds


def test_pause() -> None:
    assert plan_of(TREE + "pause in rotate, rebalance;").pause == ("rotate", "rebalance")


# Evaluation without trying every pair.


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("X ->> Y => Y -/>> X", ShapeKind.ACYCLIC),
        ("X -/>> X", ShapeKind.ACYCLIC),
        ("Y -[left]->> X => X -[left]/>> Y", ShapeKind.ACYCLIC),
        ("X ->> Y", ShapeKind.CONNECTED),
        ("X.key == Y.key => X == Y", ShapeKind.UNIQUE),
        ("X != Y => X.key != Y.key", ShapeKind.UNIQUE),
        ("X.ISROOT == true and Y.ISROOT == true => X == Y", ShapeKind.UNIQUE),
        ("X.key == Y.parent.key => X == Y", ShapeKind.NESTED),
        ("X ->> Y => X.key < Y.key", ShapeKind.NESTED),
        ("rooted(X)", ShapeKind.ROOTED),
    ],
)
def test_shapes(text: str, shape: ShapeKind) -> None:
    plan = plan_of(f"{TREE}root: node from tree.root; node X, Y; {text};")
    assert plan.constraints[0].shape.kind is shape


@pytest.mark.parametrize(
    ("text", "binders"),
    [
        ("X -> Y => X.key < Y.key", [BinderKind.ALL, BinderKind.OUT]),
        ("X.parent == Y => Y.key > X.key", [BinderKind.ALL, BinderKind.VALUE]),
        ("Y == X.parent => Y.key > X.key", [BinderKind.ALL, BinderKind.VALUE]),
        ("X ->> Y => X.key < Y.key", [BinderKind.ALL, BinderKind.REACHED]),
        ("X.parent != Y or Y.key > X.key", [BinderKind.ALL, BinderKind.VALUE]),
        ("X -/> Y or Y.parent == X", [BinderKind.ALL, BinderKind.OUT]),
        ("X.left != NULL => X.left == Y", [BinderKind.ALL, BinderKind.VALUE]),
        ("X.key < Y.key", [BinderKind.ALL, BinderKind.ALL]),
    ],
)
def test_binders(text: str, binders: list[BinderKind]) -> None:
    (constraint, *_) = plan_of(f"{TREE}node X, Y; {text};").constraints
    assert [v.binder.kind for v in constraint.variables] == binders


def test_inner_exists_has_a_binder() -> None:
    (constraint, *_) = plan_of(f"{TREE}node X; exists node Y: Y == X.left;").constraints
    assert constraint.body.op is Op.EXISTS
    assert constraint.body.binder.kind is BinderKind.VALUE


# Attributes that stop at a sentinel.

STOPPING = (
    TREE
    + "node.DEPTH; node X; X.key == 0 => X.DEPTH = 0 ||"
    + "X.DEPTH = max(X.left.DEPTH, X.right.DEPTH) + 1; deep: X.DEPTH < 2;"
)


def test_a_sentinel_may_lead_to_itself() -> None:
    world = World()
    top, low, end = chain(world, 2, 1, 0)
    for one in (top, low, end):
        world.link(one, RIGHT, end)
    world.link(end, LEFT, end)
    assert Checked(world, plan_of(STOPPING)).violated() == {"deep": {(top,)}}
    world.link(end, LEFT, top)
    assert names(world, STOPPING) == {"deep"}, "nothing beyond the sentinel is looked at"


def test_a_cycle_before_the_sentinel_is_one() -> None:
    world = World()
    top, low, end = chain(world, 2, 1, 0)
    world.link(end, LEFT, end)
    world.link(low, RIGHT, top)
    assert Checked(world, plan_of(STOPPING)).violated() == {"acyclic(DEPTH)": {(top,), (low,)}}
