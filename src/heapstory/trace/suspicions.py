"""Accesses that left the node they started from: possible heap overflows of mode portable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapstory.graph.model import Node, find_node
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.store.open_trace import OpenTrace

# What an access did, in words; {base} and {reached} are nodes.
WORDS = {
    "offset": "an offset from {base} reaches {reached}",
    "range": "a copy or fill that starts in {base} runs into {reached}",
    "walk": "a pointer walks from {base} into {reached}",
    "stale": "{base} is used after it was given up",
    "field": "a copy, fill or text inside {base} overwrites a field that the code uses by itself",
}


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One statement's access: ``bytes`` at ``address``, reached from ``base`` in ``node``."""

    kind: str
    certain: bool
    timestamp: int
    place: Place | None
    address: int
    bytes: int
    base: int
    node: Node | None
    reached: Node | None

    @property
    def words(self) -> str:
        """What happened, in a sentence."""
        reached = self.reached.title if self.reached else "memory that is no node's"
        base = self.node.title if self.node else f"{self.base:#x}"
        return WORDS[self.kind].format(base=base, reached=reached)


def suspicions(trace: OpenTrace) -> list[Suspicion]:
    """All of them, certain ones first, each in order of time."""
    table = trace.core.found("suspicions")
    names = ("kind", "possible", "timestamp", "site", "address", "bytes", "base", "node", "reached")
    found = [
        Suspicion(
            kind=kind,
            certain=not possible,
            timestamp=timestamp,
            place=trace.place(site) if site is not None else None,
            address=address,
            bytes=size,
            base=base,
            node=None if node is None else find_node(trace, node),
            reached=None if reached is None else find_node(trace, reached),
        )
        for kind, possible, timestamp, site, address, size, base, node, reached in zip(
            *(table.column(name) for name in names), strict=True
        )
    ]
    return sorted(found, key=lambda one: not one.certain)
