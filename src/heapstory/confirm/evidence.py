"""What one recorded run shows: blocks by allocation, scans, calls, and who held a block when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING

from heapstory.checking.lost import Ignored, Lost
from heapstory.checking.moments import Holders
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.cfront.program import Place as SourcePlace
    from heapstory.static import Finding
    from heapstory.trace import Trace

# The C library keeps every open stream in a list of its own; that is no reference of the program's.
_STREAMS = {"fclose", "pclose", "closedir", "endmntent"}


@dataclass(frozen=True, slots=True)
class Block:
    """A heap block of the run."""

    node: int
    created: int
    freed: int | None
    stack: int | None


def same_place(recorded: Place, wanted: SourcePlace) -> bool:
    """Whether a recorded frame is a place of the source."""
    if recorded.line != wanted.line or recorded.path is None:
        return False
    return recorded.path == wanted.path or (
        PurePath(recorded.path).name == PurePath(wanted.path).name
        and recorded.function == wanted.function
    )


class Evidence:
    """A recorded run, read for the sake of leak findings."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.references = Lost(trace)
        self.holders = Holders(trace, self.references)
        self._frames: dict[int, list[Place]] = {}

    # --- blocks

    @cached_property
    def blocks(self) -> list[Block]:
        """All heap blocks, in order of birth."""
        table = self.trace.core.table("nodes")
        columns = [table.column(n) for n in ("node", "kind", "created", "freed", "created_stack")]
        return [
            Block(node, created, freed, stack)
            for node, kind, created, freed, stack in zip(*columns, strict=True)
            if kind == "heap" and created is not None
        ]

    def knows_any(self, paths: Iterable[str]) -> bool:
        """Whether the program has line information for one of the source files."""
        recorded = {PurePath(p).name for p in self.trace.core.table("sites").column("path") if p}
        return any(PurePath(path).name in recorded for path in paths)

    def frames(self, stack: int | None) -> list[Place]:
        """A call stack, innermost first."""
        if stack is None:
            return []
        if stack not in self._frames:
            self._frames[stack] = self.trace.stack(stack)
        return self._frames[stack]

    def made_by(self, finding: Finding) -> list[Block]:
        """The blocks whose call stack passes through the finding's allocation."""
        wanted = [*reversed(finding.chain), finding.allocated]
        fits: dict[int | None, bool] = {}
        found = []
        for block in self.blocks:
            if block.stack not in fits:
                fits[block.stack] = _passes(self.frames(block.stack), wanted)
            if fits[block.stack]:
                found.append(block)
        return found

    # --- moments

    def reached(self, places: Iterable[SourcePlace], since: int) -> int:
        """How often one of the places was reached after a timestamp."""
        names = {cpoint_at(place) for place in places}
        return sum(
            1
            for at, kind, name in self.references.points
            if kind == "cpoint" and name in names and at >= since
        )

    # --- who holds a block

    def lost(self, node: int, at: int, finding: Finding, returns_pointer: bool) -> bool:
        """Whether nothing leads to a block at a scan."""
        return self.references.has(node, at, ignored(finding, returns_pointer))

    @cached_property
    def allocations(self) -> list[tuple[int, int, int | None]]:
        """Every allocation as the recorder counts them: ordinal, timestamp, site."""
        table = self.trace.core.table("events")
        columns = (table.column("kind"), table.column("timestamp"), table.column("site"))
        made = [(at, site) for kind, at, site in zip(*columns, strict=True) if kind in _ALLOCATING]
        return [(number, at, site) for number, (at, site) in enumerate(made, 1)]


_ALLOCATING = ("alloc", "realloc")


def ignored(finding: Finding, returns_pointer: bool) -> Ignored:
    """What is no reference of the program's, seen from a finding."""
    return Ignored(foreign=finding.release in _STREAMS, results=not returns_pointer)


def cpoint_at(place: SourcePlace) -> str:
    """The C-point of a place."""
    return f"{PurePath(place.path).name}:{place.line}"


def _passes(frames: list[Place], wanted: list[SourcePlace]) -> bool:
    """Whether the wanted places, innermost first, are among the frames in that order."""
    left = iter(frames)
    return all(any(same_place(frame, place) for frame in left) for place in wanted)
