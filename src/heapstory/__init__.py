"""A debugger and verifier for data structures in native programs.

>>> import heapstory
>>> trace = heapstory.open("list.story")     # recorded by: heapstory record -- ./list
>>> trace.info().timestamps                  # the ordinal of the last graph change
>>> graph = trace.graph(at=120)              # the memory graph as of timestamp 120
>>> [node.type for node in graph.nodes]      # heap blocks and global variables
>>> [(edge.source, edge.field, edge.target, edge.place) for edge in graph.edges]
>>> graph.narrow(root="head", depth=3)       # a part of it; in a notebook it draws itself
>>> trace.history(node=7, field="next")      # every version of a field, and who wrote it
>>> trace.query("SELECT type, count(*) FROM nodes GROUP BY type")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heapstory.errors import HeapstoryError, LimitError, TraceError, UsageError

if TYPE_CHECKING:
    from heapstory.graph.history import History, Version
    from heapstory.graph.memory_graph import MemoryGraph
    from heapstory.graph.model import Edge, Node
    from heapstory.trace import Trace, open
    from heapstory.trace.info import Info
    from heapstory.trace.places import Place
    from heapstory.trace.sql import Rows

    __version__: str

__all__ = [
    "Edge",
    "HeapstoryError",
    "History",
    "Info",
    "LimitError",
    "MemoryGraph",
    "Node",
    "Place",
    "Rows",
    "Trace",
    "TraceError",
    "UsageError",
    "Version",
    "__version__",
    "open",
]

# Loaded when first asked for: the command line imports this package before it knows the verb.
_HOMES = {
    "Edge": "heapstory.graph.model",
    "History": "heapstory.graph.history",
    "Info": "heapstory.trace.info",
    "MemoryGraph": "heapstory.graph.memory_graph",
    "Node": "heapstory.graph.model",
    "Place": "heapstory.trace.places",
    "Rows": "heapstory.trace.sql",
    "Trace": "heapstory.trace",
    "Version": "heapstory.graph.history",
    "open": "heapstory.trace",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    if name == "__version__":
        from heapstory.version import version

        return version()
    raise AttributeError(f"module 'heapstory' has no attribute {name!r}")
