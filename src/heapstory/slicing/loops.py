"""Loops of a recorded run, and what their iterations take over from one another.

A loop is judged by what happened: another input may bring dependences that this one did not. That
iterations write over what none of them reads is no dependence, since each could have a copy of its
own; a minimum kept by a comparison and a branch is told as carried, not as a reduction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from heapstory.errors import UsageError
from heapstory.slicing.beyond import begins_inside, ends_early
from heapstory.slicing.loop_names import LoopNames
from heapstory.slicing.pairs import LoadPairs, find_pairs
from heapstory.slicing.search import open_slicer
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.trace import Trace

# Kinds that keep iterations in order; an induction variable follows from the iteration's number.
ORDERED = ("flow", "anti", "control")
_NO_LINE = 1 << 30


@dataclass(frozen=True, slots=True)
class Carried:
    """A dependence of an iteration on an earlier one."""

    kind: str  # flow, anti, control, induction or reduction
    name: str | None
    source: Place
    target: Place
    distance: int  # the fewest iterations between the two
    farthest: int
    count: int


@dataclass(frozen=True, slots=True)
class Loop:
    place: Place
    address: int
    entered: int
    iterations: int
    reducible: bool
    first_iteration: int | None  # executions that its forward slice has in later ones
    inside: Place | None
    cut: bool  # it may have run on outside of the stream
    carried: list[Carried] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """independent, reduction, carried or unknown."""
        if self.reason:
            return "unknown"
        if self._kinds.intersection(ORDERED):
            return "carried"
        return "reduction" if "reduction" in self._kinds else "independent"

    @property
    def reason(self) -> str | None:
        """Why nothing can be said."""
        if not self.reducible:
            return "it has several entries (irreducible)"
        if self.iterations <= self.entered:
            return "it never ran twice in a row"
        if self.cut and not self._kinds.intersection(ORDERED):
            return "the stream has only a part of it, in which no iteration needs another"
        return None

    @property
    def _kinds(self) -> set[str]:
        return {one.kind for one in self.carried}


@dataclass(frozen=True, slots=True)
class LoopAnswer:
    loops: list[Loop]  # by place
    instructions: int  # of the stream
    pairs: LoadPairs | None = None  # where asked for


def find_loops(
    trace: Trace,
    *,
    forward: bool = True,
    functions: Sequence[str] = (),
    pairs: str | None = None,
) -> LoopAnswer:
    """The loops of the program's own code that ran, or those of some functions, and the dependent
    loads of the memory ``pairs``. UsageError where there is no stream, or where a function has no
    loop that ran."""
    slicer = open_slicer(trace)
    names = LoopNames(trace, slicer)
    whole = trace.complete and not ends_early(trace)
    tables = slicer.loops(names.loader_code(), forward, whole)
    loops, carried, ends = (_rows(table) for table in tables)
    places = _loop_places(names, ends, loops)
    cut = _cut_loops(loops, begins_inside(trace), not whole)
    found = [_loop(row, places, names, carried, forward, row["loop"] in cut) for row in loops]
    if functions:
        found = _in_functions(found, functions)
    loads = find_pairs(trace, slicer, pairs) if pairs else None
    return LoopAnswer(sorted(found, key=_order), slicer.counts["instructions"], loads)


def _cut_loops(loops: list[dict[str, Any]], late: bool, early: bool) -> set[int]:
    """Those that ran before a stream that begins late, or after one that ends early."""
    return {
        row["loop"]
        for row in loops
        if (late and row["entered_before"]) or (early and row["goes_on"])
    }


def _in_functions(loops: list[Loop], functions: Sequence[str]) -> list[Loop]:
    having = sorted({loop.place.function or "?" for loop in loops})
    for name in functions:
        if name not in having:
            raise UsageError(
                f"{name}: has no loop that ran in the stream (some that have: "
                f"{', '.join(having[:10]) or 'none'})"
            )
    return [loop for loop in loops if loop.place.function in functions]


def _rows(table: _core.Table) -> list[dict[str, Any]]:
    columns = {name: table.column(name) for name in table.names}
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


def _loop(
    row: dict[str, Any],
    places: dict[int, Place],
    names: LoopNames,
    carried: list[dict[str, Any]],
    forward: bool,
    cut: bool,
) -> Loop:
    return Loop(
        places[row["loop"]],
        row["header"],
        row["entered"],
        row["iterations"],
        row["reducible"],
        row["reached"] if forward else None,
        places.get(row["parent"]),
        cut,
        list(_merged(names, [one for one in carried if one["loop"] == row["loop"]])),
    )


def _loop_places(
    names: LoopNames, ends: list[dict[str, Any]], loops: list[dict[str, Any]]
) -> dict[int, Place]:
    """Where ``for`` or ``while`` stands: at the branch that leads back or, where something else
    does, at the first of the lines of that and of the header, which has the branch then."""
    found = {}
    for row in loops:
        header = names.place(row["header"])
        back = [(names.place(end["address"]), end) for end in ends if end["loop"] == row["loop"]]
        tests = [place for place, end in back if end["conditional"] and place.line]
        here = [place for place, _ in back if place.function == header.function and place.line]
        found[row["loop"]] = min(tests or [header, *here], key=lambda place: place.line or _NO_LINE)
    return found


def _merged(names: LoopNames, rows: list[dict[str, Any]]) -> Iterator[Carried]:
    """One for all instructions of the same lines."""
    found: dict[tuple[Any, ...], Carried] = {}
    for row in rows:
        source, target = names.place(row["from"]), names.place(row["to"])
        one = Carried(
            row["kind"], names.name(row), source, target, row["least"], row["most"], row["count"]
        )
        key = (one.kind, one.name, str(source), str(target))
        other = found.get(key, one)
        found[key] = Carried(
            one.kind,
            one.name,
            source,
            target,
            min(one.distance, other.distance),
            max(one.farthest, other.farthest),
            one.count + (other.count if other is not one else 0),
        )
    order = {kind: number for number, kind in enumerate((*ORDERED, "reduction", "induction"))}
    return iter(sorted(found.values(), key=lambda one: (order[one.kind], *_lines(one))))


def _lines(one: Carried) -> tuple[int, int, str]:
    return one.source.line or 0, one.target.line or 0, one.name or ""


def _order(loop: Loop) -> tuple[str, int, int]:
    return loop.place.path or "", loop.place.line or 0, loop.address
