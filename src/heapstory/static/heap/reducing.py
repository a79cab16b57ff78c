"""Smaller states: names that nothing reads go, cells out of reach go, cells that nothing tells
apart are folded into one."""

from __future__ import annotations

from heapstory.static.heap.names import Named
from heapstory.static.heap.state import GLOBAL, HEAP, PRE, STACK, Cell, Site, State
from heapstory.static.heap.values import CellId, Comparison, Offset, Pointer, Symbol, Value


def prune(state: State, live: frozenset[str]) -> None:
    """Drop names that nothing reads, unless they hold a tracked cell, and cells out of reach."""
    cells = state.cells
    env = {}
    for name, value in state.env.items():
        if name in live or any(_tracked(cells, part) for part in state.parts(value)):
            env[name] = value
    state.env = env
    collect(state)


def _tracked(cells: dict[CellId, Cell], value: Value) -> bool:
    cell = cells.get(value.cell) if isinstance(value, Pointer) else None
    return cell is not None and cell.tracked


def collect(state: State) -> None:
    """Remove cells that nothing leads to, and facts about symbols that are gone."""
    cells = state.cells
    # Only new cells and those behind symbols can get out of reach.
    loose = any(not isinstance(i, Named) for i in cells)
    if not loose and not state.facts:
        return
    symbols: set[Symbol] = set()
    pointed: list[CellId] = []
    for value in state.env.values():
        if isinstance(value, Symbol):
            symbols.add(value)
        elif isinstance(value, Pointer):
            if isinstance(value.cell, Symbol):
                pointed.append(value.cell)
        elif isinstance(value, Comparison):
            symbols.update([v for v in (value.left, value.right) if isinstance(v, Symbol)])
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
            start.append(Pointer(identity, 0))
    alive = state.reachable(start)
    alive.update(pointed)
    kept = {}
    for identity, cell in state.cells.items():
        if isinstance(identity, Symbol):
            if identity not in alive and identity not in symbols:
                continue
            symbols.add(identity)
        elif isinstance(identity, int) and identity not in alive:
            continue
        kept[identity] = cell
        if cell.symbols:
            symbols.update(cell.symbols)
    state.cells = kept


def _kept(symbol: Symbol, symbols: set[Symbol]) -> bool:
    """Whether a symbol is still in use, or was passed in, or is made of such."""
    pending, seen = [symbol], {symbol}
    while pending:
        each = pending.pop()
        if each in symbols or each.path is not None:
            continue
        if not each.parents:
            return False
        for parent in each.parents:
            if parent not in seen:
                seen.add(parent)
                pending.append(parent)
    return True


def drop_dead(state: State, live: frozenset[str]) -> None:
    """Drop names that nothing reads where something else leads to their cell as well."""
    env = state.env
    dead = [name for name, value in env.items() if name not in live and isinstance(value, Pointer)]
    if not dead:
        return
    start = [value for name, value in env.items() if name in live]
    start += [Pointer(i, 0) for i, c in state.cells.items() if c.kind in (PRE, GLOBAL, STACK)]
    alive = state.reachable(start)
    for name in dead:
        value = env[name]
        if isinstance(value, Pointer) and value.cell in alive:
            del env[name]


# --- folding: distance 2 ------------------------------------------------------------------------


def fold(state: State) -> None:
    """Make cells at distance 2 from everything summary cells, one for an allocation site.

    Without it a loop that builds a list would make new states forever.
    """
    cells = state.cells
    for identity, cell in list(cells.items()):
        if any(not isinstance(offset, int) for offset in cell.fields):
            _weaken_elements(state, identity)
    if not any(cell.kind == HEAP for cell in cells.values()):
        return
    named = {v.cell for v in state.held() if isinstance(v, Pointer)}
    near = set(named)
    crowded: set[CellId] = set()
    for cell in cells.values():
        crowded |= cell.weak
        if cell.kind in (PRE, GLOBAL, STACK):
            near.update(v.cell for v in cell.fields.values() if isinstance(v, Pointer))
    for identity in list(near):
        if identity in cells and cells[identity].kind == HEAP:
            near.update(v.cell for v in cells[identity].fields.values() if isinstance(v, Pointer))
    groups: dict[Site | None, list[int]] = {}
    for identity, cell in cells.items():
        far = identity not in near or (identity in crowded and identity not in named)
        if isinstance(identity, int) and far and cell.tracked:
            groups.setdefault(cell.site, []).append(identity)
    for group in groups.values():
        if len(group) > 1 or not cells[group[0]].summary:
            summarise(state, group)


def _weaken_elements(state: State, identity: CellId) -> Cell:
    cell = state.change(identity)
    fields: dict[Offset, Value] = {}
    for offset, value in cell.fields.items():
        if isinstance(offset, int):
            fields[offset] = value
        elif isinstance(value, Pointer):
            cell.weak = cell.weak | {value.cell}
    cell.fields = fields
    return cell


def summarise(state: State, group: list[int]) -> None:
    """Make one summary cell of several cells."""
    members: set[CellId] = set(group)
    chosen = min(group, key=lambda c: (not state.cells[c].summary, c))
    summary = state.cells[chosen].copy()
    summary.summary = True
    summary.null = 0
    summary.texts = {}
    offsets = {o for c in group for o in state.cells[c].fields}
    weak = {c for m in group for c in state.cells[m].weak}
    fields: dict[Offset, Value] = {}
    for offset in offsets:
        values = {
            Pointer(chosen, 0) if isinstance(v, Pointer) and v.cell in members else v
            for v in (state.cells[c].fields.get(offset, 0) for c in group)
            if isinstance(v, Pointer)
        }
        if len(values) == 1:
            fields[offset] = values.pop()
        elif values:
            weak.update(v.cell for v in values)
    summary.fields = fields
    summary.weak = frozenset(chosen if c in members else c for c in weak)
    for identity in group:
        del state.cells[identity]
    state.cells[chosen] = summary
    redirect(state, members - {chosen}, Pointer(chosen, 0))


def redirect(state: State, gone: set[CellId], value: Pointer) -> None:
    """Let every reference to vanished cells mean another value."""
    if not gone:
        return
    for name, old in state.env.items():
        if isinstance(old, Pointer) and old.cell in gone:
            state.env[name] = value
    for identity, cell in list(state.cells.items()):
        if cell.weak & gone or any(
            isinstance(v, Pointer) and v.cell in gone for v in cell.fields.values()
        ):
            changed = state.change(identity)
            for offset, old in changed.fields.items():
                if isinstance(old, Pointer) and old.cell in gone:
                    changed.fields[offset] = value
            if changed.weak & gone:
                changed.weak = changed.weak - gone
                changed.weak = changed.weak | {value.cell}
