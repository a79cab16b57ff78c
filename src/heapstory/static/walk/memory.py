"""Pieces of memory: structures and texts that are read and written as a whole."""

from __future__ import annotations

from heapstory.cfront.program import Place
from heapstory.static.heap import escaping
from heapstory.static.heap.state import OPAQUE, Cell, State
from heapstory.static.heap.values import Offset, Pointer, Symbol, Value
from heapstory.static.transfer import rules
from heapstory.static.transfer.frame import Frame
from heapstory.static.transfer.losses import FIELD_OVERWRITTEN

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
            if isinstance(offset, int) and start <= offset < start + size
        }

    def members(self) -> dict[Offset, Value]:
        """What lies in it, for a cell of its own."""
        return {offset: value for offset, value in self.fields.items()}  # noqa: C416


def of_bytes(data: bytes) -> Piece:
    """A piece that holds known bytes."""
    cell = Cell(OPAQUE)
    cell.fields = dict(enumerate(data))
    return Piece(cell, 0, len(data))


def zeros(size: int) -> Piece:
    """A piece of zeros."""
    return Piece(Cell(OPAQUE, zero=True), 0, size)


def taken(state: State, address: Value, size: int) -> Piece | None:
    """The piece at an address; None if nobody knows what lies there."""
    where = rules.target(state, address)
    if where is None or not isinstance(where.offset, int):
        return None
    cell = state.cells[where.cell]
    known = all(isinstance(offset, int) for offset in cell.fields) and cell.freed is None
    return Piece(cell, where.offset, size) if known and not cell.weak else None


def put(frame: Frame, state: State, address: Value, piece: Piece, place: Place | None) -> bool:
    """Rule 5 for all members of a piece; False if nobody knows where it goes."""
    where = rules.target(state, address)
    if where is None or not isinstance(where.offset, int):
        return False
    identity, start = where.cell, where.offset
    cell = state.change(identity)
    if cell.freed is not None:
        return False
    if cell.kind == OPAQUE or cell.escaped:
        for value in piece.fields.values():
            escaping.escape(state, value)
        cell = state.change(identity)
    gone = []
    for offset, value in list(cell.fields.items()):
        if isinstance(offset, int) and start <= offset < start + piece.size:
            del cell.fields[offset]
            if isinstance(value, Pointer):
                gone.append(value.cell)
    if piece.zero or cell.zero:
        step = 1 if piece.size <= LONG else 8
        for offset in range(start, start + min(piece.size, 64 * LONG), step):
            if piece.zero:
                cell.fields[offset] = 0
            elif offset % 4 == 0:
                cell.fields[offset] = Symbol()
    for at, value in piece.fields.items():
        cell.fields[start + at] = value
    if gone:
        rules.check(frame, state, gone, FIELD_OVERWRITTEN, place, "")
    return True


def text(state: State, address: Value) -> bytes | None:
    """The text at an address without its end; None if some of it is not known."""
    if not isinstance(address, Pointer) or not isinstance(address.offset, int):
        return None
    cell = state.cells.get(address.cell)
    if cell is None or cell.weak or cell.freed is not None:
        return None
    found = bytearray()
    for offset in range(address.offset, address.offset + LONG):
        value = cell.fields.get(offset, 0 if cell.zero else None)
        if not isinstance(value, int):
            return None
        if value & 255 == 0:
            return bytes(found)
        found.append(value & 255)
    return None


def data(state: State, address: Value, size: int) -> bytes | None:
    """Some bytes at an address; None if some of them are not known."""
    if not isinstance(address, Pointer) or not isinstance(address.offset, int) or size > LONG:
        return None
    cell = state.cells.get(address.cell)
    if cell is None or cell.weak or cell.freed is not None:
        return None
    found = bytearray()
    for offset in range(address.offset, address.offset + size):
        value = cell.fields.get(offset, 0 if cell.zero else None)
        if not isinstance(value, int) or not -128 <= value < 256:
            return None
        found.append(value & 255)
    return bytes(found)
