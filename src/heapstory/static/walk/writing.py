"""Functions of the C library that make texts or write memory, where what they write is known.

Each gives the states after it, or None where too little is known: its model has to do then.
"""

from __future__ import annotations

from heapstory.cfront.program import Place
from heapstory.static.heap.state import Site, State
from heapstory.static.heap.values import Pointer, Value
from heapstory.static.transfer import rules
from heapstory.static.transfer.binding import shifted
from heapstory.static.transfer.library import result
from heapstory.static.transfer.statements import States
from heapstory.static.walk.format import formatted
from heapstory.static.walk.machine import Concrete, Walk
from heapstory.static.walk.memory import of_bytes, put, taken, text, zeros
from heapstory.static.walk.state import Way
from heapstory.static.walk.texts import span


def _strdup(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    known = text(way, arguments[0])
    most = arguments[1] if len(arguments) > 1 else None
    value = rules.allocate(walk.frame, way, Site("strdup" if most is None else "strndup", place))
    way.note(place, "strdup() allocates" if most is None else "strndup() allocates")
    if known is not None and (most is None or isinstance(most, int)):
        way.change(value.cell).fields = {**dict(enumerate(known[:most] + b"\0"))}
    return result(walk.frame, way, register, value, place)


def _copied(join: bool, bounded: bool) -> Concrete:
    """``strcpy``, ``strcat`` and those with a bound."""

    def run(
        walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
    ) -> States:
        into, source = arguments[:2]
        start = text(way, into) if join else b""
        known = text(way, source)
        most = arguments[2] if bounded else None
        if known is None or start is None:
            return None
        content = known + b"\0"
        if most is not None:
            if not isinstance(most, int):
                return None
            content = known[:most] + b"\0" if join else known[:most].ljust(most, b"\0")
        if not put(walk.frame, way, shifted(into, len(start)), of_bytes(content), place):
            return None
        return result(walk.frame, way, register, into, place)

    return run


def _listed(state: State, listed: Value) -> list[Value] | None:
    """The arguments that a ``va_list`` still has."""
    if (
        not isinstance(listed, Pointer)
        or listed.cell not in state.cells
        or not isinstance(listed.offset, int)
    ):
        return None
    area = state.cells[listed.cell].fields.get(listed.offset + 8)
    if (
        not isinstance(area, Pointer)
        or area.cell not in state.cells
        or not isinstance(area.offset, int)
    ):
        return None
    fields = state.cells[area.cell].fields
    return [fields[o] for o in sorted(o for o in fields if isinstance(o, int)) if o >= area.offset]


def _printed(bound: int | None, first: int, further: bool = False) -> Concrete:
    """``sprintf`` and ``snprintf``; ``further``: the arguments are a ``va_list``."""

    def run(
        walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
    ) -> States:
        rest = _listed(way, arguments[first + 1]) if further else arguments[first + 1 :]
        size = arguments[bound] if bound is not None else None
        made = formatted(way, text(way, arguments[first]), rest)
        if made is None:
            return None
        content = made + b"\0"
        if size is not None:
            if not isinstance(size, int):
                return None
            content = made[: max(size - 1, 0)] + b"\0" * (size > 0)
        if arguments[0] != 0 and not put(walk.frame, way, arguments[0], of_bytes(content), place):
            return None
        return result(walk.frame, way, register, len(made), place)

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
        value = rules.allocate(walk.frame, way, Site("asprintf", place), False, True)
        way.note(place, "asprintf() allocates")
        way.change(value.cell).fields = {**dict(enumerate(made + b"\0"))}
        rules.store(walk.frame, way, arguments[0], value, place, "")
        failed.note(place, "asprintf() fails")
        return [
            *result(walk.frame, way, register, len(made), place),
            *result(walk.frame, failed, register, -1, place),
        ]

    return run


def _memcpy(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    into, source, size = arguments[:3]
    if not isinstance(size, int) or size < 0:
        return None
    piece = taken(way, source, size) if size else zeros(0)
    if piece is None or not put(walk.frame, way, into, piece, place):
        return None
    return result(walk.frame, way, register, into, place)


def _memset(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    into, byte, size = arguments[:3]
    if not isinstance(size, int) or not isinstance(byte, int) or size < 0 or size > 1 << 16:
        return None
    piece = zeros(size) if byte == 0 else of_bytes(bytes([byte & 255]) * size)
    if not put(walk.frame, way, into, piece, place):
        return None
    return result(walk.frame, way, register, into, place)


def _strsep(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    start = rules.load(walk.frame, way, arguments[0], True)
    if start == 0:
        return result(walk.frame, way, register, 0, place)
    known, ends = text(way, start), text(way, arguments[1])
    if known is None or ends is None:
        return None
    at = span(known, ends, inside=False)
    rest: Value = 0
    if at < len(known):
        put(walk.frame, way, shifted(start, at), of_bytes(b"\0"), place)
        rest = shifted(start, at + 1)
    if register is not None:
        way.env[register] = start  # before the only other reference moves on
    rules.store(walk.frame, way, arguments[0], rest, place, "")
    return [way]


WRITING: dict[str, Concrete] = {
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
