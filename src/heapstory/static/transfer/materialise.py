"""Distance 2 minus 1 is {1, 2}: a load that reaches a summary cell splits the state."""

from __future__ import annotations

from heapstory.static.heap.state import State
from heapstory.static.heap.values import CellId, Offset, Pointer
from heapstory.static.transfer.frame import Frame


def materialise(
    frame: Frame, state: State, register: str, address: Pointer, value: Pointer
) -> list[State]:
    """Take one cell out of the summary that ``address`` leads to, and give it to ``register``.

    Where the summary is the end of a chain there are two ways on: the cell was its last (distance
    1), or more of them follow (distance 2).
    """
    summary = value.cell
    holder, offset = address.cell, address.offset
    cell = state.cells[summary]
    held = state.cells.get(holder)
    if held is None or held.fields.get(offset) != value:
        return [state]
    itself = summary in cell.weak or any(
        isinstance(v, Pointer) and v.cell == summary for v in cell.fields.values()
    )
    if _others(state, summary, holder, offset, register):
        return [_take(frame, state, register, address, value, keep=True)]
    if not itself:
        return [_take(frame, state, register, address, value, keep=False)]
    last = state.copy()
    return [
        _take(frame, state, register, address, value, keep=True),
        _take(frame, last, register, address, value, keep=False),
    ]


def _others(state: State, summary: CellId, holder: CellId, offset: Offset, register: str) -> bool:
    """Whether something besides the followed member and the summary itself leads to it."""
    for name, value in state.env.items():
        if name != register and isinstance(value, Pointer) and value.cell == summary:
            return True
    for identity, cell in state.cells.items():
        if identity == summary:
            continue
        if summary in cell.weak:
            return True
        for at, value in cell.fields.items():
            if (
                isinstance(value, Pointer)
                and value.cell == summary
                and (identity, at) != (holder, offset)
            ):
                return True
    return False


def _take(
    frame: Frame, state: State, register: str, address: Pointer, value: Pointer, keep: bool
) -> State:
    summary = value.cell
    one = state.cells[summary].copy()
    one.summary = False
    identity = frame.new_cell()
    if not keep:
        for at, each in list(one.fields.items()):
            if isinstance(each, Pointer) and each.cell == summary:
                one.fields[at] = 0
        one.weak = one.weak - {summary}
        del state.cells[summary]
    one.null = 1
    state.cells[identity] = one
    fresh = Pointer(identity, value.offset)
    state.env[register] = fresh
    state.change(address.cell).fields[address.offset] = fresh
    return state
