"""The abstract objects that C as it stands is judged by: types with the room that the real one has.

The native search has its own; these show what it found, and judge the histories of code that runs.
"""

from __future__ import annotations

from typing import Any

from heapstory.linear.ir import judge, roles
from heapstory.linear.ir.harness import (
    ADD,
    CONTAINS,
    DECREMENT,
    INCREMENT,
    INSERT,
    READ,
    REMOVE,
    TAKE_BACK,
    TAKE_FRONT,
    WRITE,
)
from heapstory.linear.models.sequential import Counter, Register, Set, agrees, listed

FULL, LOST, EMPTY = "full", "nothing done", "EMPTY"
# what holds one number; a lock is judged by a counter that it protects
NUMBERS: dict[str, type[Counter] | type[Register]] = {
    roles.LOCK: Counter,
    roles.COUNTER: Counter,
    roles.REGISTER: Register,
}
_METHODS = {
    INSERT: "push", TAKE_FRONT: "steal", TAKE_BACK: "pop", ADD: "add", REMOVE: "remove",
    CONTAINS: "contains", WRITE: "write", READ: "read", INCREMENT: "increment",
    DECREMENT: "decrement",
}  # fmt: skip
_ANSWERS = {judge.EMPTY: EMPTY, judge.FULL: FULL, judge.LOST: LOST}


class Object:
    """The abstract object, with the room that the real one has."""

    def __init__(self, kind: str, capacity: int) -> None:
        self.kind, self.capacity = kind, capacity

    def initial(self) -> Any:
        if self.kind in NUMBERS:
            return 0
        return frozenset() if self.kind == roles.SET else ()

    def apply(
        self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1
    ) -> list[tuple[Any, Any]]:
        if self.kind in NUMBERS:
            return NUMBERS[self.kind]().apply(state, method, arguments)
        if method in ("enqueue", "push"):
            if 0 <= self.capacity <= len(state):
                return [(FULL, state), (LOST, state)]
            return [("done", (*state, arguments[0])), (LOST, state)]
        if method in ("dequeue", "pop", "steal"):
            if not state:
                return [(EMPTY, state), (LOST, state)]
            first = method == "steal" or self.kind == roles.QUEUE
            taken, rest = (state[0], state[1:]) if first else (state[-1], state[:-1])
            return [(taken, rest), (LOST, state)]
        return Set().apply(state, method, arguments)

    def shown(self, state: Any) -> str:
        if self.kind in NUMBERS:
            return str(state)
        return Set().shown(state) if self.kind == roles.SET else listed(state)


def most_in_order(outcome: judge.Outcome) -> list[tuple[int, str]]:
    """The most calls of a history that can be put in order, with the abstract state after each.
    A call comes behind those that are known to come before it."""
    model = Object(outcome.kind, outcome.capacity)
    calls = outcome.history
    best: list[tuple[int, str]] = []

    def extend(order: list[tuple[int, str]], placed: int, state: Any) -> None:
        nonlocal best
        if len(order) > len(best):
            best = order
        for number, call in enumerate(calls):
            missing = call.after & ~placed & sum(1 << c.slot for c in calls if c.answered)
            if placed >> call.slot & 1 or missing:
                continue
            operation = outcome.operations[call.operation]
            arguments = (call.argument,) if operation.argument else ()
            for answer, after in model.apply(state, _METHODS[operation.method], arguments):
                if not call.answered or agrees(_answer(operation.method, call), answer):
                    step = (number + 1, model.shown(after))
                    extend([*order, step], placed | 1 << call.slot, after)

    extend([], 0, model.initial())
    return best


def _answer(method: int, call: judge.Call) -> Any:
    if call.answer == judge.DONE_:
        return "done" if method == INSERT else None
    return _ANSWERS.get(call.answer, call.answer)
