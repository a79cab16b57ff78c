"""Slicing a trace."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from heapstory.api.locate import locate
from heapstory.errors import LimitError, UsageError
from heapstory.locating.diagnosis import Diagnosis, Fault
from heapstory.slicing import (
    Options,
    Slice,
    Slicing,
    influence,
    parse_edge,
    slice_trace,
    why_edge,
)
from heapstory.slicing.loops import LoopAnswer, find_loops
from heapstory.trace import Trace


def slice(
    trace: Trace,
    criterion: str,
    *,
    data_only: bool = False,
    control_only: bool = False,
    thin: bool = False,
    through: Sequence[str] = (),
    stop_at: Sequence[str] = (),
    max_statements: int | None = None,
    forward: bool = False,
    chop: str | None = None,
) -> Slice:
    """The statements that led to a value, and why: a dynamic backward slice.

    `criterion` and the keywords are as for ``heapstory slice``; `forward` gives the statements that
    the value had influence on, `chop` those of them that led to another criterion. The trace needs
    an instruction stream (``heapstory record --stream``).
    """
    if (forward or chop) and (through or stop_at or max_statements is not None):
        raise UsageError("through, stop_at and max_statements are of backward slices")
    options = Options(
        data=not control_only,
        control=not data_only,
        thin=thin,
        through=tuple(through),
        stop_at=tuple(stop_at),
        max_statements=max_statements,
    )
    if forward or chop:
        return influence(trace, criterion, options, chop)
    return slice_trace(trace, criterion, options)


def loops(
    trace: Trace,
    *,
    functions: Sequence[str] = (),
    forward: bool = True,
    pairs: str | None = None,
) -> LoopAnswer:
    """What the iterations of loops take over from one another: ``heapstory loops``.

    Without `forward` the forward slices of first iterations are left out. `pairs` is a memory range
    whose dependent loads are looked for. The trace needs an instruction stream.
    """
    return find_loops(trace, forward=forward, functions=functions, pairs=pairs)


def slice_faults(trace: Trace, diagnosis: Diagnosis) -> tuple[dict[int, Slice], list[str]]:
    """The slices of the faulty statements that `locate` named, by timestamp, and what is missing.

    Of each statement the first fault: the others came later.
    """
    if not diagnosis.near:
        return {}, []
    slicing = trace.once(Slicing)
    first: dict[str, Fault] = {}
    for fault in diagnosis.near:
        first.setdefault(str(fault.place), fault)
    slices, notes = {}, []
    for fault in first.values():
        criterion = "crash" if fault.kind == "crash" else f"@{fault.timestamp}"
        try:
            slices[fault.timestamp] = slicing.slice(criterion)
        except LimitError as error:
            notes.append(str(error))
    return slices, notes


def slice_edge(
    trace: Trace,
    edge: str,
    *,
    specification: str | os.PathLike[str] | None = None,
    options: Options | None = None,
) -> Slice:
    """Why an edge of the graph, ``NODE.FIELD[@T]``, is what it is: the slice of what it holds or,
    where it was never written, of the branch that kept it from being. With a specification,
    ``about`` names the constraints that its node breaks."""
    made = why_edge(trace.once(Slicing), edge, options or Options())
    if specification is None:
        return made
    diagnosis = locate(trace, specification)
    node = parse_edge(edge).node
    broken = {
        found.constraint.name: f"against {found.constraint.name}: {found.constraint.words}"
        for found in diagnosis.inconsistencies
        if node in found.nodes
    }
    return replace(made, about=[*made.about, *broken.values()])
