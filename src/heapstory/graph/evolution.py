"""MG++ itself: every node that ever was, and every version of every pointer field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.graph.history import Version, of_node
from heapstory.graph.model import Edge

if TYPE_CHECKING:
    from heapstory.graph.memory_graph import MemoryGraph


def evolution(graph: MemoryGraph) -> list[Edge]:
    """Every version, up to the graph's timestamp, of the fields that ever held a pointer.

    The one that stands at that timestamp is ``current``. Silent stores are left out: they changed
    nothing, so they are no new edge.
    """
    edges = []
    for node in graph.nodes:
        history = of_node(graph.trace, node, None, None)
        fields: dict[int, list[Version]] = {}
        for version in history:
            if version.timestamp <= graph.at and not version.silent and version.offset is not None:
                fields.setdefault(version.offset, []).append(version)
        for versions in fields.values():
            if any(version.state in ("live", "stale") for version in versions):
                edges += [_edge(node.id, version) for version in versions[:-1]]
                edges.append(_edge(node.id, versions[-1], current=True))
    return edges


def _edge(node: int, version: Version, current: bool = False) -> Edge:
    return Edge(
        source=node,
        offset=version.offset or 0,
        field=version.field,
        value=version.value or 0,
        size=version.size,
        target=version.target,
        target_offset=version.target_offset,
        state=version.state,
        timestamp=version.timestamp,
        place=version.place,
        current=current,
    )
