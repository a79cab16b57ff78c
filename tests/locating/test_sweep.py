"""A structure that is large enough for two threads: what they find together is what each
constraint finds when it is asked alone."""

from __future__ import annotations

from random import Random

import pytest

from tests.constraints.test_engine import found_by_engine, structure
from tests.constraints.world import Checked, World, plan_of

NODES = 4000
KEY, HEIGHT, LEFT, RIGHT = range(4)
TREE = """
node { key!; height!; left*!; right*!; }
bst(left, right, key);
node.HEIGHT; node X;
X.ISLEAF == true => X.HEIGHT = 0 || X.HEIGHT = max(X.left.HEIGHT, X.right.HEIGHT) + 1;
tall: X.height == X.HEIGHT;
"""


def tree(random: Random) -> tuple[World, list[int]]:
    """A search tree without a fault, its nodes in order of their keys."""
    world = World()
    nodes = [world.alloc(1, 4) for _ in range(NODES)]
    random.shuffle(nodes)

    def build(first: int, end: int) -> tuple[int | None, int]:
        if first == end:
            return None, -1
        middle = random.randint(first + (end - first) // 3, end - 1 - (end - first) // 3)
        left, low = build(first, middle)
        right, high = build(middle + 1, end)
        node = nodes[middle]
        world.put(node, KEY, 10 * middle)
        world.put(node, HEIGHT, max(low, high) + 1)
        world.link(node, LEFT, left)
        world.link(node, RIGHT, right)
        return node, max(low, high) + 1

    build(0, NODES)
    return world, nodes


@pytest.mark.parametrize("links", [0, 1, 40, 1500], ids="{} wrong links".format)
@pytest.mark.parametrize("seed", [1, 2])
def test_together_and_alone(links: int, seed: int) -> None:
    random = Random(seed)
    world, nodes = tree(random)
    checked = Checked(world, plan_of(TREE))
    whole = world.now
    assert structure(world, checked).locate([(whole, [], None)]).bad is None
    for node in random.sample(nodes, 30):
        world.put(node, random.choice([KEY, HEIGHT]), random.randint(0, 10 * NODES))
    for node in random.sample(nodes, links):  # some are shared then, some lead to a cycle
        world.link(node, random.choice([LEFT, RIGHT]), random.choice(nodes))
    checked = Checked(world, plan_of(TREE))
    last = world.now
    for points in [[last], [whole, last]]:
        found = structure(world, checked).locate([(at, [], None) for at in points])
        assert found.bad is not None and points[found.bad] == last
        alone = structure(world, checked).check(last)
        assert found_by_engine(found.inconsistencies) == found_by_engine(alone)
