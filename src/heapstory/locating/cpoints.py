"""C-points: what ``--cpoint`` asks for, and where that is in a trace."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING

from heapstory._core import CPointKind, FoundCPoint
from heapstory.errors import UsageError
from heapstory.locating.diagnosis import CPoint
from heapstory.store.type_names import short_name

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.constraints.plan import Plan
    from heapstory.trace import Trace

FORM = "FUNC[:exit|:entry] | FILE:LINE | end | crash"


@dataclass(frozen=True, slots=True)
class Wish:
    """One ``--cpoint``; ``kind`` is 'exit', 'entry', 'line', 'end' or 'crash'."""

    text: str
    kind: str
    name: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class CPoints:
    """C-points in order of time, what is to be said about them, which of those asked for are not
    there, and the functions that were taken for the structure's (none if it was said which)."""

    points: list[CPoint]
    notes: list[str]
    missing: list[str]
    functions: tuple[str, ...]


def read(text: str) -> Wish:
    """Reads one ``--cpoint``."""
    if text in ("end", "crash"):
        return Wish(text, text)
    head, colon, tail = text.rpartition(":")
    if colon and not head.endswith(":"):
        if tail in ("exit", "entry") and head:
            return Wish(text, tail, head)
        if tail.isdecimal() and head:
            return Wish(text, "line", head, int(tail))
    if not text or text.endswith(":"):
        raise UsageError(f"--cpoint {text}: not a C-point ({FORM})")
    return Wish(text, "exit", text)


def find(trace: Trace, structure: _core.Structure, plan: Plan, wishes: Sequence[Wish]) -> CPoints:
    """The C-points of a trace that are asked for."""
    found = structure.cpoints(
        returns=not wishes,
        own=list(plan.pause),
        users=list(plan.users),
        exits=[wish.name for wish in wishes if wish.kind == "exit"],
        entries=[wish.name for wish in wishes if wish.kind == "entry"],
        lines=[],
    )
    rows = found.points
    points = [_point(trace, row) for row in rows if _is_asked_for(row.kind, wishes)]
    if not wishes:
        points = _without_parts(_without_destroyed(trace, points))
    for wish in wishes:
        if wish.kind == "line":
            points += _at_line(trace, structure, rows, wish)
    _check_crash(points, wishes)
    notes = []
    if found.inlined and not wishes:
        notes = [
            f"inlined: {', '.join(found.inlined)}. An inlined function is seen to end only when "
            "its caller calls another function or returns; what it leaves wrong in a loop and "
            "fixes before the loop ends is not reported"
        ]
    functions = tuple(found.functions) if not wishes else ()
    missing = _missing(points, wishes)
    for name in found.inlined_users:
        points = []
        missing.append(
            f"{name} was inlined somewhere: what its variables held there is not known (build with "
            "-O0 or -fno-inline)"
        )
    return CPoints(_in_order(points), notes, missing, functions)


def _is_asked_for(kind: CPointKind, wishes: Sequence[Wish]) -> bool:
    if kind is CPointKind.MARK:
        return not wishes
    return kind is not CPointKind.OPTION


def _point(trace: Trace, row: FoundCPoint) -> CPoint:
    place = trace.places.place(row.site) if row.site else None
    if row.depth:
        place = trace.places.inlined(row.site)[row.depth]
    kind = row.kind.name.lower()
    busy = tuple(row.busy)
    end = row.operation_end
    return CPoint(row.time, kind, place, row.function, row.text, end, busy, row.is_round)


def _without_destroyed(trace: Trace, points: list[CPoint]) -> list[CPoint]:
    """Without the ends of destructors whose object is freed next: it need not be whole any more,
    and what else they did is seen at the next C-point."""
    ends = {p.timestamp for p in points if p.kind == "exit" and _is_destructor(p.function)}
    if not ends:
        return points
    listed = ", ".join(str(end + 1) for end in sorted(ends))
    freed = trace.query(f"SELECT DISTINCT freed FROM nodes WHERE freed IN ({listed})").rows
    gone = {time - 1 for (time,) in freed}
    return [p for p in points if not (p.timestamp in gone and _is_destructor(p.function))]


def _without_parts(points: list[CPoint]) -> list[CPoint]:
    """Without the ends of constructors that are called again from the same place next: the other
    elements of an array are not made yet."""
    pairs = pairwise(points)
    return [p for p, following in pairs if not _is_repeated(p, following)] + points[-1:]


def _is_repeated(point: CPoint, following: CPoint) -> bool:
    return (
        point.kind == following.kind == "exit"
        and (point.function, point.place) == (following.function, following.place)
        and _is_constructor(point.function)
    )


def _is_constructor(function: str) -> bool:
    """Whether a function has the name of its class: ``list<int>::list(int)``."""
    scope, _, name = function.partition("(")[0].rpartition("::")
    return bool(scope) and short_name(scope) == short_name(name)


def _is_destructor(function: str) -> bool:
    return "::~" in function or function.startswith("~")


def _at_line(
    trace: Trace, structure: _core.Structure, rows: list[FoundCPoint], wish: Wish
) -> list[CPoint]:
    numbers = {
        number
        for number, option in enumerate(_recorded(trace))
        if option.kind == "line"
        and option.line == wish.line
        and PurePath(option.name).name == PurePath(wish.name).name
    }
    marked = [row for row in rows if row.kind is CPointKind.OPTION and row.number in numbers]
    if not marked:
        asked = structure.cpoints(
            returns=False,
            own=[],
            users=[],
            exits=[],
            entries=[],
            lines=[(wish.name, wish.line)],
        )
        marked = [row for row in asked.points if _is_at_line(row)]
    if not marked:
        program = trace.meta.get("program") or ["PROG"]
        again = shlex.join(["heapstory", "record", "--cpoint", wish.text, "--", *program])
        raise UsageError(
            f"--cpoint {wish.text}: nothing in {trace.path} was recorded there (record again: "
            f"{again})"
        )
    return [
        CPoint(row.time, "line", trace.places.place(row.site) if row.site else None)
        for row in marked
    ]


def _is_at_line(row: FoundCPoint) -> bool:
    """Whether it is a call or a write there, and not a mark that the recorder was told to make."""
    return row.kind is CPointKind.EXIT or (row.kind is CPointKind.OPTION and row.number is None)


def _recorded(trace: Trace) -> list[Wish]:
    """The C-points that the recorder was told to mark, by their number."""
    options = [str(option) for option in trace.meta.get("options") or []]
    return [read(option.partition("=")[2]) for option in options if option.startswith("--cpoint=")]


def _check_crash(points: list[CPoint], wishes: Sequence[Wish]) -> None:
    if any(wish.kind == "crash" for wish in wishes) and not any(
        point.kind == "crash" for point in points
    ):
        raise UsageError("--cpoint crash: the program did not crash (use: --cpoint end)")


def _missing(points: list[CPoint], wishes: Sequence[Wish]) -> list[str]:
    """Functions that were asked for and have no event."""
    seen = {(point.kind, point.function) for point in points}
    notes = []
    for wish in wishes:
        if wish.kind in ("exit", "entry") and not any(
            kind == wish.kind and wish.name in function for kind, function in seen
        ):
            notes.append(
                f"no {wish.kind} of {wish.name} is in the trace: it was never called, was inlined "
                "everywhere, or nothing was written while it ran"
            )
    return notes


def _in_order(points: list[CPoint]) -> list[CPoint]:
    """By time, one per moment; the end of the run gives way to the crash or return there."""
    order = {"crash": 0, "mark": 1, "line": 1, "exit": 2, "entry": 2, "end": 3}
    points.sort(key=lambda point: (point.timestamp, order[point.kind]))
    return points
