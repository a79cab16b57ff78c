"""Is a finished history linearizable? The search of Wing and Gong, with Lowe's memory of visits.

A call may be linearized next if no other call that is still open ended before it began. States
visited before (which calls are placed, abstract state) are not visited again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heapstory.linear.budget import Budget, OutOfBudget
from heapstory.linear.models.sequential import Model, agrees


@dataclass(frozen=True)
class Call:
    """One call: when it began, when it answered (None: never), and what."""

    name: int
    method: str
    arguments: tuple[Any, ...]
    answer: Any
    begin: float
    end: float | None
    who: int = 1  # what ``ID`` is in it


@dataclass
class Explanation:
    """Whether some order explains all answers; the order, or the most calls that fit."""

    accepted: bool
    order: list[int]
    visited: int = 0


def linearizable(calls: list[Call], model: Model, budget: Budget | None = None) -> Explanation:
    """Search for an order of the calls that the model allows and real time permits."""
    ordered = sorted(calls, key=lambda c: c.begin)
    size = len(ordered)
    must = sum(1 << i for i, c in enumerate(ordered) if c.end is not None)
    ends = [c.end for c in ordered]
    seen: set[tuple[int, Any]] = set()
    best: list[int] = []
    order: list[int] = []
    stack = [(0, model.initial(), _candidates(0, ordered, ends, size, model, model.initial()))]
    while stack:
        placed, _, options = stack[-1]
        if placed & must == must:
            return Explanation(True, [ordered[i].name for i in order], len(seen))
        step = next(options, None)
        if step is None:
            stack.pop()
            if order:
                order.pop()
            continue
        index, after = step
        key = (placed | 1 << index, after)
        if key in seen:
            continue
        seen.add(key)
        if budget is not None and len(seen) % 1024 == 0:
            budget.check(f"searching for an order ({len(best)} of {size} calls placed)")
            if len(seen) > budget.states:
                raise OutOfBudget(f"more than {budget.states} states while searching for an order")
        order.append(index)
        if len(order) > len(best):
            best = list(order)
        options = _candidates(key[0], ordered, ends, size, model, after)
        stack.append((key[0], after, options))
    return Explanation(False, [ordered[i].name for i in best], len(seen))


def _candidates(
    placed: int, calls: list[Call], ends: list[float | None], size: int, model: Model, state: Any
) -> Any:
    # The earliest end among open calls bounds who may come next.
    horizon = None
    start = 0
    while start < size and placed >> start & 1:
        start += 1
    open_calls = []
    for i in range(start, size):
        if placed >> i & 1:
            continue
        if horizon is not None and calls[i].begin > horizon:
            break
        open_calls.append(i)
        end = ends[i]
        if end is not None and (horizon is None or end < horizon):
            horizon = end
    for i in open_calls:
        call = calls[i]
        if horizon is not None and call.begin > horizon:
            continue
        for answer, after in model.apply(state, call.method, call.arguments, call.who):
            if call.end is None or agrees(call.answer, answer):
                yield i, after
