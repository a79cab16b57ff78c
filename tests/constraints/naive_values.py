"""The values that plans are evaluated to, and the arithmetic on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

WORD = 8
BIG = 1 << 127


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()
ABSENT = "absent"


@dataclass(frozen=True, order=True)
class Object:
    node: int
    base: int = 0


@dataclass(frozen=True)
class Pointer:
    """null, live, stale or wild."""

    kind: str
    node: int = -1
    offset: int = 0
    address: int = 0


Binding = tuple[Any, ...]  # objects of the FORALL variables, then numbers of the loops


@dataclass(frozen=True)
class Found:
    """An inconsistency: the number of a constraint and the binding it does not hold for."""

    constraint: int
    binding: Binding


def map_known(value: Any, function: Any) -> Any:
    return UNKNOWN if value is UNKNOWN else function(value)


def plain_number(value: Any) -> Any:
    return value.address if isinstance(value, Pointer) else value


def calculate(function: Any, *args: Any) -> Any:
    if any(arg is UNKNOWN for arg in args):
        return UNKNOWN
    result = function(*(plain_number(arg) for arg in args))
    if isinstance(result, int) and not -BIG <= result < BIG:
        return UNKNOWN
    return result


def divide(a: Any, b: Any) -> Any:
    if b == 0:
        return UNKNOWN
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def remainder(a: Any, b: Any) -> Any:
    quotient = divide(a, b)
    return UNKNOWN if quotient is UNKNOWN else a - b * quotient


def _djb2(text: bytes) -> int:
    value = 5381
    for byte in text:
        value = (value * 33 + byte) & 0xFFFFFFFF
    return value


def _sdbm(text: bytes) -> int:
    value = 0
    for byte in text:
        value = (byte + (value << 6) + (value << 16) - value) & 0xFFFFFFFF
    return value


def _fnv1a(bits: int, offset: int, prime: int) -> Any:
    def of(text: bytes) -> int:
        value = offset
        for byte in text:
            value = ((value ^ byte) * prime) & ((1 << bits) - 1)
        return value

    return of


HASHES: dict[str, Any] = {
    "djb2": _djb2,
    "sdbm": _sdbm,
    "fnv1a": _fnv1a(32, 0x811C9DC5, 0x01000193),
    "fnv1a64": _fnv1a(64, 0xCBF29CE484222325, 0x100000001B3),
}
