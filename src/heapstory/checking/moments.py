"""The moment when the last reference to a block was lost.

Two sources: the history of the fields that held the block, which is complete, and the scans of
stacks and registers, which bound what happened there. Where the instruction stream was recorded, it
says the instruction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.checking.lost import Lost
from heapstory.checks.moment import Moment
from heapstory.errors import HeapstoryError
from heapstory.slicing import Slicing, find_loss

if TYPE_CHECKING:
    from heapstory.store.places import Place
    from heapstory.trace import Trace

MAX_HOLDERS = 1000  # blocks a lost structure is followed up through


class Moments:
    """When blocks that are lost at the end of a trace were lost."""

    def __init__(self, trace: Trace, slicing: Slicing | None = None, stores: bool = True) -> None:
        self.trace, self._slicing, self._stores = trace, slicing, stores
        self.lost = Lost(trace)
        self._holders = Holders(trace, self.lost)

    def of(self, node: int, created: int) -> Moment:
        """When and where a block was lost."""
        exact = self._streamed(node)
        if exact is not None:
            return exact
        after, before = self.lost.between(node, created)
        # Without stores, what fields held is known at scans alone.
        ended, place = last_field(self._holders, node, before) if self._stores else (None, None)
        if ended is None or ended < after:
            return Moment(before, after, before, after == before, None)
        return Moment(ended, ended, before, ended == before, place)

    def _streamed(self, node: int) -> Moment | None:
        if self._slicing is None:
            return None
        try:
            loss = find_loss(self._slicing, node)
        except HeapstoryError:  # it was made outside of the stream
            return None
        if loss is None:
            return None
        return Moment(loss.timestamp, loss.timestamp, loss.timestamp, True, loss.place)


class Holders:
    """The fields that ever led to blocks, read in one pass over the trace for many of them."""

    def __init__(self, trace: Trace, lost: Lost) -> None:
        self.trace, self._lost = trace, lost
        self._of: dict[int, list[tuple[int | None, int, int]]] = {}

    def of(self, nodes: set[int]) -> list[tuple[int | None, int, int]]:
        """Until when, whose field, and where in it."""
        if not nodes <= self._of.keys():
            # What is lost is asked for next, as most of what leads to it is lost as well.
            first = not self._of and self._lost.scans
            self._read(nodes | (self._lost.at(self._lost.scans[-1]) if first else set()))
        return [row for node in nodes for row in self._of[node]]

    def _read(self, nodes: set[int] | frozenset[int]) -> None:
        wanted = nodes - self._of.keys()
        self._of |= {node: [] for node in wanted}
        ranges = []
        for node in map(self.trace.node, wanted):
            ranges.append((node.address, node.address + max(node.size, 1) - 1))
        table = self.trace.core.pointers_into(ranges)
        names = ("target", "until", "node", "offset", "state")
        for target, until, holder, offset, state in table.rows(names):
            if state == "live" and target in wanted:
                self._of[target].append((until, holder, offset))


def last_field(holders: Holders, node: int, before: int) -> tuple[int | None, Place | None]:
    """When the last field that led to a block stopped doing so, and the statement that did it.

    A holder that still stands is lost itself: then its own last reference is the one that counts.
    """
    last: tuple[int, int, int] | None = None  # until, holder, offset
    seen = {node}
    pending = {node}
    while pending and len(seen) < MAX_HOLDERS:
        rows = holders.of(pending)
        last = max(
            (
                (until, holder, offset)
                for until, holder, offset in rows
                if until is not None and until <= before
            ),
            default=last,
        )
        pending = {holder for until, holder, _ in rows if until is None or until > before} - seen
        seen |= pending
    if last is None:
        return None, None
    until, holder, offset = last
    return until, _ender(holders.trace, holder, offset, until)


def _ender(trace: Trace, holder: int, offset: int, at: int) -> Place | None:
    """The statement that freed the holder or overwrote the field."""
    node = trace.node(holder)
    if node.freed is not None and node.freed.timestamp == at:
        return node.freed.place
    sites = trace.core.history(node.address + offset, 8, at, at).column("site")
    return trace.place(sites[-1]) if sites and sites[-1] is not None else None
