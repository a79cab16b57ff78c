"""The requests of a page and their answers, be they embedded in a file or given by a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from heapstory.errors import UsageError
from heapstory.viewing.columns import pack
from heapstory.viewing.describing import same_statement, shape, sites_rows

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.trace import Trace

NO_LIMIT = (1 << 64) - 1
LIMIT = 500  # nodes of a window that a server sends
FAN = 64  # of these that one node leads to
MOST_BUCKETS = 2000
BUCKETS = 800
MOST_FOUND = 200
MOST_CHANGES = 10_000


@dataclass(frozen=True, slots=True)
class WindowQuery:
    """Which nodes of which time; ``None`` for all."""

    first: int | None = None
    last: int | None = None
    nodes: Sequence[int] | None = None
    start: Sequence[int] | None = None
    name: str | None = None
    type: str | None = None
    site: int | None = None
    depth: int | None = None
    limit: int | None = None
    most_changes: int | None = None  # a longer stretch is cut at its end
    at: int | None = None  # what stands then comes first
    fan: int | None = None  # nodes to go to from one, but for those opened: so many more
    opened: Mapping[int, int] = field(default_factory=dict)
    wanted: Sequence[tuple[int, int]] = ()  # words (node, offset) that are not left out
    data_words: int = 32
    zeroed_words: int = 4096


class Answers:
    """Asks the core. ``for_files``: what is answered will be compressed into a file."""

    def __init__(self, trace: Trace, *, for_files: bool = False) -> None:
        self.trace = trace
        self.for_files = for_files

    def window(self, query: WindowQuery) -> tuple[bytes, _core.Window]:
        """A window as columns, and what else is known of it."""
        from heapstory import _core

        first, last = self._stretch(query.first, query.last)
        asked = last
        if query.most_changes is not None:
            last = min(last, first + query.most_changes)
        start = self._start(query, first, last)
        window = _core.window(
            self.trace.core,
            first,
            last,
            None if query.nodes is None else [self._node(node) for node in query.nodes],
            start,
            NO_LIMIT if query.depth is None else query.depth,
            NO_LIMIT if query.limit is None else query.limit,
            query.data_words,
            query.zeroed_words,
            at=NO_LIMIT if query.at is None else self.trace.moment(query.at),
            fan=NO_LIMIT if query.fan is None else query.fan,
            opened=dict(query.opened),
            wanted=[(self._node(node), offset) for node, offset in query.wanted],
        )
        data = pack(
            "window",
            [*window.tables(), *window.clusters()],
            rows={"sites": sites_rows(self.trace, window.sites)},
            for_files=self.for_files,
            header={
                "from": first,
                "to": last,
                "complete": last == asked,
                "left_out": [],
                "shapes": self._shapes(window),
            },
        )
        return data, window

    def bands(
        self,
        first: int | None = None,
        last: int | None = None,
        buckets: int | None = None,
        most_chunks: int = NO_LIMIT,
    ) -> bytes:
        """Bands as columns."""
        from heapstory import _core

        begin, end = self._stretch(first, last)
        wanted = BUCKETS if buckets is None else buckets
        if not 1 <= wanted <= MOST_BUCKETS:
            raise UsageError(f"buckets {wanted}: must be 1 to {MOST_BUCKETS}")
        complete, tables = _core.bands(self.trace.core, begin, end, wanted, most_chunks)
        sites = {
            site
            for name, table in tables
            if name in ("by_site", "by_statement", "statements")
            for site in table.column("site")
            if site is not None
        }
        return pack(
            "bands",
            tables,
            rows={"sites": sites_rows(self.trace, sites)},
            for_files=self.for_files,
            header={"from": begin, "to": end, "complete": complete, "left_out": []},
        )

    def changes(
        self, site: int, first: int | None = None, last: int | None = None, limit: int | None = None
    ) -> bytes:
        """The changes of the statement of a site, in order."""
        from heapstory import _core

        begin, end = self._stretch(first, last)
        sites = same_statement(self.trace, site)
        most = min(MOST_CHANGES, MOST_CHANGES if limit is None else limit)
        table = _core.changes(self.trace.core, sites, begin, end, most)
        return pack("changes", [("changes", table)], header={"from": begin, "to": end})

    def pointing(self, node: int, first: int | None = None, last: int | None = None) -> bytes:
        """Every pointer that ever meant a node."""
        begin, end = self._stretch(first, last)
        return self._pointing(self.trace.core.pointing(self._node(node), begin, end))

    def pointing_at(self, node: int, at: int) -> bytes:
        """The pointers that mean a node at one moment, found without an index of all pointers."""
        return self._pointing(self.trace.core.edges_to(self._node(node), self.trace.moment(at)))

    def _pointing(self, table: _core.Table) -> bytes:
        sites = [site for site in table.column("site") if site is not None]
        return pack(
            "pointing", [("pointing", table)], rows={"sites": sites_rows(self.trace, sites)}
        )

    def find(self, text: str) -> bytes:
        """Nodes by number, address, type, name or statement; at most 200, in order of birth."""
        from heapstory.viewing.finding_nodes import find_nodes

        nodes = find_nodes(self.trace, text, MOST_FOUND)
        from heapstory import _core

        window = _core.window(
            self.trace.core, 0, self.trace.last, nodes, None, NO_LIMIT, NO_LIMIT, 0, 0, fields=False
        )
        tables = [(name, table) for name, table in window.tables() if name == "nodes"]
        return pack(
            "find",
            tables,
            rows={"sites": sites_rows(self.trace, window.sites)},
            header={"shapes": self._shapes(window)},
        )

    def _shapes(self, window: _core.Window) -> list[dict[str, Any]]:
        return [shape(self.trace, type_id, size) for type_id, size in window.shapes]

    def _stretch(self, first: int | None, last: int | None) -> tuple[int, int]:
        begin = 0 if first is None else self.trace.moment(first)
        end = self.trace.moment(last)
        if begin > end:
            raise UsageError(f"timestamp {begin} comes after {end}")
        return begin, end

    def _node(self, node: int) -> int:
        return self.trace.node(node).id

    def _start(self, query: WindowQuery, first: int, last: int) -> list[int] | None:
        from heapstory.viewing.finding_nodes import nodes_of

        start = None if query.start is None else [self._node(node) for node in query.start]
        if query.name is not None or query.type is not None or query.site is not None:
            found = nodes_of(self.trace, first, last, query.name, query.type, query.site)
            start = [*(start or []), *found]
        return start
