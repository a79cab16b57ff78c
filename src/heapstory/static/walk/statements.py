"""What statements do where values are known; the others do what they do everywhere
(static/statements.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heapstory.cfront import program as op
from heapstory.cfront.program import Statement
from heapstory.static import rules
from heapstory.static.conditions import compare
from heapstory.static.state import WHOLE, Cell
from heapstory.static.statements import HANDLERS as ELSE
from heapstory.static.statements import States
from heapstory.static.values import decide, in_global
from heapstory.static.walk.memory import Piece, put, taken
from heapstory.static.walk.numbers import compute, unsigned, wrapped
from heapstory.static.walk.state import Way

if TYPE_CHECKING:
    from heapstory.static.walk.machine import Walk


def _load(walk: Walk, way: Way, statement: Statement) -> States:
    _, _, register, operand, pointer, size, _ = statement
    address = walk.value(way, operand)
    if in_global(address):
        known = walk.program.table(address)
        if known is not None:
            way.env[register] = (known, 0)
            return None
    value = rules.load(walk, way, address, pointer)
    if type(value) is tuple:
        walk.open_global(way, value[0])
    elif not pointer:
        value = wrapped(value, 8 * size)
    way.env[register] = value
    return None


def _gather(walk: Walk, way: Way, statement: Statement) -> States:
    """A structure in registers is a cell that lives as long as they do."""
    _, _, register, operand, _, size, _ = statement
    whole = Cell(WHOLE)
    piece = taken(walk, way, walk.value(way, operand), size)
    if piece is not None:
        whole.fields, whole.zero = piece.fields, piece.zero
    identity = walk.new_cell()
    way.cells[identity] = whole
    way.env[register] = (identity, 0)
    return None


def _extract(walk: Walk, way: Way, statement: Statement) -> States:
    _, _, register, operand, offset, _ = statement
    value = walk.value(way, operand)
    if type(value) is tuple and value[0] in way.cells and way.cells[value[0]].kind == WHOLE:
        value = rules.load(walk, way, (value[0], offset), False)
    way.env[register] = value
    return None


def _store(walk: Walk, way: Way, statement: Statement) -> States:
    _, place, where, operand, size, label, _, _ = statement
    address, value = walk.value(way, where), walk.value(way, operand)
    if type(value) is tuple and value[0] in way.cells and way.cells[value[0]].kind == WHOLE:
        put(walk, way, address, Piece(way.cells[value[0]], 0, size), place)
        return None
    rules.store(walk, way, address, wrapped(value, 8 * size), place, label)
    return None


def _assign(walk: Walk, way: Way, statement: Statement) -> States:
    _, place, variable, operand, label = statement
    value = wrapped(walk.value(way, operand), way.function.bits.get(variable, 0))
    rules.assign(walk, way, variable, value, place, label)
    return None


def _bin(walk: Walk, way: Way, statement: Statement) -> States:
    _, _, register, operator, left, right, bits = statement
    way.env[register] = compute(operator, walk.value(way, left), walk.value(way, right), bits)
    return None


def _cast(walk: Walk, way: Way, statement: Statement) -> States:
    _, _, register, operand, bits, signed = statement
    value = walk.value(way, operand)
    if type(value) is int:
        value = wrapped(value, bits) if signed else unsigned(value, bits)
    way.env[register] = value
    return None


def _icmp(walk: Walk, way: Way, statement: Statement) -> States:
    _, _, register, predicate, left, right = statement
    one, two = walk.value(way, left), walk.value(way, right)
    within = type(one) is tuple and type(two) is tuple and one[0] == two[0]
    if within and type(one[1]) is int and type(two[1]) is int:
        way.env[register] = int(decide(predicate, one[1], two[1]))
    else:
        way.env[register] = compare(way, predicate, one, two)
    return None


HANDLERS: dict[int, Any] = {
    **ELSE,
    op.LOAD: _load,
    op.GATHER: _gather,
    op.EXTRACT: _extract,
    op.STORE: _store,
    op.ASSIGN: _assign,
    op.BIN: _bin,
    op.CAST: _cast,
    op.ICMP: _icmp,
    op.CALL: lambda walk, way, statement: walk.call(way, statement),
}
