"""Procedural summaries: rows of (precondition, postcondition) over parameters, globals, result.

A row is an *outcome*: the cells a function found through its parameters and globals with what it
assumed of them (the precondition), and what it left behind (the postcondition): members written,
cells freed, cells allocated, the value returned. A function is analysed once, for callers in
general; a call keeps the rows whose precondition its own state allows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from heapstory.static.canonical import canonical_key, null_parameters
from heapstory.static.joining import PERHAPS, Effects, Join
from heapstory.static.reducing import collect, fold
from heapstory.static.state import GLOBAL, HEAP, PRE, STACK, Cell, Site, State
from heapstory.static.values import ANYWHERE, CellId, Comparison, Fact, Symbol, Value

RESULT = "return"
EXTRA = "PV"  # what a variadic function finds in its further arguments
MAX_OUTCOMES = 6


# Members by which the new cells of a site lead to others of the same site: trees, lists.
Links = dict[Site | None, set[int]]


@dataclass(slots=True)
class Outcome:
    """One row: cells (``PRE``, ``GLOBAL`` and new ``HEAP`` ones), facts and the result."""

    cells: dict[CellId, Cell]
    facts: dict[Symbol, Fact]
    result: Value
    numbers: dict[int, Symbol]  # parameters that are numbers


@dataclass(slots=True)
class Summary:
    """What calling a function does."""

    name: str
    parameters: int
    variadic: bool = False
    outcomes: list[Outcome] = field(default_factory=list)
    unknown: bool = False  # a limit was met: it may do anything
    touched: frozenset[int] = frozenset()  # arguments that it frees, keeps or changes
    keeps_extra: bool = False
    returns_new: bool = False
    links: Links = field(default_factory=dict)  # of a recursive function
    fingerprint: str = ""


def unknown_summary(name: str, parameters: int) -> Summary:
    """The summary of a function that could not be analysed."""
    return Summary(name, parameters, unknown=True, touched=frozenset(range(parameters)))


def summarise_returns(
    name: str,
    parameters: int,
    variadic: bool,
    returns: list[tuple[State, Value]],
    numbers: dict[int, Symbol],
    recursive: bool = False,
) -> Summary:
    """Make the rows from the states at the returns."""
    links = _links([state for state, _ in returns]) if recursive else {}
    kept: dict[object, tuple[State, list[CellId]]] = {}
    effects = Effects()
    for state, _ in returns:
        effects.learn(state)
    for state, result in returns:
        effects.adopt(state)
        state.env = {RESULT: _outside(result)}
        _drop_stack(state)
        collect(state)
        fold(state)
        if links:
            close_links(state, links, _heads(state))
        _drop_untouched(state, numbers)
        key, order = canonical_key(state)
        if len(returns) < MAX_OUTCOMES:
            key = (key, null_parameters(state))
        if key in kept:
            old, old_order = kept[key]
            kept[key] = (Join(old, state, old_order, order, False).run(), old_order)
        else:
            kept[key] = (state, order)
    summary = Summary(name, parameters, variadic, links=links)
    states = [state for state, _ in kept.values()]
    _share_depth(states)
    if len(states) > MAX_OUTCOMES:
        states = _limit(states)
    for state in states:
        _drop_untouched(state, numbers)
        summary.outcomes.append(
            Outcome(state.cells, _facts_kept(state, numbers), state.env.get(RESULT), numbers)
        )
    _describe(summary)
    return summary


def _links(states: list[State]) -> Links:
    found: Links = {}
    for state in states:
        for cell in state.cells.values():
            for offset, value in cell.fields.items() if cell.kind == HEAP else ():
                below = state.cells.get(value[0]) if type(value) is tuple else None
                if below is not None and below.site == cell.site and type(offset) is int:
                    found.setdefault(cell.site, set()).add(offset)
    return found


def _heads(state: State) -> set[CellId]:
    heads = {v[0] for v in state.env.values() if type(v) is tuple}
    for cell in state.cells.values():
        if cell.kind != HEAP:
            heads.update(v[0] for v in cell.fields.values() if type(v) is tuple)
    return heads


def closed(summary: Summary) -> Summary:
    """The summary as the functions see it that call each other: of a recursive structure they need
    not know whether more follows the first cell, nor how far a pointer has moved on, nor what
    numbers lie in the caller's memory."""
    kept: dict[object, tuple[State, list[CellId], Outcome]] = {}
    for outcome in summary.outcomes:
        state = State()
        state.cells, state.facts = dict(outcome.cells), dict(outcome.facts)
        state.env = {RESULT: outcome.result}
        close_links(state, summary.links, set())
        _forget_positions(state)
        collect(state)
        key, order = canonical_key(state)
        key = (key, null_parameters(state))
        if key in kept:
            old, old_order, _ = kept[key]
            state, order = Join(old, state, old_order, order, False).run(), old_order
        kept[key] = (state, order, outcome)
    rows = [
        Outcome(state.cells, state.facts, state.env.get(RESULT), outcome.numbers)
        for state, _, outcome in kept.values()
    ]
    return replace(summary, outcomes=rows)


def _forget_positions(state: State) -> None:
    for identity in [i for i in state.cells if type(i) is str]:
        cell = state.change(identity)
        cell.initial = {o: v for o, v in cell.initial.items() if type(v) is tuple}
        for offset, value in list(cell.fields.items()):
            if type(value) is not tuple and offset not in cell.writes:
                del cell.fields[offset]
            elif type(value) is tuple and type(value[0]) is str and value[1] != 0:
                cell.fields[offset] = (value[0], ANYWHERE)


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
            end = max(i for i in state.cells if type(i) is int) + 1
            state.cells[end] = Cell(HEAP, site)
            state.change(end).summary = True
        for identity in {*below, end}:
            cell = state.change(identity)
            for offset in offsets:
                held = cell.fields.get(offset, 0)
                below_it = state.cells.get(held[0]) if type(held) is tuple else None
                if type(held) is int or (below_it is not None and below_it.site == site):
                    cell.fields[offset] = (end, 0)


def _share_depth(states: list[State]) -> None:
    """How often a loop over elements runs is not known: a row that frees a cell without having
    run it frees the elements too."""
    deep = {i for s in states for i, c in s.cells.items() if type(i) is str and c.deep}
    for state in states:
        for identity in deep:
            cell = state.cells.get(identity)
            if cell is not None and cell.freed is not None and not cell.deep:
                state.change(identity).deep = True


def _facts_kept(state: State, numbers: dict[int, Symbol]) -> dict[Symbol, Fact]:
    wanted = set(numbers.values())
    if type(state.env.get(RESULT)) is Symbol:
        wanted.add(state.env[RESULT])
    for cell in state.cells.values():
        wanted.update(v for v in cell.initial.values() if type(v) is Symbol)
        wanted.update(v for v in cell.fields.values() if type(v) is Symbol)
    return {s: f for s, f in state.facts.items() if s in wanted}


def _outside(result: Value) -> Value:
    if type(result) is Comparison:
        return Symbol()
    if type(result) is tuple and type(result[0]) is str and result[0][0] == "%":
        return Symbol()
    if type(result) is tuple and type(result[0]) is Symbol:
        return result[0] if result[0].root is None else Symbol(result[0].root)
    return result


def _drop_stack(state: State) -> None:
    for identity, cell in list(state.cells.items()):
        if cell.kind == STACK or type(identity) is Symbol:
            del state.cells[identity]
    for identity, cell in list(state.cells.items()):
        if any(_is_local(v) for v in cell.fields.values()):
            changed = state.change(identity)
            for offset, value in changed.fields.items():
                if _is_local(value):
                    changed.fields[offset] = Symbol()


def _is_local(value: Value) -> bool:
    if type(value) is Comparison:
        return True
    if type(value) is not tuple:
        return False
    return type(value[0]) is Symbol or (type(value[0]) is str and value[0][0] == "%")


def _drop_untouched(state: State, numbers: dict[int, Symbol]) -> None:
    """Remove what was only looked at and proved nothing."""
    used: set[CellId] = set()
    symbols: set[Symbol] = set()
    for value in [state.env.get(RESULT)]:
        _use(value, used, symbols)
    for cell in state.cells.values():
        for offset, value in cell.fields.items():
            if cell.initial.get(offset) is not value:
                _use(value, used, symbols)
        used |= cell.weak
    for identity in sorted((i for i in state.cells if type(i) is str), key=len, reverse=True):
        cell = state.cells[identity]
        initial = {}
        for offset, value in cell.initial.items():
            if type(value) is tuple:
                wanted = value[0] in state.cells or value[0] in used
            else:
                wanted = value in symbols or value in state.facts
            if wanted or (cell.fields.get(offset) != value and type(value) is tuple):
                initial[offset] = value
        if len(initial) != len(cell.initial):
            cell = state.change(identity)
            for offset in cell.initial:
                if offset not in initial and cell.fields.get(offset) is cell.initial[offset]:
                    del cell.fields[offset]
            cell.initial = initial
        if not _interesting(cell) and identity not in used:
            del state.cells[identity]


def _use(value: Value, used: set[CellId], symbols: set[Symbol]) -> None:
    if type(value) is tuple:
        used.add(value[0])
    elif type(value) is Symbol:
        symbols.add(value)


def _interesting(cell: Cell) -> bool:
    if cell.freed is not None or cell.escaped or cell.deep or cell.null or cell.weak or cell.same:
        return True
    return bool(cell.initial) or any(o in cell.writes for o in cell.fields)


def _limit(states: list[State]) -> list[State]:
    """Too many rows: give up the new cells of the later ones, then drop what became equal."""
    chosen = states[: MAX_OUTCOMES - 1]
    rest = states[MAX_OUTCOMES - 1 :]
    merged = rest[0]
    for state in rest[1:]:
        merged = _weakest(merged, state)
    return [*chosen, merged]


def _weakest(one: State, other: State) -> State:
    """A row that claims no more than either: whatever one of them touched has escaped."""
    result = State()
    result.trace = one.trace
    for identity in dict.fromkeys([*one.cells, *other.cells]):
        if type(identity) is not str:
            continue
        cells = [s.cells[identity] for s in (one, other) if identity in s.cells]
        cell = Cell(cells[0].kind)
        cell.initial = dict(cells[0].initial)
        cell.escaped = any(c.freed is not None or c.escaped or c.deep for c in cells)
        cell.deep = cell.escaped
        for each in cells:
            for offset in each.writes:
                cell.fields[offset] = Symbol()
                cell.writes = {**cell.writes, offset: (each.writes[offset][0], PERHAPS)}
        for offset, value in cell.initial.items():
            cell.fields.setdefault(offset, value)
        result.cells[identity] = cell
    result.env[RESULT] = Symbol()
    return result


def _describe(summary: Summary) -> None:
    """Short facts for calls that could go to several functions."""
    touched: set[int] = set()
    new, some = bool(summary.outcomes), False
    for outcome in summary.outcomes:
        referenced: set[CellId] = set()
        for cell in outcome.cells.values():
            for offset, value in cell.fields.items():
                if type(value) is tuple and cell.initial.get(offset) != value:
                    referenced.add(value[0])
            referenced |= cell.weak
        if type(outcome.result) is tuple:
            referenced.add(outcome.result[0])
        for identity, cell in outcome.cells.items():
            if type(identity) is not str or identity[0] != "P":
                continue
            changed = cell.freed is not None or cell.escaped or cell.deep or bool(cell.writes)
            if identity == EXTRA:
                summary.keeps_extra |= changed
            elif changed or identity in referenced:
                touched.add(int(identity[1:].split("[", 1)[0]))
        result = outcome.result
        fresh = type(result) is tuple and result[0] in outcome.cells
        fresh = fresh and outcome.cells[result[0]].kind == HEAP
        some = some or fresh
        new = new and (fresh or result == 0)
    summary.touched = frozenset(touched)
    summary.returns_new = new and some


__all__ = ["GLOBAL", "PRE", "Outcome", "Summary", "summarise_returns", "unknown_summary"]
