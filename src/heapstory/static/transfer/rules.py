"""The seven rules of the paper, on heap states, with the corrections of the notes.

====  ==================  ====================================================================
rule  statement           leak if
====  ==================  ====================================================================
1     ``p = null``        nothing else leads to the cell of ``p`` (also: a temporary's last use)
2     ``p->f = null``     nothing else leads to the cell of ``p->f``
3     ``p = q``           as rule 1 for the old ``p``
4     ``p = q->f``        as rule 1 for the old ``p``
5     ``p->f = q``        as rule 2 for the old ``p->f``
6     ``p = malloc()``    as rule 1; the members of the new cell are ⊥, not ∅ (corrected)
7     ``free(p)``         a member of the cell is the last way to another cell; every ``w->f``
                          that led to the freed cell becomes ⊥ (corrected)
====  ==================  ====================================================================

"Leads to" is membership in an alias set at any distance: a cell no variable, parameter or global
leads to has an empty alias bit-vector in every extended pointer structure.
"""

from __future__ import annotations

from collections.abc import Iterable

from heapstory.cfront.program import Place
from heapstory.static.heap.conditions import PAGE
from heapstory.static.heap.escaping import escape, escape_contents, scramble, touch
from heapstory.static.heap.names import Named, parameter
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
    Write,
    kind_of_name,
)
from heapstory.static.heap.values import (
    ANYWHERE,
    NULL_INDEXED,
    CellId,
    Index,
    Offset,
    Pointer,
    Symbol,
    Value,
)
from heapstory.static.transfer.frame import Frame
from heapstory.static.transfer.losses import (
    FIELD_LOST,
    FIELD_OVERWRITTEN,
    OVERWRITTEN,
    Container,
    Suspects,
)

MAX_DEPTH = 2  # member accesses from a parameter or global that are followed one by one


class Infeasible(Exception):
    """The path cannot be taken (it follows a null pointer)."""


# --- rule 1, 3, 4: a variable or a temporary takes another value --------------------------------


def assign(
    frame: Frame, state: State, name: str, value: Value, place: Place | None, label: str
) -> None:
    """Rules 1 and 3 (and the receiving half of 4 and 6): ``name = value``."""
    old = state.env.get(name)
    state.env[name] = value
    if isinstance(old, Pointer) and old != value:
        check(frame, state, cells_in(state, old), OVERWRITTEN, place, label)


def forget(frame: Frame, state: State, names: Iterable[str], place: Place | None) -> None:
    """Rule 1 for temporaries that nothing reads any more."""
    env = state.env
    gone = []
    for name in names:
        value = env.pop(name, None)
        if isinstance(value, Pointer):
            gone += cells_in(state, value)
    if gone:
        check(frame, state, gone, OVERWRITTEN, place, "")


def cells_in(state: State, value: Value | None) -> list[CellId]:
    """The cells that a value points to: of a structure in registers, those of its members."""
    return [part.cell for part in state.parts(value) if isinstance(part, Pointer)]


def check(
    frame: Frame,
    state: State,
    candidates: Iterable[CellId],
    kind: str,
    place: Place | None,
    label: str,
) -> None:
    """Report the candidates that nothing leads to any more, and drop what went with them."""
    cells = state.cells
    suspects = [c for c in candidates if c in cells and cells[c].tracked]
    if not suspects:
        return
    named = {v.cell for v in state.held() if isinstance(v, Pointer)}
    if all(c in named for c in suspects):
        return
    alive = state.reachable(roots(state))
    report_unreachable(frame, state, alive, dict.fromkeys(suspects, (kind, place, label)))


def roots(state: State) -> list[Value]:
    """Everything that keeps cells: variables, parameters' cells, globals, what has escaped."""
    found = list(state.env.values())
    for identity, cell in state.cells.items():
        if cell.kind not in (HEAP, WHOLE) or cell.escaped:
            found.append(Pointer(identity, 0))
    return found


def report_unreachable(
    frame: Frame,
    state: State,
    alive: set[CellId],
    suspects: Suspects,
) -> None:
    """Report lost cells, the heads of lost structures only, and remove all of them."""
    cells = state.cells
    lost = [c for c, cell in cells.items() if c not in alive and cell.tracked]
    if not lost:
        return
    held = set()
    for identity in lost:
        cell = cells[identity]
        for value in cell.fields.values():
            if isinstance(value, Pointer) and value.cell != identity:
                held.add(value.cell)
        held |= cell.weak - {identity}
    heads = [c for c in suspects if c in cells and c not in alive and cells[c].tracked]
    outer = [c for c in heads if c not in held] or heads
    containers = _containers(state, set(outer))
    for identity in outer:
        frame.container = containers.get(identity)
        frame.lost(state, identity, *suspects[identity])
    for identity in lost:
        del cells[identity]


def _containers(state: State, elements: set[CellId]) -> dict[CellId, Container]:
    """The cells whose members or elements are these."""
    found: dict[CellId, Container] = {}
    for identity, cell in state.cells.items():
        held = {value.cell for value in cell.fields.values() if isinstance(value, Pointer)}
        for element in (held | cell.weak) & elements:
            found.setdefault(element, cell.site or identity)
    return found


# --- reading and writing members ----------------------------------------------------------------


def target(state: State, address: Value) -> Pointer | None:
    """The cell and offset an address means, with the cell in the state; None if nobody knows. No
    memory is at a member or an element of null, nor at an error."""
    if isinstance(address, Symbol):
        if address.key is not None and address.key[0] == NULL_INDEXED:
            raise Infeasible
        address = Pointer(address, 0)
    elif not isinstance(address, Pointer):
        if isinstance(address, int) and abs(address) < PAGE:
            raise Infeasible
        return None
    identity = address.cell
    cell = state.cells.get(identity)
    if cell is None:
        if isinstance(identity, Symbol):
            state.cells[identity] = Cell(OPAQUE)
        elif isinstance(identity, Named):
            state.cells[identity] = Cell(kind_of_name(identity))
        else:
            return None
    elif cell.null != 1 and cell.kind in (HEAP, PRE):
        if cell.null < 0:
            raise Infeasible
        state.change(identity).null = 1
    return address


def load(frame: Frame, state: State, address: Value, pointer: bool) -> Value:
    """Rule 4, the reading half: the value of ``q->f``."""
    where = target(state, address)
    if where is None:
        return Symbol()
    identity, offset = where.cell, where.offset
    cell = state.cells[identity]
    found = cell.fields.get(offset)
    if found is not None:
        return _as_pointer(state, identity, offset, found) if pointer else found
    value = _unread(frame, state, identity, cell, offset, pointer)
    if offset is not ANYWHERE:
        cell = state.change(identity)
        cell.fields[offset] = value
        if cell.kind in (PRE, GLOBAL) and not cell.escaped and isinstance(offset, int):
            if not pointer and offset in cell.filled:
                cell.writes = {**cell.writes, offset: Write(None, "")}
            else:
                cell.initial = {**cell.initial, offset: value}
    return value


def _as_pointer(state: State, identity: CellId, offset: Offset, found: Value) -> Value:
    """A pointer that was passed as a number: a union whose first member is one travels so."""
    number = found.parameter if isinstance(found, Symbol) else None
    if number is None:
        return found
    if parameter(number) not in state.cells:
        state.cells[parameter(number)] = Cell(PRE)
    made = Pointer(parameter(number), 0)
    state.change(identity).fields[offset] = made
    return made


def use(frame: Frame, state: State, address: Value, place: Place | None) -> None:
    """Memory is read, by the code or by a library function."""
    cell = state.cells.get(address.cell) if isinstance(address, Pointer) else None
    if isinstance(address, Pointer) and cell is not None and cell.freed is not None:
        frame.misuse(state, address.cell, "use-after-free", place, "")


def look_at(state: State, identity: CellId, offset: Offset) -> None:
    """The code itself reads what the caller left in a member, or in one nobody knows."""
    cell = state.cells.get(identity)
    if cell is None or cell.kind not in (PRE, GLOBAL):
        return
    member = offset if isinstance(offset, int) else ANYWHERE
    if member in cell.read or member in cell.writes:
        return
    if member is ANYWHERE or member in cell.initial:
        state.change(identity).read = cell.read | {member}


def _unread(
    frame: Frame, state: State, identity: CellId, cell: Cell, offset: Offset, pointer: bool
) -> Value:
    """A member that nothing in this state has written or read yet."""
    if not isinstance(offset, int):  # an element nobody can tell from the others
        return Symbol(identity) if pointer else Symbol()
    if pointer and any(not isinstance(known, int) for known in cell.fields):
        return Symbol(identity)  # perhaps what was stored at an index nobody knows
    if cell.zero and not cell.weak and not cell.summary:
        return 0
    if cell.kind not in (PRE, GLOBAL) or cell.escaped:
        if isinstance(identity, Symbol) and identity.root is not None:
            return Symbol(identity.root)  # as deep, or deeper
        return Symbol(identity if cell.weak else None)
    if not pointer:
        filled = offset in cell.filled
        return Symbol() if filled else frame.entry_symbol(f"{identity}.{offset}")
    if not isinstance(identity, Named) or identity.depth >= MAX_DEPTH:
        return Symbol(identity)
    below = identity.below(offset)
    if below not in state.cells:
        state.cells[below] = Cell(PRE)
    return Pointer(below, 0)


def store(
    frame: Frame,
    state: State,
    address: Value,
    value: Value,
    place: Place | None,
    label: str,
) -> None:
    """Rules 2 and 5: ``p->f = null`` and ``p->f = q``."""
    where = target(state, address)
    if where is None:
        escape(state, value)
        return
    identity, offset = where.cell, where.offset
    cell = state.change(identity)
    cell.texts = {}
    element = cell.kind != STACK or not isinstance(offset, int)
    if element and isinstance(value, Pointer) and isinstance(value.cell, int):
        frame.stored(state, value.cell)
    hidden = cell.kind == OPAQUE or cell.escaped or not isinstance(offset, int)
    if hidden and isinstance(value, Symbol) and value.parameter is not None:
        _keep_number(state, value.parameter)
        cell = state.change(identity)
    if cell.freed is not None:
        frame.misuse(state, identity, "use-after-free", place, label)
        escape(state, value)
        return
    if cell.kind == OPAQUE or cell.escaped:
        escape(state, value)
        if offset is not ANYWHERE:
            cell = state.change(identity)
            cell.fields[offset] = value
        return
    if offset is ANYWHERE or cell.summary:
        if isinstance(value, Pointer):
            cell.weak = cell.weak | {value.cell}
        elif isinstance(value, Symbol) and value.root is not None:
            touch(state, value.root)
        return
    if isinstance(value, Symbol) and value.root is not None and value.root != identity:
        touch(state, value.root)  # an element nobody can tell from the others moves elsewhere
        cell = state.change(identity)
    old = cell.fields.get(offset)
    if isinstance(offset, Index):
        _numbers_stale(cell, offset)
    cell.fields[offset] = value
    if cell.kind in (PRE, GLOBAL):
        member = offset if isinstance(offset, int) else ANYWHERE
        cell.writes = {**cell.writes, member: Write(place, label)}
    if isinstance(old, Pointer) and old != value:
        check(frame, state, (old.cell,), FIELD_OVERWRITTEN, place, label)


def _keep_number(state: State, number: int) -> None:
    """A parameter that is a number is kept where nobody finds it again: if it is a pointer for the
    caller, what it leads to has escaped."""
    if parameter(number) not in state.cells:
        state.cells[parameter(number)] = Cell(PRE)
    escape(state, Pointer(parameter(number), 0))


def _numbers_stale(cell: Cell, offset: Index) -> None:
    """Any element of an array may have been written: a number that stood there is not known any
    more. Members in front of the array are not elements."""
    for known, value in list(cell.fields.items()):
        if isinstance(value, Pointer):
            continue
        if not isinstance(known, int):
            del cell.fields[known]
        elif known >= offset.constant:
            cell.fields[known] = Symbol()


def clear(frame: Frame, state: State, address: Value, size: int, place: Place | None) -> None:
    """Rule 2 over a range: ``memset(p, 0, size)``; a negative size is one nobody knows."""
    where = target(state, address)
    if where is None:
        return
    identity, start = where.cell, where.offset
    cell = state.change(identity)
    cell.texts = {}
    gone: list[CellId] = []
    unclear: list[Value] = []
    for offset, value in list(cell.fields.items()):
        behind = _bytes_between(start, offset)
        if behind is not None and size >= 0 and not 0 <= behind < size:
            continue
        if isinstance(value, Pointer):
            if behind is None:
                unclear.append(value)
            else:
                gone.append(value.cell)
        del cell.fields[offset]
    if cell.kind in (HEAP, STACK) and start == 0:
        cell.zero = True
    elif isinstance(start, int) and cell.kind != OPAQUE:
        for offset in range(start, start + min(size, 256), 8):
            cell.fields[offset] = 0
    for value in unclear:
        escape(state, value)
    if gone:
        check(frame, state, gone, FIELD_OVERWRITTEN, place, "")


def _bytes_between(start: Offset, offset: Offset) -> int | None:
    """How far an offset lies behind another one; None if nobody knows."""
    if isinstance(start, int) and isinstance(offset, int):
        return offset - start
    if isinstance(start, Index) and isinstance(offset, Index):
        same = start.symbol is offset.symbol and start.scale == offset.scale
        return offset.constant - start.constant if same else None
    return None


def copy_members(
    frame: Frame, state: State, to: Value, source: Value, size: int, place: Place | None
) -> None:
    """Rule 5 for every member: structure assignment and ``memcpy``."""
    into, origin = target(state, to), target(state, source)
    if origin is None or into is None:
        if origin is not None:
            escape_contents(state, origin.cell)
        return
    first, start = origin.cell, origin.offset
    if not isinstance(start, int) or not isinstance(into.offset, int) or size < 0:
        if state.cells[first].kind == PRE:  # what the caller keeps there now lies in both
            state.change(first).deep = True
        for value in [*state.cells[first].fields.values()]:
            if isinstance(value, Pointer) and state.cells[into.cell].kind != OPAQUE:
                store(frame, state, Pointer(into.cell, ANYWHERE), value, place, "")
            else:
                escape(state, value)
        scramble(state, to)
        return
    cell = state.cells[first]
    if cell.kind == PRE and not cell.escaped and size <= 256:
        for at in range(start, start + size, 8):
            load(frame, state, Pointer(first, at), True)
    if cell.zero or state.cells[into.cell].fields:
        clear(frame, state, to, size, place)
    for offset, value in list(state.cells[first].fields.items()):
        if isinstance(offset, int) and start <= offset < start + size:
            store(frame, state, Pointer(into.cell, into.offset + offset - start), value, place, "")
    if state.cells[first].weak:
        cell = state.change(into.cell)
        cell.weak = cell.weak | state.cells[first].weak


# --- rule 6 and 7: allocation and release -------------------------------------------------------


def allocate(
    frame: Frame, state: State, site: Site, zero: bool = False, certain: bool = False
) -> Pointer:
    """Rule 6: a new cell. Its members are ⊥; whether it is null is decided when asked."""
    identity = frame.new_cell()
    cell = Cell(HEAP, site, zero)
    cell.null = 1 if certain else 0
    state.cells[identity] = cell
    return Pointer(identity, 0)


def release(frame: Frame, state: State, value: Value, place: Place | None) -> None:
    """Rule 7: ``free(p)``."""
    if isinstance(value, Symbol):
        if value.root is not None:
            holder = state.cells.get(value.root)
            if holder is not None:
                frame.element_freed(holder.site or value.root)
            touch(state, value.root)
        if value in state.cells:
            state.change(value).freed = place
        return
    if not isinstance(value, Pointer):
        return
    identity, offset = value.cell, value.offset
    cell = state.cells.get(identity)
    if cell is None:
        if not isinstance(identity, Named):
            return
        cell = state.cells[identity] = Cell(kind_of_name(identity))
    if isinstance(identity, Symbol) and identity.root is not None:
        touch(state, identity.root)
    if cell.kind in (STACK, GLOBAL):
        frame.misuse(state, identity, "free-of-unallocated", place, "")
        return
    if cell.null < 0:
        return
    if cell.freed is not None:
        frame.misuse(state, identity, "double-free", place, "")
        return
    if cell.summary or (offset != 0 and (cell.kind != PRE or not isinstance(offset, int))):
        if cell.tracked and not cell.summary and isinstance(offset, int):
            frame.misuse(state, identity, "free-of-unallocated", place, "")
        escape(state, value)
        return
    cell = state.change(identity)
    cell.start = offset
    cell.freed = place or Place("?", 0, "?")
    below = {v.cell for v in cell.fields.values() if isinstance(v, Pointer)} | cell.weak
    if below:
        held = [v for v in state.env.values() if isinstance(v, Symbol) and v.root == identity]
        if held:  # an element is still held by a variable: nobody knows which one
            escape_contents(state, identity)
        check(frame, state, below, FIELD_LOST, place, "")
