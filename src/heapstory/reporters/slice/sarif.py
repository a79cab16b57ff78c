"""A slice for SARIF: one result whose code flow leads to the criterion in the order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.reporters.sarif import Location, Result, Rule, at
from heapstory.reporters.slice.words import flow

if TYPE_CHECKING:
    from heapstory.slicing.model import Slice

RULE = "slice"
MOST = 1000  # steps of the flow


def rules() -> list[Rule]:
    """There is one."""
    return [Rule(RULE, "the statements that led to a value")]


def results(answer: Slice) -> list[Result]:
    """One result."""
    statements = len(answer.statements)
    return [
        Result(
            rule=RULE,
            message=f"{answer.words}: {statements} statement{'' if statements == 1 else 's'}",
            location=at(answer.place),
            level="note",
            flow=steps(answer),
            related=[at(place) for place in answer.statements],
            properties={"criterion": answer.criterion, "complete": answer.complete},
        )
    ]


def steps(answer: Slice, most: int = MOST) -> list[Location]:
    """The last moments with what flowed from each, ending at the criterion."""
    wrote: dict[int, list[str]] = {}
    for one in answer.dependences:
        if text := flow(one):
            wrote.setdefault(one.definer, []).append(text)
    made = []
    for moment in answer.moments:
        place = answer.place_of(moment)
        if place is not None:
            made.append(at(place, ", ".join(dict.fromkeys(wrote.get(moment.number, [])))))
    return made[-most:]
