"""Is a history linearizable? The search of Wing and Gong, with Lowe's memory of visits.

A call may be linearized next if no other call that is still open ended before it began. States
visited before (which calls are placed, abstract state) are not visited again. Calls that never
ended need not be placed: who has used fewer of them can do all that who has used more can, and of
equal ones the earliest does for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from heapstory.linear.budget import Budget, OutOfBudget
from heapstory.linear.models.sequential import Model, agrees


@dataclass(frozen=True, slots=True)
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
    """Whether some order explains all answers; the order, or the most calls that fit, with the
    abstract state after each; and a call that no order can explain, whatever came before it."""

    accepted: bool
    order: list[int]
    states: list[Any] = field(default_factory=list)
    stuck: int | None = None
    visited: int = 0


@dataclass(slots=True)
class _Level:
    """How far an order has come. ``first`` is the first of the ended calls that is not placed,
    ``mask`` which of those behind it are; ``used`` which of those that never ended."""

    first: int
    mask: int
    used: int
    state: Any
    options: Iterator[tuple[int, bool, Any]]


def linearizable(calls: list[Call], model: Model, budget: Budget | None = None) -> Explanation:
    """Search for an order of the calls that the model allows and real time permits."""
    return _Search(calls, model, budget).run()


class _Search:
    def __init__(self, calls: list[Call], model: Model, budget: Budget | None) -> None:
        ordered = sorted(calls, key=lambda c: c.begin)
        self.ended = [c for c in ordered if c.end is not None]
        self.open = [c for c in ordered if c.end is None]
        self.model, self.budget = model, budget
        self.seen: dict[tuple[int, int, Any], list[int]] = {}
        self.visited = 0
        # of each call that never ended, the equal one that began before it
        last: dict[Any, int] = {}
        self.equal = [-1] * len(self.open)
        for number, call in enumerate(self.open):
            kind = (call.method, call.arguments, call.who)
            self.equal[number] = last.get(kind, -1)
            last[kind] = number
        self.latest: tuple[float, int | None] = (float("-inf"), None)

    def run(self) -> Explanation:
        state = self.model.initial()
        path = [_Level(0, 0, 0, state, self._options(0, 0, 0, state))]
        order: list[int] = []
        best: tuple[list[int], list[Any]] = ([], [])
        while path and path[-1].first < len(self.ended):
            level = path[-1]
            step = next(level.options, None)
            if step is None:
                if len(order) > len(best[0]):
                    best = (list(order), [each.state for each in path[1:]])
                path.pop()
                del order[len(path) - 1 :]
                continue
            index, ends, after = step
            following = self._after(level, index, ends, after)
            if following is not None:
                path.append(following)
                order.append((self.ended if ends else self.open)[index].name)
                self._pace(len(order))
        if path:
            return Explanation(True, order, [each.state for each in path[1:]], None, self.visited)
        return Explanation(False, *best, self.latest[1], self.visited)

    def _after(self, level: _Level, index: int, ends: bool, state: Any) -> _Level | None:
        """One call further; None if that was tried before."""
        first, mask, used = level.first, level.mask, level.used
        if ends:
            mask |= 1 << (index - first)
            while mask & 1:
                mask >>= 1
                first += 1
        else:
            used |= 1 << index
        tried = self.seen.setdefault((first, mask, state), [])
        if any(others & used == others for others in tried):
            return None
        tried.append(used)
        self.visited += 1
        return _Level(first, mask, used, state, self._options(first, mask, used, state))

    def _pace(self, placed: int) -> None:
        if self.budget is None or self.visited % 1024:
            return
        whole = len(self.ended) + len(self.open)
        self.budget.check(f"searching for an order ({placed} of {whole} calls placed)")
        if self.visited > self.budget.states:
            most = self.budget.states
            raise OutOfBudget(f"more than {most} states while searching for an order")

    def _options(
        self, first: int, mask: int, used: int, state: Any
    ) -> Iterator[tuple[int, bool, Any]]:
        """What may come next: (which, whether it is one that ended, the state after it)."""
        candidates, horizon = self._candidates(first, mask)
        for index in candidates:
            call = self.ended[index]
            if call.begin <= horizon:
                for answer, after in self._apply(call, state):
                    if agrees(call.answer, answer):
                        yield index, True, after
        for index, call in enumerate(self.open):
            if call.begin > horizon:
                break
            earlier = self.equal[index]
            if used >> index & 1 or (earlier >= 0 and not used >> earlier & 1):
                continue
            for _, after in self._apply(call, state):
                if after != state:
                    yield index, False, after

    def _apply(self, call: Call, state: Any) -> list[tuple[Any, Any]]:
        return self.model.apply(state, call.method, call.arguments, call.who)

    def _candidates(self, first: int, mask: int) -> tuple[list[int], float]:
        """Those that are not placed and may come next; the earliest end bounds them."""
        horizon, which = float("inf"), None
        found = []
        for index in range(first, len(self.ended)):
            call = self.ended[index]
            if call.begin > horizon:
                break
            if mask >> (index - first) & 1:
                continue
            found.append(index)
            assert call.end is not None
            if call.end < horizon:
                horizon, which = call.end, call.name
        if which is not None and horizon > self.latest[0]:
            self.latest = (horizon, which)
        return found, horizon
