"""The paper's abstract heap states, read off a heap state.

For every variable an *extended pointer structure* gives, for every pointer field and distance, the
alias bit-vector of the variables found there: ⊥ (None) if there is no cell, 0 if there is one that
no variable names. Rows of summaries are shown and compared in this form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heapstory.static.heap.distance import plus
from heapstory.static.heap.state import State
from heapstory.static.heap.values import CellId, Pointer, Symbol, Value

Vector = int | None
Extended = dict[int, dict[int, Vector]]  # field offset -> distance -> alias vector
AbstractState = dict[str, Extended]


class VariableOrder:
    """The ordering of variables that gives each its bit."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.bit = {name: 1 << number for number, name in enumerate(self.names)}

    def vector(self, members: Sequence[str]) -> int:
        """The bit-vector of a set of variables."""
        total = 0
        for name in members:
            total |= self.bit[name]
        return total

    def members(self, vector: int) -> list[str]:
        """The variables in a bit-vector."""
        return [name for name in self.names if vector & self.bit[name]]


def abstract(state: State, variables: Mapping[str, Value], fields: Sequence[int]) -> AbstractState:
    """The saturated abstract state of variables over pointer fields."""
    order = VariableOrder(sorted(variables))
    at: dict[CellId, int] = {}
    for name, value in variables.items():
        cell = _cell(state, value)
        if cell is not None:
            at[cell] = at.get(cell, 0) | order.bit[name]
    found: AbstractState = {}
    for name, value in variables.items():
        cell = _cell(state, value)
        found[name] = {
            field: _distances(state, cell, field, at, order.bit[name]) for field in fields
        }
    return saturate(found, order)


def _cell(state: State, value: Value | None) -> CellId | None:
    if isinstance(value, Symbol):
        return value
    if not isinstance(value, Pointer):
        return None
    cell = state.cells.get(value.cell)
    if cell is not None and (cell.null < 0 or cell.freed is not None):
        return None
    return value.cell


def _successors(state: State, cell: CellId) -> list[CellId]:
    held = state.cells.get(cell)
    if held is None or held.freed is not None:
        return []
    values = [*held.fields.values(), *(Pointer(c, 0) for c in held.weak)]
    return [c for c in (_cell(state, v) for v in values if isinstance(v, Pointer)) if c is not None]


def _distances(
    state: State, cell: CellId | None, field: int, at: Mapping[CellId, int], own: int
) -> dict[int, Vector]:
    if cell is None:
        return {0: None, 1: None, 2: None}
    held = state.cells.get(cell)
    target = _cell(state, held.fields.get(field)) if held is not None else None
    if target is None:
        return {0: at[cell] & ~own, 1: None, 2: None}
    far: set[CellId] = set()
    stack = _successors(state, target)
    while stack:
        each = stack.pop()
        if each not in far:
            far.add(each)
            stack.extend(_successors(state, each))
    beyond: Vector = None
    for each in far:
        beyond = (beyond or 0) | at.get(each, 0)
    return {0: at[cell] & ~own, 1: at.get(target, 0), 2: beyond}


def saturate(state: AbstractState, order: VariableOrder) -> AbstractState:
    """Close under anti-reflexivity, symmetry and transitivity (by the first field over any later
    field, or trees are missed)."""
    found = {n: {f: dict(v) for f, v in fields.items()} for n, fields in state.items()}
    for name, fields in found.items():
        for vectors in fields.values():
            if vectors[0] is not None:
                vectors[0] &= ~order.bit[name]
    changed = True
    while changed:
        changed = _symmetry(found, order) | _transitivity(found, order)
    return found


def _symmetry(found: AbstractState, order: VariableOrder) -> bool:
    changed = False
    for name, fields in found.items():
        for field, vectors in fields.items():
            for other in order.members(vectors[0] or 0):
                back = found[other][field]
                if back[0] is not None and not back[0] & order.bit[name]:
                    back[0] |= order.bit[name]
                    changed = True
    return changed


def _transitivity(found: AbstractState, order: VariableOrder) -> bool:
    changed = False
    for name, fields in found.items():
        for vectors in fields.values():
            for first in (0, 1, 2):
                for middle in order.members(vectors[first] or 0):
                    for later in found[middle].values():
                        changed |= _follow(vectors, first, later, order.bit[name])
    return changed


def _follow(vectors: dict[int, Vector], first: int, later: Mapping[int, Vector], own: int) -> bool:
    changed = False
    for second in (0, 1, 2):
        found = later[second]
        if first == 0 or found is None:
            continue  # aliases share their structure already
        for distance in plus(first, second):
            now = vectors[distance]
            merged = (now or 0) | (found & ~own if distance == 0 else found)
            if merged != now:
                vectors[distance] = merged
                changed = True
    return changed


def show(extended: Extended, order: VariableOrder, names: Mapping[int, str]) -> str:
    """An extended pointer structure as the paper writes it."""
    parts = []
    for field, vectors in sorted(extended.items()):
        items = []
        for distance in (0, 1, 2):
            vector = vectors[distance]
            aliases = "⊥" if vector is None else "{" + ",".join(order.members(vector)) + "}"
            items.append(f"⟨{distance}, {'∅' if aliases == '{}' else aliases}⟩")
            if vector is None:
                break
        parts.append(f"{names.get(field, field)}: {', '.join(items)}")
    return "{" + "; ".join(parts) + "}"
