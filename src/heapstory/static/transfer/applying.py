"""Applying one row of a summary to the state of a caller (the paper's big-step semantics)."""

from __future__ import annotations

from heapstory.cfront.program import Place
from heapstory.static.heap import escaping
from heapstory.static.heap.conditions import compare
from heapstory.static.heap.names import EXTRA, Named
from heapstory.static.heap.state import (
    GLOBAL,
    HEAP,
    OPAQUE,
    PRE,
    STACK,
    WHOLE,
    Cell,
    Site,
    State,
    kind_of_name,
)
from heapstory.static.heap.values import (
    ANYWHERE,
    CellId,
    Comparison,
    Offset,
    Pointer,
    Symbol,
    Value,
)
from heapstory.static.summaries.applied import Applied
from heapstory.static.summaries.summary import Row
from heapstory.static.transfer import rules
from heapstory.static.transfer.binding import Binding, shifted
from heapstory.static.transfer.frame import Frame
from heapstory.static.transfer.losses import FIELD_LOST, FIELD_OVERWRITTEN, Suspects
from heapstory.static.transfer.rules import Infeasible

MAX_CALLS = 6


def apply(
    frame: Frame,
    caller: State,
    row: Row,
    arguments: list[Value],
    fixed: int,
    place: Place | None,
    recursive: bool = False,
    counted: frozenset[Named] = frozenset(),
) -> Applied | None:
    """The caller's state after this row; None if its precondition cannot hold. A reference to a
    ``counted`` cell is given up in any case."""
    work = _Application(frame, caller.copy(), row, arguments, fixed, place)
    work.recursive = recursive
    try:
        if not work.bind():
            return None
        work.allocate()
        work.effects()
        work.give_up(counted)
    except Infeasible:
        return None
    result = None if row.result is None else work.translate(row.result)
    return Applied(
        row, work.state, result, work.suspects, work.new, work.perhaps_lost,
        tuple(work.numbers), tuple(work.asked), work.unasked,
    )  # fmt: skip


class _Application(Binding):
    def __init__(
        self,
        frame: Frame,
        state: State,
        row: Row,
        arguments: list[Value],
        fixed: int,
        place: Place | None,
    ) -> None:
        super().__init__(frame, state, row, arguments, place)
        self.fixed = fixed
        self.suspects: Suspects = {}
        self.new: list[CellId] = []
        self.perhaps_lost: set[CellId] = set()
        self.numbers: list[Symbol] = []
        self.recursive = False  # what recursion makes it made itself: the site stays the same

    def allocate(self) -> None:
        """New cells of the callee become new cells of the caller."""
        made: dict[CellId, int] = {}
        for identity, cell in self.row.cells.items():
            if cell.kind in (HEAP, WHOLE):
                made[identity] = self.frame.new_cell()
                if cell.kind == HEAP:
                    self.new.append(made[identity])
                self.bound[identity] = Pointer(made[identity], 0)
                self.state.cells[made[identity]] = cell
        for identity, cell in self.row.cells.items():
            if identity not in made:
                continue
            twin = cell.copy()
            twin.texts = {}
            site = cell.site
            if site is not None and self.place is not None and not self.recursive:
                calls = (self.place, *site.calls)[:MAX_CALLS]
                twin.site = Site(site.allocator, site.place, calls, site.release)
            twin.fields = {
                o: self.translate(v) for o, v in cell.fields.items() if isinstance(o, int)
            }
            twin.weak = self._weak(cell)
            for value in twin.fields.values() if cell.kind == HEAP else ():
                self._stored(value)
            self.state.cells[made[identity]] = twin

    def _weak(self, cell: Cell) -> frozenset[CellId]:
        values = (self.translate(Pointer(c, 0)) for c in cell.weak)
        return frozenset(v.cell for v in values if isinstance(v, Pointer))

    def translate(self, value: Value) -> Value:
        """A value of the callee in the caller's terms."""
        if isinstance(value, Pointer):
            base = self.current(self.bound.get(value.cell))
            if base is None:
                outer = isinstance(value.cell, Named) and kind_of_name(value.cell) == GLOBAL
                return value if outer else Symbol()
            return shifted(base, value.offset)
        if isinstance(value, Symbol):
            found = self.symbols.get(value)
            if found is None:
                computed = value.source in self.symbols
                found = self.computed(value) if computed else self._foreign(value)
                self.symbols[value] = found
            return found
        if isinstance(value, Comparison):
            left, right = self.translate(value.left), self.translate(value.right)
            return compare(self.state, value.predicate, left, right)
        return value

    def _foreign(self, symbol: Symbol) -> Symbol:
        root = self.current(self.meant(symbol.root))
        made = Symbol(root.cell if isinstance(root, Pointer) else _symbol(root))
        fact = self.row.facts.get(symbol)
        if fact is not None:
            self.state.facts[made] = fact
        return made

    def effects(self) -> None:
        """Members written, cells given away, cells freed."""
        outer = [(i, c) for i, c in self.row.cells.items() if c.kind in (PRE, GLOBAL)]
        translated = [
            (i, c, [(o, self.translate(v)) for o, v in c.fields.items() if self._wrote(c, o, v)])
            for i, c in outer
        ]
        for identity, cell, writes in translated:
            base = self.current(self.bound.get(identity))
            if base is None or isinstance(base, int):
                continue
            for filled in cell.filled:
                self._fill(shifted(base, filled), cell)
            for offset, value in writes:
                self._write(base, offset, value, cell)
                if isinstance(value, Symbol):
                    self.numbers.append(value)
            if cell.weak:
                for each in self._weak(cell):
                    rules.store(
                        self.frame, self.state, shifted(base, ANYWHERE), Pointer(each, 0), None, ""
                    )
        for identity, cell in outer:
            self._end(identity, cell)

    def give_up(self, counted: frozenset[Named]) -> None:
        """References to cells that were not freed are gone: other references keep those."""
        for identity in counted:
            cell = self.row.cells.get(identity)
            value = self.current(self.bound.get(identity))
            if cell is not None and cell.freed is None and cell.null >= 0:
                escaping.escape(self.state, value)

    @staticmethod
    def _wrote(cell: Cell, offset: Offset, value: Value) -> bool:
        if not isinstance(offset, int):
            return False
        return offset in cell.writes and cell.initial.get(offset) is not value

    def _fill(self, address: Value, cell: Cell) -> None:
        where = self.target(address, cell)
        if where is not None and isinstance(where.offset, int):
            escaping.forget_number(self.state, where.cell, where.offset)

    def _write(self, base: Value, offset: Offset, value: Value, cell: Cell) -> None:
        where = self.target(shifted(base, offset), cell)
        if where is None:
            escaping.escape(self.state, value)
            return
        held = self.state.cells[where.cell]
        plain = held.kind != OPAQUE and not held.escaped and not held.summary
        if not plain or not isinstance(where.offset, int) or held.freed is not None:
            rules.store(self.frame, self.state, where, value, self.place, "")
            return
        old = held.fields.get(where.offset)
        changed = self.state.change(where.cell)
        changed.fields[where.offset] = value
        if changed.kind != STACK:
            self._stored(value)
        write = cell.writes[offset]
        if changed.kind in (PRE, GLOBAL):
            changed.writes = {**changed.writes, where.offset: write}
        if write.perhaps:
            if isinstance(old, Pointer):
                self.perhaps_lost.add(old.cell)
            escaping.escape(self.state, old)
        elif isinstance(old, Pointer) and old != value:
            self.suspects[old.cell] = (FIELD_OVERWRITTEN, write.place, write.label)
            looked = offset in cell.read or ANYWHERE in cell.read
            made = isinstance(value, Pointer) and value.cell in self.new
            if made and (looked or self._found_empty(cell)):
                self.frame.replaced(old.cell)
            elif not looked:
                self.frame.not_looked_at(old.cell)

    def _stored(self, value: Value) -> None:
        """The callee put a cell of the caller into another one."""
        if (
            isinstance(value, Pointer)
            and isinstance(value.cell, int)
            and value.cell not in self.new
        ):
            self.frame.stored(self.state, value.cell)

    def _found_empty(self, cell: Cell) -> bool:
        """Whether the callee found a number in a cell to be 0: a count, a size."""
        facts = self.row.facts
        return any(
            isinstance(value, Symbol) and (fact := facts.get(value)) and fact.low == fact.high == 0
            for value in cell.initial.values()
        )

    def _end(self, identity: CellId, cell: Cell) -> None:
        if identity is EXTRA:
            if cell.escaped or cell.deep or cell.freed is not None:
                for extra in self.arguments[self.fixed :]:
                    escaping.escape(self.state, extra)
            return
        value = self.current(self.bound.get(identity))
        if value is None or isinstance(value, int):
            return
        if cell.escaped:
            escaping.escape(self.state, value)
        if cell.deep:
            self._escape_below(value)
        if cell.freed is not None:
            members = any(isinstance(v, Pointer) for v in cell.initial.values())
            self._free(shifted(value, cell.start), cell.freed, members)

    def _free(self, value: Value, place: Place, members: bool) -> None:
        held = self.state.cells.get(value.cell) if isinstance(value, Pointer) else None
        if (
            not isinstance(value, Pointer)
            or held is None
            or held.kind not in (HEAP, PRE)
            or held.summary
            or held.freed is not None
        ):
            rules.release(self.frame, self.state, value, self.place)
            return
        identity = value.cell
        if value.offset != 0:
            escaping.escape(self.state, value)
            return
        if held.weak and members:  # the callee looked at members: which of these, nobody knows
            escaping.escape_contents(self.state, identity)
        changed = self.state.change(identity)
        changed.freed = place
        for below in [
            *(v.cell for v in changed.fields.values() if isinstance(v, Pointer)),
            *changed.weak,
        ]:
            self.suspects[below] = (FIELD_LOST, place, "")

    def _escape_below(self, value: Value) -> None:
        """The callee went deeper than it keeps account of: what it did not name may be gone."""
        state = self.state
        if isinstance(value, Symbol):
            if value.root is not None:
                escaping.touch(state, value.root)
            return
        if not isinstance(value, Pointer):
            return
        explicit = {v.cell for v in self.bound.values() if isinstance(v, Pointer)}
        for identity in state.reachable([value]):
            cell = state.cells.get(identity)
            if cell is None or identity == value.cell or identity in explicit:
                continue
            if cell.kind == HEAP and not cell.escaped:
                state.change(identity).escaped = True
        cell = state.cells.get(value.cell)
        if cell is not None and cell.kind in (PRE, GLOBAL) and not cell.deep:
            state.change(value.cell).deep = True


def _symbol(value: Value | None) -> Symbol | None:
    return value if isinstance(value, Symbol) else None
