"""What must hold of each structure of tests/locating/structures, checked on a dump of its heap: the
judge of which mutants are harmful. Written from the comments of the C programs alone."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_int, c_uint, c_void_p
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.locating.faults.heap import Broken, Heap, need

RED, BLACK = 0, 1
WORKER, TASK = 0, 1


def _struct(name: str, **fields: Any) -> type[ctypes.Structure]:
    return type(name, (ctypes.Structure,), {"_fields_": list(fields.items())})


Ring = _struct("ring", last=c_void_p)
RingNode = _struct("ring_node", value=c_int, next=c_void_p)
Ordered = _struct("ordered", head=c_void_p)
Item = _struct("item", key=c_int, next=c_void_p)
Dlist = _struct("dlist", head=c_void_p, tail=c_void_p)
Dnode = _struct("dnode", value=c_int, next=c_void_p, prev=c_void_p)
QuadTree = _struct("quad_tree", root=c_void_p)
Quad = _struct("quad", x=c_int, y=c_int, width=c_int, height=c_int, point=c_void_p,
               child=c_void_p * 4)  # fmt: skip
Point = _struct("point", x=c_int, y=c_int)
Avl = _struct("avl", root=c_void_p)
AvlNode = _struct("avl_node", key=c_int, height=c_int, left=c_void_p, right=c_void_p)
Btree = _struct("btree", root=c_void_p)
BtreeNode = _struct("btree_node", count=c_int, key=c_int * 2, child=c_void_p * 3)
RbTree = _struct("rb_tree", root=c_void_p)
RbNode = _struct("rb_node", key=c_int, colour=c_int, left=c_void_p, right=c_void_p,
                 parent=c_void_p)  # fmt: skip
Leftist = _struct("leftist", root=c_void_p)
LeftistNode = _struct("leftist_node", key=c_int, npl=c_int, left=c_void_p, right=c_void_p)
Bipartite = _struct("bipartite", workers=c_void_p, tasks=c_void_p)
Vertex = _struct("vertex", number=c_int, side=c_int, first=c_void_p, next=c_void_p)
HalfEdge = _struct("half_edge", to=c_void_p, twin=c_void_p, next=c_void_p)
Table = _struct("table", size=c_uint, count=c_uint, chain=c_void_p)
Entry = _struct("entry", key=c_uint, value=c_int, next=c_void_p)


def circular(heap: Heap) -> None:
    last = heap.only(Ring).last
    seen: set[int] = set()
    address = last
    while address and address not in seen:
        seen.add(address)
        address = heap.at(address, RingNode).next
    need(address == last, "the ring does not close at its last node")
    heap.all_seen(seen, RingNode)


def ordered(heap: Heap) -> None:
    seen: set[int] = set()
    for handle in heap.live(Ordered):
        before = None
        for address, item in heap.chain(heap.at(handle, Ordered).head, Item):
            need(before is None or before < item.key, f"{item.key} after {before}")
            need(address not in seen, "one item in two lists")
            before = item.key
            seen.add(address)
    heap.all_seen(seen, Item)


def doubly(heap: Heap) -> None:
    handle = heap.only(Dlist)
    before = None
    seen: set[int] = set()
    for address, node in heap.chain(handle.head, Dnode):
        need(node.prev == before, f"prev of {address:#x} is not the node before it")
        before = address
        seen.add(address)
    need(handle.tail == before, "the tail is not the last node")
    heap.all_seen(seen, Dnode)


def quad(heap: Heap) -> None:
    seen: set[int] = set()
    points: set[int] = set()

    def below(address: int) -> None:
        need(address not in seen, "one node at two places")
        seen.add(address)
        node = heap.at(address, Quad)
        west, south = node.width // 2, node.height // 2
        children = [child for child in node.child if child]
        if not children:
            if node.point:
                point = heap.at(node.point, Point)
                need(node.point not in points, "one point in two leaves")
                points.add(node.point)
                need(node.x <= point.x < node.x + node.width, "a point outside its leaf")
                need(node.y <= point.y < node.y + node.height, "a point outside its leaf")
            return
        need(len(children) == 4, "an inner node without four children")
        need(not node.point, "a point in an inner node")
        for number, address in enumerate(node.child):
            child = heap.at(address, Quad)
            east, north = number & 1, number >> 1
            need(child.x == node.x + east * west, "a child beside its quadrant")
            need(child.y == node.y + north * south, "a child beside its quadrant")
            need(child.width == (node.width - west if east else west), "a child of a wrong width")
            need(child.height == (node.height - south if north else south), "of a wrong height")
            below(address)

    root = heap.only(QuadTree).root
    need(root, "no root")
    below(root)
    heap.all_seen(seen, Quad)
    heap.all_seen(points, Point)


def avl(heap: Heap) -> None:
    seen: set[int] = set()

    def height(address: int | None, low: float, high: float) -> int:
        if not address:
            return -1
        need(address not in seen, "one node at two places")
        seen.add(address)
        node = heap.at(address, AvlNode)
        need(low < node.key < high, f"{node.key} not between {low} and {high}")
        left = height(node.left, low, node.key)
        right = height(node.right, node.key, high)
        need(abs(left - right) <= 1, f"{node.key} is out of balance")
        need(node.height == max(left, right) + 1, f"{node.key} has a wrong height")
        return int(node.height)

    height(heap.only(Avl).root, float("-inf"), float("inf"))
    heap.all_seen(seen, AvlNode)


def btree(heap: Heap) -> None:
    seen: set[int] = set()

    def depth(address: int, low: float, high: float) -> int:
        need(address not in seen, "one node at two places")
        seen.add(address)
        node = heap.at(address, BtreeNode)
        need(1 <= node.count <= 2, f"a node with {node.count} keys")
        keys = list(node.key)[: node.count]
        bounds = [low, *keys, high]
        need(all(one < two for one, two in pairwise(bounds)), "keys in disorder")
        children = [child for child in node.child if child]
        if not children:
            return 0
        used = list(node.child)[: node.count + 1]
        need(all(used) and len(children) == len(used), "children do not match the keys")
        depths = {depth(one, *bounds[i : i + 2]) for i, one in enumerate(used)}
        need(len(depths) == 1, "leaves at different depths")
        return depths.pop() + 1

    root = heap.only(Btree).root
    if root:
        depth(root, float("-inf"), float("inf"))
    heap.all_seen(seen, BtreeNode)


def redblack(heap: Heap) -> None:
    seen: set[int] = set()

    def blacks(address: int | None, parent: int | None, low: float, high: float) -> int:
        if not address:
            return 0
        need(address not in seen, "one node at two places")
        seen.add(address)
        node = heap.at(address, RbNode)
        need(low < node.key < high, f"{node.key} not between {low} and {high}")
        need(node.parent == parent, f"{node.key} has a wrong parent")
        need(node.colour in (RED, BLACK), f"{node.key} has no colour")
        for child in (heap.at(node.left, RbNode), heap.at(node.right, RbNode)):
            need(node.colour == BLACK or not child or child.colour == BLACK, "red below red")
        left = blacks(node.left, address, low, node.key)
        right = blacks(node.right, address, node.key, high)
        need(left == right, f"{node.key} has black heights {left} and {right}")
        return left + int(node.colour == BLACK)

    root = heap.only(RbTree).root
    need(not root or heap.at(root, RbNode).colour == BLACK, "a red root")
    blacks(root, None, float("-inf"), float("inf"))
    heap.all_seen(seen, RbNode)


def leftist(heap: Heap) -> None:
    seen: set[int] = set()

    def length(address: int | None, least: float) -> int:
        if not address:
            return -1
        need(address not in seen, "one node at two places")
        seen.add(address)
        node = heap.at(address, LeftistNode)
        need(least <= node.key, f"{node.key} below {least}")
        left, right = length(node.left, node.key), length(node.right, node.key)
        need(left >= right, f"{node.key} is shorter on the left")
        need(node.npl == right + 1, f"{node.key} has a wrong null path length")
        return int(node.npl)

    for handle in heap.live(Leftist):
        length(heap.at(handle, Leftist).root, float("-inf"))
    heap.all_seen(seen, LeftistNode)


def bipartite(heap: Heap) -> None:
    handle = heap.only(Bipartite)
    vertices: dict[int, int] = {}
    halves: dict[int, int] = {}
    for first, side in ((handle.workers, WORKER), (handle.tasks, TASK)):
        for address, vertex in heap.chain(first, Vertex):
            need(address not in vertices, "one vertex in two lists")
            need(vertex.side == side, "a vertex in the list of the other side")
            vertices[address] = side
            for half, _ in heap.chain(vertex.first, HalfEdge):
                need(half not in halves, "one half edge in two lists")
                halves[half] = address
    for address, start in halves.items():
        half = heap.at(address, HalfEdge)
        need(vertices.get(half.to) == 1 - vertices[start], "an edge that stays on one side")
        twin = heap.at(half.twin, HalfEdge)
        need(twin and twin.twin == address, "a half edge whose twin has another twin")
        need(twin.to == start and halves.get(half.twin) == half.to, "twins of different edges")
    heap.all_seen(set(vertices), Vertex)
    heap.all_seen(set(halves), HalfEdge)


def hash_table(heap: Heap) -> None:
    table = heap.only(Table)
    function, live, data = heap.blocks.get(table.chain, ("", False, b""))
    need(function and live and len(data) >= 8 * table.size, "the chains are no live block")
    keys: set[int] = set()
    seen: set[int] = set()
    for first in (c_void_p * table.size).from_buffer_copy(data):
        for address, entry in heap.chain(first, Entry):
            need(entry.key not in keys and address not in seen, "an entry that is there twice")
            keys.add(entry.key)
            seen.add(address)
    need(len(seen) == table.count, "a wrong count")
    heap.all_seen(seen, Entry)


# Which structure an allocating function's blocks are, and the oracle.
ORACLES: dict[str, tuple[Callable[[Heap], None], dict[str, type[ctypes.Structure]]]] = {
    "circular": (circular, {"ring_new": Ring, "ring_insert_first": RingNode,
                            "ring_insert_at": RingNode}),
    "ordered": (ordered, {"ordered_new": Ordered, "item_new": Item}),
    "doubly": (doubly, {"dlist_new": Dlist, "dnode_new": Dnode}),
    "quad": (quad, {"quad_tree_new": QuadTree, "quad_new": Quad, "point_new": Point}),
    "avl": (avl, {"avl_new": Avl, "avl_node_new": AvlNode}),
    "btree": (btree, {"btree_new": Btree, "btree_node_new": BtreeNode}),
    "redblack": (redblack, {"rb_new": RbTree, "rb_node_new": RbNode}),
    "leftist": (leftist, {"leftist_new": Leftist, "leftist_node_new": LeftistNode}),
    "bipartite": (bipartite, {"bipartite_new": Bipartite, "vertex_new": Vertex,
                              "half_new": HalfEdge}),
    "hash": (hash_table, {"table_new": Table, "table_put": Entry}),
}  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """What is wrong with a structure, None if it is whole; how the run ended (``exit``, ``crash``,
    ``hang``); whether the fault stored what was there already; what the program wrote."""

    problem: str | None
    ended: str
    silent: bool
    output: str


def verdict(structure: str, dump: Path, output: str) -> Verdict:
    oracle, kinds = ORACLES[structure]
    heap = Heap(dump, kinds)
    problem = None
    try:
        oracle(heap)
    except Broken as broken:
        problem = str(broken)
    except RecursionError:
        problem = "too deep to walk"
    return Verdict(problem, heap.end, heap.silent, output)
