"""What statements need of the function they run in, whoever runs it."""

from __future__ import annotations

from typing import Protocol

from heapstory.cfront.program import Function, Operand, Place
from heapstory.static.heap.names import GLOBAL_VARIABLE, Named, global_cell, slot
from heapstory.static.heap.state import Site, State
from heapstory.static.heap.values import CellId, Pointer, Symbol, Value
from heapstory.static.summaries.applied import Applied
from heapstory.static.summaries.summary import Summary
from heapstory.static.transfer.losses import Container
from heapstory.static.transfer.models import Models


class ProgramView(Protocol):
    """What the analysis of a function needs of the rest of the program."""

    models: Models
    recursive: frozenset[str]  # functions that call each other, this one included

    def constant_function(self, variable: str, offset: int) -> str | None: ...

    def constant_number(self, variable: str, offset: int, size: int) -> int | None: ...

    def private(self, name: str) -> bool: ...

    def targets(self, member: str, signature: str) -> list[str]: ...

    def summary(self, name: str, unit: str) -> Summary | None: ...


class Frame:
    """The function at hand: its values, new cells, the work done. A frame is told what the rules
    find; what it makes of that is its own affair."""

    def __init__(self, function: Function, program: ProgramView) -> None:
        self.function, self.program = function, program
        self.work = 0  # statements executed and rows applied
        self.cells = 0  # made so far
        self.container: Container = None  # which held the cell that is lost
        self.last: Place | None = None  # of a statement
        self._symbols: dict[str, Symbol] = {}
        self._addresses: dict[tuple[str, int], Pointer] = {}

    def new_cell(self) -> int:
        """A name for a new cell."""
        self.cells += 1
        return self.cells

    def entry_symbol(self, path: str) -> Symbol:
        """The symbol of a number that the caller's memory held at the entry."""
        known = self._symbols.get(path)
        if known is None:
            known = self._symbols[path] = Symbol(None, path)
        return known

    def parameter_symbol(self, number: int) -> Symbol:
        """The symbol of a parameter that is a number."""
        symbol = self.entry_symbol(f"P{number}")
        symbol.parameter = number
        return symbol

    def value(self, state: State, operand: Operand) -> Value:
        """The value of an operand."""
        if isinstance(operand, str):
            found = state.env.get(operand)
            if found is None:
                found = state.env[operand] = Symbol()
            return found
        if isinstance(operand, tuple):
            return self.address(operand)
        return Symbol() if operand is None else operand

    def address(self, operand: tuple[str, int]) -> Pointer:
        """The address of a global, a function or a slot."""
        known = self._addresses.get(operand)
        if known is None:
            name, offset = operand
            cell = global_cell(name) if name[0] == "@" else slot(name)
            known = self._addresses[operand] = Pointer(cell, offset)
        return known

    def table(self, value: Value) -> Pointer | None:
        """The function at an address inside a constant table."""
        known = _in_variable(value)
        name = None if known is None else self.program.constant_function(*known)
        return None if name is None else self.address((name, 0))

    def constant(self, address: Value, size: int) -> Value | None:
        """What is read at an address of a variable that keeps its initial value."""
        function = self.table(address)
        known = _in_variable(address)
        if function is not None or known is None:
            return function
        return self.program.constant_number(*known, size)

    def summary(self, name: str) -> Summary | None:
        """The summary of a function the program defines."""
        return self.program.summary(name, self.function.unit)

    def reads(self, name: str) -> bool:
        """Whether anything in the function reads a name."""
        raise NotImplementedError

    def asks(self, register: str) -> bool:
        """Whether the function compares the result of a call with null, as far as can be seen."""
        return True

    # --- what the rules find

    def lost(self, state: State, cell: CellId, kind: str, place: Place | None, label: str) -> None:
        """A leak."""
        raise NotImplementedError

    def misuse(
        self, state: State, cell: CellId, kind: str, place: Place | None, label: str
    ) -> None:
        """Another misuse of memory."""
        raise NotImplementedError

    def stored(self, state: State, cell: CellId) -> None:
        """A cell was put into another one."""

    def element_freed(self, container: Container) -> None:
        """An element of a container was freed, nobody knows which. Where the function then seems
        to skip the loop that does, that is because nobody knows how often loops run."""

    def not_looked_at(self, cell: CellId) -> None:
        """A callee overwrites the reference to a cell without having looked at it."""

    def replaced(self, cell: CellId) -> None:
        """A callee looked at the reference to a cell and put new memory in its place."""

    def called(self, summary: Summary, rows: list[Applied]) -> None:
        """Rows of a summary were applied."""

    def handed_on(self, function: str, site: Site) -> None:
        """A block was handed to a function nobody has: what becomes of it is not known."""


def _in_variable(address: Value) -> tuple[str, int] | None:
    """The global variable and the offset that an address means."""
    if not isinstance(address, Pointer) or not isinstance(address.offset, int):
        return None
    cell = address.cell
    if not isinstance(cell, Named) or cell.origin != GLOBAL_VARIABLE or cell.depth:
        return None
    return cell.text, address.offset
