"""Is a stack's history linearizable? Near-linear for distinct values.

A history is right exactly if each value can be given a moment in its push and a later one in its
pop such that the spans between them are nested or apart. A value is *surely* there from the end
of its push to the begin of its pop. Where nothing is surely there, the history splits. A stretch
that is covered throughout needs one value around all others: its push can come first and its pop
last. Taking that value away uncovers more, and so on; which one is taken, if several fit, does not
matter. Only pushes that run when the stretch begins can be first, so few need to be looked at.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from heapstory.linear.explore import Budget

INFINITY = float("inf")


@dataclass(slots=True)
class Span:
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
    return _Stretches(spans, budget).run()


class _Stretches:
    def __init__(self, spans: list[Span], budget: Budget) -> None:
        self.spans, self.budget = spans, budget
        sure = [i for i, s in enumerate(spans) if s.push_end < s.pop_begin]
        self.times = sorted({t for i in sure for t in (spans[i].push_end, spans[i].pop_begin)})
        self.slot = {t: i for i, t in enumerate(self.times)}
        # Slot 2i is moment i, slot 2i+1 the time up to the next: spans that touch are apart.
        self.cover = _Cover(2 * len(self.times) + 1)
        for i in sure:
            self.cover.preset(*self._slots(spans[i]))
        self.cover.build()
        self.active = self._active(sure)
        self.left = set(sure)

    def _slots(self, span: Span) -> tuple[int, int]:
        return 2 * self.slot[span.push_end] + 1, 2 * self.slot[span.pop_begin]

    def _active(self, sure: list[int]) -> dict[int, list[int]]:
        # For each moment at which a push ends: the pushes that run then.
        found: dict[int, list[int]] = {}
        order = sorted(sure, key=lambda i: self.spans[i].push_begin)
        running: list[int] = []
        position = 0
        for end in sorted({self.spans[i].push_end for i in sure}):
            while position < len(order) and self.spans[order[position]].push_begin <= end:
                running.append(order[position])
                position += 1
            running = [i for i in running if self.spans[i].push_end >= end]
            found[self.slot[end]] = list(running)
        return found

    def run(self) -> int | None:
        todo = self.cover.stretches(0, 2 * len(self.times))
        steps = 0
        while todo:
            steps += 1
            if steps % 1024 == 0:
                self.budget.check(f"nesting values ({len(self.left)} left)")
            start, stop = todo.pop()
            first, last = start // 2, stop // 2
            around = self._around(first, last)
            if around is None:
                return self._some(first)
            self.left.discard(around)
            span = self.spans[around]
            self.cover.remove(*self._slots(span))
            todo += self.cover.stretches(start, stop)
        return None

    def _around(self, first: int, last: int) -> int | None:
        begin, end = self.times[first], self.times[last]
        for i in self.active.get(first, []):
            if i not in self.left:
                continue
            span = self.spans[i]
            opens = span.push_end == begin or span.push_begin <= begin
            closes = span.pop_begin == end or span.pop_end >= end
            if opens and closes and span.pop_begin <= end:
                return i
        return None

    def _some(self, first: int) -> int:
        return next((i for i in self.active.get(first, []) if i in self.left), min(self.left))


class _Cover:
    """How many spans cover each slot; finds the stretches of slots that are covered."""

    def __init__(self, size: int) -> None:
        self.size = 1
        while self.size < size:
            self.size *= 2
        self.count = size
        self.change = [0] * (size + 1)
        self.least: list[int] = []
        self.most: list[int] = []
        self.lazy: list[int] = []

    def preset(self, begin: int, end: int) -> None:
        self.change[begin] += 1
        self.change[end] -= 1

    def build(self) -> None:
        size, total = self.size, 0
        self.least = [0] * (2 * size)
        self.most = [0] * (2 * size)
        self.lazy = [0] * (2 * size)
        for i in range(self.count):
            total += self.change[i]
            self.least[size + i] = self.most[size + i] = total
        for i in range(size - 1, 0, -1):
            self.least[i] = min(self.least[2 * i], self.least[2 * i + 1])
            self.most[i] = max(self.most[2 * i], self.most[2 * i + 1])

    def remove(self, begin: int, end: int) -> None:
        """One span less over slots begin … end-1."""
        self._add(1, 0, self.size, begin, end)

    def _add(self, node: int, low: int, high: int, begin: int, end: int) -> None:
        if begin <= low and high <= end:
            self.least[node] -= 1
            self.most[node] -= 1
            self.lazy[node] -= 1
            return
        middle = (low + high) // 2
        if begin < middle:
            self._add(2 * node, low, middle, begin, end)
        if end > middle:
            self._add(2 * node + 1, middle, high, begin, end)
        left, right, lazy = 2 * node, 2 * node + 1, self.lazy[node]
        self.least[node] = min(self.least[left], self.least[right]) + lazy
        self.most[node] = max(self.most[left], self.most[right]) + lazy

    def stretches(self, begin: int, end: int) -> list[tuple[int, int]]:
        """The maximal covered runs of slots within begin … end-1, as (first, one past the last)."""
        found: list[tuple[int, int]] = []
        at = begin
        while at < end:
            start = self._next(at, end, True)
            if start >= end:
                break
            stop = self._next(start, end, False)
            found.append((start, stop))
            at = stop
        return found

    def _next(self, begin: int, end: int, positive: bool) -> int:
        """The first slot from begin on that is covered (or not), or end."""
        stack = [(1, 0, self.size, 0)]
        while stack:
            node, low, high, added = stack.pop()
            if high <= begin or low >= end:
                continue
            if positive and self.most[node] + added <= 0:
                continue
            if not positive and self.least[node] + added > 0:
                continue
            if high - low == 1:
                return low
            middle, below = (low + high) // 2, added + self.lazy[node]
            stack.append((2 * node + 1, middle, high, below))
            stack.append((2 * node, low, middle, below))
        return end


def uncovered(stretches: list[tuple[float, float]], begin: float, end: float) -> bool:
    """Whether some moment between begin and end lies outside all stretches."""
    at = bisect_left([s[0] for s in stretches], begin) - 1
    return at < 0 or stretches[at][1] <= end
