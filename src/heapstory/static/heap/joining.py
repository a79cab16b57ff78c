"""The join of two states with the same pointer structure: numbers they disagree on become unknown,
and what was done on one way only perhaps happened."""

from __future__ import annotations

from heapstory.static.heap.conditions import fact_of
from heapstory.static.heap.escaping import escape
from heapstory.static.heap.names import PARAMETER, Named, by_text
from heapstory.static.heap.state import GLOBAL, PRE, STACK, Cell, State, joined
from heapstory.static.heap.values import (
    ANY,
    ANYWHERE,
    CellId,
    Fact,
    Offset,
    Pointer,
    Symbol,
    Value,
    hull,
    widened,
)


class Effects:
    """What some state at a point did to the caller's cells.

    Where another state found such a cell null it did the same, vacuously: ``if (p) free(p)`` is
    one state after the join, not two, and k such statements are one, not 2 to the k.
    """

    def __init__(self) -> None:
        self.seen: dict[CellId, Cell] = {}

    def learn(self, state: State) -> bool:
        """Note the effects of a state; True if there were new ones."""
        fresh = False
        for identity, cell in state.cells.items():
            if cell.kind != PRE or cell.null < 0 or identity in self.seen:
                continue
            if cell.freed is not None or cell.escaped or cell.deep:
                self.seen[identity] = cell
                fresh = True
        return fresh

    def adopt(self, state: State) -> None:
        """Give null cells the effects seen elsewhere."""
        for identity, seen in self.seen.items():
            cell = state.cells.get(identity)
            if cell is not None and cell.null < 0 and cell.freed is None:
                changed = state.change(identity)
                changed.freed, changed.escaped, changed.deep = seen.freed, seen.escaped, seen.deep


class Join:
    """Joins a state into an older one with the same key; ``changed`` if the older one was not
    already as weak."""

    def __init__(
        self, old: State, new: State, order: list[CellId], new_order: list[CellId], widen: bool
    ) -> None:
        self.old, self.new, self.widen = old, new, widen
        self.changed = False
        self.names = dict(zip(order, new_order, strict=True))
        self.claimed: dict[Symbol, Value] = {}
        self.pairs: dict[tuple[Value, Value], Value] = {}
        self.facts: dict[Symbol, Fact] = {}
        self.blurred: set[Named] = set()  # the caller's cells that a value may be out of by now
        self.result = State()

    def run(self) -> State:
        """The joined state."""
        result, old, new = self.result, self.old, self.new
        result.trace = joined(old.trace, new.trace)
        env, others = result.env, new.env
        for name, value in old.env.items():
            if name in others:
                env[name] = self._value(value, others[name])
        cells, twins, names = result.cells, new.cells, self.names
        for identity, cell in old.cells.items():
            twin = twins.get(names.get(identity, identity) if names else identity)
            if twin is cell and all(self._same(s) for s in cell.held):  # only facts may differ
                cells[identity] = cell
            elif twin is not None:
                cells[identity] = self._cell(identity, cell, twin)
            elif _below_null(new, identity):
                cells[identity] = cell
            elif cell.kind in (PRE, GLOBAL, STACK):
                result.cells[identity] = self._alone(cell)
        for identity, cell in new.cells.items():
            if identity not in old.cells and cell_from_outside(cell):
                done = cell.freed is not None or cell.escaped or cell.deep
                if _below_null(old, identity):
                    self.changed = True
                    cells[identity] = cell
                elif cell.writes or cell.filled or done:
                    result.cells[identity] = self._only_new(identity, cell)
        for symbol, fact in old.facts.items():
            if symbol not in self.claimed and symbol not in self.facts:
                self._fact(symbol, fact, new.facts.get(symbol, ANY))
        result.facts = self.facts
        for top in sorted(self.blurred, key=by_text):
            blurred = result.cells.get(top)
            if blurred is not None and not blurred.escaped:
                self.changed = True
                escape(result, Pointer(top, 0))
        return result

    def _fact(self, symbol: Symbol, old: Fact, new: Fact) -> None:
        if old is new:
            if old is not ANY:
                self.facts[symbol] = old
            return
        fact = hull(old, new)
        if fact != old:
            self.changed = True
            if self.widen:
                fact = widened(old, fact)
        if fact != ANY:
            self.facts[symbol] = fact

    def _same(self, symbol: Symbol) -> bool:
        """The symbol stands at the same place in both states; False if it already stands for
        something else in the newer one."""
        if symbol in self.claimed:
            return self.claimed[symbol] is symbol
        self.claimed[symbol] = symbol
        old, new = self.old.facts.get(symbol), self.new.facts.get(symbol)
        if old is not None or new is not None:
            self._fact(symbol, old or ANY, new or ANY)
        return True

    def _value(self, old: Value, new: Value) -> Value:
        if isinstance(old, Pointer) and isinstance(new, Pointer):
            if old == new:
                return old
            if not isinstance(old.cell, Symbol) and new.cell == self.names.get(old.cell, old.cell):
                if old.offset == new.offset or old.offset is ANYWHERE:
                    return old
                self.changed = True
                return Pointer(old.cell, ANYWHERE)
        elif (
            type(old) is type(new)
            and old == new
            and (not isinstance(old, Symbol) or self._same(old))
        ):
            return old
        pair = (old, new)
        if pair in self.pairs:
            return self.pairs[pair]
        before, after = fact_of(self.old, old), fact_of(self.new, new)
        if isinstance(old, Pointer) or isinstance(new, Pointer):
            result = self.pairs[pair] = self._blur(old, new)
            if result is not old:
                self.changed = True
                fact = hull(before, after)
                if fact != ANY:
                    self.facts[result] = fact
            return result
        if (
            isinstance(old, Symbol)
            and old.path is None  # not what the caller passed
            and self.claimed.setdefault(old, new) == new
        ):
            result = old
            self._fact(result, before, after)
        else:
            self.changed = True
            result = Symbol()
            fact = hull(before, after)
            if self.widen:
                fact = widened(before, fact)
            if fact != ANY:
                self.facts[result] = fact
        self.pairs[pair] = result
        return result

    def _blur(self, old: Value, new: Value) -> Symbol:
        """Two of the caller's cells, or one and nobody knows what: a value out of their depths."""
        tops = {top for top in (_top(old), _top(new)) if top is not None}
        if isinstance(old, Symbol) and tops <= {_top(old)}:
            return old
        root = min(tops, key=by_text) if tops else None
        self.blurred |= tops - {root}
        if isinstance(old, Symbol) and old.root == root:
            return old
        return Symbol(root)

    def _cell(self, identity: CellId, old: Cell, new: Cell) -> Cell:
        outside = old.kind in (PRE, GLOBAL)
        fields, kept = self._members(old, new, outside)
        if kept and _as_weak(old, new, outside):
            return old
        merged = old.copy()
        if old.null != new.null and old.null != 0:
            merged.null = 0
            self.changed = True
        self._perhaps_ended(merged, new)
        if old.same and old.same != new.same:
            merged.same = old.same & new.same
            self.changed = self.changed or merged.same != old.same
        if not new.read <= old.read:
            merged.read = old.read | new.read
            self.changed = True
        if not new.filled <= old.filled:
            merged.filled = old.filled | new.filled
            self.changed = True
        if outside and not _keeps_as_much(old, new):
            merged.weak = old.weak | {c for c in new.weak if isinstance(c, Named)}
            self.changed = True
        if not _same_texts(old, new):
            merged.texts = {k: s for k, s in old.texts.items() if new.texts.get(k) is s}
            self.changed = True
        if outside:
            self._perhaps_written(identity, merged, fields, old, new)
        if old.zero and not new.zero:
            merged.zero = False
        elif old.zero:
            for offset in new.fields:
                if offset not in old.fields and isinstance(offset, int):
                    fields[offset] = self._value(0, new.fields[offset])
        merged.fields = fields
        if new.initial and new.initial != old.initial:
            merged.initial = {**new.initial, **old.initial}
        return merged

    def _members(self, old: Cell, new: Cell, outside: bool) -> tuple[dict[Offset, Value], bool]:
        """The members of the older cell joined with those of the newer, and whether all of them
        stayed what they were."""
        fields: dict[Offset, Value] = {}
        kept = True
        others = new.fields
        for offset, value in old.fields.items():
            other = others.get(offset)
            if other is None:
                other = new.initial.get(offset) if new.initial else None
                if other is None and new.zero and isinstance(offset, int):
                    other = 0  # of elements nobody can tell apart, the key says where they lead
                if other is None:
                    if (outside and value == old.initial.get(offset)) or isinstance(value, Pointer):
                        other = value
                    else:
                        kept = False
                        continue
            joined = fields[offset] = self._value(value, other)
            if joined is not value:
                kept = False
        return fields, kept

    def _perhaps_ended(self, merged: Cell, new: Cell) -> None:
        """A cell that was freed or given away on one of the ways only is given away."""
        escaped, deep = merged.escaped or new.escaped, merged.deep or new.deep
        if (merged.freed is None) != (new.freed is None):
            merged.freed = None
            escaped = deep = True
        if (escaped, deep) != (merged.escaped, merged.deep):
            merged.escaped, merged.deep = escaped, deep
            self.changed = True

    def _perhaps_written(
        self, identity: CellId, merged: Cell, fields: dict[Offset, Value], old: Cell, new: Cell
    ) -> None:
        """A member that one way wrote and the other did not, or not the same."""
        for offset in new.writes:
            value = new.fields.get(offset)
            if offset in old.writes or value is None or not isinstance(offset, int):
                continue
            if offset not in old.fields:
                self.changed = True
                fields[offset] = self._perhaps_kept(identity, merged, value)
            merged.writes = {**merged.writes, offset: new.writes[offset]._replace(perhaps=True)}
        for offset, write in old.writes.items():
            if not write.perhaps and (offset not in new.writes or new.writes[offset].perhaps):
                merged.writes = {**merged.writes, offset: write._replace(perhaps=True)}

    @staticmethod
    def _perhaps_kept(identity: CellId, merged: Cell, value: Value | None) -> Symbol:
        """What one way put into a cell of the caller's and came with another parameter is perhaps
        kept there."""
        top = _top(value)
        passed = top is not None and top.origin == PARAMETER
        if isinstance(value, Pointer) and passed and top is not _top(Pointer(identity, 0)):
            merged.weak = merged.weak | {value.cell}
        return Symbol()

    def _only_new(self, identity: CellId, cell: Cell) -> Cell:
        merged = self._perhaps_there(cell)
        for offset, write in cell.writes.items():
            value = merged.fields.get(offset)
            if not isinstance(value, Pointer) or isinstance(value.cell, Named):
                merged.fields[offset] = self._perhaps_kept(identity, merged, value)
                merged.writes = {**merged.writes, offset: write._replace(perhaps=True)}
        return merged

    def _alone(self, cell: Cell) -> Cell:
        if cell.null == 0 and cell.freed is None and not cell.same:
            return cell
        return self._perhaps_there(cell)

    def _perhaps_there(self, cell: Cell) -> Cell:
        """A cell that one of the ways alone knows: little of what it says holds on both."""
        self.changed = True
        merged = cell.copy()
        merged.null = 0
        merged.same = frozenset()
        if merged.freed is not None:
            merged.freed = None
            merged.escaped = merged.deep = True
        return merged


def _below_null(state: State, identity: CellId) -> bool:
    """Whether nothing can be there, because the pointer that leads there is null. What the other
    way says of such a cell then holds on both: after ``a == NULL || *a == NULL`` either there is
    no ``*a``, or it is null."""
    if not isinstance(identity, Named):
        return False
    holder = identity.holder
    while holder is not None:
        cell = state.cells.get(holder)
        if cell is not None and cell.null < 0:
            return True
        holder = holder.holder
    return False


def _as_weak(old: Cell, new: Cell, outside: bool) -> bool:
    """Whether a cell already says no more than another one, members apart."""
    if old.null not in (0, new.null) or (old.freed is None) != (new.freed is None):
        return False
    if (new.escaped and not old.escaped) or (new.deep and not old.deep):
        return False
    if old.zero and not (new.zero and new.fields.keys() <= old.fields.keys()):
        return False
    if new.initial and new.initial != old.initial:
        return False
    if (old.same and old.same != new.same) or not new.read <= old.read:
        return False
    if not new.filled <= old.filled:
        return False
    if outside and not _keeps_as_much(old, new):
        return False
    if not _same_texts(old, new):
        return False
    return not outside or new.writes == old.writes


def _keeps_as_much(old: Cell, new: Cell) -> bool:
    """Whether the caller's cells that the newer one perhaps holds the older one perhaps holds
    too; as to new cells they agree."""
    return not new.weak or all(c in old.weak for c in new.weak if isinstance(c, Named))


def _same_texts(old: Cell, new: Cell) -> bool:
    """Whether what the older cell says of its text the newer one says too."""
    if not old.texts or old.texts is new.texts:
        return True
    return all(new.texts.get(key) is answer for key, answer in old.texts.items())


def _top(value: Value | None) -> Named | None:
    """The parameter or global a value was reached from."""
    identity = value.cell if isinstance(value, Pointer) else value
    if isinstance(identity, Symbol):
        identity = identity.root
    return identity.top if isinstance(identity, Named) else None


def cell_from_outside(cell: Cell) -> bool:
    """Whether a cell was there before the function began."""
    return cell.kind in (PRE, GLOBAL)
