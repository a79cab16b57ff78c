"""Canonical form of heap states: what is kept apart at a join, what is folded, what is merged.

Two states whose pointer structure is the same are one state: they are joined, and numbers they
disagree on become unknown. Two states that differ in it (a cell is held here, freed there) stay
apart with the facts that tell them apart, so ``if (own) free(p)`` is understood.

The pointer structure is written with the paper's alias bit-vectors: variables are ordered, and a
cell is named by the vector of the variables at distance 0 from it.
"""

from __future__ import annotations

from typing import Any

from heapstory.static.conditions import fact_of
from heapstory.static.rules import escape
from heapstory.static.state import GLOBAL, HEAP, OPAQUE, PRE, STACK, Cell, State
from heapstory.static.values import (
    ANY,
    ANYWHERE,
    CellId,
    Comparison,
    Fact,
    Symbol,
    Value,
    hull,
    widened,
)

Key = tuple[Any, ...]
PERHAPS = "?"  # marks a write that happened on some of the joined ways only


def prune(state: State, live: frozenset[str]) -> None:
    """Drop names that nothing reads, unless they hold a tracked cell, and cells out of reach."""
    cells = state.cells
    env = {}
    for name, value in state.env.items():
        if name in live:
            env[name] = value
        elif type(value) is tuple:
            cell = cells.get(value[0])
            if cell is not None and cell.tracked:
                env[name] = value
    state.env = env
    collect(state)


def collect(state: State) -> None:
    """Remove cells that nothing leads to, and facts about symbols that are gone."""
    cells = state.cells
    # Only new cells and those behind symbols can get out of reach.
    loose = any(c.kind == HEAP or type(i) is Symbol for i, c in cells.items())
    if not loose and not state.facts:
        return
    symbols: set[Symbol] = set()
    pointed: list[CellId] = []
    for value in state.env.values():
        kind = type(value)
        if kind is Symbol:
            symbols.add(value)
        elif kind is Comparison:
            symbols.update([v for v in value[1:] if type(v) is Symbol])
        elif kind is tuple and type(value[0]) is Symbol:
            pointed.append(value[0])
    if loose:
        _remove_loose(state, symbols, pointed)
    else:
        for cell in cells.values():
            if cell.symbols:
                symbols.update(cell.symbols)
    if state.facts:
        state.facts = {s: f for s, f in state.facts.items() if s in symbols or _kept(s, symbols)}


def _remove_loose(state: State, symbols: set[Symbol], pointed: list[CellId]) -> None:
    """Remove cells that nothing leads to; the symbols of the others join ``symbols``."""
    start: list[Value] = list(state.env.values())
    for identity, cell in state.cells.items():
        if cell.leads and cell.kind in (PRE, GLOBAL, STACK):
            start.append((identity, 0))
    alive = state.reachable(start)
    alive.update(pointed)
    kept = {}
    for identity, cell in state.cells.items():
        if type(identity) is Symbol:
            if identity not in alive and identity not in symbols:
                continue
            symbols.add(identity)
        elif cell.kind == HEAP and identity not in alive:
            continue
        kept[identity] = cell
        if cell.symbols:
            symbols.update(cell.symbols)
    state.cells = kept


def _kept(symbol: Symbol, symbols: set[Symbol]) -> bool:
    if symbol in symbols or symbol.path is not None:
        return True
    return bool(symbol.parents) and all(_kept(p, symbols) for p in symbol.parents)


def drop_dead(state: State, live: frozenset[str]) -> None:
    """Drop names that nothing reads where something else leads to their cell as well."""
    env = state.env
    dead = [name for name, value in env.items() if name not in live and type(value) is tuple]
    if not dead:
        return
    start = [value for name, value in env.items() if name in live]
    start += [(i, 0) for i, c in state.cells.items() if c.kind in (PRE, GLOBAL, STACK)]
    alive = state.reachable(start)
    for name in dead:
        if env[name][0] in alive:
            del env[name]


# --- folding: distance 2 ------------------------------------------------------------------------


def fold(state: State) -> None:
    """Make cells at distance 2 from everything summary cells, one for an allocation site.

    Without it a loop that builds a list would make new states forever.
    """
    cells = state.cells
    for identity, cell in list(cells.items()):
        if any(type(offset) is not int for offset in cell.fields):
            _weaken_elements(state, identity)
    if not any(cell.kind == HEAP for cell in cells.values()):
        return
    near = {v[0] for v in state.env.values() if type(v) is tuple}
    crowded: set[CellId] = set()
    for cell in cells.values():
        crowded |= cell.weak
        if cell.kind in (PRE, GLOBAL, STACK):
            near.update(v[0] for v in cell.fields.values() if type(v) is tuple)
    for identity in list(near):
        if identity in cells and cells[identity].kind == HEAP:
            near.update(v[0] for v in cells[identity].fields.values() if type(v) is tuple)
    groups: dict[Any, list[CellId]] = {}
    named = {v[0] for v in state.env.values() if type(v) is tuple}
    for identity, cell in cells.items():
        far = identity not in near or (identity in crowded and identity not in named)
        if cell.kind == HEAP and far and not cell.escaped and cell.freed is None:
            groups.setdefault(cell.site, []).append(identity)
    for group in groups.values():
        if len(group) > 1 or not cells[group[0]].summary:
            summarise(state, group)


def _weaken_elements(state: State, identity: CellId) -> Cell:
    cell = state.change(identity)
    fields = {}
    for offset, value in cell.fields.items():
        if type(offset) is int:
            fields[offset] = value
        elif type(value) is tuple:
            cell.weak = cell.weak | {value[0]}
    cell.fields = fields
    return cell


def summarise(state: State, group: list[CellId]) -> None:
    """Make one summary cell of several cells."""
    members = set(group)
    chosen = min(group, key=lambda c: (not state.cells[c].summary, c))
    summary = state.cells[chosen].copy()
    summary.summary = True
    summary.null = 0
    offsets = {o for c in group for o in state.cells[c].fields}
    weak = {c for m in group for c in state.cells[m].weak}
    fields: dict[Any, Value] = {}
    for offset in offsets:
        values = {
            (chosen, 0) if type(v) is tuple and v[0] in members else v
            for v in (state.cells[c].fields.get(offset, 0) for c in group)
            if type(v) is tuple
        }
        if len(values) == 1:
            fields[offset] = values.pop()
        elif values:
            weak.update(v[0] for v in values)
    summary.fields = fields
    summary.weak = frozenset(chosen if c in members else c for c in weak)
    for identity in group:
        del state.cells[identity]
    state.cells[chosen] = summary
    redirect(state, members - {chosen}, (chosen, 0))


def redirect(state: State, gone: set[CellId], value: Value) -> None:
    """Let every reference to vanished cells mean another value."""
    if not gone:
        return
    for name, old in state.env.items():
        if type(old) is tuple and old[0] in gone:
            state.env[name] = value
    for identity, cell in list(state.cells.items()):
        if cell.weak & gone or any(type(v) is tuple and v[0] in gone for v in cell.fields.values()):
            changed = state.change(identity)
            for offset, old in changed.fields.items():
                if type(old) is tuple and old[0] in gone:
                    changed.fields[offset] = value
            if changed.weak & gone:
                changed.weak = changed.weak - gone
                if type(value) is tuple:
                    changed.weak = changed.weak | {value[0]}


# --- the key: the pointer structure -------------------------------------------------------------


def alias_vectors(state: State) -> dict[CellId, int]:
    """The alias bit-vector of every cell at distance 0, variables in alphabetical order."""
    vectors: dict[CellId, int] = {}
    for position, name in enumerate(sorted(state.env)):
        value = state.env[name]
        if type(value) is tuple:
            vectors[value[0]] = vectors.get(value[0], 0) | 1 << position
    return vectors


FINE, COARSE, COARSEST = range(3)


def canonical_key(state: State, grain: int = FINE) -> tuple[Key, list[CellId]]:
    """The pointer structure as a key, and the heap cells in the order the key meets them.

    A coarse key does not ask which of the caller's cells a variable points to; the coarsest asks
    of the caller's cells only which new cells they hold. What was then done to them on one way and
    not on another perhaps happened.
    """
    order: dict[CellId, int] = {}
    cells = state.cells

    def name(value: Value) -> Any:
        if type(value) is not tuple:
            return None
        identity = value[0]
        if type(identity) is str:
            return identity
        cell = cells.get(identity)
        if cell is None or cell.kind != HEAP or cell.escaped:
            return None
        return order.setdefault(identity, len(order))

    key: list[Any] = []
    env = state.env
    for variable in sorted([v for v in env if type(env[v]) is tuple]):
        identity = env[variable][0]
        if grain and type(identity) is str and identity[0] != "%":
            continue
        named = name(env[variable])
        if named is not None:
            key.append((variable, named))
    for identity in sorted([i for i, c in cells.items() if not c.plain and type(i) is str]):
        entry = _outer_entry(identity, cells[identity], name, grain == COARSEST)
        if entry is not None:
            key.append(entry)
    vectors = alias_vectors(state) if order else {}
    done = 0
    while done < len(order):
        identity = list(order)[done]
        done += 1
        cell = cells[identity]
        members = [
            (o, n)
            for o, v in sorted(cell.fields.items(), key=_by_offset)
            if type(v) is tuple and (n := name(v)) is not None
        ]
        weak = tuple(
            sorted(str(n) for c in sorted(cell.weak, key=str) if (n := name((c, 0))) is not None)
        )
        vector = vectors.get(identity, 0)
        key.append((vector, cell.site, cell.freed is None, cell.summary, _plain(members), weak))
    return tuple(key), list(order)


def _outer_entry(identity: str, cell: Cell, name: Any, coarsest: bool) -> Any:
    """What a cell from outside contributes: what became of it, and new cells or other
    parameters' cells that it was given to hold. Other writes are joined, and then only perhaps
    happened."""
    if cell.outline is None:
        inner = any(type(c) is int for c in cell.weak) or any(
            type(v) is tuple and type(v[0]) is int for v in cell.fields.values()
        )
        cell.outline = () if inner else (_outline(identity, cell, name),)
    if not cell.outline:  # it leads to new cells, whose names depend on the state
        return _coarse_outline(identity, cell, name) if coarsest else _outline(identity, cell, name)
    return None if coarsest else cell.outline[0]


def _outline(identity: str, cell: Cell, name: Any) -> Any:
    members: list[tuple[Any, Any]] = []
    for offset, value in cell.fields.items():
        if type(value) is tuple and value != cell.initial.get(offset):
            named = name(value)
            if type(named) is int or (type(named) is str and named[0] == "P"):
                members.append((offset, named))
    freed = cell.freed is not None
    if not (members or cell.weak or freed or cell.escaped or cell.deep):
        return None
    if len(members) > 1:
        members.sort(key=_by_offset)
    weak = tuple(sorted(str(name((c, 0))) for c in cell.weak))
    return identity, freed, cell.escaped, cell.deep, _plain(members), weak


def _coarse_outline(identity: str, cell: Cell, name: Any) -> Any:
    """Only the new cells that it holds."""
    members = [
        (offset, named)
        for offset, value in cell.fields.items()
        if type(value) is tuple
        and value != cell.initial.get(offset)
        and type(named := name(value)) is int
    ]
    held = sorted(n for c in cell.weak if type(n := name((c, 0))) is int)
    return (identity, _plain(members), tuple(held)) if members or held else None


def _plain(members: list[tuple[Any, Any]]) -> tuple[Any, ...]:
    """Members as they stand in a key: of elements nobody can tell apart only where they lead."""
    return tuple(dict.fromkeys((o if type(o) is int else "x", n) for o, n in members))


def _by_offset(item: tuple[Any, Value]) -> tuple[int, int]:
    return (0, item[0]) if type(item[0]) is int else (1, 0)


def null_parameters(state: State) -> Key:
    """The parameters that are null in a state."""
    return tuple(
        sorted(
            i for i, c in state.cells.items() if c.null == -1 and type(i) is str and "[" not in i
        )
    )


class Effects:
    """What some state at a point did to the caller's cells.

    Where another state found such a cell null it did the same, vacuously: ``if (p) free(p)`` is
    one state after the join, not two, and k such statements are one, not 2 to the k.
    """

    def __init__(self) -> None:
        self.seen: dict[str, Cell] = {}

    def learn(self, state: State) -> bool:
        """Note the effects of a state; True if there were new ones."""
        fresh = False
        for identity, cell in state.cells.items():
            if cell.kind != PRE or cell.null == -1 or identity in self.seen:
                continue
            if cell.freed is not None or cell.escaped or cell.deep:
                self.seen[identity] = cell
                fresh = True
        return fresh

    def adopt(self, state: State) -> None:
        """Give null cells the effects seen elsewhere."""
        for identity, seen in self.seen.items():
            cell = state.cells.get(identity)
            if cell is not None and cell.null == -1 and cell.freed is None:
                changed = state.change(identity)
                changed.freed, changed.escaped, changed.deep = seen.freed, seen.escaped, seen.deep


# --- the join -----------------------------------------------------------------------------------


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
        self.pairs: dict[Any, Value] = {}
        self.facts: dict[Symbol, Fact] = {}
        self.result = State()

    def run(self) -> State:
        """The joined state."""
        result, old, new = self.result, self.old, self.new
        result.trace = old.trace
        env, others = result.env, new.env
        for name, value in old.env.items():
            if name in others:
                env[name] = self._value(value, others[name])
        cells, twins, names = result.cells, new.cells, self.names
        for identity, cell in old.cells.items():
            twin = twins.get(names.get(identity, identity))
            if twin is cell and all(map(self._same, cell.held)):  # only facts may differ
                cells[identity] = cell
            elif twin is not None:
                cells[identity] = self._cell(cell, twin)
            elif cell.kind in (PRE, GLOBAL, STACK):
                result.cells[identity] = self._alone(cell)
        for identity, cell in new.cells.items():
            if identity not in old.cells and cell_from_outside(cell):
                done = cell.freed is not None or cell.escaped or cell.deep
                if cell.writes or done:
                    result.cells[identity] = self._only_new(cell)
        for symbol, fact in old.facts.items():
            if symbol not in self.claimed and symbol not in self.facts:
                self._fact(symbol, fact, new.facts.get(symbol, ANY))
        result.facts = self.facts
        return result

    def _fact(self, symbol: Symbol, old: Fact, new: Fact) -> None:
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
        if type(old) is tuple and type(new) is tuple:
            if old == new:
                return old
            if type(old[0]) is not Symbol and new[0] == self.names.get(old[0], old[0]):
                if old[1] == new[1] or old[1] == ANYWHERE:
                    return old
                self.changed = True
                return old[0], ANYWHERE
        elif type(old) is type(new) and old == new and (type(old) is not Symbol or self._same(old)):
            return old
        pair = (old, new)
        if pair in self.pairs:
            return self.pairs[pair]
        before, after = fact_of(self.old, old), fact_of(self.new, new)
        if type(old) is tuple or type(new) is tuple:
            result = self.pairs[pair] = self._blur(old, new)
            if result is not old:
                self.changed = True
                fact = hull(before, after)
                if fact != ANY:
                    self.facts[result] = fact
            return result
        own = type(old) is Symbol and old.path is None  # not what the caller passed
        if own and self.claimed.setdefault(old, new) == new:
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

    def _blur(self, old: Value, new: Value) -> Value:
        """Two of the caller's cells, or one and nobody knows what: a value out of their depths."""
        tops = {top for top in (_top(old), _top(new)) if top is not None}
        if type(old) is Symbol and tops <= {_top(old)}:
            return old
        root = min(tops) if tops else None
        for other in tops - {root}:
            for state in (self.old, self.new):
                if other in state.cells:
                    escape(state, (other, 0))
        if type(old) is Symbol and old.root == root:
            return old
        return Symbol(root)

    def _cell(self, old: Cell, new: Cell) -> Cell:
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
        if outside:
            self._perhaps_written(merged, fields, old, new)
        if old.zero and not new.zero:
            merged.zero = False
        elif old.zero:
            for offset in new.fields:
                if offset not in old.fields and type(offset) is int:
                    fields[offset] = self._value(0, new.fields[offset])
        merged.fields = fields
        if new.initial and new.initial != old.initial:
            merged.initial = {**new.initial, **old.initial}
        return merged

    def _members(self, old: Cell, new: Cell, outside: bool) -> tuple[dict[Any, Value], bool]:
        """The members of the older cell joined with those of the newer, and whether all of them
        stayed what they were."""
        fields: dict[Any, Value] = {}
        kept = True
        others = new.fields
        for offset, value in old.fields.items():
            other = others.get(offset)
            if other is None:
                other = new.initial.get(offset) if new.initial else None
                if other is None and new.zero:
                    other = 0
                if other is None:
                    if (outside and value == old.initial.get(offset)) or type(value) is tuple:
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
        self, merged: Cell, fields: dict[Any, Value], old: Cell, new: Cell
    ) -> None:
        """A member that one way wrote and the other did not, or not the same."""
        for offset in new.writes:
            value = new.fields.get(offset)
            if offset in old.writes or value is None or type(offset) is not int:
                continue
            if offset not in old.fields:
                self.changed = True
                fields[offset] = Symbol()
            merged.writes = {**merged.writes, offset: (new.writes[offset][0], PERHAPS)}
        for offset, (place, label) in old.writes.items():
            if label != PERHAPS and (offset not in new.writes or new.writes[offset][1] == PERHAPS):
                merged.writes = {**merged.writes, offset: (place, PERHAPS)}

    def _only_new(self, cell: Cell) -> Cell:
        self.changed = True
        merged = cell.copy()
        merged.null = 0
        merged.same = frozenset()
        if merged.freed is not None:
            merged.freed = None
            merged.escaped = merged.deep = True
        for offset, (place, _) in cell.writes.items():
            value = merged.fields.get(offset)
            if type(value) is not tuple or type(value[0]) is str:
                merged.fields[offset] = Symbol()
                merged.writes = {**merged.writes, offset: (place, PERHAPS)}
        return merged

    def _alone(self, cell: Cell) -> Cell:
        if cell.null == 0 and cell.freed is None and not cell.same:
            return cell
        self.changed = True
        merged = cell.copy()
        merged.null = 0
        merged.same = frozenset()
        if merged.freed is not None:
            merged.freed = None
            merged.escaped = merged.deep = True
        return merged


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
    return not outside or new.writes == old.writes


def _top(value: Value) -> str | None:
    """The parameter or global a value was reached from."""
    identity = value[0] if type(value) is tuple else value
    if type(identity) is Symbol:
        identity = identity.root
    return identity.split("[", 1)[0] if type(identity) is str else None


def cell_from_outside(cell: Cell) -> bool:
    """Whether a cell was there before the function began."""
    return cell.kind in (PRE, GLOBAL)


__all__ = ["OPAQUE", "Join", "canonical_key", "collect", "fold", "prune", "redirect", "summarise"]
