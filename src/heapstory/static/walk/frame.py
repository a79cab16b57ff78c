"""What the rules ask of a walk: values, cells, and where a loss belongs."""

from __future__ import annotations

from collections.abc import Sequence

from heapstory.cfront.constants import initial_values
from heapstory.cfront.program import Function, Operand, Place, Unit
from heapstory.static.interpreter import FunctionAnalysis, Loss, ProgramView
from heapstory.static.state import GLOBAL, Cell, State
from heapstory.static.summary import Summary
from heapstory.static.values import CellId, Symbol, Value
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
        cell.fields = {o: Symbol() if v is None else v for o, v in values.items()}
        return cell


class WalkFrame(FunctionAnalysis):
    """A function analysis whose function is the one that runs at the moment."""

    def __init__(self, main: Function, program: ProgramView, variables: Globals) -> None:
        super().__init__(main, program)
        self._variables = variables
        self._now = Way(main)
        self._made: dict[CellId, tuple[tuple[Caller, ...], int]] = {}

    def new_cell(self) -> int:
        self._cells += 1
        self._made[self._cells] = (self._now.callers, self._now.activation)
        return self._cells

    def stored(self, cell: CellId) -> None:
        """How often loops run is known here."""

    def element_freed(self, container: object) -> None:
        """As above."""

    def summary(self, name: str) -> Summary | None:
        """Calls are entered instead."""
        return None

    def value(self, state: State, operand: Operand) -> Value:
        if type(operand) is str:
            found = state.env.get(operand)
            if found is None:
                found = state.env[operand] = Symbol()
            elif type(found) is Symbol:
                fact = state.facts.get(found)
                if fact is not None and fact.low == fact.high:
                    return fact.low
            return found
        if type(operand) is tuple:
            assert isinstance(state, Way)
            if operand[0][0] == "%":
                return state.slot(operand[0]), operand[1]
            self.open_global(state, operand[0])
            return operand
        return Symbol() if operand is None else operand

    def open_global(self, state: State, name: CellId) -> None:
        """Give a global variable its initial value."""
        if name not in state.cells and type(name) is str and name[0] == "@":
            cell = self._variables.open(name)
            if cell is not None:
                state.cells[name] = cell

    def _record(
        self,
        found: dict[tuple[object, ...], Loss],
        state: State,
        cell: CellId,
        kind: str,
        place: Place | None,
        label: str,
    ) -> None:
        """A loss belongs to the function in which the ways of the memory and of its loss part."""
        lost = state.cells[cell]
        now = self._now
        callers, last = self._made.get(cell, ((), -1))
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
        key = (kind, lost.site, place and place[:2])
        guessed = now.supposed
        if key not in found or (found[key].guessed and not guessed):
            found[key] = Loss(
                kind, name, place, label, lost, state.steps(), None,
                weakened=False, guessed=guessed, identity=cell,
            )  # fmt: skip
