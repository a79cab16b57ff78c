# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes of the modes portable and internals, put together from the records alone."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.recorder.recorder import Result
from tests.recorder.wire import Record

HOW = ["", "returned", "kept", "seen", "stored", "split"]
WHY = ["", "freed", "reused", "unmapped", "reallocated"]
KINDS = ["", "offset", "range", "walk", "stale", "field"]
LOW = 0xFFFFFFFF


@dataclass
class Node:
    id: int
    start: int
    how: str
    born: int  # ordinal of its record
    site: int  # 0: the call stack's
    words: int = 0
    source: int = 0
    ended: int | None = None
    why: str = ""

    @property
    def end(self) -> int:
        return (self.start & ~7) + 8 * self.words


@dataclass
class Suspicion:
    kind: str
    certain: bool
    base_node: int
    node: int
    base: int
    address: int
    size: int


@dataclass(frozen=True)
class Candidate:
    """A function with code ``[low, high)`` that looks like an allocator's."""

    kind: str
    low: int
    high: int
    blocks: int


@dataclass
class Story:
    """All nodes, and what befell them."""

    nodes: dict[int, Node] = field(default_factory=dict)
    merges: list[tuple[int, int]] = field(default_factory=list)
    clusters: list[set[int]] = field(default_factory=list)
    suspicions: list[Suspicion] = field(default_factory=list)
    counted: dict[int, int] = field(default_factory=dict)
    candidates: list[Candidate] = field(default_factory=list)

    def cluster_of(self, node: int) -> set[int]:
        return next((c for c in self.clusters if node in c), {node})

    def at(self, address: int) -> list[Node]:
        return [n for n in self.nodes.values() if n.start == address]

    def _merge(self, first: int, second: int) -> None:
        both = self.cluster_of(first) | self.cluster_of(second)
        self.clusters = [c for c in self.clusters if not c & both] + [both]
        self.merges.append((first, second))

    def _separate(self, lowest: int) -> None:
        whole, border = self.cluster_of(lowest), self.nodes[lowest].start
        upper = {n for n in whole if self.nodes[n].start >= border}
        parts = [part for part in (whole - upper, upper) if len(part) > 1]
        self.clusters = [c for c in self.clusters if c is not whole] + parts

    def _split(self, new: int, source: int) -> None:
        self.nodes[new].source = source
        cluster = self.cluster_of(source)
        if len(cluster) > 1:
            cluster.add(new)

    def apply(self, ordinal: int, r: Record, previous: Record | None) -> None:
        low, high = r.value & LOW, r.value >> 32
        if r.tag == "NODE":
            assert low == len(self.nodes) + 1, "ids are dense, in order of birth"
            self.nodes[low] = Node(low, r.address, HOW[r.value >> 56], ordinal, high & 0xFFFFFF)
        elif r.tag == "JOIN":
            assert r.address == self.nodes[low].start & ~7
            self.nodes[low].words = high
        elif r.tag == "SOURCE":
            self._split(low, high)
        elif r.tag == "MERGE":
            self._merge(low, high)
        elif r.tag == "SEPARATE":
            self._separate(low)
        elif r.tag == "NODE_END":
            assert self.nodes[low].ended is None, "a node ends once"
            self.nodes[low].ended, self.nodes[low].why = ordinal, WHY[high]
        elif r.tag == "SUSPECT":
            assert previous is not None and previous.tag == "SUSPICIOUS"
            kind = previous.value >> 56
            self.suspicions.append(
                Suspicion(KINDS[kind & 0x7F], not kind & 0x80, previous.value & LOW, low,
                          r.address, previous.address, high)
            )  # fmt: skip
        elif r.tag == "CANDIDATE":
            kind, length = ["", "gives", "takes"][high >> 24], high & 0xFFFFFF
            self.candidates.append(Candidate(kind, r.address, r.address + length, low))
        elif r.tag == "COUNTED":
            self.counted[r.address] = r.value


def story(records: Iterable[Record]) -> Story:
    told, previous = Story(), None
    for ordinal, record in enumerate(records):
        told.apply(ordinal, record, previous)
        previous = record
    return told


def printed(result: Result, name: str) -> list[tuple[int, int]]:
    """Lines ``name ADDRESS SIZE`` of the program's output, both in hexadecimal."""
    lines = (line.split(" ") for line in result.output.splitlines())
    return [(int(x[1], 16), int(x[2], 16)) for x in lines if x[0] == name and len(x) == 3]
