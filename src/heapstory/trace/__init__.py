"""Traces: opening one and asking it questions."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from heapstory.errors import TraceError, UsageError
from heapstory.trace.info import Info
from heapstory.trace.meta import read as read_meta
from heapstory.trace.places import Place, Places
from heapstory.trace.types import Types

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.graph.history import History
    from heapstory.graph.memory_graph import MemoryGraph
    from heapstory.graph.model import Edge, Node
    from heapstory.trace.sql import Rows

__all__ = ["Trace", "open"]


def open(path: str | os.PathLike[str]) -> Trace:
    """Opens a trace directory (``NAME.story``) for questions."""
    return Trace(path)


class Trace:
    """A recorded run. Timestamps are ordinals of graph changes, from 1 to ``last``; 0 is before."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.core = _open_core(self.path)
        self._check_version()
        self.places = Places(self.core)
        self.types = Types(self.core)

    def __enter__(self) -> Trace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<heapstory.Trace {self.path} timestamps={self.last}>"

    def close(self) -> None:
        """Lets go of the files."""
        self.core.close()

    @cached_property
    def meta(self) -> dict[str, Any]:
        """meta.json: how the trace was recorded."""
        return read_meta(self.path / "meta.json", self.core.meta)

    def _check_version(self) -> None:
        from heapstory._core import FORMAT_VERSION

        version = self.meta.get("format")
        if isinstance(version, int) and version > FORMAT_VERSION:
            raise TraceError(
                f"{self.path}: has trace format {version}, newer than this heapstory, which reads "
                f"up to {FORMAT_VERSION} (install a newer heapstory)"
            )

    @property
    def last(self) -> int:
        """The last timestamp."""
        return self.core.timestamps

    @property
    def complete(self) -> bool:
        """Whether the trace holds the whole run."""
        return self.core.complete and self.meta.get("complete") is not False

    @property
    def damage(self) -> str | None:
        """Why a trace is incomplete, in one line."""
        if self.core.damage or self.complete:
            return self.core.damage
        if self.meta.get("ended") == "killed":
            return "the program was killed"
        if self.meta.get("dropped"):
            return f"{self.meta['dropped']} records were dropped"
        return "the collector was stopped"

    def info(self) -> Info:
        """What is in the trace, counted."""
        return Info.read(self, self.core.summary())

    def moment(self, at: int | None) -> int:
        """A timestamp of this trace, the last one for None; a negative one counts from the end."""
        moment = self.last if at is None else at + self.last + 1 if at < 0 else at
        if not 0 <= moment <= self.last:
            raise UsageError(f"timestamp {at} is not in {self.path}: it has 0 to {self.last}")
        return moment

    def graph(self, at: int | None = None, *, freed: bool = False) -> MemoryGraph:
        """The memory graph as of a timestamp; with ``freed``, nodes stay after their end."""
        from heapstory.graph.memory_graph import MemoryGraph

        return MemoryGraph(self, self.core.graph(self.moment(at), freed))

    def node(self, node: int) -> Node:
        """One node, alive or not."""
        from heapstory.graph.model import read_node

        row = self.core.node(node) if node >= 0 else None
        if row is None:
            raise UsageError(f"there is no node {node} in {self.path} (see: heapstory graph)")
        return read_node(self, row)

    def node_at(self, address: int, at: int | None = None) -> Node | None:
        """The node that holds an address at a timestamp."""
        found = self.core.node_at(address, self.moment(at))
        return None if found is None else self.node(found)

    def fields(self, node: int, at: int | None = None) -> list[Edge]:
        """What a node holds at a timestamp, data included."""
        from heapstory.graph.model import read_edges

        return read_edges(self, self.core.fields(self.node(node).id, self.moment(at)))

    def incoming(self, node: int, at: int | None = None) -> list[Edge]:
        """Who points to a node at a timestamp, and who stored it."""
        from heapstory.graph.model import read_edges

        return read_edges(self, self.core.incoming(self.node(node).id, self.moment(at)))

    def value(self, address: int, size: int, at: int | None = None) -> bytes | None:
        """The bytes at an address as of a timestamp; None where they were never recorded."""
        return self.core.value(address, size, self.moment(at))

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

    def query(self, sql: str) -> Rows:
        """SQL over the tables of the trace; see docs/reference/sql.md."""
        from heapstory.trace.sql import query

        return query(self, sql)

    def place(self, site: int) -> Place | None:
        """The statement of a site."""
        return self.places.place(site)

    def stack(self, stack: int) -> list[Place]:
        """A call stack, innermost first."""
        return self.places.stack(stack)

    def source(self, path: str) -> str | None:
        """The text of a source file, where it was recorded."""
        return self.core.source(path)


def _open_core(path: Path) -> _core.Trace:
    if not path.exists():
        raise UsageError(f"{path}: no such trace (record one: heapstory record -o {path} -- PROG)")
    if not path.is_dir():
        raise TraceError(f"{path}: not a trace (a trace is a directory NAME.story)")
    try:
        from heapstory import _core
    except ImportError as error:
        raise TraceError(f"the native core cannot be loaded: {error} (run: make setup)") from error
    return _core.Trace(str(path))
