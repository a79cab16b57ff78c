"""Frees that went wrong: of what was no block, twice, or by a function of another family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapstory.graph.model import Node, find_node, label
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.store.open_trace import OpenTrace


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


def bad_frees(trace: OpenTrace) -> list[BadFree]:
    """All of them in order of time; nothing is read where the collector saw none."""
    if trace.meta.get("bad_frees") == 0:
        return []
    table = trace.core.table("frees")
    errors = table.column("error")
    if not any(errors):
        return []
    names = ("timestamp", "site", "address", "node", "deallocator")
    return [
        BadFree(
            kind=error,
            timestamp=timestamp,
            place=None if site is None else trace.place(site),
            address=address,
            node=None if node is None else find_node(trace, node),
            deallocator=deallocator,
        )
        for error, timestamp, site, address, node, deallocator in zip(
            errors, *(table.column(name) for name in names), strict=True
        )
        if error is not None
    ]
