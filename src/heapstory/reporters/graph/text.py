"""The answer of ``graph`` for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from heapstory.reporters.style import PLAIN, Style
from heapstory.reporters.text import count

if TYPE_CHECKING:
    from heapstory.graph.drawing import Box, Drawing, Row


def graph(drawing: Drawing, style: Style = PLAIN) -> str:
    """Every node with its fields, in the order the edges lead through them."""
    what = "evolution up to" if drawing.evolution else "graph at"
    last = " (the last)" if drawing.at == drawing.last else f" of {drawing.last}"
    nodes = count(len(drawing.boxes), "node")
    lines = [style.bold(f"{what} timestamp {drawing.at}{last}: {nodes}")]
    for box in drawing.boxes:
        lines += ["", *_box(box, style)]
    return "\n".join(lines) + "\n"


def _box(box: Box, style: Style) -> Iterator[str]:
    node = box.node
    words = [style.bold(box.title), box.detail]
    if node.kind == "heap":
        words.append(style.dim(str(node.created)))
    if node.freed is not None:
        words.append(style.dim(f"freed {node.freed}"))
    if node.lost:
        words.append(style.red("lost: nothing points to it any more"))
    yield "  ".join(words)
    name = max((len(row.name) for row in box.rows), default=0)
    text = max((len(mark.text) for row in box.rows for mark in row.marks), default=0)
    for row in box.rows:
        yield from _row(row, name, text, style)


def _row(row: Row, name: int, text: int, style: Style) -> Iterator[str]:
    for number, mark in enumerate(row.marks):
        shown = row.name if number == 0 else ""
        old = "" if mark.current else "  old"
        line = f"{mark.text:<{text}}  {style.dim(mark.label)}{old}"
        yield f"  {shown:<{name}}  {line}".rstrip()
