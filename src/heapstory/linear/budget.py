"""A limit on time and states that all rooms of prove share."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
PACE = 65_536  # items between two looks at the clock


class OutOfBudget(Exception):
    """The time limit or the limit on states was reached; says how far the work got."""


@dataclass
class Budget:
    """A deadline and a limit on states, asked often and cheaply. ``doing``: what asked last."""

    seconds: float = 60.0
    states: int = 2_000_000
    started: float = field(default_factory=time.monotonic)
    doing: str = "enumerating states"
    over: str = ""  # why there is nothing left to do, if so

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
