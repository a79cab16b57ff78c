"""Functions of the C library that look at texts, where these are known.

Each gives the states after it, or None where too little is known: its model has to do then.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from heapstory.cfront.program import Place
from heapstory.static.heap.names import global_cell
from heapstory.static.heap.state import GLOBAL, Cell
from heapstory.static.heap.values import Pointer, Value
from heapstory.static.transfer import rules
from heapstory.static.transfer.binding import shifted
from heapstory.static.transfer.library import result
from heapstory.static.transfer.statements import States
from heapstory.static.walk.machine import Concrete, Walk
from heapstory.static.walk.memory import data, text
from heapstory.static.walk.numbers import signed
from heapstory.static.walk.state import Way

_NUMBER = re.compile(rb"\s*([+-]?)(0[xX])?([0-9a-zA-Z]*)")
# The bit by which glibc's table marks a class of characters, and which characters it has.
_KINDS: dict[str, tuple[int, Callable[[bytes], bool]]] = {
    "upper": (0x100, bytes.isupper),
    "lower": (0x200, bytes.islower),
    "alpha": (0x400, bytes.isalpha),
    "digit": (0x800, bytes.isdigit),
    "xdigit": (0x1000, lambda c: c in b"0123456789abcdefABCDEF"),
    "space": (0x2000, bytes.isspace),
    "print": (0x4000, lambda c: b" " <= c <= b"~"),
    "graph": (0x8000, lambda c: b" " < c <= b"~"),
    "blank": (0x1, lambda c: c in b" \t"),
    "cntrl": (0x2, lambda c: c < b" " or c == b"\x7f"),
    "punct": (0x4, lambda c: b" " < c <= b"~" and not c.isalnum()),
    "alnum": (0x8, bytes.isalnum),
}


def _known(way: Way, arguments: list[Value], texts: int) -> list[bytes | int] | None:
    """The arguments, of the first ones the texts they point to; None if one is not known."""
    found: list[bytes | int] = []
    for number, value in enumerate(arguments):
        known = text(way, value) if number < texts else value
        if not isinstance(known, bytes | int):
            return None
        found.append(known)
    return found


def _pure(function: Callable[..., int | None], texts: int) -> Concrete:
    """A function of texts and numbers whose result is a number."""

    def run(
        walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
    ) -> States:
        known = _known(way, arguments, texts)
        if known is None:
            return None
        value = function(*known)
        return None if value is None else result(walk.frame, way, register, value, place)

    return run


def _found(function: Callable[..., int], texts: int) -> Concrete:
    """A function that finds something in its first argument: a pointer into it, or null."""

    def run(
        walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
    ) -> States:
        known = _known(way, arguments, texts)
        if known is None:
            return None
        at = function(*known)
        value = 0 if at < 0 else shifted(arguments[0], at)
        return result(walk.frame, way, register, value, place)

    return run


def _order(one: bytes, other: bytes) -> int:
    return (one > other) - (one < other)


def _memcmp(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    if not isinstance(arguments[2], int):
        return None
    one, other = (data(way, v, arguments[2]) for v in arguments[:2])
    if one is None or other is None:
        return None
    return result(walk.frame, way, register, _order(one, other), place)


def span(one: bytes, other: bytes, inside: bool) -> int:
    return next((n for n, c in enumerate(one) if (c in other) != inside), len(one))


def _parsed(digits: bytes, base: int) -> tuple[int, int]:
    """The number at the start of a text, and where it ends."""
    match = _NUMBER.match(digits)
    assert match is not None
    sign, prefix, rest = match.groups()
    if base == 0:
        base = 16 if prefix else 8 if rest[:1] == b"0" and len(rest) > 1 else 10
    number = count = 0
    for char in rest.decode():
        digit = int(char, 36)
        if digit >= base:
            break
        number, count = number * base + digit, count + 1
    end = match.start(3) + count if count else 0
    return (-number if sign == b"-" else number), end


def _atoi(digits: bytes) -> int:
    return signed(_parsed(digits, 10)[0], 32)


def _strtol(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    known = text(way, arguments[0])
    if known is None or not isinstance(arguments[2], int):
        return None
    number, end = _parsed(known, arguments[2])
    if arguments[1] != 0:
        rules.store(walk.frame, way, arguments[1], shifted(arguments[0], end), place, "")
    return result(walk.frame, way, register, number, place)


# --- classes of characters ----------------------------------------------------------------------


def _table(name: str, size: int, entry: Callable[[bytes], int]) -> Concrete:
    """A table over all characters, as the C library's macros look into it."""

    def run(
        walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
    ) -> States:
        holder, table = (global_cell(f"@heapstory.{name}{end}") for end in ("", ".table"))
        if holder not in way.cells:
            content = Cell(GLOBAL, zero=True)
            content.fields = {size * (n + 128): entry(bytes([n])) for n in range(128)}
            first = Cell(GLOBAL)
            first.fields = {0: Pointer(table, 128 * size)}
            way.cells[table], way.cells[holder] = content, first
        return result(walk.frame, way, register, Pointer(holder, 0), place)

    return run


def _kinds(char: bytes) -> int:
    return sum(mask for mask, holds in _KINDS.values() if holds(char))


def _is(name: str) -> Callable[[int], int]:
    holds = _KINDS[name][1]
    return lambda n: int(0 <= n < 128 and holds(bytes([n])))


def _strchr(known: bytes, char: int) -> int:
    return len(known) if char == 0 else known.find(bytes([char & 255]))


def _cased(char: int) -> bytes:
    return bytes([char & 127])


TEXTS: dict[str, Concrete] = {
    "strlen": _pure(len, 1),
    "strcmp": _pure(_order, 2),
    "strcasecmp": _pure(lambda a, b: _order(a.lower(), b.lower()), 2),
    "strncmp": _pure(lambda a, b, n: _order(a[:n], b[:n]), 2),
    "strncasecmp": _pure(lambda a, b, n: _order(a[:n].lower(), b[:n].lower()), 2),
    "memcmp": _memcmp,
    "strspn": _pure(lambda a, b: span(a, b, True), 2),
    "strcspn": _pure(lambda a, b: span(a, b, False), 2),
    "strchr": _found(_strchr, 1),
    "strrchr": _found(lambda a, c: len(a) if c == 0 else a.rfind(bytes([c & 255])), 1),
    "strstr": _found(bytes.find, 2),
    "strpbrk": _found(lambda a, b: next((n for n, c in enumerate(a) if c in b), -1), 2),
    "atoi": _pure(_atoi, 1),
    "atol": _pure(lambda digits: _parsed(digits, 10)[0], 1),
    "strtol": _strtol,
    "strtoul": _strtol,
    "abs": _pure(abs, 0),
    "labs": _pure(abs, 0),
    "toupper": _pure(lambda n: _cased(n).upper()[0] if 0 <= n < 128 else n, 0),
    "tolower": _pure(lambda n: _cased(n).lower()[0] if 0 <= n < 128 else n, 0),
    **{f"is{name}": _pure(_is(name), 0) for name in _KINDS},
    "__ctype_b_loc": _table("kinds", 2, _kinds),
    "__ctype_toupper_loc": _table("upper", 4, lambda c: c.upper()[0]),
    "__ctype_tolower_loc": _table("lower", 4, lambda c: c.lower()[0]),
}  # fmt: skip
