"""Types of blocks that their allocation does not tell: from what points to them.

A block whose type the recorder could not see (``node->left = wrap(malloc(…))``) gets one in a
memory graph from the typed fields that point to it. That is learnt here once and carried over to
all blocks allocated alike: by the innermost frames of their call stacks, as few as tell types
apart. A block that was taken for an array of something (its allocation ran inside a function that
returns that) is put right if a field that points to it says a type of exactly its size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from heapstory.constraints.plan import PlanMember

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.trace import Trace

DEEPEST = 6  # frames that are looked at
MANY = 200_000  # blocks: above, those alive in the middle of the run must do

Prefix = tuple[int, ...]


class NodeTypes:
    """Which call stacks allocate blocks of a type."""

    def __init__(self, trace: Trace, allocations: _core.Allocations) -> None:
        self._allocations = allocations
        self._kinds = allocations.kinds()
        untyped = {
            stack: blocks
            for type_id, size, _ in self._kinds
            if type_id is None
            for stack, _, blocks in allocations.stacks(None, size)
        }
        many = sum(blocks for _, _, blocks in self._kinds) > MANY
        self._learnt = {
            stack: (type_id, untyped[stack])
            for stack, type_id in _learn_untyped(trace, untyped.keys(), many).items()
        }
        self._mistaken: dict[int, tuple[int, int]] = {}  # of them: own type, blocks
        for own, size, _ in self._kinds:
            if own is not None and _may_be_mistaken(trace, own, size):
                for stack, node, blocks in allocations.stacks(own, size):
                    propagated = _propagated_type(trace, node, size)
                    if propagated is not None and propagated != own:
                        self._learnt[stack] = (propagated, blocks)
                        self._mistaken[stack] = (own, blocks)

    def counts(self) -> dict[int, int]:
        """How many heap blocks each type has."""
        found: dict[int, int] = defaultdict(int)
        for type_id, _, blocks in self._kinds:
            if type_id is not None:
                found[type_id] += blocks
        for type_id, blocks in self._learnt.values():
            found[type_id] += blocks
        for type_id, blocks in self._mistaken.values():
            found[type_id] -= blocks
        return {type_id: blocks for type_id, blocks in found.items() if blocks}

    def members(self, type_id: int, stride: int | None = None) -> list[PlanMember]:
        """The heap blocks of a type."""
        stacks = {stack for stack, (learnt, _) in self._learnt.items() if learnt == type_id}
        found = []
        if any(own == type_id for own, _ in self._mistaken.values()):
            # The name alone would take in the mistaken ones.
            named = {
                stack
                for own, size, _ in self._kinds
                if own == type_id
                for stack, _, _ in self._allocations.stacks(own, size)
            }
            stacks |= named - self._mistaken.keys()
        else:
            found.append(PlanMember(type_id=type_id, stride=stride))
        if stacks:
            found.append(PlanMember(stacks=tuple(sorted(stacks)), stride=stride))
        return found


def _may_be_mistaken(trace: Trace, type_id: int, size: int) -> bool:
    own = trace.types.get(type_id)
    return own["kind"] == "record" and bool(own["size"]) and size >= 2 * own["size"]


def _propagated_type(trace: Trace, node: int, size: int) -> int | None:
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
        stride = trace.types.get(described["target"])["size"]
        return _pointee(trace, described["target"], offset % stride) if stride else None
    if described["kind"] == "pointer" and offset == 0 and described["target"]:
        target = described["target"]
        return target if trace.types.get(target)["kind"] == "record" else None
    return None


def _learn_untyped(trace: Trace, untyped: Iterable[int], many: bool) -> dict[int, int]:
    frames = {stack: tuple(trace.core.stack(stack)[:DEEPEST]) for stack in untyped}
    if not frames:
        return {}
    seen = _seen(trace, frames, many)
    found = {}
    for stack, path in frames.items():
        for depth in range(1, len(path) + 1):
            types = seen.get(path[:depth], set())
            if len(types) == 1:
                found[stack] = next(iter(types))
                break
    return found


def _seen(trace: Trace, frames: dict[int, Prefix], many: bool) -> dict[Prefix, set[int]]:
    """The types that a memory graph gives to blocks, by the frames that allocated them."""
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
