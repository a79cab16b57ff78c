"""The frame of the function that runs at the moment: values and losses as they are."""

from __future__ import annotations

from collections.abc import Sequence

from heapstory.cfront.constants import initial_values
from heapstory.cfront.liveness import read_names
from heapstory.cfront.program import Function, Operand, Place, Unit
from heapstory.static.heap.doubt import Doubt
from heapstory.static.heap.names import GLOBAL_VARIABLE, Named, global_cell
from heapstory.static.heap.state import GLOBAL, Cell, State
from heapstory.static.heap.values import CellId, Pointer, Symbol, Value
from heapstory.static.transfer.frame import Frame, ProgramView
from heapstory.static.transfer.losses import Loss, LossKey, loss_key
from heapstory.static.walk.state import Caller, Way


class Globals:
    """Initial values of global variables."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = {name: unit for unit in units for name in unit.initial}

    def open(self, name: str) -> Cell | None:
        """A global variable as it is when the program starts; None if nobody knows."""
        unit = self._units.get(name)
        if unit is None:
            return None

        def qualify(inner: str) -> str:
            own = f"{inner}@{unit.path}"
            return own if own in unit.internals else inner

        cell = Cell(GLOBAL, zero=True)
        values = initial_values(*unit.initial[name], unit.layout, qualify)
        cell.fields = {offset: _initial(each.operand) for offset, each in values.items()}
        return cell


def _initial(operand: Operand) -> Value:
    if isinstance(operand, tuple):
        return Pointer(global_cell(operand[0]), operand[1])
    return operand if isinstance(operand, int) else Symbol()


class WalkFrame(Frame):
    """``now`` is the way that is followed at the moment."""

    def __init__(self, main: Function, program: ProgramView, variables: Globals) -> None:
        super().__init__(main, program)
        self.now = Way(main)
        self.losses: dict[LossKey, Loss] = {}
        self._variables = variables
        self._made: dict[CellId, tuple[tuple[Caller, ...], int]] = {}
        self._read: dict[str, set[str]] = {}

    def new_cell(self) -> int:
        self.cells += 1
        self._made[self.cells] = (self.now.callers, self.now.activation)
        return self.cells

    def maker(self, cell: CellId) -> tuple[tuple[Caller, ...], int]:
        """The calls that were open when a cell was made, and the number of the innermost."""
        return self._made.get(cell, ((), -1))

    def reads(self, name: str) -> bool:
        function = self.function.name
        if function not in self._read:
            self._read[function] = read_names(self.function)
        return name in self._read[function]

    def value(self, state: State, operand: Operand) -> Value:
        if isinstance(operand, str):
            found = state.env.get(operand)
            if found is None:
                found = state.env[operand] = Symbol()
            elif isinstance(found, Symbol):
                fact = state.facts.get(found)
                if fact is not None and fact.low == fact.high:
                    return fact.low
            return found
        if isinstance(operand, tuple):
            assert isinstance(state, Way)
            name, offset = operand
            if name[0] == "%":
                return Pointer(state.slot(name), offset)
            pointer = self.address(operand)
            self.open_global(state, pointer.cell)
            return pointer
        return Symbol() if operand is None else operand

    def open_global(self, state: State, name: CellId) -> None:
        """Give a global variable its initial value."""
        if name in state.cells or not isinstance(name, Named) or name.depth:
            return
        if name.origin == GLOBAL_VARIABLE:
            cell = self._variables.open(name.text)
            if cell is not None:
                state.cells[name] = cell

    def lost(self, state: State, cell: CellId, kind: str, place: Place | None, label: str) -> None:
        """A loss belongs to the function in which the ways of the memory and of its loss part."""
        place = place or self.last
        lost = state.cells[cell]
        now = self.now
        callers, last = self.maker(cell)
        making = [*(c.activation for c in callers), last]
        losing = [*(c.activation for c in now.callers), now.activation]
        common = 0
        while (
            common + 1 < min(len(making), len(losing)) and making[common + 1] == losing[common + 1]
        ):
            common += 1
        functions = [*(c.function for c in now.callers), now.function]
        name = functions[common].place.function
        if lost.site is not None:
            chain = tuple(c.place for c in callers[common:] if c.place is not None)
            site, lost = lost.site, lost.copy()
            lost.site = site._replace(calls=chain)
        key = loss_key(kind, lost, place)
        doubts = {Doubt.FAILURE_SUPPOSED} if now.supposed else set()
        known = self.losses.get(key)
        if known is None or (known.doubts and not doubts):
            steps = state.steps()
            self.losses[key] = Loss(kind, name, place, label, lost, steps, cell, doubts=doubts)

    def misuse(
        self, state: State, cell: CellId, kind: str, place: Place | None, label: str
    ) -> None:
        """Only leaks are looked for here."""
