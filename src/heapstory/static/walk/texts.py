"""Functions of the C library that look at texts or make them, where these are known.

Each gives the states after it, or None where too little is known: its model has to do then.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from heapstory.static import rules
from heapstory.static.applying import shifted
from heapstory.static.ir.program import Place
from heapstory.static.library import result
from heapstory.static.state import GLOBAL, Cell, Site, State
from heapstory.static.statements import States
from heapstory.static.values import Value
from heapstory.static.walk.format import formatted
from heapstory.static.walk.machine import Concrete, Walk
from heapstory.static.walk.memory import data, of_bytes, put, taken, text, zeros
from heapstory.static.walk.numbers import wrapped
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


def _pure(function: Callable[..., int | None], texts: int) -> Concrete:
    """A function of texts and numbers whose result is a number."""

    def run(
        walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
    ) -> States:
        known = [text(way, v) for v in arguments[:texts]]
        if any(v is None for v in known) or any(type(v) is not int for v in arguments[texts:]):
            return None
        value = function(*known, *arguments[texts:])
        return None if value is None else result(walk, way, register, value, place)

    return run


def _found(function: Callable[..., int], texts: int) -> Concrete:
    """A function that finds something in its first argument: a pointer into it, or null."""

    def run(
        walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
    ) -> States:
        known = [text(way, v) for v in arguments[:texts]]
        if any(v is None for v in known) or any(type(v) is not int for v in arguments[texts:]):
            return None
        at = function(*known, *arguments[texts:])
        value = 0 if at < 0 else shifted(arguments[0], at)
        return result(walk, way, register, value, place)

    return run


def _order(one: bytes, other: bytes) -> int:
    return (one > other) - (one < other)


def _memcmp(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    if type(arguments[2]) is not int:
        return None
    one, other = (data(way, v, arguments[2]) for v in arguments[:2])
    if one is None or other is None:
        return None
    return result(walk, way, register, _order(one, other), place)


def _span(one: bytes, other: bytes, inside: bool) -> int:
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
    return int(wrapped(_parsed(digits, 10)[0], 32))


def _strtol(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    known = text(way, arguments[0])
    if known is None or type(arguments[2]) is not int:
        return None
    number, end = _parsed(known, arguments[2])
    if arguments[1] != 0:
        rules.store(walk, way, arguments[1], shifted(arguments[0], end), place, "")
    return result(walk, way, register, number, place)


# --- texts that are made ------------------------------------------------------------------------


def _strdup(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    known = text(way, arguments[0])
    most = arguments[1] if len(arguments) > 1 else None
    value = rules.allocate(walk, way, Site("strdup" if most is None else "strndup", place))
    way.note(place, "strdup() allocates" if most is None else "strndup() allocates")
    if known is not None and (most is None or type(most) is int):
        way.change(value[0]).fields = dict(enumerate(known[:most] + b"\0"))
    return result(walk, way, register, value, place)


def _copied(join: bool, bounded: bool) -> Concrete:
    """``strcpy``, ``strcat`` and those with a bound."""

    def run(
        walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
    ) -> States:
        into, source = arguments[:2]
        start = text(way, into) if join else b""
        known = text(way, source)
        most = arguments[2] if bounded else None
        if known is None or start is None or (bounded and type(most) is not int):
            return None
        content = known[:most] + b"\0"
        if most is not None and not join:
            content = known[:most].ljust(most, b"\0")
        if not put(walk, way, shifted(into, len(start)), of_bytes(content), place):
            return None
        return result(walk, way, register, into, place)

    return run


def _listed(state: State, listed: Value) -> list[Value] | None:
    """The arguments that a ``va_list`` still has."""
    if type(listed) is not tuple or listed[0] not in state.cells or type(listed[1]) is not int:
        return None
    area = state.cells[listed[0]].fields.get(listed[1] + 8)
    if type(area) is not tuple or area[0] not in state.cells or type(area[1]) is not int:
        return None
    fields = state.cells[area[0]].fields
    return [fields[o] for o in sorted(o for o in fields if type(o) is int) if o >= area[1]]


def _printed(bound: int | None, first: int, further: bool = False) -> Concrete:
    """``sprintf`` and ``snprintf``; ``further``: the arguments are a ``va_list``."""

    def run(
        walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
    ) -> States:
        rest = _listed(way, arguments[first + 1]) if further else arguments[first + 1 :]
        size = arguments[bound] if bound is not None else None
        made = formatted(way, text(way, arguments[first]), rest)
        if made is None or (bound is not None and type(size) is not int):
            return None
        content = made + b"\0" if size is None else made[: max(size - 1, 0)] + b"\0" * (size > 0)
        if arguments[0] != 0 and not put(walk, way, arguments[0], of_bytes(content), place):
            return None
        return result(walk, way, register, len(made), place)

    return run


def _asprinted(further: bool) -> Concrete:
    def run(
        walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
    ) -> States:
        rest = _listed(way, arguments[2]) if further else arguments[2:]
        made = formatted(way, text(way, arguments[1]), rest)
        if made is None:
            return None
        failed = way.copy()
        value = rules.allocate(walk, way, Site("asprintf", place), False, True)
        way.note(place, "asprintf() allocates")
        way.change(value[0]).fields = dict(enumerate(made + b"\0"))
        rules.store(walk, way, arguments[0], value, place, "")
        failed.note(place, "asprintf() fails")
        return [
            *result(walk, way, register, len(made), place),
            *result(walk, failed, register, -1, place),
        ]

    return run


def _memcpy(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    into, source, size = arguments[:3]
    if type(size) is not int or size < 0:
        return None
    piece = taken(walk, way, source, size) if size else zeros(0)
    if piece is None or not put(walk, way, into, piece, place):
        return None
    return result(walk, way, register, into, place)


def _memset(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    into, byte, size = arguments[:3]
    if type(size) is not int or type(byte) is not int or size < 0 or size > 1 << 16:
        return None
    piece = zeros(size) if byte == 0 else of_bytes(bytes([byte & 255]) * size)
    if not put(walk, way, into, piece, place):
        return None
    return result(walk, way, register, into, place)


def _strsep(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    start = rules.load(walk, way, arguments[0], True)
    if start == 0:
        return result(walk, way, register, 0, place)
    known, ends = text(way, start), text(way, arguments[1])
    if known is None or ends is None:
        return None
    at = _span(known, ends, inside=False)
    rest: Value = 0
    if at < len(known):
        put(walk, way, shifted(start, at), of_bytes(b"\0"), place)
        rest = shifted(start, at + 1)
    if register is not None:
        way.env[register] = start  # before the only other reference moves on
    rules.store(walk, way, arguments[0], rest, place, "")
    return [way]


# --- classes of characters ----------------------------------------------------------------------


def _table(name: str, size: int, entry: Callable[[bytes], int]) -> Concrete:
    """A table over all characters, as the C library's macros look into it."""

    def run(
        walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
    ) -> States:
        holder, table = f"@heapstory.{name}", f"@heapstory.{name}.table"
        if holder not in way.cells:
            content = Cell(GLOBAL, zero=True)
            content.fields = {size * (n + 128): entry(bytes([n])) for n in range(128)}
            first = Cell(GLOBAL)
            first.fields = {0: (table, 128 * size)}
            way.cells[table], way.cells[holder] = content, first
        return result(walk, way, register, (holder, 0), place)

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
    "strspn": _pure(lambda a, b: _span(a, b, True), 2),
    "strcspn": _pure(lambda a, b: _span(a, b, False), 2),
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
    "strdup": _strdup,
    "strndup": _strdup,
    "__strdup": _strdup,
    "strcpy": _copied(join=False, bounded=False),
    "strcat": _copied(join=True, bounded=False),
    "strncpy": _copied(join=False, bounded=True),
    "strncat": _copied(join=True, bounded=True),
    "sprintf": _printed(None, 1),
    "snprintf": _printed(1, 2),
    "vsprintf": _printed(None, 1, further=True),
    "vsnprintf": _printed(1, 2, further=True),
    "asprintf": _asprinted(further=False),
    "vasprintf": _asprinted(further=True),
    "memcpy": _memcpy,
    "memmove": _memcpy,
    "llvm.memcpy.p0i8.p0i8.i64": _memcpy,
    "llvm.memmove.p0i8.p0i8.i64": _memcpy,
    "llvm.memcpy.p0.p0.i64": _memcpy,
    "llvm.memmove.p0.p0.i64": _memcpy,
    "memset": _memset,
    "llvm.memset.p0i8.i64": _memset,
    "llvm.memset.p0.i64": _memset,
    "strsep": _strsep,
}  # fmt: skip
