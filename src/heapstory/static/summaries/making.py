"""Summaries made from the states in which a function returns."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from heapstory.static.heap.canonical import canonical_key, null_parameters
from heapstory.static.heap.conditions import fact_of, sign_of
from heapstory.static.heap.joining import Effects, Join
from heapstory.static.heap.names import EXTRA, PARAMETER, SLOT, Named, parameter
from heapstory.static.heap.reducing import collect, fold
from heapstory.static.heap.state import HEAP, STACK, Cell, State
from heapstory.static.heap.values import (
    ANY,
    ANYWHERE,
    CellId,
    Comparison,
    Fact,
    Offset,
    Pointer,
    Symbol,
    Value,
    hull,
)
from heapstory.static.summaries.summary import Links, Row, Summary, put_somewhere

RESULT = "return"  # the name of the result in a state
MAX_ROWS = 6


def summarise_returns(
    name: str,
    parameters: int,
    variadic: bool,
    returns: list[tuple[State, Value | None]],
    numbers: dict[int, Symbol],
    recursive: bool = False,
) -> Summary:
    """Make the rows from the states at the returns."""
    links = _links([state for state, _ in returns]) if recursive else {}
    effects = Effects()
    for state, _ in returns:
        effects.learn(state)
    for state, result in returns:
        effects.adopt(state)
        state.env = {} if result is None else {RESULT: _outside(result)}
        _drop_stack(state)
        collect(state)
        fold(state)
        if links:
            close_links(state, links, _heads(state))
        _drop_untouched(state, numbers)
    states = _joined([state for state, _ in returns], True)
    if len(states) > MAX_ROWS:
        for state in states:
            _forget_freed(state)
        states = _joined(states, True)
    summary = Summary(name, parameters, variadic, links=links)
    _share_depth(states)
    if len(states) > MAX_ROWS:
        fewer = _joined(states, False)
        states = fewer if len(fewer) <= MAX_ROWS else _limit(states)
    for state in states:
        _drop_untouched(state, numbers)
        summary.rows.append(
            Row(state.cells, _facts_kept(state, numbers), state.env.get(RESULT), numbers)
        )
    _describe(summary)
    return summary


def _joined(returns: list[State], signs: bool) -> list[State]:
    """The states at the returns; those that are alike are one. Callers ask for the ``signs`` of
    results."""
    kept: dict[object, tuple[State, list[CellId]]] = {}
    for state in returns:
        key, order = canonical_key(state)
        if len(returns) < MAX_ROWS:
            key = (key, null_parameters(state))
        if signs:
            key = (key, sign_of(state, state.env.get(RESULT)))
        if key in kept:
            old, old_order = kept[key]
            kept[key] = (Join(old, state, old_order, order, False).run(), old_order)
        else:
            kept[key] = (state, order)
    return [state for state, _ in kept.values()]


def add_rows(summary: Summary, results: list[Cell]) -> None:
    """Rows in which the result is new memory: beside those in which nobody knows what it is."""
    more: list[Row] = []
    for row in summary.rows:
        if isinstance(row.result, Symbol) and row.result.root is None and results:
            made = Cell(HEAP, results[0].site)
            made.null = 1
            new = max((i for i in row.cells if isinstance(i, int)), default=0) + 1
            more.append(Row({**row.cells, new: made}, row.facts, Pointer(new, 0), row.numbers))
    summary.rows += more[: MAX_ROWS - len(summary.rows)]


def _links(states: list[State]) -> Links:
    found: Links = {}
    for state in states:
        for cell in state.cells.values():
            for offset, value in cell.fields.items() if cell.kind == HEAP else ():
                below = state.cells.get(value.cell) if isinstance(value, Pointer) else None
                if below is not None and below.site == cell.site and isinstance(offset, int):
                    found.setdefault(cell.site, set()).add(offset)
    return found


def _heads(state: State) -> set[CellId]:
    heads = {v.cell for v in state.env.values() if isinstance(v, Pointer)}
    for cell in state.cells.values():
        if cell.kind != HEAP:
            heads.update(v.cell for v in cell.fields.values() if isinstance(v, Pointer))
    return heads


def closed(summary: Summary) -> Summary:
    """The summary as the functions see it that call each other: of a recursive structure they need
    not know whether more follows the first cell, nor how far a pointer has moved on, nor what
    numbers lie in the caller's memory."""
    kept: dict[object, tuple[State, list[CellId], Row]] = {}
    for row in summary.rows:
        state = State()
        state.cells, state.facts = dict(row.cells), dict(row.facts)
        state.env = {} if row.result is None else {RESULT: row.result}
        close_links(state, summary.links, set())
        _forget_positions(state)
        collect(state)
        key, order = canonical_key(state)
        key = (key, null_parameters(state))
        if key in kept:
            old, old_order, _ = kept[key]
            state, order = Join(old, state, old_order, order, False).run(), old_order
        kept[key] = (state, order, row)
    rows = [
        Row(state.cells, state.facts, state.env.get(RESULT), row.numbers)
        for state, _, row in kept.values()
    ]
    return replace(summary, rows=rows)


def _forget_positions(state: State) -> None:
    for identity in [i for i in state.cells if isinstance(i, Named)]:
        cell = state.change(identity)
        cell.initial = {o: v for o, v in cell.initial.items() if isinstance(v, Pointer)}
        for offset, value in list(cell.fields.items()):
            if not isinstance(value, Pointer) and offset not in cell.writes:
                del cell.fields[offset]
            elif isinstance(value, Pointer) and isinstance(value.cell, Named) and value.offset != 0:
                cell.fields[offset] = Pointer(value.cell, ANYWHERE)


def close_links(state: State, links: Links, heads: set[CellId]) -> None:
    """Below the first cell of a recursive structure, no more cells and any number of them are the
    same: the links lead to a summary cell, which may stand for none."""
    for site, offsets in links.items():
        below = [
            i for i, c in state.cells.items() if c.tracked and c.site == site and i not in heads
        ]
        if not below:
            continue
        end = next((i for i in below if state.cells[i].summary), None)
        if end is None:
            end = max(i for i in state.cells if isinstance(i, int)) + 1
            state.cells[end] = Cell(HEAP, site)
            state.change(end).summary = True
        for identity in {*below, end}:
            cell = state.change(identity)
            for offset in offsets:
                held = cell.fields.get(offset, 0)
                below_it = state.cells.get(held.cell) if isinstance(held, Pointer) else None
                if isinstance(held, int) or (below_it is not None and below_it.site == site):
                    cell.fields[offset] = Pointer(end, 0)


def _share_depth(states: list[State]) -> None:
    """How often a loop over elements runs is not known: a row that frees a cell without having
    run it frees the elements too."""
    deep = {i for s in states for i, c in s.cells.items() if isinstance(i, Named) and c.deep}
    for state in states:
        for identity in deep:
            cell = state.cells.get(identity)
            if cell is not None and cell.freed is not None and not cell.deep:
                state.change(identity).deep = True


def _facts_kept(state: State, numbers: dict[int, Symbol]) -> dict[Symbol, Fact]:
    """What is known of numbers that the caller has or gets, and of what is computed from one of
    those and constants: ``flags & 4``."""
    wanted = set(numbers.values())
    result = state.env.get(RESULT)
    if isinstance(result, Symbol):
        wanted.add(result)
    for cell in state.cells.values():
        wanted.update(v for v in cell.initial.values() if isinstance(v, Symbol))
        wanted.update(v for v in cell.fields.values() if isinstance(v, Symbol))
    return {s: f for s, f in state.facts.items() if s in wanted or s.source in wanted}


def _outside(result: Value) -> Value:
    if isinstance(result, Comparison):
        asked = isinstance(result.left, Symbol) and isinstance(result.right, int)
        return result if asked else Symbol()
    if isinstance(result, Pointer) and _is_slot(result.cell):
        return Symbol()
    if isinstance(result, Pointer) and isinstance(result.cell, Symbol):
        return result.cell if result.cell.root is None else Symbol(result.cell.root)
    return result


def _drop_stack(state: State) -> None:
    for identity, cell in list(state.cells.items()):
        if cell.kind == STACK or isinstance(identity, Symbol):
            del state.cells[identity]
    for identity, cell in list(state.cells.items()):
        if any(_is_local(v) for v in cell.fields.values()):
            changed = state.change(identity)
            for offset, value in changed.fields.items():
                if _is_local(value):
                    changed.fields[offset] = Symbol()


def _is_local(value: Value) -> bool:
    if isinstance(value, Comparison):
        return True
    if not isinstance(value, Pointer):
        return False
    return isinstance(value.cell, Symbol) or _is_slot(value.cell)


def _is_slot(identity: CellId) -> bool:
    return isinstance(identity, Named) and identity.origin == SLOT


def _length(name: Named) -> int:
    return len(name.text)


def _drop_untouched(state: State, numbers: dict[int, Symbol]) -> None:
    """Remove what was only looked at and proved nothing."""
    used: set[CellId] = set()
    symbols: set[Symbol] = {s.source for s in state.facts}
    for value in [state.env.get(RESULT)]:
        _use(value, used, symbols)
    for cell in state.cells.values():
        for offset, value in cell.fields.items():
            if cell.initial.get(offset) is not value:
                _use(value, used, symbols)
        used |= cell.weak
    for identity in sorted(
        (i for i in state.cells if isinstance(i, Named)), key=_length, reverse=True
    ):
        cell = state.cells[identity]
        initial = {}
        for offset, value in cell.initial.items():
            if isinstance(value, Pointer):
                wanted = value.cell in state.cells or value.cell in used
            else:
                wanted = value in symbols or value in state.facts
            if wanted or (cell.fields.get(offset) != value and isinstance(value, Pointer)):
                initial[offset] = value
        if len(initial) != len(cell.initial):
            cell = state.change(identity)
            for offset in cell.initial:
                if offset not in initial and cell.fields.get(offset) is cell.initial[offset]:
                    del cell.fields[offset]
            cell.initial = initial
        if not _interesting(cell) and identity not in used:
            del state.cells[identity]


def _use(value: Value | None, used: set[CellId], symbols: set[Symbol]) -> None:
    if isinstance(value, Pointer):
        used.add(value.cell)
    elif isinstance(value, Comparison):
        _use(value.left, used, symbols)
    elif isinstance(value, Symbol):
        symbols.update((value, value.source))


def _interesting(cell: Cell) -> bool:
    if cell.freed is not None or cell.escaped or cell.deep or cell.null or cell.weak or cell.same:
        return True
    return bool(cell.initial or cell.filled) or any(o in cell.writes for o in cell.fields)


def _forget_freed(state: State) -> None:
    """What leads to new cells that were freed again is a value nobody needs."""
    gone = {i for i, c in state.cells.items() if c.kind == HEAP and c.freed is not None}
    for identity in gone:
        del state.cells[identity]
    for identity, cell in list(state.cells.items()):
        stale = [o for o, v in cell.fields.items() if isinstance(v, Pointer) and v.cell in gone]
        if stale or cell.weak & gone:
            changed = state.change(identity)
            changed.fields.update((offset, Symbol()) for offset in stale)
            changed.weak = cell.weak - gone
    result = state.env.get(RESULT)
    if isinstance(result, Pointer) and result.cell in gone:
        state.env[RESULT] = Symbol()


def _limit(states: list[State]) -> list[State]:
    """Too many rows: the first ones stay as they are, of the others those with results of one sign
    are merged."""
    chosen, merged = states[: MAX_ROWS - 1], _by_sign(states[MAX_ROWS - 1 :])
    while len(chosen) + len(merged) > MAX_ROWS:
        chosen.pop()
        merged = _by_sign(states[len(chosen) :])
    return [*chosen, *merged]


def _by_sign(states: list[State]) -> list[State]:
    """The states, those with results of one sign merged."""
    found: dict[object, State] = {}
    for state in states:
        sign = sign_of(state, state.env.get(RESULT))
        found[sign] = _weakest(found[sign], state) if sign in found else state
    return [*found.values()]


def _weakest(one: State, other: State) -> State:
    """A row that claims no more than either: whatever one of them touched, or put somewhere, has
    escaped. New memory that both put into the same member stays."""
    result = State()
    result.trace = one.trace
    kept = set().union(*(put_somewhere(s.cells, s.env.get(RESULT)) for s in (one, other)))
    common = _Common(one, other, result)
    for symbol, fact in one.facts.items():
        both = hull(fact, other.facts.get(symbol, ANY))
        if both != ANY:
            result.facts[symbol] = both
    for identity in dict.fromkeys([*one.cells, *other.cells]):
        if not isinstance(identity, Named):
            continue
        cells = [s.cells[identity] for s in (one, other) if identity in s.cells]
        cell = Cell(cells[0].kind)
        cell.initial = dict(cells[0].initial)
        filled = any(c.deep for c in cells) and any(c.weak or c.writes for c in cells)
        touched = any(c.freed is not None or c.escaped for c in cells)
        cell.escaped = touched or filled or identity in kept
        cell.deep = cell.escaped or any(c.deep for c in cells)
        cell.filled = frozenset().union(*(c.filled for c in cells))
        for each in cells:
            for offset in each.writes:
                values = [c.fields.get(offset) for c in cells]
                cell.fields[offset] = common.value(*values) if len(cells) == 2 else Symbol()
                cell.writes = {**cell.writes, offset: each.writes[offset]._replace(perhaps=True)}
        for offset, value in cell.initial.items():
            cell.fields.setdefault(offset, value)
        result.cells[identity] = cell
    result.env[RESULT] = common.value(one.env.get(RESULT), other.env.get(RESULT))
    return result


class _Common:
    """What two states have in common of the memory that they made."""

    def __init__(self, one: State, other: State, result: State) -> None:
        self._one, self._other, self._result = one, other, result
        self._references = [_references(one), _references(other)]

    def value(self, left: Value | None, right: Value | None) -> Value:
        """A number or a new cell that both have; else nobody knows what it is."""
        if isinstance(left, int) and left == right:
            return left
        if not isinstance(left, Pointer) or not isinstance(right, Pointer):
            return self._number(left, right)
        if left.offset != right.offset or not isinstance(left.offset, int):
            return Symbol()
        held = zip(self._references, (left.cell, right.cell), strict=True)
        if any(references[cell] != 1 for references, cell in held):
            return Symbol()  # perhaps something else leads to it as well
        mine, theirs = self._one.cells.get(left.cell), self._other.cells.get(right.cell)
        if mine is None or theirs is None or not (mine.tracked and theirs.tracked):
            return Symbol()
        if mine.site != theirs.site or mine.summary or theirs.summary:
            return Symbol()
        made = self._result.cells[left.cell] = Cell(HEAP, mine.site)
        made.null = 1 if mine.null == theirs.null == 1 else 0
        for offset in mine.fields.keys() | theirs.fields.keys():
            if isinstance(offset, int):
                made.fields[offset] = self.value(mine.fields.get(offset), theirs.fields.get(offset))
        return left

    def _number(self, left: Value | None, right: Value | None) -> Symbol:
        symbol = Symbol()
        if left is not None and right is not None:
            fact = hull(fact_of(self._one, left), fact_of(self._other, right))
            if fact != ANY:
                self._result.facts[symbol] = fact
        return symbol


def _references(state: State) -> Counter[CellId]:
    """How often each cell is held by others, or returned."""
    found: Counter[CellId] = Counter()
    for cell in state.cells.values():
        found.update(value.cell for value in cell.fields.values() if isinstance(value, Pointer))
        found.update(cell.weak)
    result = state.env.get(RESULT)
    if isinstance(result, Pointer):
        found[result.cell] += 1
    return found


def _only_frees(row: Row, number: int) -> bool:
    """Whether a row frees a parameter, if that is not null, and does nothing to what it holds."""
    passed = parameter(number)
    found = row.cells.get(passed)
    if found is None or any(i is not passed and _below(i, passed) for i in row.cells):
        return False
    return found.null < 0 or (found.freed is not None and found.start == 0 and not found.deep)


def _below(identity: CellId, top: Named) -> bool:
    return isinstance(identity, Named) and identity.top is top


def _counted(rows: list[Row]) -> frozenset[Named]:
    """The caller's cells that one row ends and another one only counts down a number in: the
    other references keep them."""
    ended: set[Named] = set()
    fewer: set[Named] = set()
    for row in rows:
        for identity, cell in row.cells.items():
            if not isinstance(identity, Named):
                continue
            if cell.freed is not None or cell.escaped:
                ended.add(identity)
            elif any(_one_less(cell, offset) for offset in cell.writes):
                fewer.add(identity)
    return frozenset(ended & fewer)


def _one_less(cell: Cell, offset: Offset) -> bool:
    """Whether a member became one less than it was."""
    value = cell.fields.get(offset)
    if not isinstance(value, Symbol) or value.key not in (("add", -1), ("sub", 1)):
        return False
    return value.parents[0] is cell.initial.get(offset)


def _describe(summary: Summary) -> None:
    """Short facts for calls that could go to several functions."""
    touched: set[int] = set()
    new, some = bool(summary.rows), False
    for row in summary.rows:
        referenced = put_somewhere(row.cells, row.result)
        for identity, cell in row.cells.items():
            if not isinstance(identity, Named) or identity.origin != PARAMETER:
                continue
            changed = cell.freed is not None or cell.escaped or cell.deep or bool(cell.writes)
            if identity.top is EXTRA:
                summary.keeps_extra |= changed
            elif changed or identity in referenced:
                touched.add(identity.number)
        result = row.result
        returned = row.cells.get(result.cell) if isinstance(result, Pointer) else None
        fresh = returned is not None and returned.kind == HEAP
        some = some or fresh
        new = new and (fresh or result == 0)
    summary.touched = frozenset(touched)
    summary.frees = frozenset(n for n in touched if all(_only_frees(r, n) for r in summary.rows))
    summary.counted = _counted(summary.rows)
    summary.returns_new = new and some
