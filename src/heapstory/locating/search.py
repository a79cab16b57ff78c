"""One search: load the structure, find the first bad C-point, trace back from there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from heapstory import _core
from heapstory.locating import cpoints as points
from heapstory.locating.diagnosis import CPoint, Diagnosis
from heapstory.locating.taken_out import TakenOut
from heapstory.locating.telling import Telling
from heapstory.locating.untyped import count_untyped

if TYPE_CHECKING:
    from heapstory.constraints.compile.compiling import Compiled
    from heapstory.constraints.language.syntax import Specification
    from heapstory.constraints.plan import Plan
    from heapstory.trace import Trace

Own = tuple[int, int] | None
Runs = tuple[tuple[int, int], ...]
Moments = dict[int, tuple[list[int], Own, Runs]]

# Long traces are loaded up to such a timestamp at first: what is wrong is often wrong early, and a
# program that runs away goes on for long after that.
WINDOWS = (1 << 18, 1 << 21, 1 << 24)
# A bad C-point counts if the window reaches so many times as far: a node that is out of the
# structure there may be linked again, and the operation may end.
MARGIN = 4
MOST_DOUBTS = 64  # C-points that are left out, one after the other
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class _Search:
    trace: Trace
    compiled: Compiled
    wishes: list[points.Wish]
    statements: int | None
    start: float

    def within(self, until: int | None) -> Diagnosis:
        """The answer for the trace up to a timestamp."""
        trace, plan = self.trace, self.compiled.plan
        compiled_at = perf_counter()
        structure = _core.Structure(trace.core, plan, until)
        cpoints_found = points.find(trace, structure, plan, self.wishes)
        counts = structure.counts
        rootless = _rootless(plan, counts)
        found = [] if rootless else cpoints_found.points
        loaded_at = perf_counter()
        result, moments, doubts = self._first_bad(structure, found)
        seconds = {
            "compile": compiled_at - self.start,
            "load": structure.load_seconds,
            "cpoints": loaded_at - compiled_at - structure.load_seconds,
            "check": result.check_seconds,
            "locate": result.locate_seconds,
        }
        told = Telling(trace, structure, plan, result, found, moments)
        faults = told.faults()
        return Diagnosis(
            plan=plan,
            cpoints=found,
            bad=told.point_at(result.bad),
            clean=told.point_at(result.clean),
            inconsistencies=told.inconsistencies,
            faults=faults,
            objects=counts.objects,
            seconds=seconds,
            notes=[
                *(str(warning) for warning in self.compiled.warnings),
                *cpoints_found.notes,
                *told.notes(),
            ],
            most=self.statements,
            unmatched=[*_missing(plan, counts), *rootless, *cpoints_found.missing, *doubts],
            untyped=count_untyped(trace, plan),
            types={
                type.name: count
                for type, count in zip(plan.types, counts.by_type, strict=True)
                if not type.implied
            },
            functions=cpoints_found.functions,
            reading=_reading(plan),
            wrong_before=told.wrong_before(faults, cpoints_found.functions),
        )

    def _first_bad(
        self, structure: _core.Structure, found: list[CPoint]
    ) -> tuple[_core.LocateAnswer, list[int], list[str]]:
        """The engine's answer and the moments that it is about, without those at which only edges
        of nodes that were taken out make anything wrong; and what is to be said about these."""
        plan = self.compiled.plan
        moments = _moments(found, plan)
        doubted: dict[int, set[int]] = {}
        while True:
            result = structure.locate(
                [(time, types, own) for time, (types, own, _) in moments.items()],
                {number: busy for number, (_, _, busy) in enumerate(moments.values()) if busy},
                _rounds(found, moments),
                strict=False,
            )
            times = list(moments)
            if result.bad is None:
                break
            told = Telling(self.trace, structure, plan, result, found, times)
            at = times[result.bad]
            nodes = TakenOut(self.trace, plan, at).excuse(told.inconsistencies)
            if not nodes:
                break
            doubted[at] = nodes
            del moments[at]
            if len(doubted) == MOST_DOUBTS:  # the rest is not looked at
                moments = {time: what for time, what in moments.items() if time < at}
        return result, times, [_doubt(found, doubted)] if doubted else []


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

    start = perf_counter()
    wishes = [points.read(text) for text in cpoints]
    search = _Search(trace, compile_for(specification, trace, sites), wishes, statements, start)
    seen: Diagnosis | None = None
    reached = 0
    for window in _windows(trace, wishes):
        try:
            answer = search.within(window)
        except MemoryError:
            if seen is None:
                raise
            note = f"there was not memory enough to go on after timestamp {reached} of {trace.last}"
            return replace(seen, unmatched=[*seen.unmatched, note])
        if window is None or (answer.bad and answer.bad.timestamp * MARGIN <= window):
            return answer
        seen, reached = answer, window
        if answer.bad is not None:
            seen, reached = None, 0  # it may look otherwise when more is known
    raise AssertionError("the last window is the whole trace")


def _doubt(found: list[CPoint], doubted: dict[int, set[int]]) -> str:
    at, nodes = next(iter(doubted.items()))
    point = next(point for point in found if point.timestamp == at)
    more = f", and at {len(doubted) - 1} C-points after it" if len(doubted) > 1 else ""
    names = ", ".join(f"node {node}" for node in sorted(nodes)[:MOST_NAMED])
    return (
        f"{point}{more} something is only wrong if edges of nodes count that nothing leads to any "
        f"more ({names}): say where structures begin (root: TYPE from …;)"
    )


def _windows(trace: Trace, wishes: Sequence[points.Wish]) -> list[int | None]:
    """Up to which timestamps to look, one after the other; None is all."""
    if wishes and all(wish.kind in ("end", "crash") for wish in wishes):
        return [None]
    return [*(window for window in WINDOWS if window * MARGIN <= trace.last), None]


def _reading(plan: Plan) -> str:
    rooted = [type.name for type in plan.types if type.roots and not type.implied]
    free = [type.name for type in plan.types if not type.roots and not type.implied]
    parts = []
    if rooted:
        parts.append(
            f"{', '.join(rooted)} nodes that roots lead to; one that none leads to is lost, unless "
            "it was never linked before or is freed or linked again later"
        )
    if free:
        parts.append(f"all {', '.join(free)} nodes that are not freed")
    return "; ".join(parts)


def _moments(found: list[CPoint], plan: Plan) -> Moments:
    """Every moment once: the types whose constraints must hold there (none: all), when the
    operation under way ends and a number for which function returned to where (None: nothing is
    temporary), and when other threads ran whose operations are under way."""
    names = {type.name: number for number, type in enumerate(plan.types)}
    ways: dict[tuple[str, str], int] = {}
    moments: Moments = {}
    for point in found:
        named = [names[point.text]] if point.kind == "mark" and point.text in names else []
        way = ways.setdefault((point.function, str(point.place)), len(ways) + 1)
        own = None if point.operation_end is None else (point.operation_end, way)
        types, under_way, busy = moments.get(point.timestamp, (named, own, point.busy))
        types = sorted({*types, *named}) if types and named else []
        if under_way is not None:
            under_way = None if own is None else max(under_way, own)
        busy = tuple(run for run in busy if run in point.busy)
        moments[point.timestamp] = (types, under_way, busy)
    return moments


def _rounds(found: list[CPoint], moments: Moments) -> list[int]:
    """The moments at which nothing but rounds have ended, by number."""
    others = {point.timestamp for point in found if not point.is_round}
    return [number for number, time in enumerate(moments) if time not in others]


def _missing(plan: Plan, counts: _core.Counts) -> list[str]:
    return [
        f"there is no {type.name} in the trace: its constraints were checked on nothing"
        for type, count in zip(plan.types, counts.by_type, strict=True)
        if not count and not type.implied
    ]


def _rootless(plan: Plan, counts: _core.Counts) -> list[str]:
    """Types with nodes whose roots would lie in what is not in the trace: every node would be lost,
    and none is known to belong to a structure."""
    return [
        f"there is no {' or '.join(sorted(holders))}, where the roots of {type.name} would be: "
        "nothing was checked"
        for type, count in zip(plan.types, counts.by_type, strict=True)
        if count and type.roots and not any(counts.by_type[root.type] for root in type.roots)
        if (holders := {plan.types[root.type].name for root in type.roots})
    ]
