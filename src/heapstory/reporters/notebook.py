"""Graphs and histories show themselves in a notebook: said here, since graphs know no reporter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.graph.notebook import teach

if TYPE_CHECKING:
    from heapstory.graph.history import History
    from heapstory.graph.memory_graph import MemoryGraph


def _dot(graph: MemoryGraph) -> str:
    from heapstory.graph.drawing import draw
    from heapstory.reporters.dot import render

    return render(draw(graph))


def _svg(graph: MemoryGraph) -> str:
    from heapstory.reporters.svg import svg

    return svg(_dot(graph))


def _graph_html(graph: MemoryGraph) -> str:
    from heapstory.graph.memory_graph import NOTEBOOK_NODES
    from heapstory.reporters.html import graph_table

    return graph_table(graph, NOTEBOOK_NODES)


def _history_html(history: History) -> str:
    from heapstory.reporters.html import history_table

    return history_table(history)


teach("graph as DOT", _dot)
teach("graph as SVG", _svg)
teach("graph as HTML", _graph_html)
teach("history as HTML", _history_html)
