"""Frees that went wrong: of what was no block, twice, or by a function of another family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapstory.graph.model import Node, find_node, label
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.store.open_trace import OpenTrace

_COLUMNS = ("error", "timestamp", "site", "address", "node", "deallocator")


@dataclass(frozen=True, slots=True)
class BadFree:
    """``kind`` is 'double-free', 'bad-free' or 'mismatched-free'.

    ``node`` is the node that was freed, or that holds the address; None where there never was one.
    """

    kind: str
    timestamp: int
    place: Place | None
    address: int
    node: Node | None
    deallocator: str | None

    @property
    def words(self) -> str:
        """What happened and where, in a line."""
        where = label(self.timestamp, self.place)
        what = f"{self.kind} at {where}: {self.deallocator or 'free'} of"
        if self.node is None:
            return f"{what} {self.address:#x}, where no node ever was"
        inside = self.address - self.node.address
        what += f" {self.node.title}" + (f"+{inside}" if inside else "")
        made = f"{what}, made at {self.node.created}"
        return f"{made}, freed at {self.node.freed}" if self.kind == "double-free" else made


def bad_frees(trace: OpenTrace, most: int) -> list[BadFree]:
    """The first in order of time, at most so many: a loop may have made millions."""
    if trace.meta.get("bad_frees") == 0:  # the collector saw none
        return []
    return [
        BadFree(
            kind=error,
            timestamp=timestamp,
            place=None if site is None else trace.place(site),
            address=address,
            node=None if node is None else find_node(trace, node),
            deallocator=deallocator,
        )
        for error, timestamp, site, address, node, deallocator in trace.core.table(
            "bad_frees"
        ).rows(_COLUMNS, most)
    ]


def count_bad_frees(trace: OpenTrace) -> int:
    """All of them; a recording that was cut off has no count, and is read."""
    known = trace.meta.get("bad_frees")
    return len(trace.core.table("bad_frees")) if known is None else int(known)
