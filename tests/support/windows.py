"""A window read in the plainest way: its graph at a moment, to be compared with the core's."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import Any

import heapstory as api
from heapstory import _core
from heapstory.graph.model import EDGE_COLUMNS

EVERYTHING = (1 << 64) - 1
# What ``graph`` says for the states of a window.
PLAIN = {"dangling": "stale", "aliased": "stale", "wild": "data"}

Row = tuple[Any, ...]


class PlainWindow:
    """The tables of a window as lists."""

    def __init__(self, trace: api.Trace, first: int, last: int, **which: Any) -> None:
        asked: dict[str, Any] = {"nodes": None, "start": None}
        asked |= dict.fromkeys(("depth", "limit", "data_words", "zeroed_words"), EVERYTHING)
        self.window = _core.window(trace.core, first, last, **(asked | which))
        tables = dict([*self.window.tables(), *self.window.clusters()])
        self.columns = {
            name: {column: table.column(column) for column in table.names}
            for name, table in tables.items()
        }

    def nodes(self, at: int) -> dict[int, tuple[int, int]]:
        """Address and size of the nodes that are there."""
        nodes = self.columns["nodes"]
        sizes = dict(zip(nodes["id"], nodes["size"], strict=True))
        extents = self.columns.get("extents", {"node": [], "from": [], "size": []})
        for node, start, size in zip(*extents.values(), strict=True):
            if start <= at:
                sizes[node] = size
        rows = zip(nodes["id"], nodes["address"], nodes["born"], nodes["freed"], strict=True)
        return {
            node: (address, sizes[node])
            for node, address, born, freed in rows
            if (born or 0) <= at and (freed is None or at < freed)
        }

    def fields(self, at: int) -> dict[tuple[int, int], Row]:
        """What the fields of these nodes hold: EDGE_COLUMNS, and the state and `by` in full."""
        there = self.nodes(at)
        fields, versions = self.columns["fields"], self.columns["versions"]
        ids = self.columns["nodes"]["id"]
        firsts = self.columns["field_versions"]["first"]
        found = {}
        for field, (row, offset) in enumerate(zip(fields["node"], fields["offset"], strict=True)):
            node = ids[row]
            at_most = bisect_right(versions["from"], at, firsts[field], firsts[field + 1]) - 1
            if node not in there or at_most < firsts[field] or not versions["known"][at_most]:
                continue
            names = ("value", "target", "target_offset", "state", "stored", "site", "by")
            value, target, inside, state, stored, site, by = (
                versions[name][at_most] for name in names
            )
            found[node, offset] = (
                value,
                fields["size"][field],
                target,
                inside,
                state,
                stored,
                site,
                by,
            )
        return found

    def edges(self, at: int) -> set[Row]:
        """The same as rows of ``GraphView.edges(data=True)``."""
        return {
            (*where, value, size, target, inside, PLAIN.get(state, state), stored, site)
            for where, (value, size, target, inside, state, stored, site, _) in self.fields(
                at
            ).items()
        }


def check_differences(window: PlainWindow, first: int, last: int) -> None:
    """What differs between the ends of a window, by what stands at both."""
    table = window.window.differences()
    rows = list(zip(*map(table.column, ("change", "node", "offset")), strict=True))
    there, then = window.nodes(first), window.nodes(last)
    before, after = window.fields(first), window.fields(last)
    same = (0, 2, 4)  # value, target, state

    def short(row: Row | None) -> Row | None:
        return row and tuple(row[i] for i in same)

    changed = {
        where
        for where in before.keys() | after.keys()
        if where[0] in there and where[0] in then
        if short(before.get(where)) != short(after.get(where))
    }
    assert {node for change, node, _ in rows if change == "new"} == then.keys() - there.keys()
    assert {node for change, node, _ in rows if change == "gone"} == there.keys() - then.keys()
    found = {(node, offset) for change, node, offset in rows if change == "changed"}
    assert changed <= found
    for where in found - changed:  # more of the word is known, and it reads the same
        assert before[where][5] < after[where][5], where


def check_window(trace: api.Trace, first: int, last: int, moments: list[int]) -> None:
    """A window of all nodes against the graph, at some moments of it."""
    window = PlainWindow(trace, first, last)
    check_differences(window, first, last)
    around = PlainWindow(trace, first, last, start=window.columns["nodes"]["id"])
    for name in ("fields", "node_fields", "field_versions", "versions"):
        assert around.columns[name] == window.columns[name], name
    for at in moments:
        graph = trace.core.graph(at)
        nodes = graph.nodes()
        rows = zip(*(nodes.column(c) for c in ("id", "address", "size", "kind")), strict=True)
        there = {node: (address, size) for node, address, size, kind in rows if kind != "root"}
        assert window.nodes(at) == there, (first, last, at)
        edges = graph.edges(data=True)
        wanted = {
            row for row in zip(*map(edges.column, EDGE_COLUMNS), strict=True) if row[0] in there
        }
        found = window.edges(at)
        # Which zero is a NULL pointer follows from types, which are those of the window.
        assert _without_null(found) == _without_null(wanted), (first, last, at)
        for (node, offset), (value, _, target, _, state, *_, by) in window.fields(at).items():
            if state in ("dangling", "aliased"):
                holder = trace.core.node_at(value, at)
                assert by == holder, (node, offset, at)
                assert (state == "aliased") == (holder is not None)
                assert target not in there


def _without_null(rows: set[Row]) -> set[Row]:
    return {tuple("data" if cell == "null" else cell for cell in row) for row in rows}


def check_bands(trace: api.Trace, first: int, last: int, buckets: int) -> None:
    """Bands against a count of all rows of SQL."""
    complete, made = _core.bands(trace.core, first, last, buckets, EVERYTHING)
    assert complete
    tables = {
        name: {column: table.column(column) for column in table.names} for name, table in made
    }
    bounds = list(zip(tables["buckets"]["from"], tables["buckets"]["to"], strict=True))
    assert not bounds or (bounds[0][0], bounds[-1][1]) == (first, last)
    events = trace.query("SELECT timestamp, site, thread FROM events WHERE NOT silent").rows
    nodes = trace.query("SELECT created, freed, size FROM nodes WHERE kind = 'heap'").rows
    statements: Counter[Row] = Counter()
    threads: Counter[Row] = Counter()
    for timestamp, site, thread in events:
        for bucket, (start, end) in enumerate(bounds):
            if start < timestamp <= end:
                statements[bucket, site] += 1
                threads[bucket, thread] += 1
    by = tables["by_thread"]
    assert dict(zip(zip(by["bucket"], by["thread"], strict=True), by["changes"], strict=True)) == (
        threads
    )
    by = tables["by_statement"]
    assert sum(by["changes"]) == statements.total()
    for bucket, site, other, changes in zip(*by.values(), strict=True):
        assert other or statements[bucket, site] == changes
    for row, (start, end) in enumerate(bounds):
        born = [size for created, _, size in nodes if created and start < created <= end]
        gone = [size for _, freed, size in nodes if freed and start < freed <= end]
        live = [s for made, freed, s in nodes if (made or 0) <= end and (not freed or end < freed)]
        names = ("births", "deaths", "born_bytes", "freed_bytes", "live_nodes", "live_bytes")
        assert [tables["buckets"][name][row] for name in names] == [
            len(born),
            len(gone),
            sum(born),
            sum(gone),
            len(live),
            sum(live),
        ]
