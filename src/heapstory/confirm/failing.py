"""Which allocations to make fail, so that the error paths of findings are taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from heapstory.confirm.evidence import Evidence, same_place

if TYPE_CHECKING:
    from heapstory.static import Finding
    from heapstory.store.places import Place

PER_FINDING = 8  # runs for one finding


@dataclass(frozen=True, slots=True)
class Failure:
    """The K-th allocation of the run, and the statement of the finding's function that asks for
    it."""

    ordinal: int
    place: str


def candidates(evidence: Evidence, finding: Finding) -> list[Failure]:
    """Allocations made in the finding's function, one for every statement: those on the finding's
    path first. Of the statement that makes the block itself it is the second, so that there is a
    block to lose."""
    path = {step.place.line for step in finding.path if step.place is not None}
    found: dict[tuple[str | None, int | None], Failure] = {}
    own = 0
    for ordinal, frame in _inside(evidence, finding):
        own += same_place(frame, finding.allocated)
        if own != 1 or not same_place(frame, finding.allocated):
            found.setdefault((frame.path, frame.line), Failure(ordinal, str(frame)))
    ranked = sorted(found.items(), key=lambda item: (item[0][1] not in path, item[1].ordinal))
    return [failure for _, failure in ranked[:PER_FINDING]]


def _inside(evidence: Evidence, finding: Finding) -> Iterator[tuple[int, Place]]:
    """Allocations made by the finding's function or below it, in order."""
    born = {block.created: block for block in evidence.blocks}
    for ordinal, at, site in evidence.allocations:
        made = born.get(at)
        frames = evidence.frames(made.stack) if made else []
        if not frames and site is not None:
            place = evidence.trace.place(site)
            frames = [place] if place else []
        for frame in frames:
            if _in_function(frame, finding):
                yield ordinal, frame
                break


def _in_function(frame: Place, finding: Finding) -> bool:
    name = finding.allocated.function
    return frame.function == name and PurePath(frame.path or "").name == (
        PurePath(finding.allocated.path).name
    )
