"""Where a block was allocated: not in a function that allocates blocks of any type for others."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from heapstory import _core

if TYPE_CHECKING:
    from heapstory.store.places import Place
    from heapstory.trace import Trace

DEEPEST = 6  # statements of a call stack that are looked at

Key = tuple[str | None, int | None, str | None]


class Births:
    """The statements that allocate blocks of one type each."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def place(self, stack: int) -> Place | None:
        """The innermost statement that led to blocks of one type and size only; the innermost of
        all where none did."""
        for place in self._own(stack):
            if len(self._kinds[_key(place)]) == 1:
                return place
        return self.trace.places.statement(stack)

    def _own(self, stack: int) -> list[Place]:
        places = (p for p in self.trace.places.stack(stack) if p.line and not p.is_library)
        return [place for place, _ in zip(places, range(DEEPEST), strict=False)]

    @cached_property
    def _kinds(self) -> dict[Key, set[tuple[int | None, int]]]:
        """The types and sizes of the blocks that each statement led to."""
        found: dict[Key, set[tuple[int | None, int]]] = defaultdict(set)
        allocations = _core.Allocations(self.trace.core)
        for type_id, size, _ in allocations.kinds():
            for stack, _, _ in allocations.stacks(type_id, size):
                for place in self._own(stack):
                    found[_key(place)].add((type_id, size))
        return found


def _key(place: Place) -> Key:
    return place.path, place.line, place.function
