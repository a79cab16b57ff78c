"""One description of a graph, which every renderer draws: boxes with rows, versions in the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from heapstory.graph.evolution import evolution
from heapstory.graph.model import Edge, Node, fields_of, find_node, label
from heapstory.store.types import Leaf

if TYPE_CHECKING:
    from heapstory.graph.columns import GraphColumns

_LARGEST_SEARCHED = 4096  # bytes of a node that is searched for wild pointers unasked


@dataclass(frozen=True, slots=True)
class Mark:
    """One version of a field: what it shows, where it leads, and ``(timestamp):statement``."""

    text: str
    label: str
    state: str
    target: int | None = None
    target_offset: int | None = None
    current: bool = True


@dataclass(slots=True)
class Row:
    """A field of a box."""

    offset: int
    name: str
    marks: list[Mark] = field(default_factory=list)


@dataclass(slots=True)
class Box:
    """A node: its heading lines and its fields by offset."""

    node: Node
    title: str
    detail: str
    rows: list[Row]


@dataclass(slots=True)
class Drawing:
    """Boxes in an order that follows the edges from the variables on; ``lost`` ones come last."""

    at: int
    last: int
    boxes: list[Box]
    evolution: bool = False
    # Nodes that edges lead to but that are not drawn: in the graph, only outside the part shown.
    outside: dict[int, str] = field(default_factory=dict)


def draw(graph: GraphColumns, *, data: bool = False, history: bool = False) -> Drawing:
    """Describes a graph; with ``data`` all fields, with ``history`` all versions of pointers."""
    edges = evolution(graph) if history else graph.edges
    boxes = {node.id: _box(graph, node) for node in graph.nodes}
    for box in boxes.values():
        if box.node.kind == "root":  # one word, which an edge shows
            continue
        if data:
            box.rows += _data_rows(graph, box.node)
        elif not history and box.node.size <= _LARGEST_SEARCHED:
            box.rows += _wild_rows(graph, box.node)
    outside: dict[int, str] = {}
    for edge in sorted(edges, key=lambda edge: (edge.source, edge.offset, edge.timestamp)):
        target = boxes.get(edge.target) if edge.target is not None else None
        if _is_section(boxes[edge.source].node) and (not target or target.node.kind != "heap"):
            continue
        row = _row(boxes[edge.source], edge)
        row.marks.append(_mark(graph, boxes, edge))
        if edge.target is not None and edge.target not in boxes:
            outside[edge.target] = _outside_title(graph, edge.target)
    for box in boxes.values():
        box.rows.sort(key=lambda row: row.offset)
    order = [boxes[node] for node in _order(list(boxes.values()))]
    return Drawing(graph.at, graph.trace.last, order, history, outside)


def _is_section(node: Node) -> bool:
    """Data of a module without names: only its pointers into the heap are of interest."""
    return node.kind == "global" and node.type is None


def _box(graph: GraphColumns, node: Node) -> Box:
    parts = [node.type or ("" if node.kind == "heap" else node.kind), f"{node.size} bytes"]
    if node.label and node.name:
        parts.insert(0, node.name)
    detail = ", ".join([part for part in parts if part] + [f"{node.address:#x}"])
    title = node.title if node.kind == "heap" else f"{node.kind} {node.title}"
    return Box(node, title, detail, [])


def _data_rows(graph: GraphColumns, node: Node) -> list[Row]:
    """The fields that hold data. Types say how to read them; without one they are plain numbers."""
    fields = fields_of(graph.trace, node.id, graph.at)
    leaves = list(graph.trace.types.leaves(node.type_id, node.size))
    if not leaves:
        return [
            Row(edge.offset, f"+{edge.offset}", [_plain(edge)])
            for edge in fields
            if edge.state == "data"
        ]
    rows = []
    for leaf in leaves:
        value = graph.trace.value(node.address + leaf.offset, leaf.size, graph.at)
        if value is None:
            continue
        writer = next((e for e in fields if e.offset <= leaf.offset < e.offset + e.size), None)
        written = label(writer.timestamp, writer.place) if writer else ""
        if leaf.kind != "pointer":
            mark = Mark(leaf.text(value), written, "data")
            rows.append(Row(leaf.offset, leaf.name or "*", [mark]))
        elif writer and _is_wild(leaf, writer):
            rows.append(Row(leaf.offset, leaf.name or "*", [_wild(writer)]))
    return rows


def _wild_rows(graph: GraphColumns, node: Node) -> list[Row]:
    """Fields that should lead to a structure and lead to where no node ever was."""
    types = graph.trace.types
    pointers = {
        leaf.offset: leaf
        for leaf in types.leaves(node.type_id, node.size)
        if leaf.target and types.get(leaf.target)["kind"] == "record"
    }
    if not pointers:
        return []
    return [
        Row(edge.offset, pointers[edge.offset].name or "*", [_wild(edge)])
        for edge in fields_of(graph.trace, node.id, graph.at)
        if edge.offset in pointers and _is_wild(pointers[edge.offset], edge)
    ]


def _is_wild(leaf: Leaf, written: Edge) -> bool:
    same = (written.offset, written.size) == (leaf.offset, leaf.size)
    return same and written.state == "data" and written.value != 0


def _wild(edge: Edge) -> Mark:
    return Mark(f"{edge.value:#x} (no node)", label(edge.timestamp, edge.place), "data")


def _plain(edge: Edge) -> Mark:
    return Mark(f"{edge.value:#x}", label(edge.timestamp, edge.place), edge.state)


def _row(box: Box, edge: Edge) -> Row:
    for row in box.rows:
        if row.offset == edge.offset and any(mark.state != "data" for mark in row.marks):
            return row
    variable = box.node.kind != "heap" and edge.offset == 0 and edge.field is None
    row = Row(edge.offset, edge.field or ("*" if variable else f"+{edge.offset}"))
    box.rows.append(row)
    return row


def _mark(graph: GraphColumns, boxes: dict[int, Box], edge: Edge) -> Mark:
    if edge.state == "null":
        text = "NULL"
    elif edge.target is None:
        text = f"{edge.value:#x}" + (" (stale)" if edge.state == "stale" else "")
    else:
        box = boxes.get(edge.target)
        text = f"→ {box.node.title if box else _outside_title(graph, edge.target)}"
        text += f"+{edge.target_offset}" if edge.target_offset else ""
        text += " (stale)" if edge.state == "stale" else ""
    written = label(edge.timestamp, edge.place)
    return Mark(text, written, edge.state, edge.target, edge.target_offset, edge.current)


def _outside_title(graph: GraphColumns, node: int) -> str:
    return find_node(graph.trace, node).title


def _order(boxes: list[Box]) -> list[int]:
    """Variables first, each followed by what it leads to; the rest in order of birth."""
    by_id = {box.node.id: box for box in boxes}
    seen: dict[int, None] = {}
    for start in sorted(boxes, key=lambda box: (box.node.kind == "heap", box.node.id)):
        todo = [start.node.id]
        while todo:
            node = todo.pop()
            if node in seen:
                continue
            seen[node] = None
            marks = [mark for row in by_id[node].rows for mark in row.marks if mark.current]
            todo += [
                m.target for m in reversed(marks) if m.target is not None and m.target in by_id
            ]
    return list(seen)
