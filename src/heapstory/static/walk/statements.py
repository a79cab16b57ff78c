"""What statements do where values are known; the others do what they do everywhere
(transfer/statements.py)."""

from __future__ import annotations

from collections.abc import Callable

from heapstory.cfront import program as op
from heapstory.cfront.program import Statement
from heapstory.static.heap.conditions import compare
from heapstory.static.heap.state import WHOLE, Cell
from heapstory.static.heap.values import Pointer, decide
from heapstory.static.transfer import rules
from heapstory.static.transfer.statements import HANDLERS, States
from heapstory.static.walk.frame import WalkFrame
from heapstory.static.walk.memory import Piece, put, taken
from heapstory.static.walk.numbers import compute, unsigned, wrapped
from heapstory.static.walk.state import Way


def _load(frame: WalkFrame, way: Way, statement: Statement) -> States:
    _, _, register, operand, pointer, size, _ = statement
    address = frame.value(way, operand)
    known = frame.table(address)
    if known is not None:
        way.env[register] = known
        return None
    value = rules.load(frame, way, address, pointer)
    if isinstance(value, Pointer):
        frame.open_global(way, value.cell)
    elif not pointer:
        value = wrapped(value, 8 * size)
    way.env[register] = value
    return None


def _gather(frame: WalkFrame, way: Way, statement: Statement) -> States:
    """A structure in registers is a cell that lives as long as they do."""
    _, _, register, operand, _, size, _ = statement
    whole = Cell(WHOLE)
    piece = taken(way, frame.value(way, operand), size)
    if piece is not None:
        whole.fields, whole.zero = piece.members(), piece.zero
    identity = frame.new_cell()
    way.cells[identity] = whole
    way.env[register] = Pointer(identity, 0)
    return None


def _extract(frame: WalkFrame, way: Way, statement: Statement) -> States:
    _, _, register, operand, offset = statement
    value = frame.value(way, operand)
    if (
        isinstance(value, Pointer)
        and value.cell in way.cells
        and way.cells[value.cell].kind == WHOLE
    ):
        value = rules.load(frame, way, Pointer(value.cell, offset), False)
    way.env[register] = value
    return None


def _store(frame: WalkFrame, way: Way, statement: Statement) -> States:
    _, place, where, operand, size, label, _, _ = statement
    address, value = frame.value(way, where), frame.value(way, operand)
    if (
        isinstance(value, Pointer)
        and value.cell in way.cells
        and way.cells[value.cell].kind == WHOLE
    ):
        put(frame, way, address, Piece(way.cells[value.cell], 0, size), place)
        return None
    rules.store(frame, way, address, wrapped(value, 8 * size), place, label)
    return None


def _assign(frame: WalkFrame, way: Way, statement: Statement) -> States:
    _, place, variable, operand, label = statement
    value = wrapped(frame.value(way, operand), way.function.bits.get(variable, 0))
    rules.assign(frame, way, variable, value, place, label)
    return None


def _bin(frame: WalkFrame, way: Way, statement: Statement) -> States:
    _, _, register, operator, left, right, bits = statement
    way.env[register] = compute(operator, frame.value(way, left), frame.value(way, right), bits)
    return None


def _cast(frame: WalkFrame, way: Way, statement: Statement) -> States:
    _, _, register, operand, bits, signed = statement
    value = frame.value(way, operand)
    if isinstance(value, int):
        value = wrapped(value, bits) if signed else unsigned(value, bits)
    way.env[register] = value
    return None


def _icmp(frame: WalkFrame, way: Way, statement: Statement) -> States:
    _, _, register, predicate, left, right = statement
    one, two = frame.value(way, left), frame.value(way, right)
    if (
        isinstance(one, Pointer)
        and isinstance(two, Pointer)
        and one.cell == two.cell
        and isinstance(one.offset, int)
        and isinstance(two.offset, int)
    ):
        way.env[register] = int(decide(predicate, one.offset, two.offset))
    else:
        way.env[register] = compare(way, predicate, one, two)
    return None


Handler = Callable[[WalkFrame, Way, Statement], States]
KNOWN: dict[int, Handler] = {
    op.LOAD: _load,
    op.GATHER: _gather,
    op.EXTRACT: _extract,
    op.STORE: _store,
    op.ASSIGN: _assign,
    op.BIN: _bin,
    op.CAST: _cast,
    op.ICMP: _icmp,
}


def execute(frame: WalkFrame, way: Way, statement: Statement) -> States:
    """The states after a statement that is no call."""
    known = KNOWN.get(statement[0])
    if known is not None:
        return known(frame, way, statement)
    return HANDLERS[statement[0]](frame, way, statement)
