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
from typing import Protocol

from heapstory.cfront.program import Place
from heapstory.static.state import GLOBAL, HEAP, OPAQUE, PRE, STACK, WHOLE, Cell, Site, State
from heapstory.static.values import ANYWHERE, CellId, Offset, Symbol, Value

OVERWRITTEN = "last-reference-overwritten"
FIELD_OVERWRITTEN = "field-overwritten"
FIELD_LOST = "field-lost-at-free"
LOCAL_LOST = "local-lost-at-return"

MAX_DEPTH = 2  # member accesses from a parameter or global that are followed one by one


class Frame(Protocol):
    """What the rules need of the function they run in.

    ``element_freed`` is told of containers of which this function frees elements somewhere: where
    it then seems to skip the loop that does, that is because nobody knows how often loops run.
    """

    container: object

    def element_freed(self, container: object) -> None: ...

    def lost(
        self, state: State, cell: CellId, kind: str, place: Place | None, label: str
    ) -> None: ...

    def misuse(
        self, state: State, cell: CellId, kind: str, place: Place | None, label: str
    ) -> None: ...

    def new_cell(self) -> int: ...

    def stored(self, cell: CellId) -> None: ...

    def not_looked_at(self, cell: CellId) -> None: ...

    def replaced(self, cell: CellId) -> None: ...

    def entry_symbol(self, path: str) -> Symbol: ...


class Infeasible(Exception):
    """The path cannot be taken (it follows a null pointer)."""


# --- rule 1, 3, 4: a variable or a temporary takes another value --------------------------------


def assign(
    frame: Frame, state: State, name: str, value: Value, place: Place | None, label: str
) -> None:
    """Rules 1 and 3 (and the receiving half of 4 and 6): ``name = value``."""
    old = state.env.get(name)
    state.env[name] = value
    if type(old) is tuple and old != value:
        check(frame, state, (old[0],), OVERWRITTEN, place, label)


def forget(frame: Frame, state: State, names: Iterable[str], place: Place | None) -> None:
    """Rule 1 for temporaries that nothing reads any more."""
    env = state.env
    gone = []
    for name in names:
        value = env.pop(name, None)
        if type(value) is tuple:
            gone.append(value[0])
    if gone:
        check(frame, state, gone, OVERWRITTEN, place, "")


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
    named = {v[0] for v in state.env.values() if type(v) is tuple}
    if all(c in named for c in suspects):
        return
    alive = state.reachable(roots(state))
    report_unreachable(frame, state, alive, dict.fromkeys(suspects, (kind, place, label)))


def roots(state: State) -> list[Value]:
    """Everything that keeps cells: variables, parameters' cells, globals, what has escaped."""
    found = list(state.env.values())
    for identity, cell in state.cells.items():
        if cell.kind not in (HEAP, WHOLE) or cell.escaped:
            found.append((identity, 0))
    return found


def report_unreachable(
    frame: Frame,
    state: State,
    alive: set[CellId],
    suspects: dict[CellId, tuple[str, Place | None, str]],
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
            if type(value) is tuple and value[0] != identity:
                held.add(value[0])
        held |= cell.weak - {identity}
    heads = [c for c in suspects if c in cells and c not in alive and cells[c].tracked]
    outer = [c for c in heads if c not in held] or heads
    for identity in outer:
        frame.container = _container(state, identity)
        frame.lost(state, identity, *suspects[identity])
    for identity in lost:
        del cells[identity]


def _container(state: State, element: CellId) -> object:
    """The cell whose elements include this one."""
    for identity, cell in state.cells.items():
        if element in cell.weak or any(
            type(v) is tuple and v[0] == element for v in cell.fields.values()
        ):
            return cell.site or identity
    return None


# --- reading and writing members ----------------------------------------------------------------


def target(frame: Frame, state: State, address: Value) -> tuple[CellId, Offset] | None:
    """The cell and offset an address means, with the cell in the state; None if nobody knows."""
    if type(address) is Symbol:
        address = (address, 0)
    elif type(address) is int:
        if address == 0:
            raise Infeasible
        return None
    elif type(address) is not tuple:
        return None
    identity = address[0]
    cell = state.cells.get(identity)
    if cell is None:
        if type(identity) is Symbol:
            state.cells[identity] = Cell(OPAQUE)
        elif type(identity) is str:
            state.cells[identity] = Cell(_kind(identity))
        else:
            return None
    elif cell.null != 1 and cell.kind in (HEAP, PRE):
        if cell.null == -1:
            raise Infeasible
        state.change(identity).null = 1
    return address[0], address[1]


def _kind(identity: str) -> int:
    if "[" in identity or identity[0] == "P":
        return PRE
    return GLOBAL if identity[0] == "@" else STACK


def load(frame: Frame, state: State, address: Value, pointer: bool) -> Value:
    """Rule 4, the reading half: the value of ``q->f``."""
    where = target(frame, state, address)
    if where is None:
        return Symbol()
    identity, offset = where
    cell = state.cells[identity]
    found = cell.fields.get(offset)
    if found is not None:
        return found
    value = _unread(frame, state, identity, cell, offset, pointer)
    if offset != ANYWHERE:
        cell = state.change(identity)
        cell.fields[offset] = value
        if cell.kind in (PRE, GLOBAL) and not cell.escaped and type(offset) is int:
            cell.initial = {**cell.initial, offset: value}
    return value


def look_at(state: State, identity: CellId, offset: Offset) -> None:
    """The code itself reads what the caller left in a member, or in one nobody knows."""
    cell = state.cells.get(identity)
    if cell is None or cell.kind not in (PRE, GLOBAL):
        return
    member = offset if type(offset) is int else ANYWHERE
    if member in cell.read or member in cell.writes:
        return
    if member == ANYWHERE or member in cell.initial:
        state.change(identity).read = cell.read | {member}


def _unread(
    frame: Frame, state: State, identity: CellId, cell: Cell, offset: Offset, pointer: bool
) -> Value:
    """A member that nothing in this state has written or read yet."""
    if type(offset) is not int:  # an element nobody can tell from the others
        return Symbol(identity) if pointer else Symbol()
    if pointer and any(type(known) is not int for known in cell.fields):
        return Symbol(identity)  # perhaps what was stored at an index nobody knows
    if cell.zero and not cell.weak and not cell.summary:
        return 0
    if cell.kind not in (PRE, GLOBAL) or cell.escaped:
        if type(identity) is Symbol and identity.root is not None:
            return Symbol(identity.root)  # as deep, or deeper
        return Symbol(identity if cell.weak else None)
    if not pointer:
        return frame.entry_symbol(f"{identity}.{offset}")
    if identity.count("[") >= MAX_DEPTH:
        return Symbol(identity)
    below = f"{identity}[{offset}]"
    if below not in state.cells:
        state.cells[below] = Cell(PRE)
    return below, 0


def store(
    frame: Frame,
    state: State,
    address: Value,
    value: Value,
    place: Place | None,
    label: str,
) -> None:
    """Rules 2 and 5: ``p->f = null`` and ``p->f = q``."""
    where = target(frame, state, address)
    if where is None:
        escape(state, value)
        return
    identity, offset = where
    cell = state.change(identity)
    cell.texts = {}
    if type(value) is tuple and type(value[0]) is int and cell.kind != STACK:
        frame.stored(value[0])
    if cell.freed is not None:
        frame.misuse(state, identity, "use-after-free", place, label)
        escape(state, value)
        return
    if cell.kind == OPAQUE or cell.escaped:
        escape(state, value)
        if offset != ANYWHERE:
            cell = state.change(identity)
            cell.fields[offset] = value
        return
    if offset == ANYWHERE or cell.summary:
        if type(value) is tuple:
            cell.weak = cell.weak | {value[0]}
        elif type(value) is Symbol and value.root is not None:
            touch(state, value.root)
        return
    if type(value) is Symbol and value.root is not None and value.root != identity:
        touch(state, value.root)  # an element nobody can tell from the others moves elsewhere
        cell = state.change(identity)
    old = cell.fields.get(offset)
    if type(offset) is not int:
        _numbers_stale(cell, offset)
    cell.fields[offset] = value
    if cell.kind in (PRE, GLOBAL):
        cell.writes = {**cell.writes, offset if type(offset) is int else ANYWHERE: (place, label)}
    if type(old) is tuple and old != value:
        check(frame, state, (old[0],), FIELD_OVERWRITTEN, place, label)


def _numbers_stale(cell: Cell, offset: Offset) -> None:
    """Any element of an array may have been written: a number that stood there is not known any
    more. Members in front of the array are not elements."""
    for known, value in list(cell.fields.items()):
        if type(value) is tuple:
            continue
        if type(known) is not int:
            del cell.fields[known]
        elif known >= offset[2]:
            cell.fields[known] = Symbol()


def clear(frame: Frame, state: State, address: Value, size: int, place: Place | None) -> None:
    """Rule 2 over a range: ``memset(p, 0, size)``; a negative size is one nobody knows."""
    where = target(frame, state, address)
    if where is None:
        return
    identity, start = where
    cell = state.change(identity)
    cell.texts = {}
    gone: list[CellId] = []
    for offset, value in list(cell.fields.items()):
        inside = type(offset) is not int or type(start) is not int or size < 0
        if inside or start <= offset < start + size:
            if type(value) is tuple:
                gone.append(value[0])
            del cell.fields[offset]
    if cell.kind in (HEAP, STACK) and start == 0:
        cell.zero = True
    elif type(start) is int and cell.kind != OPAQUE:
        for offset in range(start, start + min(size, 256), 8):
            cell.fields[offset] = 0
    if gone:
        check(frame, state, gone, FIELD_OVERWRITTEN, place, "")


def copy_members(
    frame: Frame, state: State, to: Value, source: Value, size: int, place: Place | None
) -> None:
    """Rule 5 for every member: structure assignment and ``memcpy``."""
    into, origin = target(frame, state, to), target(frame, state, source)
    if origin is None or into is None:
        if origin is not None:
            escape_contents(state, origin[0])
        return
    first, start = origin
    if type(start) is not int or type(into[1]) is not int or size < 0:
        if state.cells[first].kind == PRE:  # what the caller keeps there now lies in both
            state.change(first).deep = True
        for value in [*state.cells[first].fields.values()]:
            if type(value) is tuple and state.cells[into[0]].kind != OPAQUE:
                store(frame, state, (into[0], ANYWHERE), value, place, "")
            else:
                escape(state, value)
        scramble(state, to)
        return
    cell = state.cells[first]
    if cell.kind == PRE and not cell.escaped and size <= 256:
        for offset in range(start, start + size, 8):
            load(frame, state, (first, offset), True)
    if cell.zero or state.cells[into[0]].fields:
        clear(frame, state, to, size, place)
    for offset, value in list(state.cells[first].fields.items()):
        if type(offset) is int and start <= offset < start + size:
            store(frame, state, (into[0], into[1] + offset - start), value, place, "")
    if state.cells[first].weak:
        cell = state.change(into[0])
        cell.weak = cell.weak | state.cells[first].weak


# --- rule 6 and 7: allocation and release -------------------------------------------------------


def allocate(
    frame: Frame, state: State, site: Site, zero: bool = False, certain: bool = False
) -> Value:
    """Rule 6: a new cell. Its members are ⊥; whether it is null is decided when asked."""
    identity = frame.new_cell()
    cell = Cell(HEAP, site, zero)
    cell.null = 1 if certain else 0
    state.cells[identity] = cell
    return identity, 0


def release(frame: Frame, state: State, value: Value, place: Place | None) -> None:
    """Rule 7: ``free(p)``."""
    if type(value) is Symbol:
        if value.root is not None:
            holder = state.cells.get(value.root)
            if holder is not None:
                frame.element_freed(holder.site or value.root)
            touch(state, value.root)
        if value in state.cells:
            state.change(value).freed = place
        return
    if type(value) is not tuple:
        return
    identity, offset = value
    cell = state.cells.get(identity)
    if cell is None:
        if type(identity) is not str:
            return
        cell = state.cells[identity] = Cell(_kind(identity))
    if type(identity) is Symbol and identity.root is not None:
        touch(state, identity.root)
    if cell.kind in (STACK, GLOBAL):
        frame.misuse(state, identity, "free-of-unallocated", place, "")
        return
    if cell.null == -1:
        return
    if cell.freed is not None:
        frame.misuse(state, identity, "double-free", place, "")
        return
    if cell.summary or (offset != 0 and (cell.kind != PRE or type(offset) is not int)):
        escape(state, value)
        return
    cell = state.change(identity)
    cell.start = offset
    cell.freed = place or Place("?", 0, "?")
    below = {v[0] for v in cell.fields.values() if type(v) is tuple} | cell.weak
    if below:
        held = [v for v in state.env.values() if type(v) is Symbol and v.root == identity]
        if held:  # an element is still held by a variable: nobody knows which one
            escape_contents(state, identity)
        check(frame, state, below, FIELD_LOST, place, "")


# --- giving up: what other code may now hold ----------------------------------------------------


def escape(state: State, value: Value) -> None:
    """Somebody else may keep the value: nothing it leads to is tracked any more."""
    if type(value) is tuple or (type(value) is Symbol and value.root is not None):
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
        values.extend((c, 0) for c in cell.weak if c != identity)
    while values:
        value = values.pop()
        if type(value) is Symbol:
            if value.root is not None and value.root not in touched:
                touched.add(value.root)
                _touch(state, value.root, values)
            continue
        if type(value) is not tuple or value[0] in seen:
            continue
        identity = value[0]
        seen.add(identity)
        cell_or_none = state.cells.get(identity)
        if cell_or_none is None:
            if type(identity) is not str or _kind(identity) != PRE:
                continue
            cell_or_none = state.cells[identity] = Cell(PRE)
        cell = cell_or_none
        if type(identity) is Symbol:
            values.append(identity)
        if not cell.escaped and cell.kind != OPAQUE:
            cell = state.change(identity)
            cell.escaped = True
        values.extend(cell.fields.values())
        values.extend((c, 0) for c in cell.weak)


def _points_to(value: Value, identity: CellId) -> bool:
    return type(value) is tuple and value[0] == identity


def _touch(state: State, root: CellId, values: list[Value]) -> None:
    cell = state.cells.get(root)
    if cell is None:
        return
    if cell.kind in (PRE, GLOBAL):
        if not cell.deep:
            state.change(root).deep = True
    elif cell.kind in (HEAP, STACK) and not cell.escaped:
        values.extend(v for v in cell.fields.values() if not _points_to(v, root))
        values.extend((c, 0) for c in cell.weak if c != root)
    elif type(root) is Symbol:
        values.append(root)


def scramble(state: State, value: Value) -> None:
    """Other code wrote numbers into the cell: forget those, keep the pointers."""
    if type(value) is Symbol:
        value = (value, 0)
    if type(value) is not tuple or value[0] not in state.cells:
        return
    cell = state.change(value[0])
    cell.fields = {o: v for o, v in cell.fields.items() if type(v) is tuple}
    cell.zero = False
    cell.texts = {}


def havoc(state: State) -> None:
    """Unknown code ran: what it can reach may hold anything now."""
    for identity, cell in list(state.cells.items()):
        if (cell.escaped or cell.kind == OPAQUE) and cell.fields:
            fresh = state.change(identity)
            fresh.fields = {}
            fresh.zero = False
