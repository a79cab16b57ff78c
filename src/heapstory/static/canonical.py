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

from heapstory.static.state import HEAP, Cell, State
from heapstory.static.values import CellId, Value

Key = tuple[Any, ...]
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

    def of(self, value: Value) -> Any:
        """The name of the cell that a value points to."""
        return self.named(value[0]) if type(value) is tuple else None

    def named(self, identity: CellId) -> Any:
        """The name of a cell."""
        if type(identity) is str:
            return identity
        number = self._numbers.get(identity)
        if number is None:
            cell = self.cells.get(identity)
            if cell is None or cell.kind != HEAP or cell.escaped:
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
    for variable in sorted([v for v, value in env.items() if type(value) is tuple]):
        identity = env[variable][0]
        if grain and type(identity) is str and identity[0] != "%":
            continue
        named = names.named(identity)
        if named is not None:
            key.append((variable, named))
    for identity in sorted([i for i, c in cells.items() if not c.plain and type(i) is str]):
        entry = _outer_entry(identity, cells[identity], names, grain == COARSEST)
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


def _outer_entry(identity: str, cell: Cell, names: _Names, coarsest: bool) -> Any:
    """What a cell from outside contributes: what became of it, and new cells or other
    parameters' cells that it was given to hold. Other writes are joined, and then only perhaps
    happened."""
    if cell.outline is None:
        inner = any(type(c) is int for c in cell.weak) or any(
            type(v) is tuple and type(v[0]) is int for v in cell.fields.values()
        )
        cell.outline = () if inner else (_outline(identity, cell, names),)
    if not cell.outline:  # it leads to new cells, whose names depend on the state
        if coarsest:
            return _coarse_outline(identity, cell, names)
        return _outline(identity, cell, names)
    return None if coarsest else cell.outline[0]


def _outline(identity: str, cell: Cell, names: _Names) -> Any:
    members: list[tuple[Any, Any]] = []
    for offset, value in cell.fields.items():
        if type(value) is tuple and value != cell.initial.get(offset):
            named = names.named(value[0])
            if type(named) is int or (type(named) is str and named[0] == "P"):
                members.append((offset, named))
    freed = cell.freed is not None
    if not (members or cell.weak or freed or cell.escaped or cell.deep):
        return None
    if len(members) > 1:
        members.sort(key=_by_offset)
    weak = tuple(sorted([str(names.named(c)) for c in cell.weak]))
    return identity, freed, cell.escaped, cell.deep, _plain(members), weak


def _coarse_outline(identity: str, cell: Cell, names: _Names) -> Any:
    """Only the new cells that it holds."""
    members = [
        (offset, named)
        for offset, value in cell.fields.items()
        if type(value) is tuple
        and value != cell.initial.get(offset)
        and type(named := names.named(value[0])) is int
    ]
    held = sorted([n for c in cell.weak if type(n := names.named(c)) is int])
    return (identity, _plain(members), tuple(held)) if members or held else None


def _plain(members: list[tuple[Any, Any]]) -> tuple[Any, ...]:
    """Members as they stand in a key: of elements nobody can tell apart only where they lead."""
    if not members:
        return ()
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
