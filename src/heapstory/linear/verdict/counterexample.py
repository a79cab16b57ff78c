"""A history that is not linearizable, made for people: replayed, shrunk, and explained.

The trail found by a search is run again, step by step, by the reference interpreter; what it
shows is what happened there. That no order of the operations explains the answers is confirmed by
a search of its own (`wgl`), independent of the one that found the trail.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from heapstory.linear.history.wgl import Call, linearizable
from heapstory.linear.language.show import show_step
from heapstory.linear.language.syntax import Specification
from heapstory.linear.models.reference import Effect, Instance, Interpreter, Memory
from heapstory.linear.models.sequential import EMPTY, Model, model_of
from heapstory.linear.states.exhaustive import Action

MOST_WAYS = 500  # to run one trail


@dataclass
class Shown:
    """One step of the replay: who, what, and each shared cell it changed (before, after)."""

    instance: int
    label: str
    text: str
    line: int
    changes: list[tuple[str, str, str]]
    answer: Any = None
    answers: bool = False
    marked: bool = False  # the answer stands in the step


@dataclass
class Lane:
    """One operation instance and the span of its steps."""

    instance: int
    operation: str
    method: str
    arguments: tuple[int, ...]
    first: int = 0
    response: int | None = None
    answer: Any = None
    name: int = 1  # its ``ID``


@dataclass
class Counterexample:
    """A replayed history with its lanes; ``conflict``: the operations that cannot be ordered;
    ``order``: the most of them that can be, with the abstract state after each."""

    lanes: list[Lane]
    steps: list[Shown]
    conflict: list[int] = field(default_factory=list)
    order: list[tuple[int, str]] = field(default_factory=list)
    confirmed: bool = False
    replays: bool = False

    def answers(self) -> list[Any]:
        """What was answered, in order, by those that say when."""
        return [s.answer for s in self.steps if s.answers and s.marked]

    def calls(self) -> list[Call]:
        """The history as calls with the moments of invocation and response."""
        return [
            Call(
                lane.instance,
                lane.method,
                lane.arguments,
                lane.answer,
                lane.first,
                lane.response,
                lane.name,
            )
            for lane in self.lanes
        ]


def replay(spec: Specification, trail: list[Action], reuse: bool = False) -> Counterexample | None:
    """Run a trail step by step, with the answers it says; None if some step cannot run so."""
    for found in islice(_Replay(spec, reuse).runs(trail), MOST_WAYS):
        if found.answers() == [a.answer for a in trail if a.answered]:
            return found
    return None


def build(spec: Specification, trail: list[Action], reuse: bool = False) -> Counterexample | None:
    """Replay, shrink and confirm a trail."""
    model = model_of(spec)
    found = replay(spec, trail, reuse)
    if found is None:
        return None
    found = shrink(spec, found, trail, reuse, model)
    found.replays = True
    most = linearizable(found.calls(), model)
    found.confirmed = not most.accepted
    found.order = list(zip(most.order, map(model.shown, most.states), strict=True))
    found.conflict = _conflict(found, model)
    return found


def shrink(
    spec: Specification, found: Counterexample, trail: list[Action], reuse: bool, model: Model
) -> Counterexample:
    """Leave out whole operations while the rest still replays and is still not linearizable."""
    changed = True
    while changed:
        changed = False
        for instance in sorted({a.instance for a in trail}, reverse=True):
            shorter = [a for a in trail if a.instance != instance]
            for shown in islice(_Replay(spec, reuse).runs(shorter), MOST_WAYS):
                if not linearizable(shown.calls(), model).accepted:
                    trail, found, changed = shorter, shown, True
                    break
            if changed:
                break
    return found


def _conflict(found: Counterexample, model: Model) -> list[int]:
    """The finished operations that cannot be put in order, however the others went: an operation
    does not belong to them if it may as well still run."""
    calls = found.calls()
    for number, call in enumerate(calls):
        if call.end is None:
            continue
        looser = [*calls]
        looser[number] = replace(call, answer=None, end=None)
        if not linearizable(looser, model).accepted:
            calls = looser
    return [c.name for c in calls if c.end is not None]


@dataclass(frozen=True)
class _Moment:
    """How far a replay has come."""

    memory: Memory
    instances: dict[int, Instance]
    lanes: dict[int, Lane]
    steps: tuple[Shown, ...]


class _Replay:
    def __init__(self, spec: Specification, reuse: bool) -> None:
        self.spec = spec
        self.interpreter = Interpreter(spec, reuse)
        self.names: dict[int, str] = {}

    def runs(self, trail: list[Action]) -> Iterator[Counterexample]:
        """Every way to run the trail: a step may have to choose, and a trail does not say what."""
        yield from self._from(trail, _Moment(self.interpreter.initial(), {}, {}, ()))

    def _from(self, trail: list[Action], moment: _Moment) -> Iterator[Counterexample]:
        if not trail:
            yield Counterexample(list(moment.lanes.values()), list(moment.steps))
            return
        action = trail[0]
        instance = moment.instances.get(action.instance)
        if instance is None:
            operation = self.spec.operation(action.operation)
            instance = self.interpreter.start(
                operation, action.instance, action.arguments, action.name
            )
        if instance.done:
            return
        for effect in self.interpreter.step(moment.memory, instance):
            if effect.step == action.step:
                yield from self._from(trail[1:], self._after(moment, action, effect))

    def _after(self, moment: _Moment, action: Action, effect: Effect) -> _Moment:
        number = len(moment.steps)
        lane = moment.lanes.get(action.instance)
        if lane is None:
            method = self.spec.operation(action.operation).method
            lane = Lane(action.instance, action.operation, method, action.arguments, number)
            lane.name = action.name
        step = self._show(action, moment.memory, effect)
        if effect.answered or (effect.instance.done and lane.response is None):
            lane = replace(lane, response=number, answer=effect.answer)
            step.answers, step.answer, step.marked = True, effect.answer, effect.answered
        instances = {**moment.instances, action.instance: effect.instance}
        lanes = {**moment.lanes, action.instance: lane}
        return _Moment(effect.memory, instances, lanes, (*moment.steps, step))

    def _show(self, action: Action, before: Memory, effect: Effect) -> Shown:
        steps = self.spec.operation(action.operation).steps
        if action.step == len(steps):
            last = steps[-1]
            text = f"leaves the loop '{last.label}'"
            return Shown(action.instance, last.label, text, last.position.line, [])
        sub = steps[action.step]
        cells = sorted(set(before.cells) | set(effect.memory.cells), key=str)
        changes = []
        for cell in cells:
            old, new = before.cells.get(cell, 0), effect.memory.cells.get(cell, 0)
            if old != new:
                changes.append(
                    (
                        self._cell(cell, effect.memory),
                        self._value(cell, old),
                        self._value(cell, new),
                    )
                )
        return Shown(action.instance, sub.label, show_step(sub), sub.position.line, changes)

    def _cell(self, cell: tuple[Any, ...], memory: Memory) -> str:
        if len(cell) == 1:
            return str(cell[0])
        if isinstance(cell[0], int):
            return f"{self._node(cell[0])}.{cell[1]}"
        return f"{cell[0]}[{cell[1]}]"

    def _node(self, address: int) -> str:
        static = {v.name: i + 1 for i, v in enumerate(self.spec.static)}
        for name, number in static.items():
            if number == address:
                return name
        return f"n{address}"

    def _value(self, cell: tuple[Any, ...], value: int) -> str:
        if self._pointer(cell):
            return "NULL" if value == 0 else self._node(value)
        return show_value(value)

    def _pointer(self, cell: tuple[Any, ...]) -> bool:
        if isinstance(cell[0], int):
            types = {
                f.type for fields in self.spec.structs.values() for f in fields if f.name == cell[1]
            }
            return bool(types & set(self.spec.structs))
        return any(v.name == cell[0] and v.type in self.spec.structs for v in self.spec.globals)


def show_value(value: Any) -> str:
    """A value or answer as text."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show_value, value)) + ")"
    return {EMPTY: "EMPTY", -1_000_000: "MIN", 1_000_000: "MAX"}.get(value, str(value))
