"""Canonical form of heap states: what is kept apart at a join.

Two states whose pointer structure is the same are one state: they are joined (joining.py). Two that
differ in it (a cell is held here, freed there) stay apart with the facts that tell them apart, so
``if (own) free(p)`` is understood.

The pointer structure is written without the cells' own names: variables are ordered, and a new
cell is named by when they lead to it. That says as much as the paper's alias bit-vectors, which
``abstraction`` reads off a state.
"""

from __future__ import annotations

from typing import Any, Final

from heapstory.static.heap.names import PARAMETER, SLOT, Named, by_text
from heapstory.static.heap.state import HEAP, WHOLE, Cell, State
from heapstory.static.heap.values import CellId, Offset, Pointer, Value

Key = tuple[Any, ...]  # what makes two states alike: hashed and compared, never looked into
Entry = tuple[Offset, Named | int]  # a member of a cell, and the cell it leads to
# Grains.
FINE: Final = 0
COARSE: Final = 1
COARSEST: Final = 2


class _Names:
    """The names of cells in a key: those from outside keep their own, new ones are numbered in the
    order in which the key meets them; cells that are not followed have none."""

    def __init__(self, cells: dict[CellId, Cell]) -> None:
        self.cells = cells
        self.met: list[CellId] = []
        self._numbers: dict[CellId, int] = {}

    def of(self, value: Value) -> Named | int | None:
        """The name of the cell that a value points to."""
        return self.named(value.cell) if isinstance(value, Pointer) else None

    def named(self, identity: CellId) -> Named | int | None:
        """The name of a cell."""
        if isinstance(identity, Named):
            return identity
        number = self._numbers.get(identity)
        if number is None:
            cell = self.cells.get(identity)
            if cell is None or cell.kind not in (HEAP, WHOLE) or cell.escaped:
                return None
            number = self._numbers[identity] = len(self.met)
            self.met.append(identity)
        return number


def canonical_key(state: State, grain: int = FINE) -> tuple[Key, list[CellId]]:
    """The pointer structure as a key, and the heap cells in the order the key meets them.

    A coarse key does not ask which of the caller's cells a variable points to; the coarsest asks
    of the caller's cells only which new cells they hold. What was then done to them on one way and
    not on another perhaps happened.
    """
    cells = state.cells
    names = _Names(cells)
    key: list[Any] = []
    env = state.env
    for variable in sorted([v for v, value in env.items() if isinstance(value, Pointer)]):
        pointer = env[variable]
        assert isinstance(pointer, Pointer)
        identity = pointer.cell
        if grain and isinstance(identity, Named) and identity.origin != SLOT:
            continue
        named = names.named(identity)
        if named is not None:
            key.append((variable, named))
    changed = [i for i, c in cells.items() if isinstance(i, Named) and not c.plain]
    if len(changed) > 1:
        changed.sort(key=by_text)
    for outer in changed:
        entry = _outer_entry(outer, cells[outer], names, grain == COARSEST)
        if entry is not None:
            key.append(entry)
    for identity in names.met:  # which grows on the way
        cell = cells[identity]
        members = [
            (o, n)
            for o, v in sorted(cell.fields.items(), key=_by_offset)
            if (n := names.of(v)) is not None
        ]
        weak = [str(n) for c in sorted(cell.weak, key=str) if (n := names.named(c)) is not None]
        key.append(
            (cell.site, cell.freed is None, cell.summary, _plain(members), tuple(sorted(weak)))
        )
    return tuple(key), names.met


def _outer_entry(identity: Named, cell: Cell, names: _Names, coarsest: bool) -> Any:
    """What a cell from outside contributes: what became of it, and new cells or other
    parameters' cells that it was given to hold. Other writes are joined, and then only perhaps
    happened."""
    if cell.outline is None:
        inner = any(isinstance(c, int) for c in cell.weak) or any(
            isinstance(v, Pointer) and isinstance(v.cell, int) for v in cell.fields.values()
        )
        cell.outline = () if inner else (_outline(identity, cell, names),)
    if not cell.outline:  # it leads to new cells, whose names depend on the state
        if coarsest:
            return _coarse_outline(identity, cell, names)
        return _outline(identity, cell, names)
    return None if coarsest else cell.outline[0]


def _outline(identity: Named, cell: Cell, names: _Names) -> Any:
    members: list[Entry] = []
    for offset, value in cell.fields.items():
        if isinstance(value, Pointer) and value != cell.initial.get(offset):
            named = names.named(value.cell)
            if isinstance(named, int) or (isinstance(named, Named) and named.origin == PARAMETER):
                members.append((offset, named))
    freed = cell.freed is not None
    if not (members or cell.weak or freed or cell.escaped or cell.deep):
        return None
    if len(members) > 1:
        members.sort(key=_by_offset)
    weak = tuple(sorted([str(names.named(c)) for c in cell.weak]))
    return identity, freed, cell.escaped, cell.deep, _plain(members), weak


def _coarse_outline(identity: Named, cell: Cell, names: _Names) -> Any:
    """Only the new cells that it holds."""
    members: list[Entry] = [
        (offset, named)
        for offset, value in cell.fields.items()
        if isinstance(value, Pointer)
        and value != cell.initial.get(offset)
        and isinstance(named := names.named(value.cell), int)
    ]
    held = sorted([n for c in cell.weak if isinstance(n := names.named(c), int)])
    return (identity, _plain(members), tuple(held)) if members or held else None


def _plain(members: list[Entry]) -> Key:
    """Members as they stand in a key: of elements nobody can tell apart only where they lead."""
    if not members:
        return ()
    return tuple(dict.fromkeys((o if isinstance(o, int) else "x", n) for o, n in members))


def _by_offset(item: tuple[Offset, object]) -> tuple[int, int]:
    return (0, item[0]) if isinstance(item[0], int) else (1, 0)


def null_parameters(state: State) -> Key:
    """The parameters that are null in a state, or errors."""
    cells = state.cells
    found = [i for i, c in cells.items() if c.null < 0 and isinstance(i, Named) and i.depth == 0]
    return tuple([(i, cells[i].null) for i in sorted(found, key=by_text)])
