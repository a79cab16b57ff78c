"""Nodes over a stretch of time, read when first asked for; what comes next or came before."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from heapstory import _core

if TYPE_CHECKING:
    from heapstory.trace import Trace

SPAN = 100_000  # changes that are read at once
_EVERYTHING = (1 << 64) - 1
_DATA_WORDS = 64  # of a node, beyond which words that never held a pointer are left out
_MOST_CHANGES = 10_000  # of a statement that are read at once


class Version(NamedTuple):
    """What a word holds from a timestamp on: a row of the table ``versions``."""

    since: int
    stored: int
    kind: str
    silent: bool
    value: int
    known: int
    state: str
    target: int | None
    target_offset: int | None
    by: int | None
    site: int | None
    thread: int | None


@dataclass(frozen=True, slots=True)
class Word:
    """Eight bytes of a node, less at its ends, and all they held in the stretch."""

    offset: int
    size: int
    versions: Sequence[Version]

    def at(self, moment: int) -> Version | None:
        """The version that stands; None where nothing was written by then."""
        found = bisect_right(self.versions, moment, key=_since)
        return self.versions[found - 1] if found else None


@dataclass(frozen=True, slots=True)
class NodeStory:
    """A node, and its words by offset."""

    id: int
    kind: str
    address: int
    size: int
    type_id: int | None
    name: str | None
    born: int | None
    freed: int | None
    born_site: int | None
    freed_site: int | None
    words: Sequence[Word]

    @property
    def title(self) -> str:
        """What to call it: the name of a variable, else its number."""
        return self.name or f"#{self.id}"

    def is_there(self, moment: int) -> bool:
        """Whether it was born by then, and not freed."""
        return (self.born or 0) <= moment and (self.freed is None or moment < self.freed)

    def changes(self, offset: int | None = None) -> Iterator[int]:
        """When it, or the word at an offset, changed: in no order."""
        for word in self.words:
            if offset is None or word.offset <= offset < word.offset + word.size:
                yield from (made.since for made in word.versions if not made.silent)
        if offset is None:
            yield from (moment for moment in (self.born, self.freed) if moment is not None)


class Story:
    """Asks the core for windows, and keeps the nodes of the stretch around a moment."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._first, self._last = 0, -1
        self._nodes: dict[int, NodeStory] = {}

    def nodes(self, wanted: Iterable[int], moment: int) -> dict[int, NodeStory]:
        """Nodes with all they held around a moment; those that did not live then are left out."""
        if not self._first <= moment <= self._last:
            half = SPAN // 2
            self._first = max(0, (moment // half - 1) * half)
            self._last = min(self.trace.last, self._first + 2 * SPAN)
            self._nodes = {}
        wanted = list(wanted)
        missing = [node for node in wanted if node not in self._nodes]
        if missing:
            self._nodes |= self._read(missing, self._first, self._last)
        return {node: self._nodes[node] for node in wanted if node in self._nodes}

    def next_change(
        self, nodes: Sequence[int], moment: int, step: int, offset: int | None = None
    ) -> int | None:
        """When some nodes, or a word of them, change next (step 1) or changed before (-1)."""
        for first, last in self._stretches(moment, step):
            found = [
                changed
                for node in self._read(nodes, first, last).values()
                for changed in node.changes(offset)
                if first <= changed <= last
            ]
            if found:
                return min(found) if step > 0 else max(found)
        return None

    def next_by(self, sites: list[int], moment: int, step: int) -> int | None:
        """When a statement changes something next, or did before."""
        for first, last in self._stretches(moment, step):
            found = self._by(sites, first, last)
            while step < 0 and len(found) == _MOST_CHANGES:  # there may be later ones
                first = found[-1]
                found = self._by(sites, first, last)
            if found:
                return found[0] if step > 0 else found[-1]
        return None

    def site_at(self, moment: int) -> int | None:
        """The statement of a change."""
        if moment < 1:
            return None
        made = _core.changes(self.trace.core, [], moment - 1, moment, 1)
        found = made.column("site")
        return found[0] if found else None

    def _by(self, sites: list[int], first: int, last: int) -> list[int]:
        made = _core.changes(self.trace.core, sites, first - 1, last, _MOST_CHANGES)
        return made.column("timestamp")

    def _stretches(self, moment: int, step: int) -> Iterator[tuple[int, int]]:
        """Further and further away from a moment, without it."""
        span, last = 1000, self.trace.last
        at = moment + step
        while 1 <= at <= last:
            end = min(last, at + span) if step > 0 else max(1, at - span)
            yield (at, end) if step > 0 else (end, at)
            at, span = end + step, span * 4

    def _read(self, nodes: Sequence[int], first: int, last: int) -> dict[int, NodeStory]:
        window = _core.window(
            self.trace.core,
            first,
            last,
            list(nodes),
            None,
            _EVERYTHING,
            _EVERYTHING,
            _DATA_WORDS,
            _DATA_WORDS,
        )
        tables = {name: _columns(table) for name, table in window.tables()}
        versions = [
            Version(*row) for row in zip(*map(tables["versions"].get, _VERSION), strict=True)
        ]
        ends = tables["field_versions"]["first"]
        fields = tables["fields"]
        words = [
            Word(offset, size, versions[begin:end])
            for offset, size, (begin, end) in zip(
                map(int, fields["offset"]), fields["size"], pairwise(ends), strict=True
            )
        ]
        rows = zip(*map(tables["nodes"].get, _NODE), strict=True)
        begins = pairwise(tables["node_fields"]["first"])
        return {
            row[0]: _node(row, window.shapes, words[begin:end])
            for row, (begin, end) in zip(rows, begins, strict=True)
        }


_VERSION = ("from", *Version._fields[1:])
_NODE = (
    "id",
    "kind",
    "address",
    "size",
    "shape",
    "label",
    "name",
    "born",
    "freed",
    "born_site",
    "freed_site",
)


def _node(
    row: tuple[Any, ...], shapes: Sequence[tuple[int, int]], words: Sequence[Word]
) -> NodeStory:
    node, kind, address, size, shape, label, name, born, freed, born_site, freed_site = row
    return NodeStory(
        node,
        kind,
        address,
        int(size),
        None if shape is None else shapes[shape][0],
        label or name,
        born,
        freed,
        born_site,
        freed_site,
        words,
    )


def _columns(table: _core.Table) -> dict[str, list[Any]]:
    return {name: table.column(name) for name in table.names}


def _since(version: Version) -> int:
    return version.since
