"""Pieces of memory: structures and texts that are read and written as a whole."""

from __future__ import annotations

from heapstory.cfront.program import Place
from heapstory.static import rules
from heapstory.static.rules import FIELD_OVERWRITTEN, Frame
from heapstory.static.state import OPAQUE, Cell, State
from heapstory.static.values import Symbol, Value

LONG = 1_024  # bytes that are told apart one by one


class Piece:
    """What lies in some bytes, by offset from their start."""

    __slots__ = ("fields", "size", "zero")

    def __init__(self, cell: Cell, start: int, size: int) -> None:
        self.size = size
        self.zero = cell.zero and not cell.weak  # what is not mentioned is 0
        self.fields: dict[int, Value] = {
            offset - start: value
            for offset, value in cell.fields.items()
            if type(offset) is int and start <= offset < start + size
        }


def of_bytes(data: bytes) -> Piece:
    """A piece that holds known bytes."""
    cell = Cell(OPAQUE)
    cell.fields = dict(enumerate(data))
    return Piece(cell, 0, len(data))


def zeros(size: int) -> Piece:
    """A piece of zeros."""
    return Piece(Cell(OPAQUE, zero=True), 0, size)


def taken(frame: Frame, state: State, address: Value, size: int) -> Piece | None:
    """The piece at an address; None if nobody knows what lies there."""
    where = rules.target(frame, state, address)
    if where is None or type(where[1]) is not int:
        return None
    cell = state.cells[where[0]]
    known = all(type(offset) is int for offset in cell.fields) and cell.freed is None
    return Piece(cell, where[1], size) if known and not cell.weak else None


def put(frame: Frame, state: State, address: Value, piece: Piece, place: Place | None) -> bool:
    """Rule 5 for all members of a piece; False if nobody knows where it goes."""
    where = rules.target(frame, state, address)
    if where is None or type(where[1]) is not int:
        return False
    identity, start = where
    cell = state.change(identity)
    if cell.freed is not None:
        return False
    if cell.kind == OPAQUE or cell.escaped:
        for value in piece.fields.values():
            rules.escape(state, value)
        cell = state.change(identity)
    gone = []
    for offset, value in list(cell.fields.items()):
        if type(offset) is int and start <= offset < start + piece.size:
            del cell.fields[offset]
            if type(value) is tuple:
                gone.append(value[0])
    if piece.zero or cell.zero:
        step = 1 if piece.size <= LONG else 8
        for offset in range(start, start + min(piece.size, 64 * LONG), step):
            if piece.zero:
                cell.fields[offset] = 0
            elif offset % 4 == 0:
                cell.fields[offset] = Symbol()
    for offset, value in piece.fields.items():
        cell.fields[start + offset] = value
    if gone:
        rules.check(frame, state, gone, FIELD_OVERWRITTEN, place, "")
    return True


def text(state: State, address: Value) -> bytes | None:
    """The text at an address without its end; None if some of it is not known."""
    if type(address) is not tuple or type(address[1]) is not int:
        return None
    cell = state.cells.get(address[0])
    if cell is None or cell.weak or cell.freed is not None:
        return None
    found = bytearray()
    for offset in range(address[1], address[1] + LONG):
        value = cell.fields.get(offset, 0 if cell.zero else None)
        if type(value) is not int:
            return None
        if value & 255 == 0:
            return bytes(found)
        found.append(value & 255)
    return None


def data(state: State, address: Value, size: int) -> bytes | None:
    """Some bytes at an address; None if some of them are not known."""
    if type(address) is not tuple or type(address[1]) is not int or size > LONG:
        return None
    cell = state.cells.get(address[0])
    if cell is None or cell.weak or cell.freed is not None:
        return None
    missing = 0 if cell.zero else None
    found = [cell.fields.get(o, missing) for o in range(address[1], address[1] + size)]
    if any(type(value) is not int or not -128 <= value < 256 for value in found):
        return None
    return bytes(value & 255 for value in found if value is not None)
