"""What a graph as of one timestamp consists of: the core's columns, read when asked for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heapstory.graph.model import EDGE_COLUMNS, NODE_COLUMNS, Edge, Node, read_edge, read_node

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.store.open_trace import OpenTrace


class GraphColumns:
    """Nodes and edges as of ``at``, or a part of them."""

    def __init__(
        self, trace: OpenTrace, view: _core.GraphView, selected: frozenset[int] | None = None
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

    def data(self) -> list[Edge]:
        """As ``edges``, and everything else the fields hold."""
        return self._edges_of(_read(self.view.edges(data=True), EDGE_COLUMNS))

    def node(self, node: int) -> Node:
        """One node of the graph by its id."""
        row = self._rows[node]
        return read_node(
            self.trace, {name: column[row] for name, column in self.node_columns.items()}
        )

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
