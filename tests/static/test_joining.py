"""The join of two states changes neither of them."""

from __future__ import annotations

from heapstory.static.heap.joining import Join
from heapstory.static.heap.names import Named, parameter, slot
from heapstory.static.heap.state import PRE, STACK, Cell, State
from heapstory.static.heap.values import Pointer

P0, P1, X, Y = parameter(0), parameter(1), slot("%x"), slot("%y")


def holding(target: Named) -> State:
    """A slot holds one of two parameters; the second leads to a cell that nobody has looked at."""
    state = State()
    one, second = Cell(STACK), Cell(PRE)
    one.fields[0] = Pointer(target, 0)
    second.fields[0] = Pointer(P1.below(0), 0)
    state.cells = {X: one, P0: Cell(PRE), P1: second, Y: Cell(STACK)}
    return state


def test_two_parameters_in_one_slot() -> None:
    old, new = holding(P0), holding(P1)
    join = Join(old, new, list(old.cells), list(new.cells), False)
    result = join.run()
    assert join.changed and result.cells[P1].escaped
    for state in (old, new):
        assert list(state.cells) == [X, P0, P1, Y]
        assert not any(cell.escaped for cell in state.cells.values())
