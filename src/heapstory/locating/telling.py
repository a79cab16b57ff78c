"""What the engine found, told in terms of the plan, the C-points and the source."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from heapstory import _core
from heapstory.constraints.plan import Quantifier
from heapstory.locating.diagnosis import CPoint, Fault, Inconsistency
from heapstory.locating.operations import Operations

if TYPE_CHECKING:
    from heapstory.constraints.plan import Plan
    from heapstory.trace import Trace

RELATIONS = {
    _core.Grade.VALUE: "decisive",
    _core.Grade.OMISSION: "omission",
    _core.Grade.DERIVED: "derived",
    _core.Grade.FOLLOWED: "followed",
}


MOST_BEFORE = 100  # inconsistencies that are listed


class Telling:
    """The notes and faults of one answer of the engine."""

    def __init__(
        self,
        trace: Trace,
        structure: _core.Structure,
        plan: Plan,
        result: _core.LocateAnswer,
        cpoints: list[CPoint],
        times: list[int],
    ) -> None:
        self.plan, self.result, self.cpoints, self.times = plan, result, cpoints, times
        self.structure = structure
        self.inconsistencies = [self._inconsistency(row) for row in result.inconsistencies]
        self.contributions = {row.time: row for row in result.faults}
        self.decisive = {row.time: row for row in result.decisive}
        self.wild = {row.time: row for row in result.wild}
        asked = [*self.contributions, *self.decisive, *self.wild]
        self.operations = Operations(trace, plan, structure.operations(asked))

    def point_at(self, index: int | None) -> CPoint | None:
        """The C-point of a moment."""
        if index is None:
            return None
        return next(point for point in self.cpoints if point.timestamp == self.times[index])

    def notes(self) -> list[str]:
        """What was not done, and what is unusual about the answer."""
        result = self.result
        notes = []
        crash = next((point for point in self.cpoints if point.kind == "crash"), None)
        if result.bad is None and crash is not None:
            notes.append(
                f"the program crashed at {crash.place}: nothing that is said of it is wrong"
            )
        if not result.exact:
            notes.append(
                "too many C-points to check all constraints at each: some were checked at a "
                "sample of them, and the first bad one was found by bisection"
            )
        if result.bad is not None and result.ended is not None and result.bad < result.ended:
            notes.append(
                "what is wrong there is gone when the operation under way ends, but that leaves "
                f"other things wrong: {self.point_at(result.ended)}"
            )
        if result.traced < len(self.inconsistencies):
            notes.append(
                f"{len(self.inconsistencies):,} inconsistencies: {result.traced:,} of them "
                "were traced back, some of each constraint"
            )
        if result.operations > len(self.contributions):
            notes.append(
                f"{result.operations:,} operations contributed: only the first "
                f"{len(self.contributions):,} are listed"
            )
        return notes

    def faults(self) -> list[Fault]:
        """What was traced back, the decisive operations before all others."""
        found = [
            self.operations.fault(time, "wild", (self._inconsistency(row.inconsistency),))
            for time, row in self.wild.items()
            if time not in self.decisive
        ]
        for time in sorted(self.decisive, key=self._order):
            found += self._decisive(self.decisive[time])
        bad = self.point_at(self.result.bad)
        if bad is not None and bad.kind == "crash" and bad.place is not None:
            led_to = tuple(self.inconsistencies)
            found.append(Fault(bad.timestamp, "crash", "crash", bad.place, None, (), led_to))
        found.sort(key=lambda fault: fault.relation == "omission")
        return found + [
            self._described(time, row.relation.name.lower())
            for time, row in self.contributions.items()
            if time not in self.decisive and time not in self.wild
        ]

    def wrong_before(
        self, faults: list[Fault], functions: tuple[str, ...]
    ) -> tuple[Inconsistency, ...]:
        """What else was wrong just before the first fault, where that only takes the structure
        apart: it frees a node, or is no statement of the structure's own functions."""
        first = faults[0] if faults else None
        if first is None or not first.timestamp:
            return ()
        foreign = bool(functions and first.place and first.place.function not in functions)
        if first.kind != "death" and not foreign:
            return ()
        rows = self.structure.check(first.timestamp - 1)
        found = (self._inconsistency(row) for row in rows[:MOST_BEFORE])
        return tuple(one for one in found if one not in self.inconsistencies)

    def _order(self, time: int) -> tuple[bool, bool, int]:
        """First what holds a wild pointer, then what is also Algorithm 3's answer."""
        row = self.contributions.get(time)
        direct = row is not None and row.relation is _core.Relation.DIRECT
        return not self.decisive[time].wild, not direct, time

    def _decisive(self, row: _core.DecisiveOperation) -> list[Fault]:
        """The operation and, if its field was written again with the same value, that store; it
        alone where a write is missing."""
        fault = self._described(row.time, RELATIONS[row.grade])
        if row.grade is _core.Grade.OMISSION and row.field is not None:
            fault = replace(fault, missing=self.operations.field_name(row.field))
        if row.field is None or self.result.bad is None:
            return [fault]
        omitted = row.grade is _core.Grade.OMISSION
        clean = 0 if self.result.clean is None else self.times[self.result.clean]
        since, until = clean if omitted else row.time, self.times[self.result.bad]
        again = self.operations.repeated(row.field, since, until, fault.contributed_to)
        if again is None:
            return [fault]
        return [again] if omitted else [again, fault]

    def _described(self, time: int, relation: str) -> Fault:
        row = self.contributions.get(time)
        if row is None:
            return self.operations.fault(time, relation, tuple(self.inconsistencies))
        led_to = tuple(self._inconsistency(one) for one in row.contributed_to)
        return self.operations.fault(time, relation, led_to)

    def _inconsistency(self, row: _core.Inconsistency) -> Inconsistency:
        constraint = self.plan.constraints[row.constraint]
        names = [v.name for v in constraint.variables if v.quantifier is Quantifier.FORALL]
        names += [loop.name for loop in constraint.loops]
        return Inconsistency(constraint, tuple(zip(names, row.binding, strict=True)))
