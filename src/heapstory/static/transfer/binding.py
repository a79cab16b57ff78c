"""The precondition of a row: the caller's cells and numbers that it means, and what it asks of
them."""

from __future__ import annotations

from heapstory.cfront.program import Place
from heapstory.static.heap.conditions import (
    PAGE,
    arithmetic,
    assume,
    assume_error,
    assume_fact,
    become_null,
    is_error,
    is_null,
)
from heapstory.static.heap.names import EXTRA, GLOBAL_VARIABLE, PARAMETER, Named
from heapstory.static.heap.state import ERROR, HEAP, NULL, PRE, Cell, State
from heapstory.static.heap.values import (
    ANYWHERE,
    CellId,
    Comparison,
    Offset,
    Pointer,
    Symbol,
    Value,
)
from heapstory.static.summaries.summary import Row
from heapstory.static.transfer import rules
from heapstory.static.transfer.frame import Frame


class Binding:
    """One row and one call: ``bound`` and ``symbols`` say what the caller has for the callee's
    cells and numbers."""

    def __init__(
        self, frame: Frame, state: State, row: Row, arguments: list[Value], place: Place | None
    ) -> None:
        self.frame, self.state, self.row = frame, state, row
        self.arguments, self.place = arguments, place
        self.bound: dict[CellId, Value] = {}
        self.symbols: dict[Symbol, Value] = {}
        self.asked: list[Symbol] = []
        self.unasked = False

    def bind(self) -> bool:
        """Find the caller's cells for the callee's, and check what the row assumes."""
        for number, symbol in self.row.numbers.items():
            if number < len(self.arguments):
                self.symbols[symbol] = self.arguments[number]
                fact = self.row.facts.get(symbol)
                if fact and not assume_fact(self.state, self.arguments[number], fact):
                    return False
        pending: list[tuple[Named, Value]] = []
        for identity in self.row.cells:
            if isinstance(identity, Named) and identity.depth == 0 and identity is not EXTRA:
                value = self._passed(identity)
                if value is not None:
                    pending.append((identity, value))
        while pending:
            name, value = pending.pop()
            if not self._bind_cell(name, value, pending):
                return False
        return self._allows_computed() and all(
            self._found_again(identity, cell)
            for identity, cell in self.row.cells.items()
            if cell.same
        )

    def _allows_computed(self) -> bool:
        """Check what the row assumes of numbers computed from the caller's: ``flags & 4``."""
        return all(
            assume_fact(self.state, self.computed(symbol), fact)
            for symbol, fact in self.row.facts.items()
            if symbol.source is not symbol and symbol.source in self.symbols
        )

    def computed(self, symbol: Symbol) -> Value:
        if symbol.key is None or symbol in self.symbols:
            return self.symbols[symbol]
        operator, operand = symbol.key
        assert isinstance(operand, int)
        return arithmetic(operator, self.computed(symbol.parents[0]), operand)

    def _passed(self, top: Named) -> Value | None:
        """What the caller means by a global or a parameter."""
        if top.origin == GLOBAL_VARIABLE:
            return Pointer(top, 0)
        known = 0 <= top.number < len(self.arguments)
        return self.arguments[top.number] if known else None

    def _found_again(self, identity: CellId, cell: Cell) -> bool:
        """Whether what the callee found in two places can be in both of them."""
        value = self.current(self.bound.get(identity))
        if not isinstance(value, Pointer):
            return True
        held = self.state.cells.get(value.cell)
        if held is None or not held.tracked:
            return True
        meant = [self.meant(root) for root in cell.same]
        return value.cell in self.state.reachable([each for each in meant if each is not None])

    def meant(self, root: CellId | None) -> Value | None:
        """What the caller means by a cell of the callee, or by what leads to it."""
        if root is None:
            return None
        bound = self.bound.get(root)
        if bound is not None or not isinstance(root, Named):
            return bound
        return self._passed(root.top)

    def _bind_cell(self, identity: Named, value: Value, pending: list[tuple[Named, Value]]) -> bool:
        if isinstance(value, Comparison):
            value = Symbol()
        cell = self.row.cells.get(identity)
        self.bound[identity] = value
        if cell is None:
            return True
        if cell.null and not self._assume_null(
            value, cell.null, identity.origin == PARAMETER, identity.depth == 0
        ):
            return False
        value = self._found_null(value)
        self.bound[identity] = value
        if isinstance(value, int):
            return True
        for offset, initial in cell.initial.items():
            found = self._load(value, offset, isinstance(initial, Pointer), cell)
            if offset in cell.read and isinstance(where := shifted(value, offset), Pointer):
                rules.look_at(self.state, where.cell, where.offset)
            if isinstance(initial, Pointer):
                assert isinstance(initial.cell, Named)
                pending.append((initial.cell, found))
            elif isinstance(initial, Symbol):
                self.symbols[initial] = found
                fact = self.row.facts.get(initial)
                if fact and not assume_fact(self.state, found, fact):
                    return False
                if fact and isinstance(found, Symbol):
                    self.asked.append(found)
        if ANYWHERE in cell.read:
            target = self.target(value, cell)
            if target is not None:
                rules.look_at(self.state, target.cell, ANYWHERE)
        return True

    def _assume_null(
        self, value: int | Pointer | Symbol, asked: int, passed: bool, itself: bool
    ) -> bool:
        """Make a pointer null, an error or neither, as a row asks; False if it cannot be. It was
        ``passed``, itself or what leads to it."""
        state = self.state
        if isinstance(value, int):
            return asked == (NULL if 0 <= value < PAGE else ERROR if -PAGE < value < 0 else 1)
        if isinstance(value, Symbol):
            value = Pointer(value, 0)
        if asked == ERROR or is_error(state, value):
            return asked == ERROR and assume_error(state, value)
        null = asked == NULL
        truth = is_null(state, value)
        if truth is not None:
            return truth == null
        if isinstance(value.cell, Symbol):
            self.unasked = self.unasked or (null and passed)
            return assume(state, value.cell, not null)
        if value.cell not in state.cells:
            if not isinstance(value.cell, Named):  # it was found to be null meanwhile
                return null
            state.cells[value.cell] = Cell(PRE)
        if null:
            outer = state.cells[value.cell].kind == PRE
            self.unasked = self.unasked or (passed and (outer or itself))
            become_null(state, value.cell)
        else:
            state.change(value.cell).null = 1
        return True

    def current(self, value: Value | None) -> Value | None:
        """A value found earlier, after what was assumed since."""
        return None if value is None else self._found_null(value)

    def _found_null(self, value: Value) -> Value:
        if isinstance(value, Pointer):
            cell = self.state.cells.get(value.cell)
            if cell is None and isinstance(value.cell, int):
                return 0
            if cell is not None and cell.null < 0:
                return 0 if cell.null == NULL else -1
        return value

    def _load(self, base: Value, offset: Offset, pointer: bool, cell: Cell) -> Value:
        perhaps = self._perhaps_null(base, cell)
        found = rules.load(self.frame, self.state, shifted(base, offset), pointer)
        if perhaps is not None:
            self.state.change(perhaps).null = 0
        return found

    def target(self, address: Value, cell: Cell) -> Pointer | None:
        perhaps = self._perhaps_null(address, cell)
        where = rules.target(self.state, address)
        if perhaps is not None:
            self.state.change(perhaps).null = 0
        return where

    def _perhaps_null(self, base: Value, cell: Cell) -> CellId | None:
        """The cell whose pointer is still perhaps null after the call: a row that stands for
        several ways followed it on some of them only."""
        if cell.null != 0 or not isinstance(base, Pointer):
            return None
        held = self.state.cells.get(base.cell)
        perhaps = held is not None and held.null == 0 and held.kind in (HEAP, PRE)
        return base.cell if perhaps else None


def shifted(base: Value, offset: Offset) -> Value:
    """An address some bytes further on."""
    if isinstance(base, Symbol):
        return Pointer(base, offset) if offset != 0 else base
    if not isinstance(base, Pointer):
        return base
    if isinstance(base.offset, int) and isinstance(offset, int):
        return Pointer(base.cell, base.offset + offset)
    return Pointer(base.cell, ANYWHERE if offset != 0 else base.offset)
