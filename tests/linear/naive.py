"""All interleavings of a specification's sub-operations, the plainest way: nothing is folded,
renamed or forgotten, and no state is visited once for two reasons. Shares the syntax tree with the
product and nothing else; knows scalar numbers only (no nodes, arrays, parameters or `ID`)."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, replace

from heapstory.linear.language.syntax import (
    Assign,
    Condition,
    Const,
    Expr,
    Global,
    Local,
    Operation,
    Read,
    Return,
    Specification,
    SubOperation,
    Sum,
)

COMPARE = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
# What one run of operations came to: the variables, and what every operation answered.
Ending = tuple[tuple[int, ...], tuple[tuple[str, tuple[int, ...]], ...]]


@dataclass(frozen=True)
class Thread:
    operation: Operation
    pc: int = 0
    values: tuple[tuple[str, int], ...] = ()
    answer: tuple[int, ...] = ()


def endings(spec: Specification, count: int) -> set[Ending]:
    """How runs of exactly so many operations can end."""
    shared = tuple((v.name, _initial(v.initial)) for v in spec.globals)
    found: set[Ending] = set()
    for threads in _teams(spec, count):
        todo = [(shared, threads)]
        seen = set(todo)
        while todo:
            memory, running = todo.pop()
            if all(t.pc == len(t.operation.steps) for t in running):
                answers = sorted((t.operation.name, t.answer) for t in running)
                found.add((tuple(v for _, v in memory), tuple(answers)))
            for after in _moves(memory, running):
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
    return found


def _initial(value: Expr | None) -> int:
    return value.value if isinstance(value, Const) else 0


def _teams(spec: Specification, count: int) -> Iterator[tuple[Thread, ...]]:
    if count == 0:
        yield ()
        return
    for team in _teams(spec, count - 1):
        for operation in spec.operations:
            yield (*team, Thread(operation))


def _moves(memory: tuple, running: tuple[Thread, ...]) -> Iterator[tuple]:  # type: ignore[type-arg]
    for index, thread in enumerate(running):
        if thread.pc < len(thread.operation.steps):
            step = thread.operation.steps[thread.pc]
            done = _run(step, dict(memory), dict(thread.values), thread)
            if done is not None:
                after, moved = done
                yield tuple(after.items()), (*running[:index], moved, *running[index + 1 :])


def _run(
    step: SubOperation, shared: dict[str, int], own: dict[str, int], thread: Thread
) -> tuple[dict[str, int], Thread] | None:
    def value(expr: Expr) -> int:
        match expr:
            case Const(number, _):
                return number
            case Global(name):
                return shared[name]
            case Local(name):
                return own[name]
            case Sum(sign, left, right):
                return value(left) + value(right) if sign == "+" else value(left) - value(right)
        raise AssertionError(expr)

    answer = thread.answer
    for check in step.guard:
        assert isinstance(check, Condition)
        if not COMPARE[check.op](value(check.left), value(check.right)):
            return None
    for statement in step.body:
        match statement:
            case Assign(Global(name), expr):
                shared[name] = value(expr)
            case Assign(Local(name), expr):
                own[name] = value(expr)
            case Return(values):
                answer = tuple(map(value, values))
            case Read(_):
                pass
            case _:
                raise AssertionError(statement)
    moved = replace(thread, pc=thread.pc + 1, values=tuple(own.items()), answer=answer)
    return shared, moved
