"""Canonical form of heap states: what is kept apart at a join.

Two states whose pointer structure is the same are one state: they are joined (joining.py). Two that
differ in it (a cell is held here, freed there) stay apart with the facts that tell them apart, so
``if (own) free(p)`` is understood.

The pointer structure is written with the paper's alias bit-vectors: variables are ordered, and a
cell is named by the vector of the variables at distance 0 from it.
"""

from __future__ import annotations

from typing import Any

from heapstory.static.state import HEAP, Cell, State
from heapstory.static.values import CellId, Value

Key = tuple[Any, ...]
FINE, COARSE, COARSEST = range(3)  # grains


def alias_vectors(state: State) -> dict[CellId, int]:
    """The alias bit-vector of every cell at distance 0, variables in alphabetical order."""
    vectors: dict[CellId, int] = {}
    for position, name in enumerate(sorted(state.env)):
        value = state.env[name]
        if type(value) is tuple:
            vectors[value[0]] = vectors.get(value[0], 0) | 1 << position
    return vectors


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
