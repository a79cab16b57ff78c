"""Types of blocks that their allocation does not tell: from what points to them.

A block whose type the recorder could not see (``node->left = wrap(malloc(…))``) gets one in a
memory graph from the typed fields that point to it. That is learnt here once and carried over to
all blocks allocated alike: by the innermost frames of their call stacks, as few as tell types
apart. A block that was taken for an array of something (its allocation ran inside a function that
returns that) is put right if a field that points to it promises a type of exactly its size.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from heapstory.constraints.plan import PlanMember

if TYPE_CHECKING:
    from heapstory.trace import Trace

DEEPEST = 6  # frames that are looked at
MANY = 200_000  # nodes: above, those alive in the middle of the run must do

Prefix = tuple[int, ...]


class NodeTypes:
    """Which call stacks allocate blocks of a type."""

    def __init__(self, trace: Trace) -> None:
        self._untyped = _learn_untyped(trace)
        self._typed = _typed_stacks(trace)
        self._mistaken = _learn_mistaken(trace, self._typed)
        rows = trace.query(
            "SELECT created_stack, count(*) FROM nodes WHERE kind = 'heap'"
            " AND created_stack IS NOT NULL GROUP BY created_stack"
        ).rows
        self._blocks = {int(stack): int(blocks) for stack, blocks in rows}

    def counts(self) -> dict[int, int]:
        """How many heap blocks each type has."""
        found: dict[int, int] = {}
        for stack, blocks in self._blocks.items():
            learnt = self._mistaken.get(stack) or self._untyped.get(stack)
            type_id = learnt or (self._typed[stack][0] if stack in self._typed else None)
            if type_id is not None:
                found[type_id] = found.get(type_id, 0) + blocks
        return found

    def members(self, type_id: int, stride: int | None = None) -> list[PlanMember]:
        """The heap blocks of a type."""
        learnt = {**self._untyped, **self._mistaken}
        stacks = {stack for stack, found in learnt.items() if found == type_id}
        named = {stack for stack, (found, _, _) in self._typed.items() if found == type_id}
        if named & self._mistaken.keys():  # the name alone would take in the mistaken ones
            stacks |= {s for s in named if self._mistaken.get(s, type_id) == type_id}
            return [PlanMember(stacks=tuple(sorted(stacks)), stride=stride)]
        found = [PlanMember(type_id=type_id, stride=stride)]
        if stacks:
            found.append(PlanMember(stacks=tuple(sorted(stacks)), stride=stride))
        return found


def _typed_stacks(trace: Trace) -> dict[int, tuple[int, int, int]]:
    """Call stacks whose blocks have a type: its id, the size of a block, and one of them."""
    rows = trace.query(
        "SELECT created_stack, any_value(size), any_value(node) FROM nodes"
        " WHERE kind = 'heap' AND type IS NOT NULL AND created_stack IS NOT NULL"
        " GROUP BY created_stack"
    ).rows
    found = {}
    for stack, size, node in rows:
        described = trace.core.node(node)
        if described is not None and described["type"]:
            found[int(stack)] = (int(described["type"]), int(size), int(node))
    return found


def _learn_mistaken(trace: Trace, typed: dict[int, tuple[int, int, int]]) -> dict[int, int]:
    found = {}
    for stack, (type_id, size, node) in typed.items():
        own = trace.types.get(type_id)
        if own["kind"] == "record" and own["size"] and size >= 2 * own["size"]:
            promised = _promised(trace, node, size)
            if promised is not None and promised != type_id:
                found[stack] = promised
    return found


def _promised(trace: Trace, node: int, size: int) -> int | None:
    """The record of exactly this size that some typed field says a node is."""
    described = trace.core.node(node)
    until = described["freed"] if described else None
    moment = trace.last if until is None else until - 1
    rows = trace.core.incoming(node, moment)
    columns = (rows.column(c) for c in ("source", "offset", "target_offset"))
    for source, offset, target_offset in zip(*columns, strict=True):
        holder = trace.core.node(source)
        if target_offset or holder is None or not holder["type"]:
            continue
        pointee = _pointee(trace, holder["type"], offset)
        if pointee is not None and trace.types.get(pointee)["size"] == size:
            return pointee
    return None


def _pointee(trace: Trace, type_id: int, offset: int) -> int | None:
    """The record that the pointer at an offset of a type points to."""
    described = trace.types.get(type_id)
    if described["kind"] == "record":
        for member in described["fields"]:
            if member["type"] and 0 <= offset - member["offset"] < max(member["size"], 1):
                return _pointee(trace, member["type"], offset - member["offset"])
    if described["kind"] == "array" and described["target"]:
        unit = trace.types.get(described["target"])["size"]
        return _pointee(trace, described["target"], offset % unit) if unit else None
    if described["kind"] == "pointer" and offset == 0 and described["target"]:
        target = described["target"]
        return target if trace.types.get(target)["kind"] == "record" else None
    return None


def _learn_untyped(trace: Trace) -> dict[int, int]:
    rows = trace.query(
        "SELECT created_stack FROM nodes WHERE kind = 'heap' AND type IS NULL"
        " AND created_stack IS NOT NULL GROUP BY created_stack"
    ).rows
    untyped = {int(row[0]) for row in rows}
    if not untyped:
        return {}
    frames = {stack: tuple(trace.core.stack(stack)[:DEEPEST]) for stack in untyped}
    seen = _seen(trace, frames)
    found = {}
    for stack, path in frames.items():
        for depth in range(1, len(path) + 1):
            types = seen.get(path[:depth], set())
            if len(types) == 1:
                found[stack] = next(iter(types))
                break
    return found


def _seen(trace: Trace, frames: dict[int, Prefix]) -> dict[Prefix, set[int]]:
    """The types that a memory graph gives to blocks, by the frames that allocated them."""
    many = trace.core.summary()["nodes"] > MANY
    moment = trace.last // 2 if many else trace.last
    nodes = trace.core.graph(moment, not many).nodes()
    pairs = set(zip(nodes.column("created_stack"), nodes.column("type"), strict=True))
    seen: dict[Prefix, set[int]] = defaultdict(set)
    for stack, type_id in pairs:
        if stack in frames and type_id is not None:
            path = frames[stack]
            for depth in range(1, len(path) + 1):
                seen[path[:depth]].add(type_id)
    return seen
