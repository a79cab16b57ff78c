"""Nodes and edges as small objects, made on demand from the core's columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heapstory.errors import UsageError
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.store.open_trace import OpenTrace

NODE_COLUMNS = (
    "id",
    "kind",
    "address",
    "size",
    "name",
    "type",
    "created",
    "created_stack",
    "freed",
    "freed_stack",
    "lost",
    "label",
    "cluster",
    "source",
)
EDGE_COLUMNS = (
    "source",
    "offset",
    "value",
    "size",
    "target",
    "target_offset",
    "state",
    "timestamp",
    "site",
)


@dataclass(frozen=True, slots=True)
class Change:
    """A timestamp and the statement behind it; a None timestamp is before the recording."""

    timestamp: int | None
    place: Place | None

    def __str__(self) -> str:
        return label(self.timestamp, self.place)


@dataclass(frozen=True, slots=True)
class Node:
    """A heap block, a global variable (or section), or a scanned root.

    ``cluster`` is the cluster it belongs to, ``source`` the node it was split off (internals).
    """

    id: int
    kind: str
    address: int
    size: int
    name: str | None
    type: str | None
    type_id: int | None
    created: Change
    created_stack: int | None
    freed: Change | None
    freed_stack: int | None
    lost: bool | None = None
    label: str | None = None
    cluster: int | None = None
    source: int | None = None

    @property
    def title(self) -> str:
        """What to call it: the name of a variable, else its number."""
        return self.label or self.name or f"node {self.id}"


@dataclass(frozen=True, slots=True)
class Edge:
    """What a field of a node holds: a pointer, NULL or, where asked for, data.

    ``state`` is 'live', 'stale' (dangling: its block is gone), 'null' or 'data'; ``current`` is
    False for versions that were overwritten (only in an evolution).
    """

    source: int
    offset: int
    field: str | None
    value: int
    size: int
    target: int | None
    target_offset: int | None
    state: str
    timestamp: int
    place: Place | None
    current: bool = True


def label(timestamp: int | None, place: Place | None) -> str:
    """``(timestamp):statement``, as the figures of MG++ write it."""
    if timestamp is None:
        return "(before):?" if place is None else f"(before):{place}"
    return f"({timestamp}):{place or 'initial'}"


def read_node(trace: OpenTrace, row: dict[str, Any]) -> Node:
    """A node from one row of the core's columns."""
    places = trace.places
    freed = row["freed"]
    return Node(
        id=row["id"],
        kind=row["kind"],
        address=row["address"],
        size=row["size"],
        name=row["name"],
        type=trace.types.name(row["type"]),
        type_id=row["type"],
        created=Change(row["created"], places.statement(row["created_stack"])),
        created_stack=row["created_stack"],
        freed=None if freed is None else Change(freed, places.statement(row["freed_stack"])),
        freed_stack=row["freed_stack"],
        lost=row.get("lost"),
        label=row["label"],
        cluster=row["cluster"],
        source=row["source"],
    )


def find_node(trace: OpenTrace, node: int) -> Node:
    """One node of a trace, alive or not."""
    row = trace.core.node(node) if node >= 0 else None
    if row is None:
        raise UsageError(f"there is no node {node} in {trace.path} (see: heapstory graph)")
    return read_node(trace, row)


def fields_of(trace: OpenTrace, node: int, at: int) -> list[Edge]:
    """What a node holds at a timestamp, data included."""
    return read_edges(trace, trace.core.fields(node, at))


def incoming_of(trace: OpenTrace, node: int, at: int) -> list[Edge]:
    """Who points to a node at a timestamp."""
    return read_edges(trace, trace.core.incoming(node, at))


def read_edges(trace: OpenTrace, table: _core.Table) -> list[Edge]:
    """All edges of a small table of the core; their nodes are looked up for the fields' names."""
    nodes: dict[int, dict[str, Any]] = {}
    edges = []
    for row in zip(*(table.column(name) for name in EDGE_COLUMNS), strict=True):
        node = nodes.get(row[0]) or nodes.setdefault(row[0], trace.core.node(row[0]) or {})
        field = trace.types.field(node.get("type"), node.get("size", 0), row[1])
        edges.append(read_edge(trace, row, field))
    return edges


def read_edge(trace: OpenTrace, row: Sequence[Any], field: str | None) -> Edge:
    """An edge from one row, in the order of EDGE_COLUMNS."""
    source, offset, value, size, target, target_offset, state, timestamp, site = row
    place = trace.places.place(site)
    return Edge(source, offset, field, value, size, target, target_offset, state, timestamp, place)
