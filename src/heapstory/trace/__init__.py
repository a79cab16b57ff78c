"""Traces: opening one and asking it questions. Knows `store` and `graph`, which answer them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from heapstory.errors import UsageError
from heapstory.store.open_trace import OpenTrace

if TYPE_CHECKING:
    from heapstory.graph.history import History
    from heapstory.graph.memory_graph import MemoryGraph
    from heapstory.graph.model import Edge, Node
    from heapstory.store.sql import Rows
    from heapstory.trace.info import Info

__all__ = ["Trace", "open"]

At = int | str | None  # a moment of a run


def open(path: str | os.PathLike[str]) -> Trace:
    """Opens a trace directory (``NAME.story``) for questions."""
    return Trace(path)


class Trace(OpenTrace):
    """A recorded run. Timestamps are ordinals of graph changes, from 1 to ``last``; 0 is before."""

    def __repr__(self) -> str:
        return f"<heapstory.Trace {self.path} timestamps={self.last}>"

    def moment(self, at: At) -> int:
        """A timestamp of this trace: None is the last one, a negative one counts from the end, and
        a text names a moment as ``--at`` does: 'peak', 'crash', 'list.c:12#3', 'insert'."""
        if isinstance(at, str):
            from heapstory.trace import moments

            return moments.find(self, at)
        return super().moment(at)

    def info(self) -> Info:
        """What is in the trace, counted."""
        from heapstory.trace.info import Info

        return Info.read(self, self.core.summary())

    def graph(self, at: At = None, *, freed: bool = False) -> MemoryGraph:
        """The memory graph as of a timestamp; with ``freed``, nodes stay after their end."""
        from heapstory.graph.memory_graph import MemoryGraph

        return MemoryGraph(self, self.core.graph(self.moment(at), freed))

    def node(self, node: int) -> Node:
        """One node, alive or not."""
        from heapstory.graph.model import find_node

        return find_node(self, node)

    def node_at(self, address: int, at: At = None) -> Node | None:
        """The node that holds an address at a timestamp."""
        found = self.core.node_at(address, self.moment(at))
        return None if found is None else self.node(found)

    def fields(self, node: int, at: At = None) -> list[Edge]:
        """What a node holds at a timestamp, data included."""
        from heapstory.graph.model import fields_of

        return fields_of(self, self.node(node).id, self.moment(at))

    def incoming(self, node: int, at: At = None) -> list[Edge]:
        """Who points to a node at a timestamp, and who stored it."""
        from heapstory.graph.model import incoming_of

        return incoming_of(self, self.node(node).id, self.moment(at))

    def history(
        self,
        *,
        node: int | None = None,
        address: int | None = None,
        field: str | int | None = None,
        size: int | None = None,
    ) -> History:
        """Every version of a node, of one of its fields (name or offset), or of an address."""
        from heapstory.graph import history

        if (node is None) == (address is None):
            raise UsageError("history wants a node or an address, and not both")
        if node is not None:
            return history.of_node(self, self.node(node), field, size)
        assert address is not None
        return history.of_address(self, address, size)

    def pointing_to(self, node: int) -> History:
        """Every pointer that ever meant a node: which field held it, from when until when."""
        from heapstory.graph import history

        return history.pointing_to(self, self.node(node))

    def query(self, sql: str, files: Sequence[str | os.PathLike[str]] = ()) -> Rows:
        """SQL over the tables of the trace; see docs/reference/sql.md.

        A query sees nothing but the trace, and the ``files`` that are named.
        """
        from heapstory.store.sql import query

        return query(self, sql, files)
