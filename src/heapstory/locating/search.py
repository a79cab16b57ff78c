"""One search: load the structure, find the first bad C-point, trace back from there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from heapstory import _core
from heapstory.locating import cpoints as points
from heapstory.locating.diagnosis import CPoint, Diagnosis
from heapstory.locating.telling import Telling

if TYPE_CHECKING:
    from heapstory.constraints.language.syntax import Specification
    from heapstory.constraints.plan import Plan
    from heapstory.trace import Trace

Moments = dict[int, tuple[list[int], tuple[int, int] | None]]


def locate(
    trace: Trace,
    specification: Specification,
    *,
    sites: Mapping[str, str | Sequence[str]] | None = None,
    cpoints: Sequence[str] = (),
    statements: int | None = None,
) -> Diagnosis:
    """The inconsistencies at the first bad C-point and the operations behind them.

    `sites` binds types to allocation sites, `cpoints` are as for ``--cpoint``, `statements`
    as for ``--statements``.
    """
    from heapstory.constraints import compile_for

    wishes = [points.read(text) for text in cpoints]
    start = perf_counter()
    compiled = compile_for(specification, trace, sites)
    plan = compiled.plan
    compiled_at = perf_counter()
    structure = _core.Structure(trace.core, plan)
    cpoints_found = points.find(trace, structure, plan, wishes)
    found = cpoints_found.points
    loaded_at = perf_counter()
    moments = _moments(found, plan)
    result = structure.locate([(time, *rest) for time, rest in moments.items()])
    seconds = {
        "compile": compiled_at - start,
        "load": structure.load_seconds,
        "cpoints": loaded_at - compiled_at - structure.load_seconds,
        "check": result.check_seconds,
        "locate": result.locate_seconds,
    }
    told = Telling(trace, structure, plan, result, found, list(moments))
    counts = structure.counts
    return Diagnosis(
        plan=plan,
        cpoints=found,
        bad=told.point_at(result.bad),
        clean=told.point_at(result.clean),
        inconsistencies=told.inconsistencies,
        faults=told.faults(),
        objects=counts.objects,
        seconds=seconds,
        notes=[
            *(str(warning) for warning in compiled.warnings),
            *cpoints_found.notes,
            *told.notes(),
        ],
        most=statements,
        unmatched=[*_missing(plan, counts), *cpoints_found.missing],
        untyped=_untyped(trace, plan),
        types={
            type.name: count
            for type, count in zip(plan.types, counts.by_type, strict=True)
            if not type.implied
        },
        functions=cpoints_found.functions,
    )


def _moments(found: list[CPoint], plan: Plan) -> Moments:
    """Every moment once: the types whose constraints must hold there (none: all), when the
    operation under way ends and a number for which function returned to where (None: nothing is
    temporary)."""
    names = {type.name: number for number, type in enumerate(plan.types)}
    ways: dict[tuple[str, str], int] = {}
    moments: Moments = {}
    for point in found:
        named = [names[point.text]] if point.kind == "mark" and point.text in names else []
        way = ways.setdefault((point.function, str(point.place)), len(ways) + 1)
        own = None if point.operation_end is None else (point.operation_end, way)
        types, under_way = moments.get(point.timestamp, (named, own))
        types = sorted({*types, *named}) if types and named else []
        if under_way is not None:
            under_way = None if own is None else max(under_way, own)
        moments[point.timestamp] = (types, under_way)
    return moments


def _untyped(trace: Trace, plan: Plan) -> int:
    """How many blocks may be nodes of the specification, by their size, and have no type."""
    sizes = {type.size for type in plan.types if type.size and not type.implied}
    bound = {stack for type in plan.types for member in type.members for stack in member.stacks}
    allocations = _core.Allocations(trace.core)
    return sum(
        blocks
        for type_id, size, _ in allocations.kinds()
        if type_id is None and size in sizes
        for stack, _, blocks in allocations.stacks(None, size)
        if stack not in bound
    )


def _missing(plan: Plan, counts: _core.Counts) -> list[str]:
    return [
        f"there is no {type.name} in the trace: its constraints were checked on nothing"
        for type, count in zip(plan.types, counts.by_type, strict=True)
        if not count and not type.implied
    ]
