"""Functions of the C library that change where the program goes on, and all that are known."""

from __future__ import annotations

from heapstory.cfront.program import Function, Place
from heapstory.static import rules
from heapstory.static.applying import shifted
from heapstory.static.library import result
from heapstory.static.state import STACK, Cell
from heapstory.static.statements import States
from heapstory.static.values import Value, in_global
from heapstory.static.walk.machine import Concrete, Walk
from heapstory.static.walk.memory import put, taken
from heapstory.static.walk.state import FURTHER, Jump, Way
from heapstory.static.walk.texts import TEXTS
from heapstory.static.walk.writing import WRITING


def _setjmp(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    jump = Jump(len(way.callers), way.activation, way.label, way.index, register)
    way.jumps = {**way.jumps, arguments[0]: jump}
    return result(walk, way, register, 0, place)


def _longjmp(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    return walk.jump(way, arguments[0], arguments[1], place)


def _exit(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    return walk.exit(way)


def _atexit(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    if type(arguments[0]) is not tuple:
        return None
    way.handlers = (*way.handlers, arguments[0][0])
    return result(walk, way, register, 0, place)


def _va_start(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    """All further arguments lie in memory, as if the registers were used up."""
    where = rules.target(walk, way, arguments[0])
    if where is None or type(where[1]) is not int:
        return None
    further = way.slot(FURTHER)
    if further not in way.cells:
        way.cells[further] = Cell(STACK)
    cell = way.change(where[0])
    start = where[1]
    cell.fields.update({start: 48, start + 4: 176, start + 8: (further, 0)})
    cell.fields[start + 16] = (further, 0)
    return [way]


def _va_copy(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    piece = taken(walk, way, arguments[1], 24)
    return [way] if piece is not None and put(walk, way, arguments[0], piece, place) else None


def _called(walk: Walk, way: Way, pointer: Value) -> Function | None:
    return walk.function_named(way, pointer[0]) if in_global(pointer) else None


def _thread(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    """A thread runs at once; what it returns waits for ``pthread_join``."""
    function = _called(walk, way, arguments[2])
    if function is None:
        return None
    number = len(way.results) + 1
    way.results = {**way.results, number: 0}
    rules.store(walk, way, arguments[0], number, place, "")

    def finish(later: Way, value: Value) -> Value:
        later.results = {**later.results, number: value}
        holder = Cell(STACK)
        holder.fields = {0: value}
        later.cells[f"%thread#{number}"] = holder
        return 0

    return walk.enter(way, function, [arguments[3]], register, place, finish)


def _join(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    number, into = arguments[:2]
    if type(number) is not int or number not in way.results:
        return None
    value = way.results[number]
    if into != 0:
        rules.store(walk, way, into, value, place, "")
    way.cells.pop(f"%thread#{number}", None)
    if type(value) is tuple:
        rules.check(walk, way, (value[0],), rules.OVERWRITTEN, place, "")
    return result(walk, way, register, 0, place)


def _qsort(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    """The order stays what it was: which elements there are is what matters. One comparison is
    made, for what the comparing function does to memory."""
    base, count, size, compare = arguments[:4]
    function = _called(walk, way, compare)
    if function is None or type(size) is not int or type(count) is not int:
        return None
    if count < 2:
        return result(walk, way, register, 0, place)
    return walk.enter(way, function, [base, shifted(base, size)], None, place, lambda w, v: 0)


LIBRARY: dict[str, Concrete] = {
    **TEXTS,
    **WRITING,
    **dict.fromkeys(("setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp"), _setjmp),
    **dict.fromkeys(("longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"), _longjmp),
    "exit": _exit,
    "atexit": _atexit,
    "llvm.va_start": _va_start,
    "llvm.va_copy": _va_copy,
    "pthread_create": _thread,
    "pthread_join": _join,
    "qsort": _qsort,
}
