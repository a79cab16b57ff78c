"""Which blocks nothing leads to, at the moments when stacks and registers were scanned.

There is one classifier, the core's; it may be asked to take some variables for nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.store.open_trace import OpenTrace

SCANNING = ("cpoint", "scan", "exit", "crash")  # kinds of points at which there is a scan
LOST = ("leak", "indirect-leak")
_RESULTS = ("rax", "rdx")  # registers that hold a function's result when it returns


@dataclass(frozen=True, slots=True)
class Ignored:
    """What does not count as a reference."""

    foreign: bool = False  # variables of modules that are not the program's own
    results: bool = False  # registers of results, before the last scan


NOTHING = Ignored()


def scans(core: _core.Trace, kinds: Collection[str]) -> list[int]:
    """The timestamps of points of these kinds, none of them calls or returns."""
    table = core.table("marks")
    return sorted({at for at, kind in table.rows(("timestamp", "kind")) if kind in kinds})


class Lost:
    """The blocks of a trace that nothing leads to, by scan."""

    def __init__(self, trace: OpenTrace) -> None:
        self._core = trace.core
        self._at: dict[tuple[int, Ignored], frozenset[int]] = {}

    @cached_property
    def points(self) -> list[tuple[int, str, str]]:
        """C-points, calls and returns, the end: timestamp, kind, name, in order."""
        table = self._core.table("cpoints")
        rows = table.rows(("timestamp", "kind", "name"))
        return [(at, kind, name or "") for at, kind, name in rows]

    @cached_property
    def scans(self) -> list[int]:
        """The timestamps at which roots are known, the last one at the end of the run."""
        return scans(self._core, SCANNING)

    def has(self, node: int, scan: int, ignored: Ignored = NOTHING) -> bool:
        """Whether nothing leads to a block at a scan."""
        return node in self.at(scan, ignored)

    def at(self, scan: int, ignored: Ignored = NOTHING) -> frozenset[int]:
        """The blocks that nothing leads to at a scan."""
        key = (scan, ignored)
        if key not in self._at:
            self._at[key] = self._read(scan, ignored)
        return self._at[key]

    def between(self, node: int, created: int, ignored: Ignored = NOTHING) -> tuple[int, int]:
        """The last scan that found a block, or its birth, and the first that did not.

        The block is lost at the last scan; what is lost stays lost, so it is searched by halving.
        """
        scans = self.scans[bisect_left(self.scans, created) :]
        first = bisect_left(scans, True, key=lambda scan: self.has(node, scan, ignored))
        first = min(first, len(scans) - 1)
        return scans[first - 1] if first else created, scans[first]

    def _read(self, scan: int, ignored: Ignored) -> frozenset[int]:
        graph = self._core.graph(scan, False)
        left_out = [] if ignored == NOTHING else self._ignored(graph.nodes(), scan, ignored)
        rows = graph.reach(left_out).rows(("node", "reach"))
        return frozenset(node for node, reach in rows if reach in LOST)

    def _ignored(self, nodes: _core.Table, scan: int, ignored: Ignored) -> list[int]:
        results = ignored.results and scan != self.scans[-1]
        return [
            node
            for node, kind, name in nodes.rows(("id", "kind", "name"))
            if (kind == "global" and ignored.foreign and name not in self._own_modules)
            or (kind == "root" and results and (name or "").endswith(_RESULTS))
        ]

    @cached_property
    def _own_modules(self) -> set[str]:
        table = self._core.table("modules")
        return {PurePath(path).name for path, own in table.rows(("path", "own")) if own}
