"""The states that are kept at a join: those that are alike are one, and there is a most of them."""

from __future__ import annotations

from typing import Final

from heapstory.cfront import program as op
from heapstory.cfront.program import Block, Function
from heapstory.static.function.frame import FunctionFrame
from heapstory.static.function.questions import asked_again, returned_names
from heapstory.static.heap.canonical import COARSEST, FINE, Key, canonical_key, null_parameters
from heapstory.static.heap.conditions import sign_of
from heapstory.static.heap.escaping import escape
from heapstory.static.heap.joining import Effects, Join
from heapstory.static.heap.names import Named, parameter
from heapstory.static.heap.reducing import drop_dead, prune
from heapstory.static.heap.state import HEAP, State
from heapstory.static.heap.values import CellId, Pointer

MAX_STATES: Final = 16  # at one join; beyond it states are weakened
MANY_STATES: Final = 4  # at one join; beyond it the caller's cells are not told apart
VERY_MANY_STATES: Final = 8  # beyond it, nor is what was done to them
WIDEN_AFTER: Final = 3
SMALL: Final = 200  # statements of a function that can afford more states


class Point:
    """One state at a join; ``queued`` while it waits to be followed."""

    __slots__ = ("order", "queued", "state", "visits")

    def __init__(self, state: State, order: list[CellId]) -> None:
        self.state, self.order = state, order
        self.visits = 0
        self.queued = True


class Points:
    """All states at the joins of a function. ``crowded``: there were too many to keep."""

    def __init__(self, frame: FunctionFrame, coarse: int) -> None:
        self.crowded = False
        self._frame, self._function, self._coarse = frame, frame.function, coarse
        self._waiting: list[Key] = []  # names of states that must be followed, of one join
        self._points: dict[str, dict[Key, Point]] = {}
        self._grain: dict[str, int] = {}
        self._effects: dict[str, Effects] = {}
        self._asked_again = _parameters(frame.function)
        # Where the function returns: the name of the result. Callers ask for its sign.
        self._results = returned_names(frame.function)

    def take(self, label: str, key: Key) -> State | None:
        """The state of a name to follow, if it still waits."""
        point = self._points[label].get(key)
        if point is None or not point.queued:
            return None
        point.queued = False
        return point.state.copy()

    def merge(self, block: Block, state: State) -> list[Key]:
        """A state arrives at a join; the names of the states that must be followed from there."""
        self._waiting = []
        self._merge(block, state)
        return self._waiting

    def _merge(self, block: Block, state: State) -> None:
        label = block.label
        points = self._points.setdefault(label, {})
        effects = self._effects.get(label)
        if effects is None:
            effects = self._effects[label] = Effects()
        if effects.learn(state) and points:
            points = self._rebuild(label, points)
        effects.adopt(state)
        grain = self._grain_for(len(points))
        if grain > self._grain.get(label, self._coarse):
            self._grain[label] = grain
            points = self._rebuild(label, points)
        grain = self._grain.get(label, self._coarse)
        key, order = self._name(label, state, grain)
        point = points.get(key)
        if point is None and len(points) >= MAX_STATES:
            self._frame.weakened = True
            _give_up(state)
            prune(state, block.live)
            key, order = canonical_key(state, grain)
            point = points.get(key)
            if point is None and len(points) >= 2 * MAX_STATES:
                self.crowded = True
                return
        if point is None:
            points[key] = Point(state, order)
            self._waiting.append(key)
            return
        point.visits += 1
        join = Join(point.state, state, point.order, order, point.visits > WIDEN_AFTER)
        merged = join.run()
        if not join.changed and merged.trace is point.state.trace:
            return
        point.state = merged
        if not point.queued:
            point.queued = True
            self._waiting.append(key)

    def unite(self, states: list[State]) -> list[State]:
        """Join states with the same pointer structure in the middle of a block."""
        effects = Effects()
        for state in states:
            effects.learn(state)
        kept: dict[Key, tuple[State, list[CellId]]] = {}
        grain = self._grain_for(len(states))
        for state in states:
            effects.adopt(state)
            key, order = canonical_key(state, grain)
            if self._asked_again:
                key = (key, self._known_null(state))
            if key in kept:
                old, old_order = kept[key]
                kept[key] = (Join(old, state, old_order, order, False).run(), old_order)
            else:
                kept[key] = (state, order)
        found = [state for state, _ in kept.values()]
        if len(found) <= MAX_STATES:
            return found
        self._frame.weakened = True
        for state in found[MAX_STATES // 2 :]:
            _give_up(state)
        if len(states) > len(found):
            return self.unite(found)
        if len(found) > 2 * MAX_STATES:
            self.crowded = True
        return found[:MAX_STATES]

    def _grain_for(self, states: int) -> int:
        return max(self._coarse, (states > MANY_STATES) + (states > VERY_MANY_STATES))

    def _name(self, label: str, state: State, grain: int) -> tuple[Key, list[CellId]]:
        """By which a block knows its states; those of one name are joined."""
        if grain == COARSEST:
            drop_dead(state, self._function.blocks[label].live)
        key, order = canonical_key(state, grain)
        if grain == FINE and self._nulls_matter(label):
            key = (key, null_parameters(state))
        elif self._asked_again:
            key = (key, self._known_null(state))
        if grain != COARSEST and label in self._results:
            key = (key, sign_of(state, state.env.get(self._results[label])))
        return key, order

    def _known_null(self, state: State) -> Key:
        """Of the parameters that the function asks for again, those that are null, or errors."""
        nulls = [(p, state.cells[p].null) for p in self._asked_again]
        return tuple([(p, null) for p, null in nulls if null < 0])

    def _nulls_matter(self, label: str) -> bool:
        """Whether states in which other parameters are null are kept apart at a block: what a row
        of a summary assumes of them is worth keeping, and a small function often asks twice."""
        if self._function.count <= SMALL:
            return True
        return bool(self._function.blocks[label].terminator[0] == op.RETURN)

    def _rebuild(self, label: str, points: dict[Key, Point]) -> dict[Key, Point]:
        """Name the states of a join anew: more of them have become alike."""
        grain = self._grain.get(label, self._coarse)
        fresh: dict[Key, Point] = {}
        for before, point in points.items():
            self._effects[label].adopt(point.state)
            key, order = self._name(label, point.state, grain)
            old = fresh.get(key)
            kept = point
            if old is not None:
                old.state = Join(old.state, point.state, old.order, order, False).run()
                kept = old
            else:
                point.order = order
                fresh[key] = point
            if old is not None or key != before:
                kept.queued = True
                self._waiting.append(key)
        self._points[label] = fresh
        return fresh


def _parameters(function: Function) -> tuple[Named, ...]:
    """The parameters that a large function asks for again."""
    if function.count <= SMALL:
        return ()
    return tuple(parameter(number) for number in asked_again(function))


def _give_up(state: State) -> None:
    for identity, cell in list(state.cells.items()):
        if cell.kind == HEAP and not cell.escaped:
            escape(state, Pointer(identity, 0))
