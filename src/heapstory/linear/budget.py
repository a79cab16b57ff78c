"""A limit on time, states and memory that all rooms of prove share."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
PACE = 65_536  # items between two looks at the clock
SHARE = 4  # this part of the machine's memory
MIB = 1 << 20
_GROUP = "/sys/fs/cgroup/memory.max"  # what a container may have


class OutOfBudget(Exception):
    """The time limit or the limit on states was reached; says how far the work got."""


def memory_of_machine() -> int:
    """Its bytes, or those that a container may have."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        return min(whole, int(Path(_GROUP).read_text(encoding="ascii")))
    except (OSError, ValueError):
        return whole


def _share() -> int:
    return memory_of_machine() // SHARE


@dataclass
class Budget:
    """A deadline and limits on states and memory (bytes of the process), asked often and cheaply.
    ``doing``: what asked last."""

    seconds: float = 60.0
    states: int = 2_000_000
    memory: int = field(default_factory=_share)
    started: float = field(default_factory=time.monotonic)
    doing: str = "enumerating states"
    over: str = ""  # why there is nothing left to do, if so

    @classmethod
    def within(cls, seconds: float, mebibytes: int | None) -> Budget:
        """So many seconds, and as much memory if that is said."""
        return cls(seconds) if mebibytes is None else cls(seconds, memory=mebibytes * MIB)

    def left(self) -> float:
        """Seconds that remain."""
        return self.started + self.seconds - time.monotonic()

    def check(self, doing: str) -> None:
        """Raise `OutOfBudget` once the time is over."""
        self.doing = doing
        if self.over:
            raise OutOfBudget(self.over)
        if self.left() <= 0:
            raise OutOfBudget(f"time limit of {self.seconds:g} s reached while {doing}")

    def paced(self, items: list[T], doing: str) -> Iterator[T]:
        """The items, with a look at the clock now and then."""
        for first in range(0, len(items), PACE):
            self.check(doing)
            yield from items[first : first + PACE]
