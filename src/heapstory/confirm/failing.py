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

PER_FINDING = 12  # runs for one finding
Chain = tuple[tuple[str | None, int | None], ...]  # statements, from an allocation outwards


@dataclass(frozen=True, slots=True)
class Failure:
    """The K-th allocation of the run, and the statement of the finding's function that asks for
    it."""

    ordinal: int
    place: str


def candidates(evidence: Evidence, finding: Finding) -> list[Failure]:
    """Allocations made in the finding's function or below it, the first and the last for every
    chain of calls that leads to one: those on the finding's path first. Of the statement that makes
    the block itself it is the second, so that there is a block to lose."""
    path = {step.place.line for step in finding.path if step.place is not None}
    found: dict[Chain, tuple[Place, list[int]]] = {}
    own = 0
    for ordinal, frame, chain in _inside(evidence, finding):
        own += same_place(frame, finding.allocated)
        if own != 1 or not same_place(frame, finding.allocated):
            found.setdefault(chain, (frame, []))[1].append(ordinal)
    ranked = sorted(
        (frame.line not in path, later, ordinal, str(frame))
        for frame, ordinals in found.values()
        for later, ordinal in enumerate(dict.fromkeys((ordinals[0], ordinals[-1])))
    )
    return [Failure(ordinal, place) for *_, ordinal, place in ranked[:PER_FINDING]]


def _inside(evidence: Evidence, finding: Finding) -> Iterator[tuple[int, Place, Chain]]:
    """Allocations made by the finding's function or below it, in order, with the statement of that
    function and those below it."""
    born = {block.created: block for block in evidence.blocks}
    for ordinal, at, site in evidence.allocations:
        made = born.get(at)
        frames = evidence.frames(made.stack) if made else []
        if not frames and site is not None:
            place = evidence.trace.place(site)
            frames = [place] if place else []
        for depth, frame in enumerate(frames):
            if _in_function(frame, finding):
                yield ordinal, frame, tuple((f.path, f.line) for f in frames[: depth + 1])
                break


def _in_function(frame: Place, finding: Finding) -> bool:
    name = finding.allocated.function
    return frame.function == name and PurePath(frame.path or "").name == (
        PurePath(finding.allocated.path).name
    )
