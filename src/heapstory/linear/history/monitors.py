"""Monitors for recorded histories: near-linear for the usual types, general search otherwise.

Queue with distinct values: the aspects of a queue (no value from nowhere or twice, order, empty).
Stack with distinct values: their lifetimes can be nested. Set, map: each key is a history of its
own.
Register with distinct values: zones. The rest: all possible abstract states (`frontier`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from heapstory.linear.budget import Budget
from heapstory.linear.history.frontier import PersistentStack, Violation, each_key, frontier
from heapstory.linear.history.keys import by_argument
from heapstory.linear.history.operations import Operation
from heapstory.linear.history.pending import (
    INFINITY,
    Added,
    Forced,
    buried,
    hand_over,
    in_the_way,
    overtaken,
)
from heapstory.linear.history.registers import register
from heapstory.linear.history.stacks import Span, covered, nested
from heapstory.linear.language.methods import RECORDED
from heapstory.linear.models.sequential import EMPTY, Counter, Map, Model, Queue, Set, Snapshot


@dataclass
class Removals:
    """The dequeues or pops of a history, by what is known of their answers."""

    taken: dict[Any, Operation] = field(default_factory=dict)
    empty: list[Operation] = field(default_factory=list)
    pending: list[Operation] = field(default_factory=list)  # never ended, may have taken a value
    unobserved: bool = False  # one ended, and nobody knows with what

    def add(self, operation: Operation, left: str) -> None:
        """Sort in one more."""
        if operation.end is None:
            self.pending.append(operation)
        elif operation.result is None:
            self.unobserved = True
        elif operation.result == EMPTY:
            self.empty.append(operation)
        elif operation.result in self.taken:
            both = [self.taken[operation.result], operation]
            raise Violation(f"{operation.result!r} was {left} twice", both)
        else:
            self.taken[operation.result] = operation


def queue(operations: list[Operation], budget: Budget) -> None:
    """Judge a queue's history; raises `Violation` or `OutOfBudget`."""

    def check(added: Added, found: Removals) -> None:
        _in_order(added, found.taken, budget)
        _truly_empty(added, found.taken, found.empty)

    _by_values(operations, ("enqueue", "dequeued"), Queue(), overtaken, check, budget)


def stack(operations: list[Operation], budget: Budget) -> None:
    """Judge a stack's history; raises `Violation` or `OutOfBudget`."""

    def check(added: Added, found: Removals) -> None:
        _nested(added, found.taken, found.empty, budget)

    _by_values(operations, ("push", "popped"), PersistentStack(), buried, check, budget)


def _by_values(
    operations: list[Operation],
    words: tuple[str, str],
    model: Model,
    forced: Callable[[Added, Added], list[Forced]],
    check: Callable[[Added, Removals], None],
    budget: Budget,
) -> None:
    """Judge by when each value came and went; search where that is not known."""
    added: Added = {}
    found = Removals()
    if not _additions(budget.paced(operations, "sorting the history"), words[0], added):
        return frontier(operations, model, budget)  # equal values: which went when is not known
    for operation in budget.paced(operations, "sorting the history"):
        if operation.method != words[0]:
            found.add(operation, words[1])
    if found.unobserved:
        return frontier(operations, model, budget)
    try:
        _matched(added, found.taken, words)
        if found.pending:
            hand_over(
                [*forced(added, found.taken), *in_the_way(added, found.taken, found.empty)],
                found.taken,
                found.pending,
            )
        check(added, found)
    except Violation:
        if not found.pending:
            raise
        # An operation that never answered may have taken something: only a search can tell.
        frontier(operations, model, budget)
    return None


def _additions(operations: Iterator[Operation], method: str, added: Added) -> bool:
    """Collect the operations that add a value; False if a value is added twice."""
    for operation in operations:
        if operation.method == method:
            if operation.arguments[0] in added:
                return False
            added[operation.arguments[0]] = operation
    return True


def _matched(added: Added, taken: Added, words: tuple[str, str]) -> None:
    came, left = words
    for value, removal in taken.items():
        addition = added.get(value)
        if addition is None:
            raise Violation(f"{value!r} was {left} without {came}", [removal])
        if removal.end is not None and removal.end < addition.begin:
            raise Violation(f"{value!r} was {left} before its {came}", [removal, addition])


def _in_order(added: Added, taken: Added, budget: Budget) -> None:
    """No value may overtake one that was in the queue before it came."""
    ends = sorted((o.end, v) for v, o in added.items() if o.end is not None)
    latest, which = -INFINITY, None
    position = 0
    ordered = sorted(added.items(), key=lambda item: item[1].begin)
    for value, addition in budget.paced(ordered, "checking the order"):
        while position < len(ends) and ends[position][0] < addition.begin:
            other = ends[position][1]
            begin = taken[other].begin if other in taken else INFINITY
            if begin > latest:
                latest, which = begin, other
            position += 1
        removal = taken.get(value)
        if removal is not None and removal.end is not None and removal.end < latest:
            first = added[which]
            shown = [first, addition, removal]
            if which in taken:
                shown.append(taken[which])
            raise Violation(f"{value!r} left before {which!r}, which was enqueued first", shown)


def _truly_empty(added: Added, taken: Added, empty: list[Operation]) -> None:
    """At some moment of a dequeue that found nothing, nothing was surely in the queue."""
    if not empty:
        return
    spans = []
    for value, addition in added.items():
        if addition.end is not None:
            until = taken[value].begin if value in taken else INFINITY
            spans.append(Span(addition.begin, addition.end, until, until))
    _moment_for_each(empty, covered(spans), "queue")


def _moment_for_each(empty: list[Operation], covers: list[tuple[float, float]], kind: str) -> None:
    starts = [c[0] for c in covers]
    for operation in empty:
        at = bisect_left(starts, operation.begin) - 1
        if at >= 0 and operation.end is not None and covers[at][1] > operation.end:
            message = f"the {kind} was not empty at any moment of this operation"
            raise Violation(message, [operation])


def by_key(operations: list[Operation], budget: Budget) -> None:
    """A set is one small history per key."""
    each_key(by_argument(operations, dict.fromkeys(RECORDED["set"], 0)), Set(), budget)


def map_by_key(operations: list[Operation], budget: Budget) -> None:
    """So is a map."""
    each_key(by_argument(operations, dict.fromkeys(RECORDED["map"], 0)), Map(), budget)


def _nested(
    added: Added,
    taken: Added,
    empty: list[Operation],
    budget: Budget,
) -> None:
    spans, values = [], []
    for value, addition in added.items():
        removal = taken.get(value)
        end = INFINITY if addition.end is None else addition.end
        if removal is None:
            if addition.end is not None:
                spans.append(Span(addition.begin, end, INFINITY, INFINITY))
                values.append(value)
            continue
        last = INFINITY if removal.end is None else removal.end
        spans.append(Span(addition.begin, end, removal.begin, last))
        values.append(value)
    _moment_for_each(empty, covered(spans), "stack")
    wrong = nested(spans, budget)
    if wrong is not None:
        value = values[wrong]
        shown = [added[value], *([taken[value]] if value in taken else [])]
        raise Violation(f"no nesting of pushes and pops is possible around {value!r}", shown)


def counter(operations: list[Operation], budget: Budget) -> None:
    """Judge a counter's history."""
    frontier(operations, Counter(), budget)


def snapshot(operations: list[Operation], budget: Budget) -> None:
    """Judge a snapshot's history; its size is that of the answers."""
    sizes = [len(o.result) for o in operations if isinstance(o.result, tuple)]
    frontier(operations, Snapshot(max(sizes, default=2)), budget)


MONITORS: dict[str, Callable[[list[Operation], Budget], None]] = {
    "queue": queue,
    "stack": stack,
    "set": by_key,
    "register": register,
    "counter": counter,
    "snapshot": snapshot,
    "map": map_by_key,
}
