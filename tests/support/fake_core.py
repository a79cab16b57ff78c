"""A stand-in for ``heapstory._core.Trace`` that answers from the naive model.

Event number N is taken to be line N+1 of /src/list.c, in the function ``work``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import duckdb

from heapstory.errors import TraceError
from heapstory.graph.history import COLUMNS as HISTORY_NAMES
from heapstory.graph.model import EDGE_COLUMNS as EDGE_NAMES
from heapstory.graph.model import NODE_COLUMNS as NODE_NAMES
from tests.support.naive import Edge, Event, Naive, Node, Version

LONG, POINTER, NODE, LIST, CHARS, CHAR, INT = range(1, 8)


def _type(kind: str, name: str, size: int, **more: Any) -> dict[str, Any]:
    plain = {
        "target": None,
        "count": 0,
        "is_union": False,
        "is_signed": False,
        "is_float": False,
        "is_char": False,
        "fields": [],
    }
    return {"name": name, "kind": kind, "size": size, **plain, **more}


def member(name: str, offset: int, size: int, type_id: int, bits: int = 0) -> dict[str, Any]:
    return {
        "name": name,
        "offset": offset,
        "size": size,
        "type": type_id,
        "bit_offset": 0,
        "bit_size": bits,
        "base_class": False,
    }


TYPES = {
    LONG: _type("base", "long", 8, is_signed=True),
    POINTER: _type("pointer", "struct node *", 8, target=NODE),
    NODE: _type(
        "record",
        "struct node",
        24,
        fields=[
            member("next", 0, 8, POINTER),
            member("prev", 8, 8, POINTER),
            member("value", 16, 8, LONG),
        ],
    ),
    LIST: _type(
        "record", "struct text", 8, fields=[member("size", 0, 4, INT), member("chars", 8, 0, CHARS)]
    ),
    CHARS: _type("array", "char []", 0, target=CHAR),
    CHAR: _type("base", "char", 1, is_char=True, is_signed=True),
    INT: _type("base", "int", 4, is_signed=True),
}


class FakeTable:
    def __init__(self, names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
        self.names = list(names)
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def column(self, name: str) -> list[Any]:
        index = self.names.index(name)
        return [row[index] for row in self._rows]

    def rows(self, names: tuple[str, ...], limit: int | None = None) -> list[tuple[Any, ...]]:
        indices = [self.names.index(name) for name in names]
        return [tuple(row[index] for index in indices) for row in self._rows[:limit]]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        connection = duckdb.connect()
        columns = ", ".join(f'"{name}"' for name in self.names)
        values = ", ".join(str(tuple(row)).replace("None", "NULL") for row in self._rows)
        relation = connection.sql(f"SELECT * FROM (VALUES {values}) t({columns})")
        return relation.__arrow_c_stream__(requested_schema)


class FakeView:
    def __init__(self, core: FakeCore, at: int, freed: bool) -> None:
        self.core, self.at, self.freed = core, at, freed

    def nodes(self) -> FakeTable:
        model = self.core.model
        nodes = [n for n in model.nodes if n.created <= self.at] if self.freed else None
        rows = [self.core.node_row(node, self.at) for node in nodes or model.graph(self.at)[0]]
        return FakeTable(NODE_NAMES, rows)

    def edges(self, data: bool = False) -> FakeTable:
        rows = [self.core.edge_row(edge) for edge in self.core.model.graph(self.at)[1]]
        return FakeTable(EDGE_NAMES, rows)

    def clusters(self) -> FakeTable:
        return FakeTable(("id", "timestamp"), [])

    def merges(self) -> FakeTable:
        return FakeTable(("cluster", "source", "target", "timestamp", "site"), [])

    def node_text(
        self,
        selected: Sequence[int] | None,
        place: Callable[[int | None], str],
        type: Callable[[int | None], str],
        text: Callable[[str], str],
    ) -> Iterator[str]:
        separator = ""
        for row in sorted(self.nodes().rows(NODE_NAMES)):
            node = dict(zip(NODE_NAMES, row, strict=True))
            if selected is not None and node["id"] not in selected:
                continue
            created, freed = (
                {"ts": node[end], "place": json.loads(place(node[f"{end}_stack"]))}
                for end in ("created", "freed")
            )
            yield separator + json.dumps(
                {
                    **{name: node[name] for name in ("id", "kind", "size", "lost")},
                    "address": hex(node["address"]),
                    "created": created,
                    "freed": freed if node["freed"] is not None else None,
                    "type": json.loads(type(node["type"])),
                    **{name: node[name] for name in ("cluster", "source", "name", "label")},
                }
            )
            separator = ", "

    def edge_text(
        self,
        data: bool,
        selected: Sequence[int] | None,
        place: Callable[[int | None], str],
        field: Callable[[int | None, int, int], str],
    ) -> Iterator[str]:
        nodes = {
            row[0]: dict(zip(NODE_NAMES, row, strict=True)) for row in self.nodes().rows(NODE_NAMES)
        }
        separator = ""
        for row in self.edges(data).rows(EDGE_NAMES):
            edge = dict(zip(EDGE_NAMES, row, strict=True))
            if selected is not None and edge["source"] not in selected:
                continue
            node, to = nodes[edge["source"]], None
            if edge["target"] is not None:
                to = {"node": edge["target"], "offset": edge["target_offset"]}
            yield separator + json.dumps(
                {
                    "from": {"node": edge["source"], "offset": edge["offset"]},
                    "to": to,
                    "value": hex(edge["value"]),
                    "ts": edge["timestamp"],
                    "place": json.loads(place(edge["site"])),
                    "size": edge["size"],
                    "field": json.loads(field(node["type"], node["size"], edge["offset"])),
                    "state": edge["state"],
                    "current": True,
                }
            )
            separator = ", "


class FakeCore:
    """The face of the core that the Python side uses."""

    def __init__(
        self, events: list[Event], type_id: int | None = NODE, complete: bool = True
    ) -> None:
        self.model = Naive(events)
        self.type_id = type_id
        self.complete = complete
        self.damage = None if complete else "chunk 3 is cut off"
        self.timestamps = self.model.last
        self.meta = {
            "program": ["./list", "3"],
            "mode": "alloc",
            "exit": {"code": 0, "signal": None},
        }

    def close(self) -> None:
        pass

    def summary(self) -> dict[str, Any]:
        nodes, edges = self.model.graph(self.model.last)
        zero = ("stores", "ranges", "allocations", "frees", "calls", "cpoints", "sites")
        more = ("stacks", "threads", "chunks")
        sizes = ("bytes", "event_bytes", "symbol_bytes", "source_bytes")
        return {
            **dict.fromkeys(zero + more, 1),
            **dict.fromkeys(sizes, 2048),
            "timestamps": self.timestamps,
            "events": len(self.model.events),
            "nodes": len(nodes),
            "edges": len(edges),
            "complete": self.complete,
            "damage": self.damage,
            "crash_site": None,
            "crash_stack": None,
            "stream": None,
        }

    def graph(self, at: int, freed: bool = False) -> FakeView:
        return FakeView(self, at, freed)

    def node_row(self, node: Node, at: int) -> tuple[Any, ...]:
        freed = node.freed if node.freed is not None and node.freed <= at else None
        type_id = POINTER if node.kind == "global" else self.type_id
        heap = node.kind == "heap"
        row = (node.id, node.kind, node.address, node.size, node.name or None, type_id)
        born = (node.created, node.id + 1) if heap else (None, None)
        return (*row, *born, freed, None if freed is None else 1, *[None] * 4)

    def node(self, node: int) -> dict[str, Any] | None:
        if node >= len(self.model.nodes):
            return None
        row = self.node_row(self.model.nodes[node], self.model.last)
        return dict(zip(NODE_NAMES, row, strict=True))

    def edge_row(self, edge: Edge) -> tuple[Any, ...]:
        address = self.model.nodes[edge.source].address + edge.offset
        version = self.model.history(address, 8, 0, edge.timestamp)
        site = version[-1].event + 1 if version else None
        return (
            edge.source,
            edge.offset,
            edge.value,
            8,
            edge.target,
            edge.target_offset,
            edge.state,
            edge.timestamp,
            site,
        )

    def node_at(self, address: int, at: int) -> int | None:
        return self.model.node_at(address, at)

    def value(self, address: int, size: int, at: int) -> bytes | None:
        return self.model.value(address, size, at)

    def fields(self, node: int, at: int) -> FakeTable:
        edges = [edge for edge in self.model.graph(at)[1] if edge.source == node]
        rows = [self.edge_row(edge) for edge in edges]
        held = self.model.nodes[node]
        for offset in set(range(0, held.size, 8)) - {edge.offset for edge in edges}:
            versions = self.model.history(held.address + offset, 8, held.created, at)
            if versions:
                last = versions[-1]
                value = int.from_bytes(last.data, "little")
                row = (node, offset, value, 8, None, None, "data", last.timestamp, last.event + 1)
                rows.append(row)
        return FakeTable(EDGE_NAMES, rows)

    def incoming(self, node: int, at: int) -> FakeTable:
        rows = [self.edge_row(edge) for edge in self.model.incoming(node, at)]
        return FakeTable(EDGE_NAMES, rows)

    def history(self, address: int, size: int, first: int, last: int) -> FakeTable:
        versions = self.model.history(address, size, first, last)
        return FakeTable(HISTORY_NAMES, [self._version_row(v) for v in versions])

    def _version_row(self, version: Version) -> tuple[Any, ...]:
        value = int.from_bytes(version.data, "little")
        found = self.model.node_at(value, version.timestamp) if len(version.data) == 8 else None
        inside = None if found is None else value - self.model.nodes[found].address
        state = "live" if found is not None else "null" if value == 0 else "data"
        return (
            version.timestamp,
            version.address,
            len(version.data),
            value if len(version.data) <= 8 else None,
            version.data.hex() if len(version.data) > 8 else None,
            version.silent,
            version.kind,
            version.event + 1,
            1,
            found,
            inside,
            state,
        )

    def place(self, site: int) -> list[dict[str, Any]]:
        return [
            {
                "path": "/src/list.c",
                "line": site,
                "function": "work",
                "module": "/bin/list",
                "offset": 16 * site,
            }
        ]

    def stack(self, stack: int) -> list[int]:
        return [stack, 99]

    def type(self, type: int) -> dict[str, Any]:
        return TYPES[type]

    def source(self, path: str) -> str | None:
        return None

    def table(self, name: str) -> FakeTable:
        if name == "nodes":
            names = ("node", "kind", "address", "size", "created", "created_site", "freed")
            rows = [
                (n.id, n.kind, n.address, n.size, n.created, n.id + 1, n.freed)
                for n in self.model.nodes
            ]
            return FakeTable(names, rows)
        if name == "sites":
            names = ("site", "file", "line", "module", "offset")
            return FakeTable(names, [(n, "list.c", n, "list", 16 * n) for n in range(1, 9)])
        if name == "bad_frees":
            names = ("error", "timestamp", "site", "address", "node", "deallocator")
            return FakeTable(names, [])
        raise TraceError(f"there is no table {name}")
