"""The memory graph as of one timestamp."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from heapstory.errors import HeapstoryError
from heapstory.graph import select
from heapstory.graph.clusters import Cluster, MergeEdge, clusters, merges
from heapstory.graph.columns import GraphColumns
from heapstory.graph.notebook import show
from heapstory.store.places import Place

NOTEBOOK_NODES = 200


class MemoryGraph(GraphColumns):
    """Nodes and edges as of ``at``, or a part of them. Columns are read when first asked for."""

    @cached_property
    def clusters(self) -> list[Cluster]:
        """The cluster nodes (mode internals)."""
        return clusters(self)

    @cached_property
    def merges(self) -> list[MergeEdge]:
        """The merge edges (mode internals)."""
        return merges(self)

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

    def narrow(
        self,
        *,
        root: int | str | None = None,
        depth: int | None = None,
        type: str | None = None,
    ) -> MemoryGraph:
        """The part within ``depth`` edges of a node or named variable, and only of one type."""
        return self.part(select.select(self, root=root, depth=depth, type=type))

    def connected(self) -> MemoryGraph:
        """Without the variables that no pointer to or from the heap touches."""
        return self.part(select.connected(self))

    def touched(self) -> MemoryGraph:
        """Without nodes that nothing ever accessed: integers that look like addresses make such
        in mode internals."""
        return self.part(select.touched(self))

    def part(self, nodes: Iterable[int]) -> MemoryGraph:
        """The same graph with only these nodes, and the edges that leave them."""
        part = MemoryGraph(self.trace, self.view, frozenset(nodes))
        for name in ("node_columns", "edge_columns", "_rows"):
            if name in self.__dict__:  # already read: share, do not read again
                part.__dict__[name] = self.__dict__[name]
        return part

    def to_dot(self) -> str:
        """The graph for Graphviz."""
        text = show("graph as DOT", self)
        if text is None:
            raise HeapstoryError("nobody draws here (import heapstory.reporters.notebook)")
        return text

    def _repr_svg_(self) -> str | None:
        part = self.connected()
        return show("graph as SVG", part) if len(part) <= NOTEBOOK_NODES else None

    def _repr_html_(self) -> str | None:
        return show("graph as HTML", self.connected())
