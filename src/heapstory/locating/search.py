"""One search: load the structure, find the first bad C-point, trace back from there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from heapstory.locating import cpoints as points
from heapstory.locating.diagnosis import CPoint, Diagnosis, Fault, Inconsistency
from heapstory.locating.operations import Operations

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.constraints.language.syntax import Specification
    from heapstory.constraints.plan import Plan
    from heapstory.trace import Trace


def locate(
    trace: Trace,
    specification: Specification,
    *,
    sites: Mapping[str, str] | None = None,
    cpoints: Sequence[str] = (),
) -> Diagnosis:
    """The inconsistencies at the first bad C-point and the operations behind them.

    `sites` binds types to allocation sites, `cpoints` are as for ``--cpoint``.
    """
    from heapstory import _core
    from heapstory.constraints import compile_for

    wishes = [points.read(text) for text in cpoints]
    start = perf_counter()
    compiled = compile_for(specification, trace, sites)
    plan = compiled.plan
    compiled_at = perf_counter()
    structure = _core.Structure(trace.core, json.loads(plan.to_json()))
    found, notes = points.find(trace, structure, plan, wishes)
    loaded_at = perf_counter()
    moments = _moments(found, plan)
    result = structure.locate([(time, *rest) for time, rest in moments.items()])
    seconds = {
        "compile": compiled_at - start,
        "load": structure.load_seconds,
        "cpoints": loaded_at - compiled_at - structure.load_seconds,
        "check": result["check_seconds"],
        "locate": result["locate_seconds"],
    }
    notes = [str(warning) for warning in compiled.warnings] + notes + _notes(plan, structure)
    if not result["exact"]:
        notes.append(
            "too many C-points to check all constraints at each: some were checked at a sample of "
            "them, and the first bad one was found by bisection"
        )
    times = list(moments)
    if result["bad"] is not None and result["bad"] < result["ended"]:
        notes.append(
            "what is wrong there is gone when the operation under way ends, but that leaves other "
            f"things wrong: {_point_at(found, times, result['ended'])}"
        )
    if result["traced"] < len(result["inconsistencies"]):
        notes.append(
            f"{len(result['inconsistencies']):,} inconsistencies: {result['traced']:,} of them "
            "were traced back, some of each constraint"
        )
    if result["operations"] > len(result["faults"]):
        notes.append(
            f"{result['operations']:,} operations contributed: only the first "
            f"{len(result['faults']):,} are listed"
        )
    return Diagnosis(
        plan=plan,
        cpoints=found,
        bad=_point_at(found, times, result["bad"]),
        clean=_point_at(found, times, result["clean"]),
        inconsistencies=[_inconsistency(plan, row) for row in result["inconsistencies"]],
        faults=_faults(trace, structure, plan, result, found, times),
        objects=structure.counts["objects"],
        seconds=seconds,
        notes=notes,
    )


def _moments(
    found: list[CPoint], plan: Plan
) -> dict[int, tuple[list[int], tuple[int, int] | None]]:
    """Every moment once: the types whose constraints must hold there (none: all), when what is
    only temporary is settled and a number for which function returned to where (None: nothing is
    temporary)."""
    names = {type.name: number for number, type in enumerate(plan.types)}
    ways: dict[tuple[str, str], int] = {}
    moments: dict[int, tuple[list[int], tuple[int, int] | None]] = {}
    for point in found:
        named = [names[point.text]] if point.kind == "mark" and point.text in names else []
        way = ways.setdefault((point.function, str(point.place)), len(ways) + 1)
        own = None if point.settled is None else (point.settled, way)
        types, under_way = moments.get(point.timestamp, (named, own))
        types = sorted({*types, *named}) if types and named else []
        if under_way is not None:
            under_way = None if own is None else max(under_way, own)
        moments[point.timestamp] = (types, under_way)
    return moments


def _notes(plan: Plan, structure: _core.Structure) -> list[str]:
    counts = structure.counts["by_type"]
    return [
        f"there is no {type.name} in the trace: its constraints were checked on nothing"
        for type, count in zip(plan.types, counts, strict=True)
        if not count and not type.implied
    ]


def _point_at(found: list[CPoint], times: list[int], index: int | None) -> CPoint | None:
    if index is None:
        return None
    return next(point for point in found if point.timestamp == times[index])


def _inconsistency(plan: Plan, row: tuple[int, list[Any]]) -> Inconsistency:
    constraint = plan.constraints[row[0]]
    names = [v.name for v in constraint.variables if v.quantifier == "forall"]
    names += [loop.name for loop in constraint.loops]
    return Inconsistency(constraint, tuple(zip(names, row[1], strict=True)))


def _faults(
    trace: Trace,
    structure: _core.Structure,
    plan: Plan,
    result: dict[str, Any],
    cpoints: list[CPoint],
    times: list[int],
) -> list[Fault]:
    """What was traced back, the decisive operations before all others."""
    rows = {time: (relation, led_to) for time, relation, led_to in result["faults"]}
    decisive: dict[int, tuple[str, Any, bool]] = result["decisive"]
    astray = [time for time, _ in result["astray"]]
    operations = Operations(trace, plan, structure.operations([*rows, *decisive, *astray]))

    def described(time: int, relation: str) -> Fault:
        led_to = rows[time][1] if time in rows else result["inconsistencies"]
        return operations.fault(time, relation, tuple(_inconsistency(plan, r) for r in led_to))

    found = [
        operations.fault(time, "astray", tuple(_inconsistency(plan, row) for row in broken))
        for time, broken in result["astray"]
        if time not in decisive
    ]

    def order(time: int) -> tuple[bool, bool, int]:
        # First what holds a wild pointer, then what is also Algorithm 3's answer.
        unsafe = decisive[time][2]
        return not unsafe, time not in rows or rows[time][0] != "direct", time

    for time in sorted(decisive, key=order):
        grade, cell, _ = decisive[time]
        omitted = grade == "omission"
        fault = described(time, "decisive" if grade == "value" else grade)
        clean = 0 if result["clean"] is None else times[result["clean"]]
        since, until = clean if omitted else time, times[result["bad"]]
        again = operations.repeated(cell, since, until, fault.contributed_to) if cell else None
        if again is not None:
            found.append(again)
        if again is None or not omitted:
            found.append(fault)
    bad = _point_at(cpoints, times, result["bad"])
    if bad is not None and bad.kind == "crash" and bad.place is not None:
        led_to = tuple(_inconsistency(plan, row) for row in result["inconsistencies"])
        found.append(Fault(bad.timestamp, "crash", "crash", bad.place, None, (), led_to))
    others = (time for time in rows if time not in decisive and time not in astray)
    found.sort(key=lambda fault: fault.relation == "omission")
    return found + [described(time, rows[time][0]) for time in others]
