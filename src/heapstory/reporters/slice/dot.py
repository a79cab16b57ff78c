"""A slice as a drawing for Graphviz: a box for each statement, an arrow for what flowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.reporters.dot import quote
from heapstory.reporters.slice.words import flow

if TYPE_CHECKING:
    from heapstory.slicing.model import Slice, StatementEdge
    from heapstory.store.places import Place
    from heapstory.trace import Trace

_HEAD = """digraph slice {
  graph [fontname="Helvetica", labelloc=t];
  node [shape=box, style="rounded,filled", fillcolor="#eef3fb", fontname="Helvetica", fontsize=11];
  edge [fontname="Helvetica", fontsize=9, arrowsize=0.7];"""
_STYLES = {"control": "style=dashed", "call": "style=dotted"}


def render(trace: Trace, answer: Slice) -> str:
    """Arrows lead from causes to what they caused; decisions are dashed, calls dotted."""
    lines = [_HEAD, f"  label={quote(f'{answer.criterion}: {answer.words}')};"]
    lines.append(f'  c [label={quote(answer.criterion)}, fillcolor="#ffe2e2"];')
    for number, place in enumerate(answer.statements):
        lines.append(f"  s{number} [label={quote(_label(trace, place))}];")
    lines += [_arrow(edge) for edge in answer.edges()]
    return "\n".join([*lines, "}"]) + "\n"


def _label(trace: Trace, place: Place) -> str:
    source = (trace.source(place.path) or "").splitlines() if place.path else []
    line = place.line or 0
    return f"{place}\n{source[line - 1].strip()}" if 0 < line <= len(source) else str(place)


def _arrow(edge: StatementEdge) -> str:
    head = "c" if edge.user is None else f"s{edge.user}"
    options = [f"label={quote(flow(edge))}"] if edge.kind in ("memory", "register") else []
    options += [_STYLES[edge.kind]] if edge.kind in _STYLES else []
    return f"  s{edge.definer} -> {head} [{', '.join(options)}];"
