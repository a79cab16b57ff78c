"""A faulty operation in pictures: the nodes it is about, just before and just after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapstory.graph.drawing import Box, Drawing, Mark, Row
from heapstory.graph.model import Edge, Node, label
from heapstory.locating.diagnosis import Fault

if TYPE_CHECKING:
    from heapstory.trace import Trace

MOST_NODES = 8
MOST_ROWS, FEW_ROWS = 24, 3  # of a box; elements of an array that are not worth leaving out


@dataclass(frozen=True, slots=True)
class Pictures:
    """Two drawings of the same nodes; ``changed`` are the (node, offset) pairs that differ."""

    before: Drawing
    after: Drawing
    changed: frozenset[tuple[int, int]]


def pictures(trace: Trace, fault: Fault) -> Pictures:
    """The changed nodes, those of the first inconsistency, and what they point to."""
    nodes = _nodes(trace, fault)
    changed = frozenset((slot.node, slot.offset) for slot in fault.slots)
    before = _draw(trace, nodes, max(fault.timestamp - 1, 0))
    after = _draw(trace, nodes, fault.timestamp)
    _leave_out_same(before, after, changed)
    return Pictures(before, after, changed)


def _leave_out_same(before: Drawing, after: Drawing, changed: frozenset[tuple[int, int]]) -> None:
    """Of arrays, and of blocks with very many fields, only what differs is drawn."""
    texts: dict[tuple[int, int], set[str]] = {}
    for box in (*before.boxes, *after.boxes):
        for row in box.rows:
            texts.setdefault((box.node.id, row.offset), set()).add(row.marks[-1].text)
    for box in (*before.boxes, *after.boxes):
        many = sum(not _in_array(row.name) for row in box.rows) > MOST_ROWS
        kept = [
            row
            for row in box.rows
            if not (many or _in_array(row.name))
            or (box.node.id, row.offset) in changed
            or len(texts[box.node.id, row.offset]) > 1
        ]
        left = len(box.rows) - len(kept)
        if left > FEW_ROWS:
            kept.append(Row(-1, "…", [Mark(f"{left} more, the same", "", "data")]))
            box.rows[:] = kept


def _in_array(name: str) -> bool:
    return "[" in name or name.startswith("+")


def _nodes(trace: Trace, fault: Fault) -> list[int]:
    first = [slot.node for slot in fault.slots] + ([fault.node] if fault.node else [])
    if fault.contributed_to:
        first += fault.contributed_to[0].nodes
    wanted = dict.fromkeys(first)
    for at in (fault.timestamp, max(fault.timestamp - 1, 0)):
        for node in list(dict.fromkeys(first)):
            for edge in trace.fields(node, at) if _exists(trace, node, at) else ():
                if edge.target is not None and edge.state != "data":
                    wanted.setdefault(edge.target)
    return sorted(list(wanted)[:MOST_NODES])


def _exists(trace: Trace, node: int, at: int) -> bool:
    created = trace.node(node).created.timestamp
    return created is None or created <= at


def _draw(trace: Trace, nodes: list[int], at: int) -> Drawing:
    boxes = [_box(trace, trace.node(node), at) for node in nodes if _exists(trace, node, at)]
    shown = {box.node.id for box in boxes}
    outside = {
        mark.target: trace.node(mark.target).title
        for box in boxes
        for row in box.rows
        for mark in row.marks
        if mark.target is not None and mark.target not in shown
    }
    return Drawing(at, trace.last, boxes, outside=outside)


def _box(trace: Trace, node: Node, at: int) -> Box:
    gone = node.freed is not None and (node.freed.timestamp or 0) <= at
    living = Node(
        **{name: getattr(node, name) for name in Node.__slots__ if name != "freed"},
        freed=node.freed if gone else None,
    )
    rows = [] if gone else _rows(trace, node, at)
    kind = node.type or ("" if node.kind == "heap" else node.kind)
    return Box(living, node.title, kind, rows)


def _rows(trace: Trace, node: Node, at: int) -> list[Row]:
    edges = trace.fields(node.id, at)
    leaves = [leaf for leaf in trace.types.leaves(node.type_id, node.size) if leaf.name]
    if not leaves:
        return [Row(edge.offset, f"+{edge.offset}", [_mark(trace, edge)]) for edge in edges]
    rows = []
    pointers = {edge.offset: edge for edge in edges if edge.state != "data"}
    for leaf in leaves:
        edge = pointers.get(leaf.offset)
        if edge is not None and leaf.kind == "pointer":
            rows.append(Row(leaf.offset, leaf.name, [_mark(trace, edge)]))
            continue
        if leaf.is_char and "[" in leaf.name:
            continue  # texts, character by character
        value = trace.value(node.address + leaf.offset, leaf.size, at)
        if value is not None:
            rows.append(Row(leaf.offset, leaf.name, [Mark(leaf.text(value), "", "data")]))
    return rows


def _mark(trace: Trace, edge: Edge) -> Mark:
    written = label(edge.timestamp, edge.place)
    if edge.state == "null":
        return Mark("NULL", written, edge.state)
    if edge.target is None:
        return Mark(f"{edge.value:#x}", written, edge.state)
    inside = f"+{edge.target_offset}" if edge.target_offset else ""
    stale = " (freed)" if edge.state == "stale" else ""
    text = f"→ {trace.node(edge.target).title}{inside}{stale}"
    return Mark(text, written, edge.state, edge.target, edge.target_offset)
