"""MG++ itself: every node that ever was, and every version of every pointer field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from heapstory.graph.history import WORD, Version, of_node
from heapstory.graph.model import Edge, Node, fields_of

if TYPE_CHECKING:
    from heapstory.graph.columns import GraphColumns
    from heapstory.store.open_trace import OpenTrace


def evolution(graph: GraphColumns) -> list[Edge]:
    """Every version, up to the graph's timestamp, of the fields that are pointers by their type or
    ever held one.

    The one that stands at that timestamp is ``current``. Silent stores are left out: they changed
    nothing, so they are no new edge.
    """
    edges = []
    for node in graph.nodes:
        fields: dict[int, list[Edge]] = {}
        for edge in _versions(graph.trace, node, graph.at):
            fields.setdefault(edge.offset, []).append(edge)
        for offset, versions in fields.items():
            held = any(edge.state in ("live", "stale") for edge in versions)
            leaf = graph.trace.types.leaf(node.type_id, node.size, offset)
            if held or (leaf is not None and leaf.kind == "pointer"):
                edges += [*versions[:-1], replace(versions[-1], current=True)]
    return edges


def _versions(trace: OpenTrace, node: Node, last: int) -> Iterator[Edge]:
    """What was ever stored into the fields of a node, oldest first."""
    for version in of_node(trace, node, None, None):
        if version.timestamp > last or version.silent:
            continue
        if version.size <= WORD:
            yield _edge(node, version)
            continue
        # A long ranged store wrote many fields at once: look at what it left in them.
        first, end = version.address, version.address + version.size
        for edge in fields_of(trace, node.id, version.timestamp):
            inside = first <= node.address + edge.offset < end
            if inside and edge.timestamp == version.timestamp:
                yield replace(edge, current=False)


def _edge(node: Node, version: Version) -> Edge:
    return Edge(
        source=node.id,
        offset=version.address - node.address,
        field=version.field,
        value=version.value or 0,
        size=version.size,
        target=version.target,
        target_offset=version.target_offset,
        state=version.state,
        timestamp=version.timestamp,
        place=version.place,
        current=False,
    )
