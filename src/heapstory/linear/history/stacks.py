"""Is a stack's history linearizable? Near-linear for distinct values.

A history is right exactly if each value can be given a moment in its push and a later one in its
pop such that the spans between them are nested or apart. The nesting itself is found by the native
core (native/core/linear); here its input is made.
"""

from __future__ import annotations

from typing import NamedTuple

from heapstory._core import ENDLESS, nest
from heapstory.linear.budget import Budget, OutOfBudget

INFINITY = float("inf")
LARGEST = 2**62


class Span(NamedTuple):
    """One value: its push and pop intervals (an infinite pop never came)."""

    push_begin: float
    push_end: float
    pop_begin: float
    pop_end: float


def covered(spans: list[Span]) -> list[tuple[float, float]]:
    """The stretches of time in which something is surely on the stack, in order."""
    found: list[tuple[float, float]] = []
    for begin, end in sorted((s.push_end, s.pop_begin) for s in spans if s.push_end < s.pop_begin):
        if found and begin < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((begin, end))
    return found


def nested(spans: list[Span], budget: Budget) -> int | None:
    """None if the spans can be nested, else the number of a span in a stretch where they cannot."""
    budget.check("nesting values")
    if not spans:
        return None
    push_begin, push_end, pop_begin, pop_end = _whole(list(zip(*spans, strict=True)))
    found = nest(push_begin, push_end, pop_begin, pop_end, budget.left())
    if found == -2:
        raise OutOfBudget(f"time limit of {budget.seconds:g} s reached while nesting values")
    return None if found < 0 else found


def _whole(columns: list[tuple[float, ...]]) -> list[list[int]]:
    """Times as 64-bit numbers in the same order: as they are, or their ranks if they do not fit."""
    times = {t for column in columns for t in column if t != INFINITY}
    if all(type(t) is int and -LARGEST < t < LARGEST for t in times):
        number = {t: int(t) for t in times}
    else:
        number = {t: rank for rank, t in enumerate(sorted(times))}
    number[INFINITY] = ENDLESS
    return [[number[t] for t in column] for column in columns]
