"""Every example of chapter 2 of the thesis parses and means what its text says."""

from __future__ import annotations

import pytest

from heapstory.constraints.plan import Op, Quantifier, ShapeKind
from tests.constraints.world import Checked, World, compiled, plan_of

AVL = """
avltree FIELD 3 EDGE 2;
avltree.HEIGHT; avltree X;
X.ISLEAF == true ⇒ X.HEIGHT = 0 ||
X.HEIGHT = (X[2].HEIGHT ≥ X[3].HEIGHT) ?
X[2].HEIGHT+1 : X[3].HEIGHT+1;
avltree X;
(X[2]).HEIGHT - (X[3]).HEIGHT ≤ 1 and
(X[2]).HEIGHT - (X[3]).HEIGHT ≥ -1;
"""
RED_BLACK = """
const BLACK = 0;
rbtree FIELD 3 EDGE 2;
rbtree.BHEIGHT; rbtree X;
X.ISLEAF == true ⇒ X.BHEIGHT = 0 ||
X.BHEIGHT = (X[2].(1) != BLACK) ?
X[2].BHEIGHT : X[2].BHEIGHT+1;
blacks: X.BHEIGHT == 1;
"""
# Figure 2.4 is a picture; its five constraints are told in section 2.4.1.
B_TREE = """
btree FIELD 6 EDGE 3;
btree X; X.ISROOT == FALSE ⇒ X.INDEGREE == 1;            ..(c1)
btree X; btree Y; X ->> Y => Y -/>> X;                    ..(c2)
btree X; X.INTERNAL == true ⇒ X.OUTDEGREE ≥ 2;           ..(c3)
btree X; X.INTERNAL == true ⇒ X.OUTDEGREE ≤ 3;           ..(c4)
btree X; X.ISLEAF == false ⇒ X.OUTDEGREE == X[1] + 1;    ..(c5)
"""
SHARD = """
ARRAY shard;
    shard X;
    for I in 0 to 8, X[I*4 +1] < X[(I+1)*4 +1];
"""
LIST = """
node FIELD 2 EDGE 1;
    node X; node Y;
    X[2] ≠ NULL ⇒ (X[2]) == Y;
"""


def tree(world: World, words: int, shape: object, first: int = 1) -> int:
    """A tree from nested lists: None or (children…); edges begin at a word."""
    assert isinstance(shape, tuple)
    node = world.alloc(1, words)
    for i, below in enumerate(shape):
        if below is not None:
            world.link(node, first + i, tree(world, words, below, first))
    return node


LEAF: tuple[object, ...] = (None, None)


def test_example_1_types_by_counts() -> None:
    plan = plan_of("btree FIELD 6 EDGE 3; avltree FIELD 3 EDGE 2;")
    assert [len(edges) for edges in plan.edge_sets] == [5]
    assert [len(kind.fields) for kind in plan.types] == [3, 2]


@pytest.mark.parametrize(
    ("shape", "holds"),
    [
        (LEAF, True),
        ((LEAF, None), True),
        ((LEAF, LEAF), True),
        (((LEAF, None), LEAF), True),
        (((LEAF, None), None), False),
        ((None, (None, LEAF)), False),
        ((((LEAF, None), LEAF), LEAF), False),
    ],
)
def test_examples_2_and_3_avl_balance(shape: object, holds: bool) -> None:
    world = World()
    tree(world, 3, shape)
    assert (Checked(world, plan_of(AVL)).violated() == {}) is holds


def test_example_2_null_is_black() -> None:
    world, black, red = World(), 0, 1
    root = world.alloc(1, 3)
    child = world.alloc(1, 3)
    checked = plan_of(RED_BLACK)
    world.put(root, 0, black)
    world.put(child, 0, red)
    world.link(root, 1, child)
    # A red child adds nothing: BHEIGHT(root) = BHEIGHT(child) = 0, which the last line forbids.
    assert Checked(world, checked).violated() == {"blacks": {(root,), (child,)}}
    world.put(child, 0, black)
    assert Checked(world, checked).violated() == {"blacks": {(child,)}}
    world.link(root, 1, None)
    world.link(root, 2, child)
    # NULL on the right is black and has BHEIGHT -1.
    assert Checked(world, checked).violated() == {"blacks": {(root,), (child,)}}


def test_attributes_are_unknown_on_and_above_a_cycle_which_is_reported() -> None:
    world = World()
    top = tree(world, 3, ((LEAF, None), None))
    low = top + 2
    world.link(low, 1, top + 1)
    found = Checked(world, plan_of(AVL)).violated()
    assert set(found) == {"acyclic(HEIGHT)"}
    assert (low, top + 1) in found["acyclic(HEIGHT)"]


def btree(world: World, keys: int, *children: int) -> int:
    node = world.alloc(1, 6)
    world.put(node, 0, keys)
    for i, child in enumerate(children):
        world.link(node, 3 + i, child)
    return node


def test_figure_2_4_b_tree() -> None:
    world = World()
    leaves = [btree(world, 1) for _ in range(5)]
    inner = btree(world, 1, leaves[0], leaves[1])
    wide = btree(world, 2, leaves[2], leaves[3], leaves[4])
    btree(world, 1, inner, wide)
    plan = plan_of(B_TREE)
    assert Checked(world, plan).violated() == {}
    world.link(inner, 4, None)
    assert Checked(world, plan).violated() == {"c3": {(inner,)}, "c5": {(inner,)}}
    world.link(inner, 4, leaves[2])
    assert Checked(world, plan).violated() == {"c1": {(leaves[2],)}}


@pytest.mark.parametrize(("keys", "bad"), [([1, 2, 3, 4], []), ([1, 5, 3, 4], [1])])
def test_example_4_shard(keys: list[int], bad: list[int]) -> None:
    world = World()
    shard = world.alloc(1, 16)
    for i, key in enumerate(keys):
        world.put(shard, 4 * i, key)
    found = Checked(world, plan_of(SHARD)).violated()
    # Entries past the block are out of range: unknown, so they violate nothing.
    assert found == ({"c1": {(shard, i) for i in bad}} if bad else {})


def test_example_5_the_next_field_points_to_a_node() -> None:
    world = World()
    first, second = world.alloc(1, 2), world.alloc(1, 2)
    stranger = world.alloc(7, 2)
    world.link(first, 1, second)
    plan = plan_of(LIST)
    assert [v.quantifier for v in plan.constraints[0].variables] == [
        Quantifier.FORALL,
        Quantifier.EXISTS,
    ]
    assert Checked(world, plan).violated() == {}
    world.link(second, 1, stranger)
    assert Checked(world, plan).violated()["c1"] == {(second,)}
    world.put(second, 1, 0x1234)
    assert Checked(world, plan).violated()["c1"] == {(second,)}
    world.link(second, 1, None)
    world.free(second)
    assert Checked(world, plan).violated()["c1"] == {(first,)}


def test_table_2_1_standard_attributes() -> None:
    world = World()
    top, middle, low = (world.alloc(1, 2) for _ in range(3))
    world.link(top, 1, middle)
    world.link(middle, 1, low)
    nodes = {top, middle, low}
    for attribute, holds in {
        "INDEGREE == 0": {top},
        "OUTDEGREE == 0": {low},
        "EXTERNAL == true": {top, low},
        "INTERNAL == true": {middle},
        "ISROOT == true": {top},
        "ISLEAF == true": {low},
        "ISLEAF == false": {top, middle},
    }.items():
        plan = plan_of(f"node FIELD 2 EDGE 1; node X; a: X.{attribute};")
        found = Checked(world, plan).violated().get("a", set())
        assert found == {(one,) for one in nodes - holds}, attribute


@pytest.mark.parametrize(
    ("ascii_form", "symbols"),
    [
        ("X ->> Y => Y -/>> X;", "X ↠ Y ⇒ Y ↠̸ X;"),
        ("X -> Y => Y -/> X;", "X → Y ⇒ Y ↛ X;"),
        ("X[1] != 2 and X[1] <= 3 or X[1] >= 4;", "X[1] ≠ 2 ∧ X[1] ≤ 3 ∨ X[1] ≥ 4;"),
    ],
)
def test_symbols_and_their_ascii_forms_are_the_same(ascii_form: str, symbols: str) -> None:
    head = "node FIELD 3 EDGE 2; node X; node Y; "
    first, second = plan_of(head + ascii_form), plan_of(head + symbols)
    one, other = first.constraints[0], second.constraints[0]
    assert (one.guard, one.body) == (other.guard, other.body)


def test_paths_are_not_tried_over_all_pairs() -> None:
    plan = plan_of(B_TREE)
    shapes = {c.name: c.shape.kind for c in plan.constraints}
    assert shapes["c2"] is ShapeKind.ACYCLIC
    # With three pointer fields an out-degree is never above three: the thesis' own c4 says nothing.
    assert [w.message for w in compiled(B_TREE).warnings] == ["c4 can never fail"]


def test_self_loops_are_cycles_and_x_may_be_y() -> None:
    world = World()
    one = world.alloc(1, 6)
    world.link(one, 3, one)
    assert Checked(world, plan_of(B_TREE)).violated()["c2"] == {(one, one)}


def test_negation_of_a_path_is_the_operator_itself() -> None:
    body = plan_of("node FIELD 2 EDGE 1; node X, Y; X -/> Y;").constraints[0].body
    assert body.op is Op.NOT
    assert body.args[0].op is Op.EDGE
