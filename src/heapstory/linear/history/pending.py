"""Which values the dequeues and pops that never answered must have taken.

A value that is added, never seen again, and in the way of what was seen, must be in the hands of
one of them, from some moment on. The tightest go first, each with the earliest operation: an
earlier one is never worse, and to have been taken is never worse than to stay. What comes out is
checked as if it had been seen, so a wrong guess costs a search and no more.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

from heapstory.linear.history.operations import Operation

INFINITY = float("inf")
Added = dict[Any, Operation]  # by value: what added it, or what took it
Forced = tuple[float, Any]  # by when a value must be gone


def hand_over(forced: list[Forced], taken: Added, pending: list[Operation]) -> None:
    """Give forced values to pending operations."""
    limits: dict[Any, float] = {}
    for limit, value in forced:
        limits[value] = min(limit, limits.get(value, INFINITY))
    hands = sorted(pending, key=lambda o: o.begin)
    for value, operation in zip(sorted(limits, key=limits.__getitem__), hands, strict=False):
        taken[value] = operation


def _staying(added: Added, taken: Added) -> list[tuple[float, float, Any]]:
    """Values that nobody was seen to take: when adding them began and ended."""
    return [(o.begin, o.end, v) for v, o in added.items() if v not in taken and o.end is not None]


def overtaken(added: Added, taken: Added) -> list[Forced]:
    """In a queue: values added before one that was taken."""
    seen = [(added[v].begin, o.end) for v, o in taken.items() if o.end is not None]
    soonest = _Soonest(seen)
    return soonest.forced((end, v) for _, end, v in _staying(added, taken))


def in_the_way(added: Added, taken: Added, empty: list[Operation]) -> list[Forced]:
    """Values added before nothing was found."""
    soonest = _Soonest([(o.begin, o.end) for o in empty if o.end is not None])
    return soonest.forced((end, v) for _, end, v in _staying(added, taken))


class _Soonest:
    """Of pairs (from, by): the least ``by`` among those that are from after a moment."""

    def __init__(self, pairs: list[tuple[float, float]]) -> None:
        pairs.sort()
        self.froms = [pair[0] for pair in pairs]
        self.least = [INFINITY]
        for _, by in reversed(pairs):
            self.least.append(min(by, self.least[-1]))

    def forced(self, moments: Any) -> list[Forced]:
        """For (moment, value): by when the value must be gone, if at all."""
        size = len(self.froms)
        found = ((self.least[size - bisect_right(self.froms, m)], v) for m, v in moments)
        return [(limit, value) for limit, value in found if limit < INFINITY]


def buried(added: Added, taken: Added) -> list[Forced]:
    """In a stack: values pushed onto one that was popped after them."""
    below = [
        (o.begin, added[v].end, o.end)
        for v, o in taken.items()
        if o.end is not None and added[v].end is not None
    ]
    below.sort(reverse=True, key=lambda item: item[0])
    ends = sorted(push for _, push, _ in below)  # type: ignore[type-var]
    least = [INFINITY] * (len(ends) + 1)  # a Fenwick tree: the least of the first i
    found, at = [], 0
    for begin, end, value in sorted(_staying(added, taken), key=lambda item: -item[1]):
        while at < len(below) and below[at][0] > end:
            _, push, pop = below[at]
            assert push is not None and pop is not None
            slot = bisect_left(ends, push) + 1  # type: ignore[type-var]
            while slot < len(least):
                least[slot] = min(least[slot], pop)
                slot += slot & -slot
            at += 1
        limit, slot = INFINITY, bisect_left(ends, begin)  # type: ignore[type-var]
        while slot > 0:
            limit = min(limit, least[slot])
            slot -= slot & -slot
        if limit < INFINITY:
            found.append((limit, value))
    return found
