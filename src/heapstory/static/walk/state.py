"""One way through the program: a heap state, the calls that are open, and what comes next."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from heapstory.cfront.program import Function, Place
from heapstory.static.heap.names import Named, slot
from heapstory.static.heap.state import STACK, Cell, State
from heapstory.static.heap.values import CellId, Pointer, Value

FURTHER = "%further"  # the slot of the further arguments of a variadic function


class Caller(NamedTuple):
    """A function that waits for a call to return."""

    function: Function
    label: str
    at: int  # of the statement that calls
    register: str | None
    activation: int
    place: Place | None  # of the call
    finish: Finish | None  # what else is to be done with the result


class Jump(NamedTuple):
    """Where a ``longjmp`` lands."""

    depth: int
    activation: int
    label: str
    at: int
    register: str | None


class Way(State):
    """A state with its position. The variables of waiting functions are the members of a cell each,
    so that they hold on to memory as any other cell does."""

    __slots__ = (
        "activation", "callers", "cost", "function", "handlers", "index", "jumps", "label",
        "names", "results", "supposed",
    )  # fmt: skip

    def __init__(self, function: Function) -> None:
        super().__init__()
        self.function = function
        self.label = function.entry
        self.index = 0
        self.activation = 0
        self.callers: tuple[Caller, ...] = ()
        self.jumps: dict[Value, Jump] = {}
        self.handlers: tuple[str, ...] = ()  # given to atexit
        self.results: dict[int, Value] = {}  # of threads
        # Of waiting functions, the variables whose values their cell holds, in that order.
        self.names: dict[int, tuple[str, ...]] = {}
        self.cost = 0  # decisions that nobody could know
        # An allocation failed, and not where somebody asks whether it did.
        self.supposed = False

    def copy(self) -> Way:
        """A copy that may be changed; cells are shared."""
        twin = Way(self.function)
        twin.env = self.env.copy()
        twin.cells = self.cells.copy()
        twin.facts = self.facts.copy()
        twin.trace = self.trace
        twin.label, twin.index = self.label, self.index
        twin.activation, twin.callers = self.activation, self.callers
        twin.jumps, twin.handlers, twin.results = self.jumps, self.handlers, self.results
        twin.cost, twin.supposed, twin.names = self.cost, self.supposed, self.names
        return twin

    def slot(self, name: str) -> Named:
        """The cell of a slot of the running function."""
        return slot(f"{name}#{self.activation}")

    def open_slots(self) -> None:
        """Make the slots of the running function."""
        for name in self.function.stack:
            self.cells[self.slot(name)] = Cell(STACK)

    def close(self) -> bool:
        """Take the slots of the running function away, which ends; whether they or its variables
        held memory that might be lost with them."""
        held: list[CellId] = [v.cell for v in self.env.values() if isinstance(v, Pointer)]
        copies = (f"%copy{number}" for number in self.function.copies)
        for name in (*self.function.stack, FURTHER, *copies):
            cell = self.cells.pop(self.slot(name), None)
            if cell is not None:
                held.extend(cell.leads)
        return any(cell in self.cells and self.cells[cell].tracked for cell in held)

    def wait(self) -> None:
        """Put the variables of the running function aside."""
        waiting = Cell(STACK)
        waiting.fields = dict(enumerate(self.env.values()))
        self.names = {**self.names, self.activation: tuple(self.env)}
        self.cells[_saved(self.activation)] = waiting

    def call(self, caller: Caller, function: Function, activation: int) -> None:
        """Enter a function; its arguments are still to be bound."""
        self.wait()
        self.callers = (*self.callers, caller)
        self.env = {}
        self.function, self.label, self.index = function, function.entry, 0
        self.activation = activation
        self.open_slots()

    def resume(self) -> Caller:
        """Go back to the statement that called; its variables are the current ones again."""
        caller = self.callers[-1]
        self.callers = self.callers[:-1]
        names = self.names[caller.activation]
        waiting = self.cells.pop(_saved(caller.activation))
        self.env = dict(zip(names, waiting.fields.values(), strict=True))
        self.function, self.label, self.index = caller.function, caller.label, caller.at
        self.activation = caller.activation
        return caller


def _saved(activation: int) -> Named:
    return slot(f"%variables#{activation}")


Finish = Callable[[Way, Value], Value]
