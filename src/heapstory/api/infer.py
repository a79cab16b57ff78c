"""Inferring a specification from good runs."""

from __future__ import annotations

from collections.abc import Sequence

from heapstory.errors import UsageError
from heapstory.inference import infer as inference
from heapstory.inference.inferred import Inferred
from heapstory.trace import Trace


def infer(*traces: Trace, types: Sequence[str] = ()) -> Inferred:
    """The constraints that held at every C-point of some good runs; ``text`` is the specification.

    `types` are the only types to look at, where they are given.
    """
    if not traces:
        raise UsageError("infer wants the trace of a good run")
    return inference.infer(traces, types)
