"""Assumption 1, checked: operations that run one after the other answer as the model does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heapstory.linear.budget import Budget
from heapstory.linear.models.sequential import Model, agrees
from heapstory.linear.states.layout import State
from heapstory.linear.states.machine import FRESH, Machine


@dataclass(frozen=True)
class Call:
    """One operation of a sequential run."""

    operation: str
    arguments: tuple[int, ...]
    answer: Any


def sequential_violation(
    machine: Machine, model: Model, limit: int, budget: Budget
) -> list[Call] | None:
    """A shortest sequential run of at most ``limit`` operations that the model does not allow."""
    layer: list[tuple[State, frozenset[Any], list[Call]]] = [
        (machine.initial(), frozenset({model.initial()}), [])
    ]
    seen: set[Any] = set()
    for depth in range(limit):
        following = []
        for state, abstract, calls in layer:
            budget.check("checking sequential runs")
            for number, arguments, answer, after in _operations(
                machine, state, (depth + 1) * FRESH
            ):
                path = machine.program.paths[number]
                shown = tuple(_short(a) for a in arguments)
                call = Call(path.name, shown, _answer(answer))
                method = path.operation.method
                allowed = frozenset(
                    later
                    for now in abstract
                    for said, later in model.apply(now, method, shown)
                    if agrees(call.answer, said)
                )
                if not allowed:
                    return [*calls, call]
                key = (machine.signature(after, len(machine.layout.static) + 1), allowed)
                if key not in seen:
                    seen.add(key)
                    following.append((after, allowed, [*calls, call]))
        layer = following
    return None


def _operations(machine: Machine, state: State, base: int) -> list[Any]:
    """Every operation that can run alone from start to end: path, arguments, answer, state."""
    found = []
    for number, path in enumerate(machine.program.paths):
        for move in machine.start(state, number, base):
            found += _finish(machine, number, len(path.steps), move[3], move[5], move[4])
    return found


def _finish(
    machine: Machine, number: int, length: int, state: State, arguments: Any, answer: Any
) -> list[Any]:
    instance = state[3][-1]
    if instance is None:
        return [(number, arguments, answer, (*state[:3], (), state[4]))]
    found = []
    for move in machine.run(state, len(state[3]) - 1):
        said = answer if answer is not None else move[4]
        found += _finish(machine, number, length, move[3], arguments, said)
    return found


def _short(value: int) -> int:
    # An opaque argument k*FRESH+1+i of the k-th operation is shown as 10k+i.
    turn, offset = divmod(value, FRESH)
    return 10 * turn + offset - 1 if turn else value


def _answer(answer: Any) -> Any:
    if answer is None or answer == ():
        return None
    values = tuple(_short(v) if v > 0 else v for v in answer)
    return values[0] if len(values) == 1 else values
