"""The answer of ``graph`` for other programs, in pieces. The core writes the nodes and edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from heapstory.reporters.json import encode, place, place_text, text

if TYPE_CHECKING:
    from heapstory.graph.clusters import Cluster, MergeEdge
    from heapstory.graph.memory_graph import MemoryGraph
    from heapstory.graph.model import Edge


def graph(graph: MemoryGraph, edges: Iterable[str]) -> Iterator[str]:
    """The object of ``graph --json`` in pieces: a graph may have millions of nodes and edges."""
    yield f'{{"schema": "heapstory.graph/1", "at": {graph.at}, "nodes": ['
    yield from graph.node_text(place_text, text)
    yield '], "edges": ['
    yield from edges
    yield '], "clusters": ['
    yield from _listed(encode(_cluster(cluster)) for cluster in graph.clusters)
    yield '], "merges": ['
    yield from _listed(encode(_merge(merge)) for merge in graph.merges)
    yield "]}\n"


def _cluster(cluster: Cluster) -> dict[str, Any]:
    return {
        "id": cluster.id,
        "ts": cluster.timestamp,
        "address": f"{cluster.address:#x}",
        "nodes": cluster.nodes,
    }


def _merge(merge: MergeEdge) -> dict[str, Any]:
    return {
        "cluster": merge.cluster,
        "from": merge.source,
        "to": merge.target,
        "ts": merge.timestamp,
        "place": place(merge.place),
    }


def edges(graph: MemoryGraph, data: bool) -> Iterator[str]:
    """The edges of a graph, as the core writes them."""
    return graph.edge_text(data, place_text, text)


def evolution(edges: Iterable[Edge]) -> Iterator[str]:
    """Edges of an evolution: versions that stand and versions that were overwritten."""
    return _listed(map(_edge, edges))


def _listed(items: Iterable[str]) -> Iterator[str]:
    separator = ""
    for item in items:
        yield separator + item
        separator = ", "


def _edge(edge: Edge) -> str:
    from heapstory._core import edge_json

    return edge_json(
        edge.source,
        edge.offset,
        edge.value,
        edge.size,
        edge.target,
        edge.target_offset,
        edge.state,
        edge.timestamp,
        place_text(edge.place),
        text(edge.field),
        edge.current,
    )
