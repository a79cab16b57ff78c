"""Monitors and the search for an order against every permutation, with objects of their own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import combinations, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapstory.linear.budget import Budget
from heapstory.linear.history.judge import judge
from heapstory.linear.history.operations import Operation
from heapstory.linear.history.wgl import Call, linearizable
from heapstory.linear.models.sequential import MODELS
from tests.linear import LONG
from tests.support.examples import examples

EMPTY = -2
Do = Callable[[str, tuple[Any, ...]], Any]


def fifo() -> Do:
    items: deque[Any] = deque()

    def do(method: str, arguments: tuple[Any, ...]) -> Any:
        if method == "enqueue":
            return items.append(arguments[0])
        return items.popleft() if items else EMPTY

    return do


def lifo() -> Do:
    items: list[Any] = []

    def do(method: str, arguments: tuple[Any, ...]) -> Any:
        if method == "push":
            return items.append(arguments[0])
        return items.pop() if items else EMPTY

    return do


def keys() -> Do:
    held: set[Any] = set()

    def do(method: str, arguments: tuple[Any, ...]) -> Any:
        (key,) = arguments
        there = key in held
        if method == "add":
            held.add(key)
            return int(not there)
        if method == "remove":
            held.discard(key)
        return int(there)

    return do


def cell() -> Do:
    held = [0]

    def do(method: str, arguments: tuple[Any, ...]) -> Any:
        if method == "read":
            return held[0]
        if method == "write":
            held[0] = arguments[0]
            return None
        old, new = arguments
        if held[0] != old:
            return 0
        held[0] = new
        return 1

    return do


def count() -> Do:
    held = [0]

    def do(method: str, arguments: tuple[Any, ...]) -> Any:
        before = held[0]
        held[0] += {"increment": 1, "decrement": -1, "read": 0}[method]
        return before

    return do


# the object, its methods with their numbers of arguments, and answers worth trying
OBJECTS: dict[str, tuple[Callable[[], Do], dict[str, int], list[Any]]] = {
    "queue": (fifo, {"enqueue": 1, "dequeue": 0}, [EMPTY, 1, 2, 3]),
    "stack": (lifo, {"push": 1, "pop": 0}, [EMPTY, 1, 2, 3]),
    "set": (keys, {"add": 1, "remove": 1, "contains": 1}, [0, 1]),
    "register": (cell, {"write": 1, "read": 0, "cas": 2}, [0, 1, 2]),
    "counter": (count, {"increment": 0, "decrement": 0, "read": 0}, [-1, 0, 1, 2]),
}
SILENT = ("enqueue", "push", "write")


@st.composite
def histories(draw: st.DrawFn, kind: str) -> list[Operation]:
    methods, answers = OBJECTS[kind][1:]
    found = []
    for line in range(draw(st.integers(1, 5))):
        method = draw(st.sampled_from(sorted(methods)))
        arguments = tuple(draw(st.integers(1, 3)) for _ in range(methods[method]))
        begin = draw(st.integers(0, 12))
        end = draw(st.one_of(st.none(), st.integers(begin, begin + 6)))
        observed = end is not None and method not in SILENT and draw(st.integers(0, 9)) > 0
        result = draw(st.sampled_from(answers)) if observed else None
        found.append(Operation(method, arguments, result, begin, end, line + 1))
    return found


def explained(operations: list[Operation], make: Callable[[], Do]) -> bool:
    """Whether some order explains the answers: tries all, with all choices of pending ones."""
    done = [o for o in operations if o.end is not None]
    pending = [o for o in operations if o.end is None]
    return any(
        _fits(order, make)
        for size in range(len(pending) + 1)
        for taken in combinations(pending, size)
        for order in permutations([*done, *taken])
    )


def _fits(order: tuple[Operation, ...], make: Callable[[], Do]) -> bool:
    for at, operation in enumerate(order):
        if any(o.end is not None and o.end < operation.begin for o in order[at + 1 :]):
            return False
    do = make()
    for operation in order:
        answer = do(operation.method, operation.arguments)
        if operation.end is not None and operation.result not in (None, answer):
            return False
    return True


@pytest.mark.parametrize("kind", OBJECTS)
@examples(100)
@given(data=st.data())
def test_every_permutation_says_the_same(kind: str, data: st.DataObject) -> None:
    operations = data.draw(histories(kind))
    right = explained(operations, OBJECTS[kind][0])
    calls = [
        Call(n, o.method, o.arguments, o.result, o.begin, o.end) for n, o in enumerate(operations)
    ]
    assert linearizable(calls, MODELS[kind]()).accepted == right
    verdict = judge(operations, kind, Budget(LONG)).verdict
    assert verdict == ("bounded-ok" if right else "not-linearizable")
