"""What the modes portable and internals say of their own doubts: functions that look like an
allocator, accesses that were not understood, nodes that nothing ever accessed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapstory.store.places import Place
from heapstory.store.sql import query

if TYPE_CHECKING:
    from heapstory.store.open_trace import OpenTrace

COUNTED = {
    "high": "accesses to heap above 128 GiB, which is not recorded",
    "far": "accesses too far from their pointer to learn from",
    "silent": "more suspicious accesses by statements that were reported",
    "bad-free": "frees of an address where no node begins",
    "quiet": "checks that taught nothing and were switched off",
    "crowded": "merges into clusters that were full (256 nodes)",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A function with code ``[low, high)`` that ``gives`` out blocks or ``takes`` them back."""

    kind: str
    place: Place | None
    low: int
    high: int
    blocks: int

    @property
    def allocator(self) -> str:
        """What to give to ``record --allocator``."""
        name = self.place.function if self.place else None
        return name or f"{self.low:x}-{self.high:x}"


@dataclass(frozen=True, slots=True)
class Discoveries:
    """``untouched``: nodes that nothing ever accessed, integers that looked like addresses."""

    candidates: list[Candidate]
    counted: dict[str, int]
    untouched: int


def discoveries(trace: OpenTrace) -> Discoveries:
    """Read from the lists at the end of a trace; most blocks first."""
    found, counts = trace.core.found("candidates"), trace.core.found("counts")
    names = ("kind", "site", "address", "bytes", "blocks")
    candidates = [
        Candidate(kind, None if site is None else trace.place(site), low, low + size, blocks)
        for kind, site, low, size, blocks in zip(
            *(found.column(name) for name in names), strict=True
        )
    ]
    return Discoveries(
        candidates=sorted(candidates, key=lambda one: (one.kind, -one.blocks)),
        counted=dict(zip(counts.column("what"), counts.column("times"), strict=True)),
        untouched=_untouched(trace),
    )


def _untouched(trace: OpenTrace) -> int:
    if trace.meta.get("mode") != "internals":
        return 0
    (row,) = query(trace, "SELECT count(*) FROM nodes WHERE kind = 'heap' AND size = 0")
    return int(row[0])
