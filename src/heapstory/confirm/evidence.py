"""What one recorded run shows: blocks by allocation, scans, calls, and who held a block when."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING

from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.cfront.program import Place as SourcePlace
    from heapstory.static import Finding
    from heapstory.trace import Trace

# The C library keeps every open stream in a list of its own; that is no reference of the program's.
_STREAMS = {"fclose", "pclose", "closedir", "endmntent"}
_RESULTS = ("rax", "rdx")  # registers that hold a function's result when it returns


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
        self._holders: dict[tuple[int, bool, bool], dict[int, set[int]]] = {}
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

    # --- moments when stacks and registers were scanned

    @cached_property
    def points(self) -> list[tuple[int, str, str]]:
        """C-points, calls and returns, the end: timestamp, kind, name, in order."""
        table = self.trace.core.table("cpoints")
        columns = [table.column(name) for name in ("timestamp", "kind", "name")]
        return [(at, kind, name or "") for at, kind, name in zip(*columns, strict=True)]

    @cached_property
    def scans(self) -> list[int]:
        """The timestamps at which roots are known, the last one at the end of the run."""
        kinds = ("cpoint", "exit", "crash")
        return sorted({at for at, kind, _ in self.points if kind in kinds})

    def scans_from(self, timestamp: int) -> list[int]:
        """The scans at or after a timestamp."""
        return self.scans[bisect_left(self.scans, timestamp) :]

    def reached(self, places: Iterable[SourcePlace], since: int) -> int:
        """How often one of the places was reached after a timestamp."""
        names = {cpoint_at(place) for place in places}
        return sum(
            1
            for at, kind, name in self.points
            if kind == "cpoint" and name in names and at >= since
        )

    # --- who holds a block

    def lost(self, node: int, at: int, finding: Finding, returns_pointer: bool) -> bool:
        """Whether nothing leads to a block at a scan."""
        stream = finding.release in _STREAMS
        holders = self._holders_at(at, stream, returns_pointer)
        seen = {node}
        pending = [node]
        while pending:
            for holder in holders.get(pending.pop(), ()):
                if holder == _ROOT:
                    return False
                if holder not in seen:
                    seen.add(holder)
                    pending.append(holder)
        return True

    def _holders_at(self, at: int, stream: bool, results: bool) -> dict[int, set[int]]:
        key = (at, stream, results)
        if key not in self._holders:
            self._holders[key] = self._read_holders(at, stream, results)
        return self._holders[key]

    def _read_holders(self, at: int, stream: bool, results: bool) -> dict[int, set[int]]:
        graph = self.trace.graph(at)
        nodes, edges = graph.node_columns, graph.edge_columns
        roots: set[int] = set()
        ignored: set[int] = set()
        last = at == self.scans[-1]
        for node, kind, name in zip(nodes["id"], nodes["kind"], nodes["name"], strict=True):
            if kind == "heap":
                continue
            foreign = kind == "global" and stream and name not in self._own_modules
            result = kind == "root" and not results and (name or "").endswith(_RESULTS)
            (ignored if foreign or (result and not last) else roots).add(node)
        holders: dict[int, set[int]] = {}
        columns = (edges["source"], edges["target"], edges["state"])
        for source, target, state in zip(*columns, strict=True):
            if target is not None and state == "live" and source not in ignored:
                holders.setdefault(target, set()).add(_ROOT if source in roots else source)
        return holders

    @cached_property
    def _own_modules(self) -> set[str]:
        table = self.trace.core.table("modules")
        paths = zip(table.column("path"), table.column("own"), strict=True)
        return {PurePath(path).name for path, own in paths if own}

    @cached_property
    def allocations(self) -> list[tuple[int, int, int | None]]:
        """Every allocation as the recorder counts them: ordinal, timestamp, site."""
        table = self.trace.core.table("events")
        columns = (table.column("kind"), table.column("timestamp"), table.column("site"))
        made = [(at, site) for kind, at, site in zip(*columns, strict=True) if kind in _ALLOCATING]
        return [(number, at, site) for number, (at, site) in enumerate(made, 1)]


_ROOT = -1
_ALLOCATING = ("alloc", "realloc")


def cpoint_at(place: SourcePlace) -> str:
    """The C-point of a place."""
    return f"{PurePath(place.path).name}:{place.line}"


def _passes(frames: list[Place], wanted: list[SourcePlace]) -> bool:
    """Whether the wanted places, innermost first, are among the frames in that order."""
    left = iter(frames)
    return all(any(same_place(frame, place) for frame in left) for place in wanted)
