"""The engine on little heaps: a world of tests/constraints handed over without a recording."""

from __future__ import annotations

import json

from heapstory import _core
from heapstory.constraints.plan import Plan
from tests.constraints.world import World
from tests.naive import Alloc, Global, Heap, Store


def structure(world: World, plan: Plan) -> _core.Structure:
    """What the core would load from a recording of this world."""
    heap = Heap()
    zeroed: dict[int, bool] = {}
    writes: list[tuple[int, int, bytes, int]] = []
    for number, event in enumerate(world.events):
        before = len(heap.nodes)
        heap.apply(event)
        if isinstance(event, Alloc | Global):
            zeroed[before] = isinstance(event, Global) or event.zeroed
        if isinstance(event, Store):
            writes.append((heap.timestamp, event.address, event.data, number + 1))
    nodes = [
        (
            node.id,
            node.address,
            node.size,
            node.created,
            node.freed,
            world.types.get(node.id, 0),
            0,
            zeroed[node.id],
        )
        for node in heap.nodes
    ]
    return _core.Structure.given(json.loads(plan.to_json()), nodes, writes, heap.timestamp)
