"""Sequential models: what each method may answer, and the abstract state after it.

A model has ``initial()`` and ``apply(state, method, arguments)``, which gives every possible
(answer, next state). An answer of None was not observed and agrees with anything.
"""

from __future__ import annotations

from typing import Any, Protocol

from heapstory.linear.language.methods import SKIP
from heapstory.linear.language.syntax import Specification
from heapstory.linear.models.reference import SpecificationModel

EMPTY = -2
Responses = list[tuple[Any, Any]]


class Model(Protocol):
    """A deterministic or non-deterministic sequential object with hashable states."""

    def initial(self) -> Any:
        """The state of a new object."""

    def apply(self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1) -> Responses:
        """All (answer, next state) of calling a method; ``who`` is the caller's ``ID``."""

    def shown(self, state: Any) -> str:
        """A state as text."""


def listed(state: Any) -> str:
    """The elements of a state, in their order."""
    return f"[{', '.join(map(str, state))}]"


class Queue:
    """First in, first out."""

    def initial(self) -> Any:
        return ()

    def apply(self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1) -> Responses:
        if method == "enqueue":
            return [(None, (*state, arguments[0]))]
        return [(state[0], state[1:])] if state else [(EMPTY, state)]

    def shown(self, state: Any) -> str:
        return listed(state)


class Stack:
    """Last in, first out."""

    def initial(self) -> Any:
        return ()

    def apply(self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1) -> Responses:
        if method == "push":
            return [(None, (*state, arguments[0]))]
        return [(state[-1], state[:-1])] if state else [(EMPTY, state)]

    def shown(self, state: Any) -> str:
        return listed(state)


class Set:
    """A set of keys; every method answers whether it found or changed something."""

    def initial(self) -> Any:
        return frozenset()

    def apply(self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1) -> Responses:
        key = arguments[0]
        if method == "contains":
            return [(int(key in state), state)]
        if method == "add":
            return [(int(key not in state), state | {key})]
        return [(int(key in state), state - {key})]

    def shown(self, state: Any) -> str:
        return f"{{{', '.join(sorted(map(str, state)))}}}"


class Register:
    """One cell."""

    def initial(self) -> Any:
        return 0

    def apply(self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1) -> Responses:
        if method == "read":
            return [(state, state)]
        if method == "write":
            return [(None, arguments[0])]
        old, new = arguments
        return [(1, new)] if state == old else [(0, state)]

    def shown(self, state: Any) -> str:
        return str(state)


class Snapshot:
    """Cells 1 … size, written one by one and read together."""

    def __init__(self, size: int = 2) -> None:
        self.size = size

    def initial(self) -> Any:
        return (0,) * self.size

    def apply(self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1) -> Responses:
        if method == "scan":
            return [(state, state)]
        if method != "update":  # update1(v), update2(v): the index is in the name
            arguments = (int(method.removeprefix("update")), *arguments)
        index, value = arguments
        if not 1 <= index <= self.size:
            return []
        return [(None, (*state[: index - 1], value, *state[index:]))]

    def shown(self, state: Any) -> str:
        return f"({', '.join(map(str, state))})"


class Counter:
    """Increment and decrement answer the value before."""

    def initial(self) -> Any:
        return 0

    def apply(self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1) -> Responses:
        change = {"increment": 1, "decrement": -1}.get(method, 0)
        return [(state, state + change)]

    def shown(self, state: Any) -> str:
        return str(state)


class Map:
    """Keys and what each holds. Texts grow by what is appended; anything else makes a list of it.

    A key that holds nothing answers EMPTY, an empty text or an empty list.
    """

    def initial(self) -> Any:
        return frozenset()

    def apply(self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1) -> Responses:
        held = next((item for item in state if item[0] == arguments[0]), None)
        if method == "get":
            return [(held[1], state)] if held else [(EMPTY, state), ("", state), ((), state)]
        rest = state - {held}
        if method == "remove":
            return [(None, rest)]
        key, value = arguments
        if method == "append":
            value = appended(held[1], value) if held else value if type(value) is str else (value,)
        return [(None, rest | {(key, value)})]

    def shown(self, state: Any) -> str:
        held = (f"{k}: {listed(v) if type(v) is tuple else v}" for k, v in state)
        return f"{{{', '.join(sorted(held))}}}"


def appended(held: Any, value: Any) -> Any:
    """What a key holds when something was appended to what it held."""
    if type(held) is tuple:
        return (*held, value)
    return f"{held}{value}" if type(value) is str else (held, value)


MODELS: dict[str, type[Any]] = {
    "queue": Queue,
    "stack": Stack,
    "set": Set,
    "register": Register,
    "snapshot": Snapshot,
    "counter": Counter,
    "map": Map,
}


def agrees(observed: Any, expected: Any) -> bool:
    """Whether an observed answer is the expected one; None was not observed."""
    return observed is None or expected is None or observed == expected


class WithHelp:
    """A model in which operations that only help do nothing."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def initial(self) -> Any:
        return self.model.initial()

    def apply(self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1) -> Responses:
        if method == SKIP:
            return [(None, state)]
        return self.model.apply(state, method, arguments, who)

    def shown(self, state: Any) -> str:
        return self.model.shown(state)


def model_of(spec: Specification) -> Model:
    """The model a specification names, writes itself, or is (its own operations, run alone)."""
    if spec.model is not None:
        return SpecificationModel(spec.model)
    if spec.implements is None:
        return SpecificationModel(spec)
    model: Model = MODELS[spec.implements]()
    helped = any(o.method == SKIP for o in spec.operations)
    return WithHelp(model) if helped else model
