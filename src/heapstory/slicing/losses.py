"""The instruction after which nothing led to a block any more.

What leads to a block: a register, a word of a stack or of a global variable that holds its address,
and a field of another block that is not lost itself. Registers are known by where their values come
from, so a number computed from the address counts as one; and they lead somewhere only as long as
they are used again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from heapstory.errors import LimitError, UsageError
from heapstory.slicing.beyond import ends_early
from heapstory.slicing.options import Options
from heapstory.slicing.points import StreamPlace

if TYPE_CHECKING:
    from heapstory.graph.model import Node
    from heapstory.slicing.model import Slice
    from heapstory.slicing.search import Slicing
    from heapstory.store.places import Place

NEVER: StreamPlace = (1 << 62, 0)
BEFORE: StreamPlace = (-1, 0)


@dataclass(frozen=True, slots=True)
class Loss:
    """``at`` is the instruction that took the last pointer away, ``timestamp`` as of then."""

    node: int
    at: StreamPlace
    timestamp: int
    place: Place | None


def why_lost(slicing: Slicing, number: int, options: Options) -> Slice:
    """The slice of the instruction that lost a block."""
    loss = find_loss(slicing, number)
    if loss is None:
        raise UsageError(f"--lost {number}: something leads to the node until the end")
    asked = slicing.points.instruction(loss.at, "what the instruction that lost it used")
    where = loss.place or "code that is not the program's own"
    about = f"node {number} was lost at timestamp {loss.timestamp} by {where}"
    made = slicing.slice_of(str(number), asked, options)
    return replace(made, place=loss.place, about=[about])


def find_loss(slicing: Slicing, number: int) -> Loss | None:
    """When a block of the heap was lost; None: it is not."""
    node = slicing.trace.node(number)
    if node.kind != "heap":
        raise UsageError(f"--lost {number}: {node.title} is no block of the heap")
    if node.freed is not None:
        raise UsageError(f"--lost {number}: the node was freed at {node.freed}")
    at = _Search(slicing).end(node)
    if at in (NEVER, BEFORE) and ends_early(slicing.trace):
        raise LimitError(
            f"--lost {number}: when the stream ended, before the program did, something may still "
            "have led to the node (record again with a later --stream-until, or none)"
        )
    if at == NEVER:
        return None
    if at == BEFORE:
        raise LimitError(
            f"--lost {number}: nothing used what the allocation returned "
            f"(see: heapstory history --node {number})"
        )
    return Loss(number, at, slicing.slicer.timestamp(at[0]), slicing.statement_at(at))


@dataclass
class _Search:
    """Blocks may hold each other: what is being asked about leads nowhere meanwhile."""

    slicing: Slicing
    ends: dict[int, StreamPlace] = field(default_factory=dict)

    def end(self, node: Node) -> StreamPlace:
        """The last instruction before which something led to a node."""
        if node.id not in self.ends:
            self.ends[node.id] = BEFORE
            self.ends[node.id] = max(self._holds(node), default=BEFORE)
        return self.ends[node.id]

    def _holds(self, node: Node) -> list[StreamPlace]:
        slicing = self.slicing
        made = slicing.points.step(node.created.timestamp or 0)
        if made is None:
            raise LimitError(f"node {node.id} was made outside of the stream (record all of it)")
        until = None if node.freed is None else slicing.points.step(node.freed.timestamp or 0)
        last = slicing.slicer.end[0] if until is None else until
        table = slicing.slicer.holds((node.address, node.size), made, last)
        names = ("address", "begin", "end", "instruction")
        found = []
        for address, begin, end, instruction in zip(*map(table.column, names), strict=True):
            ended = NEVER if end is None and until is None else (end or last, instruction)
            holder = None if address is None else slicing.naming.node_at(address, begin)
            if holder is not None and holder.kind == "heap":
                ended = min(ended, self.end(holder))
            found.append(ended)
        return found
