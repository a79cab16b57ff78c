"""A history that is not linearizable, made for people: replayed, shrunk, and explained.

The trail found by a search is run again, step by step, by the reference interpreter; what it
shows is what happened there. That no order of the operations explains the answers is confirmed by
a search of its own (`wgl`), independent of the one that found the trail.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from heapstory.linear.history.wgl import Call, linearizable
from heapstory.linear.language.show import show_step
from heapstory.linear.language.syntax import Specification
from heapstory.linear.models.reference import Instance, Interpreter, Memory
from heapstory.linear.models.sequential import EMPTY, Model, model_of
from heapstory.linear.states.exhaustive import Action


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
    note: str = ""


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


@dataclass
class Counterexample:
    """A replayed history with its lanes; ``conflict``: the operations that cannot be ordered."""

    lanes: list[Lane]
    steps: list[Shown]
    conflict: list[int] = field(default_factory=list)
    confirmed: bool = False
    replays: bool = False

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
            )
            for lane in self.lanes
        ]


def replay(spec: Specification, trail: list[Action], reuse: bool = False) -> Counterexample | None:
    """Run a trail step by step; None if some step cannot run."""
    return _Replay(spec, reuse).run(trail)


def build(
    spec: Specification, trail: list[Action], reuse: bool = False, model: Model | None = None
) -> Counterexample | None:
    """Replay, shrink and confirm a trail."""
    model = model or model_of(spec)
    shown = replay(spec, trail, reuse)
    if shown is None:
        return None
    trail = shrink(spec, trail, reuse, model)
    found = replay(spec, trail, reuse) or shown
    found.replays = True
    found.confirmed = not linearizable(found.calls(), model).accepted
    found.conflict = _conflict(found, model)
    return found


def shrink(spec: Specification, trail: list[Action], reuse: bool, model: Model) -> list[Action]:
    """Leave out whole operations while the rest still replays and is still not linearizable."""
    changed = True
    while changed:
        changed = False
        for instance in sorted({a.instance for a in trail}, reverse=True):
            shorter = [a for a in trail if a.instance != instance]
            shown = replay(spec, shorter, reuse) if shorter else None
            if shown and not linearizable(shown.calls(), model).accepted:
                trail, changed = shorter, True
                break
    return trail


def _conflict(found: Counterexample, model: Model) -> list[int]:
    # The smallest set of finished operations that, beside the pending ones, has no order.
    kept = found.calls()
    for call in list(kept):
        rest = [c for c in kept if c is not call]
        if call.end is not None and rest and not linearizable(rest, model).accepted:
            kept = rest
    return [c.name for c in kept]


class _Replay:
    def __init__(self, spec: Specification, reuse: bool) -> None:
        self.spec = spec
        self.interpreter = Interpreter(spec, reuse)
        self.names: dict[int, str] = {}

    def run(self, trail: list[Action]) -> Counterexample | None:
        memory = self.interpreter.initial()
        instances: dict[int, Instance] = {}
        lanes: dict[int, Lane] = {}
        steps: list[Shown] = []
        for action in trail:
            if action.instance not in instances:
                operation = self.spec.operation(action.operation)
                fresh = self.interpreter.start(operation, action.instance, action.arguments)
                instances[action.instance] = fresh
                lanes[action.instance] = Lane(
                    action.instance,
                    operation.name,
                    operation.method,
                    action.arguments,
                    len(steps),
                )
            effect = self._effect(memory, instances[action.instance], action)
            if effect is None:
                return None
            lane = lanes[action.instance]
            steps.append(self._show(action, memory, effect))
            unmarked = effect.instance.done and lane.response is None
            if effect.answered or unmarked:
                lane.response, lane.answer = len(steps) - 1, effect.answer
                steps[-1].answers, steps[-1].answer = True, effect.answer
            memory, instances[action.instance] = effect.memory, effect.instance
        return Counterexample(list(lanes.values()), steps)

    def _effect(self, memory: Memory, instance: Instance, action: Action) -> Any:
        if instance.done:
            return None
        for effect in self.interpreter.step(memory, instance):
            if effect.step == action.step and effect.choice == action.choice:
                return effect
        # A trail that was shortened may name other addresses: any way to run the step will do.
        for effect in self.interpreter.step(memory, instance):
            if effect.step == action.step:
                return effect
        return None

    def _show(self, action: Action, before: Memory, effect: Any) -> Shown:
        sub = self.spec.operation(action.operation).steps[action.step]
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
