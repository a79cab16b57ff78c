"""Small HTML tables for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from heapstory.graph.model import label

if TYPE_CHECKING:
    from heapstory.graph.history import History
    from heapstory.graph.memory_graph import MemoryGraph


def graph_table(graph: MemoryGraph, limit: int) -> str:
    """The nodes of a graph, the first ``limit`` of them."""
    rows = [
        [
            node.title,
            node.kind,
            node.type or "",
            str(node.size),
            f"{node.address:#x}",
            str(node.created),
        ]
        for node in map(graph.node, graph.ids[:limit])
    ]
    more = f"<p>{len(graph) - limit:,} more nodes</p>" if len(graph) > limit else ""
    return _table(["node", "kind", "type", "bytes", "address", "created"], rows) + more


def history_table(history: History) -> str:
    """The versions of a history."""
    rows = [
        [
            label(version.timestamp, version.place),
            version.field or f"+{version.offset}",
            "" if version.value is None else f"{version.value:#x}",
            "" if version.target is None else f"node {version.target}",
        ]
        for version in history
    ]
    return _table(["change", "field", "value", "target"], rows)


def _table(columns: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
