"""The memory graph as of one timestamp."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heapstory.graph.clusters import Cluster, MergeEdge, clusters, merges
from heapstory.graph.model import EDGE_COLUMNS, NODE_COLUMNS, Edge, Node, read_edge, read_node

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.trace import Trace
    from heapstory.trace.places import Place

NOTEBOOK_NODES = 200


class MemoryGraph:
    """Nodes and edges as of ``at``, or a part of them. Columns are read when first asked for."""

    def __init__(
        self, trace: Trace, view: _core.GraphView, selected: frozenset[int] | None = None
    ) -> None:
        self.trace = trace
        self.view = view
        self.selected = selected

    @property
    def at(self) -> int:
        """The timestamp."""
        return self.view.at

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, node: int) -> bool:
        return node in self._rows and (self.selected is None or node in self.selected)

    def __repr__(self) -> str:
        return f"<heapstory.MemoryGraph at={self.at} nodes={len(self)}>"

    @cached_property
    def node_columns(self) -> dict[str, list[Any]]:
        """The core's columns of the whole graph, one list each."""
        return _read(self.view.nodes(), NODE_COLUMNS)

    @cached_property
    def edge_columns(self) -> dict[str, list[Any]]:
        """The same for its pointers; NULL words of pointer fields are among them."""
        return _read(self.view.edges(), EDGE_COLUMNS)

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {node: row for row, node in enumerate(self.node_columns["id"])}

    @cached_property
    def ids(self) -> list[int]:
        """The ids of the nodes, in order of birth."""
        ids: list[int] = self.node_columns["id"]
        return sorted(node for node in ids if self.selected is None or node in self.selected)

    @cached_property
    def nodes(self) -> list[Node]:
        """The nodes, in order of birth."""
        return [self.node(node) for node in self.ids]

    @cached_property
    def edges(self) -> list[Edge]:
        """The pointers stored in the nodes' fields, NULL included."""
        return self._edges_of(self.edge_columns)

    @cached_property
    def clusters(self) -> list[Cluster]:
        """The cluster nodes (mode internals)."""
        return clusters(self)

    @cached_property
    def merges(self) -> list[MergeEdge]:
        """The merge edges (mode internals)."""
        return merges(self)

    def data(self) -> list[Edge]:
        """As ``edges``, and everything else the fields hold."""
        return self._edges_of(_read(self.view.edges(data=True), EDGE_COLUMNS))

    def node_text(
        self,
        place: Callable[[Place | None], str],
        text: Callable[[str | None], str],
    ) -> Iterator[str]:
        """The nodes in order of birth as members of a JSON list, in pieces: no object for each.
        ``place`` gives the JSON of a place, ``text`` that of a text."""
        statement, name = self.trace.places.statement, self.trace.types.name
        return self.view.node_text(
            self._selected, lambda stack: place(statement(stack)), lambda of: text(name(of)), text
        )

    def edge_text(
        self,
        data: bool,
        place: Callable[[Place | None], str],
        text: Callable[[str | None], str],
    ) -> Iterator[str]:
        """The same for the edges."""
        at, field = self.trace.places.place, self.trace.types.field
        return self.view.edge_text(
            data, self._selected, lambda site: place(at(site)), lambda *of: text(field(*of))
        )

    @property
    def _selected(self) -> list[int] | None:
        return None if self.selected is None else sorted(self.selected)

    def node(self, node: int) -> Node:
        """One node of the graph by its id."""
        row = self._rows[node]
        return read_node(
            self.trace, {name: column[row] for name, column in self.node_columns.items()}
        )

    def narrow(
        self,
        *,
        root: int | str | None = None,
        depth: int | None = None,
        type: str | None = None,
    ) -> MemoryGraph:
        """The part within ``depth`` edges of a node or named variable, and only of one type."""
        from heapstory.graph.select import select

        return self.part(select(self, root=root, depth=depth, type=type))

    def connected(self) -> MemoryGraph:
        """Without the variables that no pointer to or from the heap touches."""
        from heapstory.graph.select import connected

        return self.part(connected(self))

    def touched(self) -> MemoryGraph:
        """Without nodes that nothing ever accessed: integers that look like addresses make such
        in mode internals."""
        from heapstory.graph.select import touched

        return self.part(touched(self))

    def part(self, nodes: Iterable[int]) -> MemoryGraph:
        """The same graph with only these nodes, and the edges that leave them."""
        part = MemoryGraph(self.trace, self.view, frozenset(nodes))
        for name in ("node_columns", "edge_columns", "_rows"):
            if name in self.__dict__:  # already read: share, do not read again
                part.__dict__[name] = self.__dict__[name]
        return part

    def to_dot(self) -> str:
        """The graph for Graphviz."""
        from heapstory.graph.drawing import draw
        from heapstory.reporters.dot import render

        return render(draw(self))

    def _repr_svg_(self) -> str | None:
        from heapstory.reporters.svg import svg

        part = self.connected()
        return svg(part.to_dot()) if len(part) <= NOTEBOOK_NODES else None

    def _repr_html_(self) -> str:
        from heapstory.reporters.html import graph_table

        return graph_table(self.connected(), NOTEBOOK_NODES)

    def _edges_of(self, columns: dict[str, list[Any]]) -> list[Edge]:
        types, sizes = self.node_columns["type"], self.node_columns["size"]
        field = self.trace.types.field
        edges = []
        for row in zip(*(columns[name] for name in EDGE_COLUMNS), strict=True):
            if row[0] in self:
                node = self._rows[row[0]]
                edges.append(read_edge(self.trace, row, field(types[node], sizes[node], row[1])))
        return edges


def _read(table: _core.Table, names: Iterable[str]) -> dict[str, list[Any]]:
    return {name: table.column(name) for name in names}
