"""Giving up: what other code may now hold, free or change."""

from __future__ import annotations

from heapstory.static.heap.names import Named
from heapstory.static.heap.state import GLOBAL, HEAP, OPAQUE, PRE, STACK, Cell, State, kind_of_name
from heapstory.static.heap.values import CellId, Pointer, Symbol, Value


def escape(state: State, value: Value | None) -> None:
    """Somebody else may keep the value: nothing it leads to is tracked any more."""
    if isinstance(value, Pointer) or (isinstance(value, Symbol) and value.root is not None):
        _give_away(state, [value], [])


def escape_contents(state: State, identity: CellId) -> None:
    """Everything one member access away escapes; the cell itself stays."""
    _give_away(state, [], [identity])


def touch(state: State, root: CellId) -> None:
    """A value out of the depths of a cell was freed or given away; which one, nobody knows."""
    _give_away(state, [Symbol(root)], [])


def _give_away(state: State, values: list[Value], opened: list[CellId]) -> None:
    """The common work: ``values`` escape, of ``opened`` cells only what they hold."""
    seen: set[CellId] = set()
    touched: set[CellId] = set(opened)
    for identity in opened:
        cell = state.cells[identity]
        values.extend(v for v in cell.fields.values() if not _points_to(v, identity))
        values.extend(Pointer(c, 0) for c in cell.weak if c != identity)
    while values:
        value = values.pop()
        if isinstance(value, Symbol):
            if value.root is not None and value.root not in touched:
                touched.add(value.root)
                _touch(state, value.root, values)
            continue
        if not isinstance(value, Pointer) or value.cell in seen:
            continue
        identity = value.cell
        seen.add(identity)
        cell_or_none = state.cells.get(identity)
        if cell_or_none is None:
            if not isinstance(identity, Named) or kind_of_name(identity) != PRE:
                continue
            cell_or_none = state.cells[identity] = Cell(PRE)
        cell = cell_or_none
        if isinstance(identity, Symbol):
            values.append(identity)
        if not cell.escaped and cell.kind != OPAQUE:
            cell = state.change(identity)
            cell.escaped = True
        values.extend(cell.fields.values())
        values.extend(Pointer(c, 0) for c in cell.weak)


def _points_to(value: Value, identity: CellId) -> bool:
    return isinstance(value, Pointer) and value.cell == identity


def _touch(state: State, root: CellId, values: list[Value]) -> None:
    cell = state.cells.get(root)
    if cell is None:
        return
    if cell.kind in (PRE, GLOBAL):
        if not cell.deep:
            state.change(root).deep = True
    elif cell.kind in (HEAP, STACK) and not cell.escaped:
        values.extend(v for v in cell.fields.values() if not _points_to(v, root))
        values.extend(Pointer(c, 0) for c in cell.weak if c != root)
    elif isinstance(root, Symbol):
        values.append(root)


def scramble(state: State, value: Value | None) -> None:
    """Other code wrote numbers into the cell: forget those, keep the pointers."""
    if isinstance(value, Symbol):
        value = Pointer(value, 0)
    if not isinstance(value, Pointer) or value.cell not in state.cells:
        return
    cell = state.change(value.cell)
    cell.fields = {o: v for o, v in cell.fields.items() if isinstance(v, Pointer)}
    cell.zero = False
    cell.texts = {}
    if cell.kind in (PRE, GLOBAL) and isinstance(value.offset, int):
        cell.filled = cell.filled | {value.offset}


def forget_number(state: State, identity: CellId, offset: int) -> None:
    """A callee had a number written there that nobody knows."""
    cell = state.cells[identity]
    if isinstance(cell.fields.get(offset), Pointer):
        return
    changed = state.change(identity)
    changed.fields.pop(offset, None)
    if cell.zero:
        changed.fields[offset] = Symbol()
    if cell.kind in (PRE, GLOBAL):
        changed.filled = cell.filled | {offset}


def havoc(state: State, given: list[Value]) -> None:
    """Unknown code ran: what it can reach may hold anything now. What is known of numbers in local
    variables stays, unless they are ``given`` this time: few functions keep such an address."""
    reached: set[CellId] | None = None
    for identity, cell in list(state.cells.items()):
        if not (cell.escaped or cell.kind == OPAQUE) or not cell.fields:
            continue
        fresh = state.change(identity)
        if cell.kind == STACK:
            reached = state.reachable(given) if reached is None else reached
        kept = cell.kind == STACK and reached is not None and identity not in reached
        fresh.fields = {o: v for o, v in cell.fields.items() if kept and _is_number(v)}
        fresh.zero = False


def _is_number(value: Value) -> bool:
    return isinstance(value, Symbol) and value.root is None
