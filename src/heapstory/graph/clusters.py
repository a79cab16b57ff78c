"""Cluster nodes and merge edges: what mode internals adds to the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.graph.columns import GraphColumns


@dataclass(frozen=True, slots=True)
class Cluster:
    """Nodes that belong together since a merge; its address is the lowest of theirs."""

    id: int
    timestamp: int
    address: int
    nodes: list[int]


@dataclass(frozen=True, slots=True)
class MergeEdge:
    """An access by the address of ``source`` that reached ``target`` and merged the two."""

    cluster: int
    source: int
    target: int
    timestamp: int
    place: Place | None


def clusters(graph: GraphColumns) -> list[Cluster]:
    """The clusters as of the graph's timestamp, in order of their making."""
    made = graph.view.clusters()
    if not len(made):
        return []
    members: dict[int, list[int]] = {}
    columns = graph.node_columns
    for node, cluster in zip(columns["id"], columns["cluster"], strict=True):
        if cluster is not None and node in graph:
            members.setdefault(cluster, []).append(node)
    address = dict(zip(columns["id"], columns["address"], strict=True))
    return [
        Cluster(cluster, timestamp, min(address[node] for node in nodes), sorted(nodes))
        for cluster, timestamp in zip(made.column("id"), made.column("timestamp"), strict=True)
        if (nodes := members.get(cluster))
    ]


def merges(graph: GraphColumns) -> list[MergeEdge]:
    """The merge edges as of the graph's timestamp, in order of time."""
    table = graph.view.merges()
    names = ("cluster", "source", "target", "timestamp", "site")
    return [
        MergeEdge(cluster, source, target, timestamp, graph.trace.place(site))
        for cluster, source, target, timestamp, site in zip(
            *(table.column(name) for name in names), strict=True
        )
        if source in graph and target in graph
    ]
