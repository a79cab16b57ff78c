"""The statements that ``locate`` found, for SARIF."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from heapstory.reporters.sarif import Result, Rule, at
from heapstory.reporters.slice.sarif import steps

if TYPE_CHECKING:
    from heapstory.locating.diagnosis import Diagnosis
    from heapstory.slicing import Slice
    from heapstory.store.places import Place

MOST = 20  # times that a statement is shown to have run


def rules(answer: Diagnosis) -> list[Rule]:
    """One rule per constraint."""
    return [Rule(_rule(c.name), c.words, c.source) for c in answer.plan.constraints]


def results(answer: Diagnosis, slices: Mapping[int, Slice]) -> list[Result]:
    """One result per statement, in the order to look at them; its flow is its slice, where there is
    one, then the times that it ran."""
    made: list[Result] = []
    for place in answer.statements:
        faults = [fault for fault in answer.faults if fault.place and _same(fault.place, place)]
        against = faults[0].contributed_to or answer.inconsistencies
        constraint = against[0].constraint
        sliced = slices.get(faults[0].timestamp)
        times = [at(place, f"timestamp {f.timestamp}: {f.operation}") for f in faults[:MOST]]
        made.append(
            Result(
                rule=_rule(constraint.name),
                message=f"{faults[0].operation}, against: {constraint.words}",
                location=at(place),
                level="error" if not made else "warning",
                flow=[*(steps(sliced) if sliced else []), *times],
                fingerprint=f"{constraint.name}@{place.function}:{place.file}",
                properties={"timestamps": [fault.timestamp for fault in faults[:MOST]]},
            )
        )
    return made


def _same(one: Place, other: Place) -> bool:
    return (one.path, one.line, one.function) == (other.path, other.line, other.function)


def _rule(name: str) -> str:
    return f"locate/{name}"
