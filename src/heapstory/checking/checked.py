"""What a checked run has shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapstory.checking.errors import Error
    from heapstory.checking.leaks import Leak

LOOKED_FOR = (
    "accesses of the heap outside of live blocks",
    "bad, double and mismatched frees",
    "overlapping copies",
)
NOT_LOOKED_FOR = ("accesses outside of variables on the stack or in modules",)
VALUES = "values that were never set"
CHILDREN = "forked children"


@dataclass(frozen=True, slots=True)
class Scan:
    """What the heap held while the program ran."""

    timestamp: int
    leaks: list[Leak]


@dataclass(slots=True)
class Checked:
    """A checked run."""

    command: list[str]
    status: int = 0  # as a shell sees it
    findings: list[Error] = field(default_factory=list)
    leaks: list[Leak] = field(default_factory=list)
    scans: list[Scan] = field(default_factory=list)
    looked_for: list[str] = field(default_factory=lambda: list(LOOKED_FOR))
    not_looked_for: list[str] = field(default_factory=lambda: list(NOT_LOOKED_FOR))
    unused: list[str] = field(default_factory=list)  # suppressions that nothing fitted
    # Reachable only by pointers into C++ objects: blocks by heuristic, and so many were possible
    # leaks without them.
    heuristics: dict[str, int] = field(default_factory=dict)
    crash: str | None = None  # the signal that ended it, and where
    failure: str | None = None  # why heapstory itself did not come to the end

    @property
    def open(self) -> list[Error]:
        """The errors that are not suppressed."""
        return [finding for finding in self.findings if finding.suppressed is None]

    @property
    def open_leaks(self) -> list[Leak]:
        """The leaks that are mistakes and not suppressed."""
        from heapstory.checking.leaks import MISTAKES

        return [leak for leak in self.leaks if leak.kind in MISTAKES and leak.suppressed is None]
