"""Drawings for Graphviz: a table per node, a port per field, an arrow per version."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapstory.graph.drawing import Box, Drawing, Mark, Row

_HEAD = """digraph heap {
  graph [rankdir=LR, fontname="Helvetica", labelloc=t];
  node [shape=plain, fontname="Helvetica", fontsize=11];
  edge [fontname="Helvetica", fontsize=9, arrowsize=0.7];"""
_COLOURS = {"heap": "#eef3fb", "global": "#f4f0e6", "root": "#eaf5ea"}
_GONE = "#e4e4e4"
_CHANGED = "#ffd6d6"


def render(drawing: Drawing, changed: frozenset[tuple[int, int]] = frozenset()) -> str:
    """The drawing as DOT. Arrows are labelled (timestamp):statement; old ones are dashed. Fields in
    `changed`, by node and offset, stand out."""
    lines = [_HEAD]
    lines += [_box(box, drawing.evolution, changed) for box in drawing.boxes]
    for node, title in drawing.outside.items():
        lines.append(f'  n{node} [shape=plaintext, fontcolor="#777777", label={quote(title)}];')
    for box in drawing.boxes:
        for row in box.rows:
            lines += _arrows(box, row, drawing.evolution)
    return "\n".join([*lines, "}"]) + "\n"


def _box(box: Box, evolution: bool, changed: frozenset[tuple[int, int]]) -> str:
    node = box.node
    colour = _GONE if node.freed is not None else _COLOURS[node.kind]
    heading = [f"<b>{escape(box.title)}</b>", escape(box.detail)]
    if node.kind == "heap":
        heading.append(escape(str(node.created)))
    if node.freed is not None:
        heading.append(escape(f"freed {node.freed}"))
    if node.lost:
        heading.append('<font color="#b00020">lost</font>')
    cells = [f'<tr><td port="h" bgcolor="{colour}">{"<br/>".join(heading)}</td></tr>']
    cells += [_cell(row, evolution, (node.id, row.offset) in changed) for row in box.rows]
    table = f'<table border="0" cellborder="1" cellspacing="0">{"".join(cells)}</table>'
    return f"  n{node.id} [label=<{table}>];"


def _cell(row: Row, evolution: bool, changed: bool) -> str:
    """A field; what it holds is written in the cell unless an arrow says it."""
    text = escape(row.name)
    mark = row.marks[-1]
    if mark.state == "data" or (not evolution and mark.target is None):
        text += f" = {escape(mark.text)}"
    colour = f' bgcolor="{_CHANGED}"' if changed else ""
    return f'<tr><td port="f{row.offset}" align="left"{colour}>{text}</td></tr>'


def _arrows(box: Box, row: Row, evolution: bool) -> Iterator[str]:
    for number, mark in enumerate(row.marks):
        start = f"n{box.node.id}:f{row.offset}"
        if mark.target is not None:
            yield f"  {start} -> n{mark.target}{_port(mark)} [{_style(mark)}];"
        elif evolution and mark.state != "data":
            end = f"null_{box.node.id}_{row.offset}_{number}"
            yield f"  {end} [shape=plaintext, label={quote(mark.text)}];"
            yield f"  {start} -> {end} [{_style(mark)}];"


def _port(mark: Mark) -> str:
    return "" if mark.target_offset else ":h"


def _style(mark: Mark) -> str:
    options = [f"label={quote(mark.label)}"]
    if not mark.current:
        options += ["style=dashed", 'color="#888888"', 'fontcolor="#888888"']
    elif mark.state == "stale":
        options.append('color="#b00020"')
    return ", ".join(options)


def quote(text: str) -> str:
    """A string of the language; a new line stays one."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
