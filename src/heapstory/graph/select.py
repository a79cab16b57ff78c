"""Parts of a graph: around a node, of one type, or without what the heap has no part in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.errors import UsageError
from heapstory.store.type_names import meant

if TYPE_CHECKING:
    from heapstory.graph.columns import GraphColumns

_VIRTUAL = ("vtable for ", "VTT for ", "typeinfo for ", "_ZTV", "_ZTT", "_ZTI")


def select(
    graph: GraphColumns,
    *,
    root: int | str | None = None,
    depth: int | None = None,
    type: str | None = None,
) -> set[int]:
    """The ids of the nodes asked for; UsageError where a name means nothing in this graph."""
    if depth is not None and depth < 0:
        raise UsageError(f"depth {depth}: must be 0 or more")
    if root is None:
        chosen = set(graph.ids)
        if depth is not None:
            chosen = reach(graph, _variables(graph), depth)
    else:
        chosen = reach(graph, find_roots(graph, root), depth)
    return chosen if type is None else chosen & _of_type(graph, type)


def find_roots(graph: GraphColumns, root: int | str) -> list[int]:
    """A node by its id, or the variables, roots and labels of some name."""
    text = str(root)
    if text.isdecimal():
        if int(text) not in graph:
            raise UsageError(
                f"node {text} is not in the graph at timestamp {graph.at} "
                "(nodes after their end: --freed)"
            )
        return [int(text)]
    columns = graph.node_columns
    rows = zip(columns["id"], columns["name"], columns["label"], strict=True)
    found = [node for node, name, label in rows if text in (name, label) and node in graph]
    if not found:
        names = sorted({name for name in columns["label"] + columns["name"] if name})
        known = f"names here: {', '.join(names[:10])}" if names else "no names are known here"
        raise UsageError(f"no variable or root named {text} at timestamp {graph.at} ({known})")
    return found


def reach(graph: GraphColumns, start: list[int], depth: int | None) -> set[int]:
    """The nodes within some number of edges; what a virtual table leads to is of all objects."""
    targets: dict[int, list[int]] = {}
    tables = _virtual_tables(graph)
    for source, target in _arrows(graph):
        if source not in tables:
            targets.setdefault(source, []).append(target)
    seen, front = set(start), list(start)
    while front and depth != 0:
        front = [target for node in front for target in targets.get(node, ()) if target in graph]
        front = [node for node in dict.fromkeys(front) if node not in seen]
        seen.update(front)
        depth = None if depth is None else depth - 1
    return seen


def _virtual_tables(graph: GraphColumns) -> set[int]:
    names = zip(graph.node_columns["id"], graph.node_columns["name"], strict=True)
    return {node for node, name in names if name and name.startswith(_VIRTUAL)}


def connected(graph: GraphColumns) -> set[int]:
    """All heap nodes, and the variables that point to one or that one points to."""
    kinds = dict(zip(graph.node_columns["id"], graph.node_columns["kind"], strict=True))
    heap = {node for node in graph.ids if kinds[node] == "heap"}
    chosen = set(heap)
    for source, target in _arrows(graph):
        if source in heap or target in heap:
            chosen.update(node for node in (source, target) if node in graph)
    return chosen


def touched(graph: GraphColumns) -> set[int]:
    """All nodes but those made from a stored value alone; UsageError where none can be such."""
    if graph.trace.meta.get("mode") != "internals":
        raise UsageError(
            f"{graph.trace.path}: was not recorded with --mode internals, where values that look "
            "like addresses make nodes (leave out --touched)"
        )
    sizes = dict(zip(graph.node_columns["id"], graph.node_columns["size"], strict=True))
    return {node for node in graph.ids if sizes[node]}


def _arrows(graph: GraphColumns) -> list[tuple[int, int]]:
    columns = graph.edge_columns
    pairs = zip(columns["source"], columns["target"], strict=True)
    return [(source, target) for source, target in pairs if target is not None]


def _variables(graph: GraphColumns) -> list[int]:
    kinds = zip(graph.node_columns["id"], graph.node_columns["kind"], strict=True)
    return [node for node, kind in kinds if kind != "heap" and node in graph]


def _of_type(graph: GraphColumns, wanted: str) -> set[int]:
    columns, types = graph.node_columns, graph.trace.types
    names = {type_id: types.get(type_id)["name"] for type_id in set(columns["type"]) if type_id}
    found = set(meant(wanted, [name for name in names.values() if name]))
    matching = {type_id for type_id, name in names.items() if name in found}
    if not matching:
        known = sorted({text for type_id in names if (text := types.name(type_id))})
        raise UsageError(
            f"no node of type {wanted} at timestamp {graph.at} "
            f"(types here: {', '.join(known[:10]) or 'none are known'})"
        )
    pairs = zip(columns["id"], columns["type"], strict=True)
    return {node for node, type_id in pairs if type_id in matching}
