"""The engine against the naive evaluator and the verbatim algorithm, on random little heaps."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heapstory.constraints.plan import Plan
from tests.constraints.snapshot import Found, Object
from tests.constraints.verbatim import check, locate
from tests.constraints.world import Checked, World, plan_of
from tests.locate.given import structure

WORDS = 4  # of a node: a key and three pointers; a tree has one, its root

TREE = "node { key; left*; right*; parent^; }\n"
ROOTED = TREE + "root: node from tree.root; tree T; T.root == T.root;\n"
THESIS = "node FIELD 4 EDGE 3; node X; node Y;\n"

SPECIFICATIONS = {
    "inverse": THESIS + "X[2] != NULL => (X[2])[3] == X;",
    "quad": THESIS
    + """X.ISROOT == FALSE => X.INDEGREE == 1; X ->> Y => Y -/>> X; X -> Y => X.OUTDEGREE == 2;""",
    "height": """node FIELD 4 EDGE 3;
        node.HEIGHT; node X; X.ISLEAF == true => X.HEIGHT = 0 ||
            X.HEIGHT = ((X[2]).HEIGHT >= (X[3]).HEIGHT) ? (X[2]).HEIGHT + 1 : (X[3]).HEIGHT + 1;
        node X; (X[2]).HEIGHT - (X[3]).HEIGHT <= 1 and (X[2]).HEIGHT - (X[3]).HEIGHT >= -1;""",
    "some": THESIS + "X[2] != NULL => (X[2]) == Y;",
    "circle": THESIS + "X ->> Y;",
    "order": THESIS + "X -> Y => X[1] <= Y[1];",
    "keys": THESIS + "X[1] == Y[1] and X != Y => X -> Y;",
    "degrees": THESIS + "X.INTERNAL == true => X[1] != X.OUTDEGREE; X.EXTERNAL == true;",
    "array": "ARRAY node OF 8; node X; for I in 0 to 4, X[I] <= X[I + 1];",
    "below": TREE + "node X, Y; X ->> Y => X.key < Y.key; X -[left, parent]/> Y or Y.key == 1;",
    "search tree": TREE + "bst(left, right, key);",
    "heap": TREE + "heap(left, right, key); list(left);",
    "list": TREE + "dlist(left, parent); sorted(left, key);",
    "ring": TREE + "circular(left); connected(right);",
    "sizes": TREE + "node X; COUNT(X, *) <= 2; SUM(X, key) < 3; MAX(X.left, key) == X.key;",
    "exists": TREE + "node X; exists node Z: Z.left == X or Z.key == X.key + 1;",
    "lost": ROOTED,
    "instances": ROOTED + "unique(node.key); node X, Y; X.key > Y.key => X.left != Y;",
    "tops": ROOTED + "node X, Y; X.ISROOT == true and Y.ISROOT == true => X == Y;",
    "circles": ROOTED + "connected(left);",
    "forest": TREE + "forest(left, right); acyclic(parent);",
}


@cache
def plan(name: str) -> Plan:
    return plan_of(SPECIFICATIONS[name])


@st.composite
def worlds(draw: st.DrawFn, most: int = 24) -> World:
    """A program with nodes and a few trees: allocations, links (stale and interior ones too),
    numbers, frees; addresses are given out again."""
    world = World()
    nodes: list[int] = []
    freed: list[int] = []
    trees = [world.alloc(2, 1) for _ in range(draw(st.integers(0, 2)))]
    actions = ["alloc", "link", "link", "link", "put", "free", "odd", "root"]
    for _ in range(draw(st.integers(1, most))):
        action = draw(st.sampled_from(actions))
        if action == "root" and trees:
            world.link(draw(st.sampled_from(trees)), 0, draw(st.sampled_from([*nodes, None])))
        elif action == "alloc" or not nodes:
            nodes.append(world.alloc(1, WORDS, zeroed=draw(st.booleans())))
        else:
            _change(draw, world, action, nodes, freed)
    return world


def _change(draw: st.DrawFn, world: World, action: str, nodes: list[int], freed: list[int]) -> None:
    node, word = draw(st.sampled_from(nodes)), draw(st.integers(1, WORDS - 1))
    if action == "link":
        world.link(node, word, draw(st.sampled_from([*nodes, None])))
    elif action == "put":
        world.put(node, 0, draw(st.integers(-1, 2)))
    elif action == "free":
        nodes.remove(node)
        freed.append(node)
        world.free(node)
    elif freed and draw(st.booleans()):
        world.link(node, word, draw(st.sampled_from(freed)))
    else:
        world.link(node, word, draw(st.sampled_from(nodes)), draw(st.sampled_from([0, 8])))


def plain(row: tuple[int, list[Any]]) -> Found:
    binding = tuple(one if isinstance(one, int) else Object(*one) for one in row[1])
    return Found(row[0], binding)


@pytest.mark.parametrize("name", SPECIFICATIONS)
@settings(max_examples=10, deadline=None)
@given(world=worlds())
def test_every_moment_is_judged_as_by_trying_every_binding(name: str, world: World) -> None:
    checked, engine = Checked(world, plan(name)), structure(world, plan(name))
    for at in [*range(checked.model.last + 1), *range(checked.model.last, -1, -1)]:
        assert {plain(row) for row in engine.check(at)} == set(check(checked.at(at), plan(name)))


@pytest.mark.parametrize("name", SPECIFICATIONS)
@settings(max_examples=10, deadline=None)
@given(world=worlds(), data=st.data())
def test_faults_are_those_of_the_verbatim_algorithm(
    name: str, world: World, data: st.DataObject
) -> None:
    checked, engine = Checked(world, plan(name)), structure(world, plan(name))
    last = checked.model.last
    points = sorted({last, *data.draw(st.lists(st.integers(0, last), max_size=5))})
    found = engine.locate([(at, [], None) for at in points])
    bad = [at for at in points if check(checked.at(at), plan(name))]
    if not bad:
        assert found["bad"] is None and found["faults"] == []
        return
    assert points[found["bad"]] == bad[0]
    assert {plain(row) for row in found["inconsistencies"]} == set(
        check(checked.at(bad[0]), plan(name))
    )
    expected = locate(plan(name), checked.at, bad[0])
    contributed = {
        time: {plain(row) for row in rows}
        for time, relation, rows in found["faults"]
        if relation != "fed"
    }
    assert contributed == expected.contributed
