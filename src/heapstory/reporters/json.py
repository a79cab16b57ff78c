"""The machine output: one object per command, with the name and version of its schema.

Nodes and edges are written by the core alone, since a graph may have millions of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heapstory.graph.clusters import Cluster, MergeEdge
    from heapstory.graph.history import History, Version
    from heapstory.graph.memory_graph import MemoryGraph
    from heapstory.graph.model import Edge, Node
    from heapstory.trace import Trace
    from heapstory.trace.discoveries import Discoveries
    from heapstory.trace.info import Info
    from heapstory.trace.places import Place
    from heapstory.trace.sql import Rows
    from heapstory.trace.suspicions import Suspicion


def dumps(command: str, body: dict[str, Any]) -> str:
    """One object on one line."""
    answer = {"schema": f"heapstory.{command}/1", **body}
    return json.dumps(answer, ensure_ascii=False, default=str) + "\n"


def info(info: Info) -> dict[str, Any]:
    """The body of ``info --json``."""
    return {
        "trace": info.path,
        "program": info.program,
        "directory": info.directory,
        "started": info.started,
        "heapstory": info.heapstory,
        "exit": {"code": info.exit_code, "signal": info.exit_signal},
        "ended": info.ended,
        "mode": info.mode,
        "timestamps": info.timestamps,
        **info.counts,
        **info.sizes,
        "complete": info.complete,
        "damage": info.damage,
        **(_discoveries(info.discoveries) if info.discoveries else {}),
    }


def _discoveries(found: Discoveries) -> dict[str, Any]:
    return {
        "candidates": [
            {
                "kind": one.kind,
                "allocator": one.allocator,
                "place": _place(one.place),
                "low": f"{one.low:#x}",
                "high": f"{one.high:#x}",
                "blocks": one.blocks,
            }
            for one in found.candidates
        ],
        "counted": found.counted,
        "untouched": found.untouched,
    }


def suspicious(trace: Trace, found: list[Suspicion]) -> dict[str, Any]:
    """The body of ``info --suspicious --json``."""
    return {
        "suspicious": [
            {
                "kind": one.kind,
                "certain": one.certain,
                "words": one.words,
                "ts": one.timestamp,
                "place": _place(one.place),
                "address": f"{one.address:#x}",
                "bytes": one.bytes,
                "base": f"{one.base:#x}",
                "node": None if one.node is None else _node(trace, one.node),
                "reached": None if one.reached is None else _node(trace, one.reached),
            }
            for one in found
        ]
    }


def graph(graph: MemoryGraph, edges: Iterable[str]) -> Iterator[str]:
    """The object of ``graph --json`` in pieces: a graph may have millions of nodes and edges."""
    yield f'{{"schema": "heapstory.graph/1", "at": {graph.at}, "nodes": ['
    yield from graph.node_text(_place_text, _text)
    yield '], "edges": ['
    yield from edges
    yield '], "clusters": ['
    yield from _listed(_encode(_cluster(cluster)) for cluster in graph.clusters)
    yield '], "merges": ['
    yield from _listed(_encode(_merge(merge)) for merge in graph.merges)
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
        "place": _place(merge.place),
    }


def edges(graph: MemoryGraph, data: bool) -> Iterator[str]:
    """The edges of a graph, as the core writes them."""
    return graph.edge_text(data, _place_text, _text)


def evolution(edges: Iterable[Edge]) -> Iterator[str]:
    """Edges of an evolution: versions that stand and versions that were overwritten."""
    return _listed(map(_edge, edges))


def _listed(items: Iterable[str]) -> Iterator[str]:
    separator = ""
    for item in items:
        yield separator + item
        separator = ", "


def history(history: History) -> dict[str, Any]:
    """The body of ``history --json``."""
    return {
        "address": f"{history.address:#x}",
        "size": history.size,
        "node": history.node.id if history.node else None,
        "versions": [_version(version) for version in history],
    }


def query(rows: Rows) -> dict[str, Any]:
    """The body of ``query --json``."""
    return {"columns": rows.columns, "rows": [list(row) for row in rows]}


def _node(trace: Trace, node: Node) -> dict[str, Any]:
    statement, name = trace.places.statement, trace.types.name
    text = trace.core.node_json(
        node.id, lambda stack: _place_text(statement(stack)), lambda of: _text(name(of)), _text
    )
    members: dict[str, Any] = json.loads(text)
    return members


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
        _place_text(edge.place),
        _text(edge.field),
        edge.current,
    )


def _version(version: Version) -> dict[str, Any]:
    return {
        "ts": version.timestamp,
        "place": _place(version.place),
        "offset": version.offset,
        "value": None if version.value is None else f"{version.value:#x}",
        "bytes": None if version.data is None else version.data.hex(),
        "target": _target(version.target, version.target_offset),
        "node": version.node,
        "address": f"{version.address:#x}",
        "size": version.size,
        "field": version.field,
        "state": version.state,
        "kind": version.kind,
        "silent": version.silent,
        "thread": version.thread,
    }


def _target(node: int | None, offset: int | None) -> dict[str, Any] | None:
    return None if node is None else {"node": node, "offset": offset}


def _place(place: Place | None) -> dict[str, Any] | None:
    return place.as_json() if place else None


_encode = json.JSONEncoder(ensure_ascii=False).encode


@cache
def _text(text: str | None) -> str:
    return _encode(text)


@cache
def _place_text(place: Place | None) -> str:
    return _encode(_place(place))
