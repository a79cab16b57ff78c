"""A finding: what is wrong, where, and with which block."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TypeVar

from heapstory.checks.fingerprint import fingerprint
from heapstory.store.places import Place

# Code below these is not the program's own, and neither is what headers there have inlined.
_SYSTEM = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/")
_HEADERS = ("/usr/include/", "/usr/lib/gcc/")

Stack = list[Place]  # innermost first, inlined callers included


@dataclass(frozen=True, slots=True)
class Block:
    """A block of memory; a stack that is not known is empty."""

    address: int
    size: int
    allocated: Stack = field(default_factory=list)
    freed: Stack | None = None  # None: it is live
    how: str = "malloc"  # what allocated it


@dataclass(slots=True)
class Finding:
    """One thing that is wrong."""

    kind: str
    address: int
    stack: Stack
    block: Block | None = None
    text: str = ""  # what was seen, in words
    count: int = 1
    process: int = 0
    size: int = 0  # bytes of an access
    suppressed: str | None = None  # why, if it is
    also: list[str] = field(default_factory=list)  # who else found it

    @property
    def place(self) -> Place | None:
        """The statement to look at: where it was noticed, else where the block ended or began."""
        block = self.block
        stacks = (self.stack, *((block.freed or [], block.allocated) if block else ()))
        return next((statement(stack) for stack in stacks if stack), None)

    @property
    def fingerprint(self) -> str:
        """The same for the same mistake, after lines have moved too."""
        allocated = statement(self.block.allocated) if self.block else None
        return fingerprint(self.kind, self.place, allocated)

    @property
    def losses(self) -> tuple[str, ...]:
        """Further places with the same cause: a run tells them apart by fingerprint."""
        return ()

    @property
    def function(self) -> str:
        """The function of the statement."""
        return (self.place.function if self.place else None) or ""


F = TypeVar("F", bound=Finding)


def statement(stack: Stack) -> Place | None:
    """The innermost statement of the program's own code; without any, the innermost one."""
    return next((place for place in stack if is_own(place)), stack[0] if stack else None)


def is_own(place: Place) -> bool:
    """Whether code is the program's own, not a system library's."""
    module = place.module or ""
    inlined = (place.path or "").startswith(_HEADERS)
    return bool(module) and not module.startswith(_SYSTEM) and not inlined


def identity(finding: Finding) -> tuple[str, ...]:
    """The same for the same mistake at the same lines of one run."""
    return (finding.kind, finding.fingerprint, *_lines(finding))


def merged(findings: Iterable[F]) -> list[F]:
    """One for each mistake, counted; of several processes the first is named."""
    kept: dict[tuple[str, ...], F] = {}
    for finding in findings:
        key = identity(finding)
        if key in kept:
            kept[key].count += finding.count
        else:
            kept[key] = finding
    return list(kept.values())


def _lines(finding: Finding) -> list[str]:
    block = finding.block
    lives = (block.allocated, block.freed or []) if block else ()
    places = (finding.place, *(statement(stack) for stack in lives))
    return [f"{PurePath(p.path or p.module or '').name}:{p.line or p.offset}" for p in places if p]
