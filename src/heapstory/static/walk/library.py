"""Functions of the C library that change where the program goes on, and all that are known."""

from __future__ import annotations

from heapstory.cfront.program import Function, Place
from heapstory.static.heap.names import slot
from heapstory.static.heap.state import STACK, Cell
from heapstory.static.heap.values import Pointer, Value, global_in
from heapstory.static.transfer import rules
from heapstory.static.transfer.binding import shifted
from heapstory.static.transfer.library import result
from heapstory.static.transfer.losses import OVERWRITTEN
from heapstory.static.transfer.statements import States
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
    return result(walk.frame, way, register, 0, place)


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
    function = global_in(arguments[0])
    if function is None:
        return None
    way.handlers = (*way.handlers, function.text)
    return result(walk.frame, way, register, 0, place)


def _va_start(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    """All further arguments lie in memory, as if the registers were used up."""
    where = rules.target(way, arguments[0])
    if where is None or not isinstance(where.offset, int):
        return None
    further = way.slot(FURTHER)
    if further not in way.cells:
        way.cells[further] = Cell(STACK)
    cell = way.change(where.cell)
    start = where.offset
    cell.fields.update({start: 48, start + 4: 176, start + 8: Pointer(further, 0)})
    cell.fields[start + 16] = Pointer(further, 0)
    return [way]


def _va_copy(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    piece = taken(way, arguments[1], 24)
    return [way] if piece is not None and put(walk.frame, way, arguments[0], piece, place) else None


def _called(walk: Walk, way: Way, pointer: Value) -> Function | None:
    name = global_in(pointer)
    return None if name is None else walk.function_named(way, name.text)


def _thread(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    """A thread runs at once; what it returns waits for ``pthread_join``."""
    function = _called(walk, way, arguments[2])
    if function is None:
        return None
    number = len(way.results) + 1
    way.results = {**way.results, number: 0}
    rules.store(walk.frame, way, arguments[0], number, place, "")

    def finish(later: Way, value: Value) -> Value:
        later.results = {**later.results, number: value}
        holder = Cell(STACK)
        holder.fields = {0: value}
        later.cells[slot(f"%thread#{number}")] = holder
        return 0

    return walk.enter(way, function, [arguments[3]], register, place, finish)


def _join(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    number, into = arguments[:2]
    if not isinstance(number, int) or number not in way.results:
        return None
    value = way.results[number]
    if into != 0:
        rules.store(walk.frame, way, into, value, place, "")
    way.cells.pop(slot(f"%thread#{number}"), None)
    if isinstance(value, Pointer):
        rules.check(walk.frame, way, (value.cell,), OVERWRITTEN, place, "")
    return result(walk.frame, way, register, 0, place)


def _qsort(
    walk: Walk, way: Way, register: str | None, arguments: list[Value], place: Place | None
) -> States:
    """The order stays what it was: which elements there are is what matters. One comparison is
    made, for what the comparing function does to memory."""
    base, count, size, compare = arguments[:4]
    function = _called(walk, way, compare)
    if function is None or not isinstance(size, int) or not isinstance(count, int):
        return None
    if count < 2:
        return result(walk.frame, way, register, 0, place)
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
