"""The general monitor: the set of all possible abstract states, moved along a history.

Its size depends on how many operations overlap, not on the length of the history. Where it becomes
too large, a search for one order decides (`wgl`), which need not know them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from heapstory.linear.budget import Budget
from heapstory.linear.history.operations import Operation
from heapstory.linear.history.wgl import Call, Explanation, linearizable
from heapstory.linear.models.sequential import EMPTY, Model, agrees, listed

MOST = 2_000  # abstract states at one moment
SHOWN = 8  # operations that show a violation


class Violation(Exception):
    """The history is not linearizable; carries the operations that show it, the history of one key
    that they belong to, if it was judged apart, and the most that is in order, if it is known."""

    def __init__(self, message: str, operations: list[Operation]) -> None:
        super().__init__(message)
        self.operations = operations
        self.among: list[Operation] | None = None
        self.order: list[tuple[Operation, str]] = []


class _Explodes(Exception):
    """Too many possible states at one moment."""


def frontier(operations: list[Operation], model: Model, budget: Budget) -> None:
    """Judge a history by any model; raises `Violation` or `OutOfBudget`."""
    try:
        _follow(operations, model, budget)
    except _Explodes:
        _search(operations, model, budget)


def each_key(histories: Iterable[list[Operation]], model: Model, budget: Budget) -> None:
    """Judge the histories of single keys, one after the other."""
    for history in histories:
        try:
            frontier(history, model, budget)
        except Violation as found:
            found.among = history
            raise


def calls_of(operations: list[Operation]) -> list[Call]:
    """A recorded history for the search; the names are places in it."""
    return [
        Call(number, o.method, o.arguments, o.result, o.begin, o.end)
        for number, o in enumerate(operations)
    ]


def _search(operations: list[Operation], model: Model, budget: Budget) -> None:
    found = linearizable(calls_of(operations), model, budget)
    if found.stuck is None:
        return
    stuck = operations[found.stuck]
    assert stuck.end is not None
    beside = [o for o in operations if o is not stuck and o.begin <= stuck.end and _ends(o, stuck)]
    violation = _unexplained(stuck, beside)
    violation.order = in_order(operations, found, model)
    raise violation


def in_order(
    operations: list[Operation], found: Explanation, model: Model
) -> list[tuple[Operation, str]]:
    """The operations that an order places, with the abstract state after each."""
    states = map(model.shown, found.states)
    return [(operations[n], state) for n, state in zip(found.order, states, strict=True)]


def _ends(operation: Operation, other: Operation) -> bool:
    """Whether one was still running when another began."""
    return operation.end is None or operation.end >= other.begin


def _unexplained(operation: Operation, beside: list[Operation]) -> Violation:
    found = [*beside[:SHOWN], operation]
    return Violation("no order explains this answer, with what overlaps it", found)


def _follow(operations: list[Operation], model: Model, budget: Budget) -> None:
    """Move the set of possible (abstract state, pending ones already done) along the history."""
    events = []
    for number, operation in enumerate(operations):
        events.append((operation.begin, 0, number))
        if operation.end is not None:
            # beginnings first: touching operations count as overlapping
            events.append((operation.end, 1, number))
    events.sort()
    configs: set[tuple[Any, frozenset[tuple[int, Any]]]] = {(model.initial(), frozenset())}
    running: dict[int, Operation] = {}
    for count, (_, ends, number) in enumerate(events):
        if count % 1024 == 0:
            budget.check(f"following the history (event {count} of {len(events)})")
        if not ends:
            running[number] = operations[number]
            continue
        answer = operations[number].result
        configs = _after(configs, running, number, answer, model, budget)
        if not configs:
            raise _unexplained(operations[number], [o for n, o in running.items() if n != number])
        del running[number]


def _after(
    configs: set[Any],
    running: dict[int, Operation],
    number: int,
    answer: Any,
    model: Model,
    budget: Budget,
) -> set[Any]:
    kept: set[Any] = set()
    seen = set(configs)
    todo = list(configs)
    while todo:
        state, done = todo.pop()
        said = dict(done)
        if number in said:
            if agrees(answer, said[number]):
                kept.add((state, done - {(number, said[number])}))
            continue
        for other, operation in running.items():
            if other in said:
                continue
            for result, after in model.apply(state, operation.method, operation.arguments):
                # what is known of the answer prunes early
                if operation.end is not None and not agrees(operation.result, result):
                    continue
                config = (after, done | {(other, result)})
                if config not in seen:
                    seen.add(config)
                    todo.append(config)
        if len(seen) > MOST:
            raise _Explodes
        if len(seen) % 4096 == 0:
            budget.check("following the history")
    return kept


class PersistentStack:
    """A stack whose states share their tails, so that comparing two is one comparison."""

    def __init__(self) -> None:
        self._nodes: list[tuple[Any, int]] = [(None, 0)]
        self._index: dict[tuple[Any, int], int] = {}

    def initial(self) -> Any:
        return 0

    def apply(
        self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1
    ) -> list[tuple[Any, Any]]:
        if method == "push":
            key = (arguments[0], state)
            node = self._index.get(key)
            if node is None:
                node = self._index[key] = len(self._nodes)
                self._nodes.append(key)
            return [(None, node)]
        if state == 0:
            return [(EMPTY, 0)]
        return [self._nodes[state]]

    def shown(self, state: Any) -> str:
        values = []
        while state:
            value, state = self._nodes[state]
            values.append(value)
        return listed(reversed(values))
