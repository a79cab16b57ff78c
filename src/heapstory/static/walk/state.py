"""One way through the program: a heap state, the calls that are open, and what comes next."""

from __future__ import annotations

from typing import Any, NamedTuple

from heapstory.cfront.program import Function, Place
from heapstory.static.state import STACK, Cell, State
from heapstory.static.values import CellId, Value

FURTHER = "%further"  # the slot of the further arguments of a variadic function


class Caller(NamedTuple):
    """A function that waits for a call to return."""

    function: Function
    label: str
    at: int  # of the statement that calls
    register: str | None
    activation: int
    place: Place | None  # of the call
    finish: Any  # what else is to be done with the result: a function of state and value


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
        "results", "supposed",
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
        twin.cost, twin.supposed = self.cost, self.supposed
        return twin

    def slot(self, name: str) -> str:
        """The cell of a slot of the running function."""
        return f"{name}#{self.activation}"

    def open_slots(self) -> None:
        """Make the slots of the running function."""
        for name in self.function.stack:
            self.cells[self.slot(name)] = Cell(STACK)

    def close(self) -> bool:
        """Take the slots of the running function away, which ends; whether they or its variables
        held memory that might be lost with them."""
        held: list[CellId] = [v[0] for v in self.env.values() if type(v) is tuple]
        copies = (f"%copy{number}" for number in self.function.copies)
        for name in (*self.function.stack, FURTHER, *copies):
            cell = self.cells.pop(self.slot(name), None)
            if cell is not None:
                held.extend(cell.leads)
        return any(cell in self.cells and self.cells[cell].tracked for cell in held)

    def wait(self) -> None:
        """Put the variables of the running function aside."""
        waiting = Cell(STACK)
        waiting.fields = self.env
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
        self.env = dict(self.cells.pop(_saved(caller.activation)).fields)
        self.function, self.label, self.index = caller.function, caller.label, caller.at
        self.activation = caller.activation
        return caller


def _saved(activation: int) -> str:
    return f"%variables#{activation}"
