"""Monitors for recorded histories: near-linear for the usual types, general search otherwise.

Queue with distinct values: the aspects of a queue (no value from nowhere or twice, order, empty).
Set: each key is a history of its own. The rest: the set of all possible abstract states, moved
along the history; its size depends on how many operations overlap, not on the length.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from heapstory.linear.explore import Budget, OutOfBudget
from heapstory.linear.history import Operation
from heapstory.linear.models import EMPTY, Counter, Model, Queue, Register, Set, Snapshot, agrees
from heapstory.linear.stackmonitor import Span, covered, nested

INFINITY = float("inf")
MOST = 50_000  # abstract states at one moment


class Violation(Exception):
    """The history is not linearizable; carries the operations that show it."""

    def __init__(self, message: str, operations: list[Operation]) -> None:
        super().__init__(message)
        self.operations = operations


def queue(operations: list[Operation], budget: Budget) -> None:
    """Judge a queue's history; raises `Violation` or `OutOfBudget`."""
    budget.check("reading the history")
    added: dict[Any, Operation] = {}
    taken: dict[Any, Operation] = {}
    empty: list[Operation] = []
    pending: list[Operation] = []
    if not _additions(operations, "enqueue", added):  # equal values: the aspects do not apply
        return frontier(operations, Queue(), budget)
    for operation in operations:
        if operation.method == "enqueue":
            continue
        if operation.end is None or operation.result is None:
            pending.append(operation)
        elif operation.result == EMPTY:
            empty.append(operation)
        elif operation.result in taken:
            both = [taken[operation.result], operation]
            raise Violation(f"{operation.result!r} was dequeued twice", both)
        else:
            taken[operation.result] = operation
    try:
        _matched(added, taken)
        if pending:
            _guess_pending(added, taken, pending)
        _in_order(added, taken, budget)
        _truly_empty(added, taken, empty)
    except Violation:
        if not pending:
            raise
        # A dequeue that never answered may have taken something: only a search can tell.
        frontier(operations, Queue(), budget)
    return None


def _additions(operations: list[Operation], method: str, added: dict[Any, Operation]) -> bool:
    """Collect the operations that add a value; False if a value is added twice."""
    for operation in operations:
        if operation.method == method:
            if operation.arguments[0] in added:
                return False
            added[operation.arguments[0]] = operation
    return True


def _guess_pending(
    added: dict[Any, Operation], taken: dict[Any, Operation], pending: list[Operation]
) -> None:
    """Values that were overtaken and never came out must be in the hands of pending dequeues.

    The tightest first, each with the earliest dequeue; an earlier one is never worse.
    """
    removals = sorted(
        ((added[v].begin, o.end) for v, o in taken.items() if o.end is not None), reverse=True
    )
    waiting = sorted(
        ((o.end, v) for v, o in added.items() if v not in taken and o.end is not None),
        key=lambda pair: pair[0],
        reverse=True,
    )
    forced = []
    limit, position = INFINITY, 0
    for end, value in waiting:
        while position < len(removals) and removals[position][0] > end:
            limit = min(limit, removals[position][1])
            position += 1
        if limit < INFINITY:
            forced.append((limit, value))
    forced.sort(key=lambda pair: pair[0])
    hands = sorted((o for o in pending if o.end is None), key=lambda o: o.begin)
    for (_, value), operation in zip(forced, hands, strict=False):
        taken[value] = operation


def _matched(added: dict[Any, Operation], taken: dict[Any, Operation]) -> None:
    for value, removal in taken.items():
        addition = added.get(value)
        if addition is None:
            raise Violation(f"{value!r} was dequeued and never enqueued", [removal])
        if removal.end is not None and removal.end < addition.begin:
            raise Violation(f"{value!r} was dequeued before it was enqueued", [removal, addition])


def _in_order(added: dict[Any, Operation], taken: dict[Any, Operation], budget: Budget) -> None:
    """No value may overtake one that was in the queue before it came."""
    ends = sorted((o.end, v) for v, o in added.items() if o.end is not None)
    latest, which = -INFINITY, None
    position = 0
    budget.check("checking the order")
    for value, addition in sorted(added.items(), key=lambda item: item[1].begin):
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


def _truly_empty(
    added: dict[Any, Operation], taken: dict[Any, Operation], empty: list[Operation]
) -> None:
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
    keys: dict[Any, list[Operation]] = {}
    for operation in operations:
        keys.setdefault(operation.arguments[0], []).append(operation)
    for history in keys.values():
        frontier(history, Set(), budget)


def frontier(operations: list[Operation], model: Model, budget: Budget) -> None:
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
            others = [o for n, o in running.items() if n != number][:8]
            found = [*others, operations[number]]
            raise Violation("no order explains this answer, with what overlaps it", found)
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
            raise OutOfBudget(f"more than {MOST} possible states at one moment")
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

    def apply(self, state: Any, method: str, arguments: tuple[Any, ...]) -> list[tuple[Any, Any]]:
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


def stack(operations: list[Operation], budget: Budget) -> None:
    """Judge a stack's history; raises `Violation` or `OutOfBudget`."""
    added: dict[Any, Operation] = {}
    taken: dict[Any, Operation] = {}
    empty: list[Operation] = []
    pending = False
    if not _additions(operations, "push", added):  # equal values: spans are not known
        return frontier(operations, PersistentStack(), budget)
    for operation in operations:
        if operation.method == "push":
            continue
        if operation.end is None or operation.result is None:
            pending = True
        elif operation.result == EMPTY:
            empty.append(operation)
        elif operation.result in taken:
            both = [taken[operation.result], operation]
            raise Violation(f"{operation.result!r} was popped twice", both)
        else:
            taken[operation.result] = operation
    try:
        _matched(added, taken)
        _nested(added, taken, empty, budget)
    except Violation:
        if not pending:
            raise
        frontier(operations, PersistentStack(), budget)
    return None


def _nested(
    added: dict[Any, Operation],
    taken: dict[Any, Operation],
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


def register(operations: list[Operation], budget: Budget) -> None:
    """Judge a register's history."""
    frontier(operations, Register(), budget)


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
}
