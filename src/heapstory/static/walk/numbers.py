"""Numbers as the machine has them: of so many bits, signed."""

from __future__ import annotations

from collections.abc import Callable

from heapstory.static.heap.conditions import arithmetic
from heapstory.static.heap.values import Pointer, Value

ALIGNMENT = 16  # of every block


def signed(value: int, bits: int) -> int:
    """What is left of a number in so many bits."""
    if bits == 0:
        return value
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


def wrapped(value: Value, bits: int) -> Value:
    """What is left of a value in so many bits, if it is a number."""
    return signed(value, bits) if isinstance(value, int) else value


def unsigned(value: int, bits: int) -> int:
    """A number without its sign."""
    return value & (1 << bits) - 1


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_SIGNED: dict[str, Callable[[int, int], int]] = {
    "sdiv": _quotient,
    "srem": lambda a, b: a - b * _quotient(a, b),
    "ashr": lambda a, b: a >> b,
}
_UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "udiv": lambda a, b: a // b,
    "urem": lambda a, b: a % b,
    "lshr": lambda a, b: a >> b,
}


def compute(operator: str, left: Value, right: Value, bits: int) -> Value:
    """The value of an arithmetic statement."""
    if isinstance(left, int) and isinstance(right, int):
        if operator[-3:] in ("div", "rem") and wrapped(right, bits) == 0:
            return arithmetic("?", left, right)
        if operator in _SIGNED:
            return signed(_SIGNED[operator](signed(left, bits), signed(right, bits)), bits)
        if operator in _UNSIGNED:
            value = _UNSIGNED[operator](unsigned(left, bits), unsigned(right, bits))
            return wrapped(value, bits)
        return wrapped(arithmetic(operator, left, right), bits)
    if isinstance(left, Pointer) and isinstance(left.offset, int):
        found = _address(operator, left, left.offset, right)
        if found is not None:
            return found
    return arithmetic(operator, left, right)


def _address(operator: str, pointer: Pointer, offset: int, other: Value) -> Value | None:
    """Differences within a block, and the low bits of addresses, in which programs keep marks."""
    if isinstance(other, Pointer):
        same = operator == "sub" and other.cell == pointer.cell
        return offset - other.offset if same and isinstance(other.offset, int) else None
    if not isinstance(other, int):
        return None
    if operator == "and" and 0 <= other < ALIGNMENT:
        return offset & other
    if operator == "and" and -ALIGNMENT <= other < 0:
        return Pointer(pointer.cell, offset & other)
    if operator in ("or", "xor") and 0 <= other < ALIGNMENT:
        return Pointer(pointer.cell, offset | other if operator == "or" else offset ^ other)
    return None
