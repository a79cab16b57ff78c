"""Applying one row of a summary to the state of a caller (the paper's big-step semantics)."""

from __future__ import annotations

from typing import NamedTuple

from heapstory.cfront.program import Place
from heapstory.static import rules
from heapstory.static.conditions import PAGE, assume, assume_fact, become_null, is_null
from heapstory.static.joining import PERHAPS
from heapstory.static.rules import FIELD_LOST, FIELD_OVERWRITTEN, Frame, Infeasible
from heapstory.static.state import GLOBAL, HEAP, OPAQUE, PRE, STACK, Cell, Site, State
from heapstory.static.summary import EXTRA, Outcome
from heapstory.static.values import ANYWHERE, CellId, Comparison, Offset, Symbol, Value

MAX_CALLS = 6
Suspects = dict[CellId, tuple[str, Place | None, str]]


class Applied(NamedTuple):
    """A row, applied: the state after it and what became of cells."""

    outcome: Outcome
    state: State
    result: Value
    suspects: Suspects  # what may be lost
    new: list[CellId]
    perhaps_lost: set[CellId]  # overwritten on some of the ways that the row stands for
    unasked: bool  # the row assumes that a pointer passed is null, and only the callee asked


def apply(
    frame: Frame,
    caller: State,
    outcome: Outcome,
    arguments: list[Value],
    fixed: int,
    place: Place | None,
    recursive: bool = False,
) -> Applied | None:
    """The caller's state after this outcome; None if its precondition cannot hold."""
    work = _Application(frame, caller.copy(), outcome, arguments, fixed, place)
    work.recursive = recursive
    try:
        if not work.bind():
            return None
        work.allocate()
        work.effects()
    except Infeasible:
        return None
    result = work.translate(outcome.result)
    return Applied(
        outcome, work.state, result, work.suspects, work.new, work.perhaps_lost, work.unasked
    )


class _Application:
    def __init__(
        self,
        frame: Frame,
        state: State,
        outcome: Outcome,
        arguments: list[Value],
        fixed: int,
        place: Place | None,
    ) -> None:
        self.frame, self.state, self.outcome = frame, state, outcome
        self.arguments, self.fixed, self.place = arguments, fixed, place
        self.bound: dict[CellId, Value] = {}
        self.symbols: dict[Symbol, Value] = {}
        self.suspects: Suspects = {}
        self.new: list[CellId] = []
        self.perhaps_lost: set[CellId] = set()
        self.unasked = False
        self.recursive = False  # what recursion makes it made itself: the site stays the same

    # --- the precondition

    def bind(self) -> bool:
        """Find the caller's cells for the callee's, and check what the row assumes."""
        for number, symbol in self.outcome.numbers.items():
            if number < len(self.arguments):
                self.symbols[symbol] = self.arguments[number]
                fact = self.outcome.facts.get(symbol)
                if fact and not assume_fact(self.state, self.arguments[number], fact):
                    return False
        pending: list[tuple[CellId, Value]] = []
        for identity in self.outcome.cells:
            if type(identity) is str and "[" not in identity and identity != EXTRA:
                if identity[0] == "@":
                    pending.append((identity, (identity, 0)))
                elif int(identity[1:]) < len(self.arguments):
                    pending.append((identity, self.arguments[int(identity[1:])]))
        while pending:
            identity, value = pending.pop()
            if not self._bind_cell(identity, value, pending):
                return False
        return all(
            self._found_again(identity, cell)
            for identity, cell in self.outcome.cells.items()
            if cell.same
        )

    def _found_again(self, identity: CellId, cell: Cell) -> bool:
        """Whether what the callee found in two places can be in both of them."""
        value = self._current(self.bound.get(identity))
        if type(value) is not tuple:
            return True
        held = self.state.cells.get(value[0])
        if held is None or not held.tracked:
            return True
        return value[0] in self.state.reachable([self._place_of(root) for root in cell.same])

    def _place_of(self, root: CellId) -> Value:
        """What the caller means by a cell of the callee, or by what leads to it."""
        if root in self.bound or type(root) is not str:
            return self.bound.get(root)
        top = root.split("[", 1)[0]
        if top[0] == "@":
            return top, 0
        number = int(top[1:]) if top != EXTRA else len(self.arguments)
        return self.arguments[number] if number < len(self.arguments) else None

    def _bind_cell(
        self, identity: CellId, value: Value, pending: list[tuple[CellId, Value]]
    ) -> bool:
        if type(value) is Comparison or value is None:
            value = Symbol()
        cell = self.outcome.cells.get(identity)
        self.bound[identity] = value
        if cell is None:
            return True
        if cell.null and not self._assume_null(value, cell.null == -1, identity[0] == "P"):
            return False
        value = self._current(value)
        self.bound[identity] = value
        if type(value) is int:
            return True
        for offset, initial in cell.initial.items():
            found = self._load(value, offset, type(initial) is tuple, cell)
            if offset in cell.read and type(where := shifted(value, offset)) is tuple:
                rules.look_at(self.state, *where)
            if type(initial) is tuple:
                pending.append((initial[0], found))
            else:
                self.symbols[initial] = found
                fact = self.outcome.facts.get(initial)
                if fact and not assume_fact(self.state, found, fact):
                    return False
        if ANYWHERE in cell.read:
            where = self._target(value, cell)
            if where is not None:
                rules.look_at(self.state, where[0], ANYWHERE)
        return True

    def _assume_null(self, value: Value, null: bool, passed: bool) -> bool:
        state = self.state
        if type(value) is int:
            return (abs(value) < PAGE) == null
        if type(value) is Symbol:
            value = (value, 0)
        truth = is_null(state, value)
        if truth is not None:
            return truth == null
        if type(value[0]) is Symbol:
            self.unasked = self.unasked or (null and passed)
            return assume(state, value[0], not null)
        if value[0] not in state.cells:
            if type(value[0]) is not str:  # it was found to be null meanwhile
                return null
            state.cells[value[0]] = Cell(PRE)
        if null:
            self.unasked = self.unasked or (passed and state.cells[value[0]].kind == PRE)
            become_null(state, value[0])
        else:
            state.change(value[0]).null = 1
        return True

    def _current(self, value: Value) -> Value:
        """A value found earlier, after what was assumed since."""
        if type(value) is tuple:
            cell = self.state.cells.get(value[0])
            if cell is None and type(value[0]) is int:
                return 0
            if cell is not None and cell.null == -1:
                return 0
        return value

    def _load(self, base: Value, offset: int, pointer: bool, cell: Cell) -> Value:
        perhaps = self._perhaps_null(base, cell)
        found = rules.load(self.frame, self.state, shifted(base, offset), pointer)
        if perhaps:
            self.state.change(base[0]).null = 0
        return found

    def _target(self, address: Value, cell: Cell) -> tuple[CellId, Offset] | None:
        perhaps = self._perhaps_null(address, cell)
        where = rules.target(self.frame, self.state, address)
        if perhaps:
            self.state.change(address[0]).null = 0
        return where

    def _perhaps_null(self, base: Value, cell: Cell) -> bool:
        """Whether the pointer to a cell is still perhaps null after the call: a row that stands
        for several ways followed it on some of them only."""
        if cell.null != 0 or type(base) is not tuple:
            return False
        held = self.state.cells.get(base[0])
        return held is not None and held.null == 0 and held.kind in (HEAP, PRE)

    # --- the postcondition

    def allocate(self) -> None:
        """New cells of the callee become new cells of the caller."""
        for identity, cell in self.outcome.cells.items():
            if cell.kind == HEAP:
                self.new.append(self.frame.new_cell())
                self.bound[identity] = (self.new[-1], 0)
                self.state.cells[self.bound[identity][0]] = cell
        for identity, cell in self.outcome.cells.items():
            if cell.kind != HEAP:
                continue
            twin = cell.copy()
            twin.texts = {}
            site = cell.site
            if site is not None and self.place is not None and not self.recursive:
                calls = (self.place, *site.calls)[:MAX_CALLS]
                twin.site = Site(site.allocator, site.place, calls, site.release)
            twin.fields = {o: self.translate(v) for o, v in cell.fields.items() if type(o) is int}
            twin.weak = self._weak(cell)
            for value in twin.fields.values():
                self._stored(value)
            self.state.cells[self.bound[identity][0]] = twin

    def _weak(self, cell: Cell) -> frozenset[CellId]:
        values = (self.translate((c, 0)) for c in cell.weak)
        return frozenset(v[0] for v in values if type(v) is tuple)

    def translate(self, value: Value) -> Value:
        """A value of the callee in the caller's terms."""
        if type(value) is tuple:
            base = self._current(self.bound.get(value[0], None))
            if base is None:
                if type(value[0]) is str and value[0][0] == "@" and "[" not in value[0]:
                    return value
                return Symbol()
            return shifted(base, value[1])
        if type(value) is Symbol:
            found = self.symbols.get(value)
            if found is None:
                found = self.symbols[value] = self._foreign(value)
            return found
        return Symbol() if type(value) is Comparison else value

    def _foreign(self, symbol: Symbol) -> Symbol:
        root = self._current(self.bound.get(symbol.root)) if symbol.root is not None else None
        made = Symbol(root[0] if type(root) is tuple else root if type(root) is Symbol else None)
        fact = self.outcome.facts.get(symbol)
        if fact is not None:
            self.state.facts[made] = fact
        return made

    def effects(self) -> None:
        """Members written, cells given away, cells freed."""
        outer = [(i, c) for i, c in self.outcome.cells.items() if c.kind in (PRE, GLOBAL)]
        translated = [
            (i, c, [(o, self.translate(v)) for o, v in c.fields.items() if self._wrote(c, o, v)])
            for i, c in outer
        ]
        for identity, cell, writes in translated:
            base = self._current(self.bound.get(identity))
            if base is None or type(base) is int:
                continue
            for offset, value in writes:
                self._write(base, offset, value, cell)
            if cell.weak:
                for each in self._weak(cell):
                    rules.store(
                        self.frame, self.state, shifted(base, ANYWHERE), (each, 0), None, ""
                    )
        for identity, cell in outer:
            self._end(identity, cell)

    @staticmethod
    def _wrote(cell: Cell, offset: Offset, value: Value) -> bool:
        if type(offset) is not int:
            return False
        return offset in cell.writes and cell.initial.get(offset) is not value

    def _write(self, base: Value, offset: int, value: Value, cell: Cell) -> None:
        where = self._target(shifted(base, offset), cell)
        if where is None:
            rules.escape(self.state, value)
            return
        held = self.state.cells[where[0]]
        plain = held.kind != OPAQUE and not held.escaped and not held.summary
        if not plain or type(where[1]) is not int or held.freed is not None:
            rules.store(self.frame, self.state, where, value, self.place, "")
            return
        old = held.fields.get(where[1])
        changed = self.state.change(where[0])
        changed.fields[where[1]] = value
        if changed.kind != STACK:
            self._stored(value)
        place, label = cell.writes[offset]
        if changed.kind in (PRE, GLOBAL):
            changed.writes = {**changed.writes, where[1]: (place, label)}
        if label == PERHAPS:
            if type(old) is tuple:
                self.perhaps_lost.add(old[0])
            rules.escape(self.state, old)
        elif type(old) is tuple and old != value:
            self.suspects[old[0]] = (FIELD_OVERWRITTEN, place, label)
            looked = offset in cell.read or ANYWHERE in cell.read
            made = type(value) is tuple and value[0] in self.new
            if made and (looked or self._found_empty(cell)):
                self.frame.replaced(old[0])
            elif not looked:
                self.frame.not_looked_at(old[0])

    def _stored(self, value: Value) -> None:
        """The callee put a cell of the caller into another one."""
        if type(value) is tuple and type(value[0]) is int and value[0] not in self.new:
            self.frame.stored(value[0])

    def _found_empty(self, cell: Cell) -> bool:
        """Whether the callee found a number in a cell to be 0: a count, a size."""
        facts = self.outcome.facts
        return any(
            type(value) is Symbol and (fact := facts.get(value)) and fact.low == fact.high == 0
            for value in cell.initial.values()
        )

    def _end(self, identity: CellId, cell: Cell) -> None:
        if identity == EXTRA:
            if cell.escaped or cell.deep or cell.freed is not None:
                for value in self.arguments[self.fixed :]:
                    rules.escape(self.state, value)
            return
        value = self._current(self.bound.get(identity))
        if value is None or type(value) is int:
            return
        if cell.escaped:
            rules.escape(self.state, value)
        if cell.deep:
            self._escape_below(value)
        if cell.freed is not None:
            members = any(type(v) is tuple for v in cell.initial.values())
            self._free(shifted(value, cell.start), cell.freed, members)

    def _free(self, value: Value, place: Place, members: bool) -> None:
        identity = value[0] if type(value) is tuple else value
        held = self.state.cells.get(identity)
        plain = held is not None and held.kind in (HEAP, PRE) and not held.summary
        if not plain or type(value) is not tuple or held is None or held.freed is not None:
            rules.release(self.frame, self.state, value, self.place)
            return
        if value[1] != 0:
            rules.escape(self.state, value)
            return
        if held.weak and members:  # the callee looked at members: which of these, nobody knows
            rules.escape_contents(self.state, identity)
        changed = self.state.change(identity)
        changed.freed = place
        for below in [*(v[0] for v in changed.fields.values() if type(v) is tuple), *changed.weak]:
            self.suspects[below] = (FIELD_LOST, place, "")

    def _escape_below(self, value: Value) -> None:
        """The callee went deeper than it keeps account of: what it did not name may be gone."""
        state = self.state
        if type(value) is Symbol:
            if value.root is not None:
                rules.touch(state, value.root)
            return
        explicit = {v[0] for v in self.bound.values() if type(v) is tuple}
        for identity in state.reachable([value]):
            cell = state.cells.get(identity)
            if cell is None or identity == value[0] or identity in explicit:
                continue
            if cell.kind == HEAP and not cell.escaped:
                state.change(identity).escaped = True
        cell = state.cells.get(value[0])
        if cell is not None and cell.kind in (PRE, GLOBAL) and not cell.deep:
            state.change(value[0]).deep = True


def shifted(base: Value, offset: Offset) -> Value:
    """An address some bytes further on."""
    if type(base) is Symbol:
        return (base, offset) if offset != 0 else base
    if type(base) is not tuple:
        return base
    if type(base[1]) is int and type(offset) is int:
        return base[0], base[1] + offset
    return base[0], ANYWHERE if offset != 0 else base[1]
