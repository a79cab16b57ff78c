"""The join of two states changes neither of them."""

from __future__ import annotations

from heapstory.static.joining import Join
from heapstory.static.state import PRE, STACK, Cell, State


def holding(target: str) -> State:
    """A slot holds one of two parameters; the second leads to a cell that nobody has looked at."""
    state = State()
    slot, second = Cell(STACK), Cell(PRE)
    slot.fields[0] = (target, 0)
    second.fields[0] = ("P1[0]", 0)
    state.cells = {"x": slot, "P0": Cell(PRE), "P1": second, "y": Cell(STACK)}
    return state


def test_two_parameters_in_one_slot() -> None:
    old, new = holding("P0"), holding("P1")
    join = Join(old, new, list(old.cells), list(new.cells), False)
    result = join.run()
    assert join.changed and result.cells["P1"].escaped
    for state in (old, new):
        assert list(state.cells) == ["x", "P0", "P1", "y"]
        assert not any(cell.escaped for cell in state.cells.values())
