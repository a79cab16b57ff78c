"""A debugger and verifier for data structures in native programs.

>>> import heapstory
>>> trace = heapstory.record(["./list", "3"])        # run it; or open("list.story")
>>> graph = trace.graph(at=120)                      # the memory graph as of timestamp 120
>>> trace.history(node=7, field="next")              # every version of a field, and who wrote it
>>> trace.query("SELECT type, count(*) FROM nodes GROUP BY type")
>>> heapstory.locate(trace, "list.spec").statements  # what broke the structure
>>> heapstory.slice(trace, "list.c:35").statements   # what led to a value
>>> heapstory.infer(trace).text                      # a specification from a good run
>>> heapstory.leaks("list.c").findings               # static leak analysis
>>> heapstory.prove("queue.spec")[0].verdict         # is it linearizable?
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.errors import (
    HeapstoryError,
    LimitError,
    SpecificationError,
    TraceError,
    UsageError,
)

if TYPE_CHECKING:
    from heapstory.api.infer import infer
    from heapstory.api.leaks import Leaks, leaks
    from heapstory.api.locate import locate
    from heapstory.api.prove import ProofResult, prove
    from heapstory.api.record import record
    from heapstory.api.slice import loops, slice
    from heapstory.graph.history import History, Version
    from heapstory.graph.memory_graph import MemoryGraph
    from heapstory.graph.model import Edge, Node
    from heapstory.inference.inferred import Inferred
    from heapstory.locating.diagnosis import Diagnosis
    from heapstory.slicing.model import Slice
    from heapstory.static.findings.findings import Finding
    from heapstory.store.places import Place
    from heapstory.store.sql import Rows
    from heapstory.trace import Trace, open
    from heapstory.trace.info import Info

    __version__: str

__all__ = [
    "Diagnosis",
    "Edge",
    "Finding",
    "HeapstoryError",
    "History",
    "Inferred",
    "Info",
    "Leaks",
    "LimitError",
    "MemoryGraph",
    "Node",
    "Place",
    "ProofResult",
    "Rows",
    "Slice",
    "SpecificationError",
    "Trace",
    "TraceError",
    "UsageError",
    "Version",
    "__version__",
    "infer",
    "leaks",
    "locate",
    "loops",
    "open",
    "prove",
    "record",
    "slice",
]

# Loaded when first asked for: the command line imports this package before it knows the verb.
_HOMES = {
    "Diagnosis": "heapstory.locating.diagnosis",
    "Edge": "heapstory.graph.model",
    "Finding": "heapstory.static.findings.findings",
    "History": "heapstory.graph.history",
    "Inferred": "heapstory.inference.inferred",
    "Info": "heapstory.trace.info",
    "Leaks": "heapstory.api.leaks",
    "MemoryGraph": "heapstory.graph.memory_graph",
    "Node": "heapstory.graph.model",
    "Place": "heapstory.store.places",
    "ProofResult": "heapstory.api.prove",
    "Rows": "heapstory.store.sql",
    "Slice": "heapstory.slicing.model",
    "Trace": "heapstory.trace",
    "Version": "heapstory.graph.history",
    "infer": "heapstory.api.infer",
    "leaks": "heapstory.api.leaks",
    "locate": "heapstory.api.locate",
    "loops": "heapstory.api.slice",
    "open": "heapstory.trace",
    "prove": "heapstory.api.prove",
    "record": "heapstory.api.record",
    "slice": "heapstory.api.slice",
}

if not TYPE_CHECKING:  # a type checker knows every name from above, and that there is no other

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            from importlib import import_module

            import_module("heapstory.reporters.notebook")  # so that graphs can show themselves
            return getattr(import_module(_HOMES[name]), name)
        if name == "__version__":
            from heapstory.version import version

            return version()
        raise AttributeError(f"module 'heapstory' has no attribute {name!r}")
