"""Functions with a meaning of their own: realloc, getline, memcpy, strtol, va_start."""

from __future__ import annotations

from collections.abc import Callable

from heapstory.cfront.program import Place
from heapstory.static.heap import escaping
from heapstory.static.heap.conditions import assume
from heapstory.static.heap.doubt import Doubt
from heapstory.static.heap.names import EXTRA, Named
from heapstory.static.heap.state import GLOBAL, HEAP, PRE, Cell, Site, State
from heapstory.static.heap.values import (
    ANYWHERE,
    HIGH,
    LOW,
    CellId,
    Fact,
    Offset,
    Pointer,
    Symbol,
    Value,
)
from heapstory.static.transfer import rules
from heapstory.static.transfer.binding import shifted
from heapstory.static.transfer.frame import Frame
from heapstory.static.transfer.losses import OVERWRITTEN

States = list[State]
OLD_STAYS = "realloc() fails: the old block stays"


def result(
    frame: Frame, state: State, register: str | None, value: Value, place: Place | None
) -> States:
    if register is not None:
        state.env[register] = value
    elif isinstance(value, Pointer):
        rules.check(frame, state, (value.cell,), OVERWRITTEN, place, "")
    return [state]


# How many of their first arguments functions for text follow: a null pointer ends the program.
_FOLLOWED = {
    **dict.fromkeys(
        ("strlen", "strdup", "strndup", "strchr", "strrchr", "strchrnul", "index", "rindex",
         "atoi", "atol", "atoll", "atof", "puts", "wcslen", "wcsdup"),
        1,
    ),
    **dict.fromkeys(
        ("strcpy", "strncpy", "strcat", "strncat", "stpcpy", "stpncpy", "strlcpy", "strlcat",
         "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strcoll", "strstr", "strcasestr",
         "strpbrk", "strspn", "strcspn", "wcscpy", "wcscat", "wcscmp", "__strcpy_chk",
         "__strcat_chk", "__strncpy_chk", "__strncat_chk", "__stpcpy_chk"),
        2,
    ),
}  # fmt: skip


def follow(state: State, name: str, arguments: list[Value]) -> None:
    """A function for text follows its arguments: they are not null."""
    for value in arguments[: _FOLLOWED.get(name, 0)]:
        if not isinstance(value, Symbol) or value.key is not None:
            rules.target(state, value)


_GIVES_BACK = frozenset((
    "strcpy", "strcat", "strncpy", "strncat", "memset", "memcpy", "wcscpy", "wcscat", "g_strchomp",
    "g_strchug", "g_strreverse", "g_strdelimit", "g_strcanon",
))  # fmt: skip


def returns(
    frame: Frame,
    state: State,
    register: str | None,
    name: str,
    value: Value,
    place: Place | None,
) -> States:
    """``strcpy`` gives its argument back; ``strchr`` a pointer into it, or null."""
    if name in _GIVES_BACK or name.startswith("g_string_"):
        escaping.scramble(state, value)
        return result(frame, state, register, value, place)
    escaping.scramble(state, value)
    inside = shifted(value, ANYWHERE) if isinstance(value, Pointer) else Symbol()
    if not isinstance(inside, Pointer):
        return result(frame, state, register, inside, place)
    missing = state.copy()
    return [
        *result(frame, state, register, inside, place),
        *result(frame, missing, register, 0, place),
    ]


def unknown(frame: Frame, state: State, register: str | None, arguments: list[Value]) -> States:
    """Code nobody has: it may keep, free and change everything it can get at."""
    for value in arguments:
        escaping.escape(state, value)
    for identity, cell in list(state.cells.items()):
        if cell.kind != GLOBAL or not isinstance(identity, Named):
            continue
        if frame.program.private(identity.text):
            continue
        if any(isinstance(v, Pointer) for v in cell.fields.values()):
            escaping.escape_contents(state, identity)
    escaping.havoc(state, arguments)
    if register is not None:
        state.env[register] = Symbol()
    return [state]


Builtin = Callable[[Frame, State, str | None, list[Value], Place | None], States]


def _realloc(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """Two outcomes: the block moves with its contents, or null comes back and it stays."""
    if not arguments:
        return unknown(frame, state, register, arguments)
    old = arguments[0]
    failing = state.copy()
    members: dict[Offset, Value] = {}
    weak: frozenset[CellId] = frozenset()
    cell = state.cells.get(old.cell) if isinstance(old, Pointer) else None
    # A size of 0 frees, it does not fail.
    can_fail = all(assume(failing, size, True) for size in arguments[1:3])
    failed = failing if can_fail else None
    if cell is not None and cell.kind == PRE:
        return _realloc_outer(frame, state, failed, register, old, place)
    if cell is not None:
        members, weak = dict(cell.fields), cell.weak
    value = rules.allocate(frame, state, Site("realloc", place))
    fresh = state.change(value.cell)
    fresh.null = 1
    if isinstance(old, Pointer) and cell is not None and cell.kind == HEAP:
        fresh.fields, fresh.weak = members, weak
        if cell.summary or old.offset != 0:
            escaping.escape(state, old)
        else:
            state.change(old.cell).freed = place or Place("?", 0, "?")
    else:
        rules.release(frame, state, old, place)
    state.note(place, "realloc() succeeds")
    found = result(frame, state, register, value, place)
    if failed is None:
        return found
    _note_failure(frame, failed, register, place)
    if cell is not None and cell.kind == HEAP:
        assume(failed, old, True)
    return found + result(frame, failed, register, 0, place)


def _note_failure(frame: Frame, state: State, register: str | None, place: Place | None) -> None:
    asked = register is None or frame.asks(register)
    doubt = Doubt.REALLOC_FAILED if asked else Doubt.FAILURE_SUPPOSED
    state.note(place, OLD_STAYS, doubt=doubt)


def _realloc_outer(
    frame: Frame,
    state: State,
    failed: State | None,
    register: str | None,
    old: Value,
    place: Place | None,
) -> States:
    """The caller's block moves: it stays the same cell, with contents that we do not see."""
    found: States = []
    fresh = state.copy()
    if assume(state, old, True):
        state.note(place, "realloc() succeeds")
        found += result(frame, state, register, old, place)
    if assume(fresh, old, False):
        value = rules.allocate(frame, fresh, Site("realloc", place), False, True)
        fresh.note(place, "realloc() allocates")
        found += result(frame, fresh, register, value, place)
    if failed is None:
        return found
    _note_failure(frame, failed, register, place)
    return found + result(frame, failed, register, 0, place)


def _getline(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """The buffer behind the first argument is (re)allocated, whether a line was read or not."""
    if not arguments:
        return unknown(frame, state, register, arguments)
    held = rules.load(frame, state, arguments[0], True)
    cell = state.cells.get(held.cell) if isinstance(held, Pointer) else None
    if held == 0 or (cell is not None and cell.kind == HEAP and cell.tracked):
        if isinstance(held, Pointer):
            state.change(held.cell).freed = place or Place("?", 0, "?")
        value = rules.allocate(frame, state, Site("getline", place), False, True)
        state.note(place, "getline() allocates")
        rules.store(frame, state, arguments[0], value, place, "")
    else:
        escaping.scramble(state, arguments[0])
    for size in arguments[1:2]:
        escaping.scramble(state, size)
    return result(frame, state, register, Symbol(), place)


def _memcpy(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    size = arguments[2] if len(arguments) > 2 and isinstance(arguments[2], int) else -1
    rules.copy_members(frame, state, arguments[0], arguments[1], size, place)
    return result(frame, state, register, arguments[0], place)


def _memset(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    size = arguments[2] if len(arguments) > 2 and isinstance(arguments[2], int) else -1
    if len(arguments) > 1 and arguments[1] == 0:
        rules.clear(frame, state, arguments[0], size, place)
    else:
        escaping.scramble(state, arguments[0])
    return result(frame, state, register, arguments[0], place)


def _bzero(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    size = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], int) else -1
    rules.clear(frame, state, arguments[0], size, place)
    return [state]


def _realpath(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    if len(arguments) > 1 and arguments[1] == 0:
        value = rules.allocate(frame, state, Site("realpath", place))
        state.note(place, "realpath() allocates")
        return result(frame, state, register, value, place)
    failed = state.copy()
    found: States = []
    for buffer in arguments[1:2]:  # it is what comes back
        if assume(state, buffer, True):
            found += result(frame, state, register, buffer, place)
    return found + result(frame, failed, register, 0, place)


def _getcwd(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    if arguments and arguments[0] == 0:
        value = rules.allocate(frame, state, Site("getcwd", place))
        state.note(place, "getcwd() allocates")
        return result(frame, state, register, value, place)
    return returns(frame, state, register, "getcwd", arguments[0], place)


def _open_memstream(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """A stream, and a text that outlives it."""
    failed = state.copy()
    stream = rules.allocate(frame, state, Site("open_memstream", place, (), "fclose"), certain=True)
    text = rules.allocate(frame, state, Site("open_memstream", place), certain=True)
    state.note(place, "open_memstream() allocates")
    found = result(frame, state, register, stream, place)
    rules.store(frame, state, arguments[0], text, place, "")
    for value in arguments[1:2]:
        escaping.scramble(state, value)
    failed.note(place, "open_memstream() fails")
    return found + result(frame, failed, register, 0, place)


def _g_string_free(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """The string goes; the text with it, or else it is the result."""
    string, with_text = arguments[0], arguments[1]
    text = rules.load(frame, state, string, True)
    rules.release(frame, state, string, place)
    if isinstance(with_text, int) and with_text != 0:
        return result(frame, state, register, 0, place)
    if isinstance(with_text, int) and not _in_use(state, text):
        text = rules.allocate(
            frame, state, Site("g_string_free", place, (), "g_free"), certain=True
        )
        state.note(place, "g_string_free() returns the text")
    return result(frame, state, register, text, place)


def _in_use(state: State, value: Value) -> bool:
    """Whether a variable holds a value."""
    return any(held is value for held in state.env.values())


def _strtol(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """The end pointer points into the string."""
    if len(arguments) > 1 and arguments[1] != 0:
        text = arguments[0]
        inside = shifted(text, ANYWHERE) if isinstance(text, Pointer) else Symbol()
        rules.store(frame, state, arguments[1], inside, place, "")
    return result(frame, state, register, Symbol(), place)


def _strsep(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """A pointer into the text comes back; what the argument points to goes on behind it, or becomes
    null with the last word."""
    if not arguments:
        return unknown(frame, state, register, arguments)
    text = rules.load(frame, state, arguments[0], True)
    if not isinstance(text, Pointer) or isinstance(text.cell, Symbol):
        escaping.scramble(state, arguments[0])
        return result(frame, state, register, 0 if text == 0 else Symbol(), place)
    nothing, last = state.copy(), state
    found: States = []
    if assume(nothing, text, False):
        found += result(frame, nothing, register, 0, place)
    if not assume(last, text, True):
        return found
    escaping.scramble(last, text)
    word = shifted(text, ANYWHERE)
    more = last.copy()
    for each, rest in ((more, word), (last, 0)):
        if register is not None:
            each.env[register] = word
        rules.store(frame, each, arguments[0], rest, place, "")
    return [more, last, *found]


def _start_thread(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """The thread takes its argument, unless it cannot be started."""
    if register is None or not frame.reads(register) or not frame.asks(register):
        return unknown(frame, state, register, arguments)
    failed = state.copy()
    started = unknown(frame, state, register, arguments)
    state.env[register] = 0
    number = failed.env[register] = Symbol()
    failed.facts[number] = Fact(LOW, HIGH, frozenset({0}))
    failed.note(place, "the thread is not started")
    return [*started, failed]


def _va_start(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """The list leads to the further arguments, all of them alike."""
    if arguments and isinstance(arguments[0], Pointer) and arguments[0].cell in state.cells:
        state.cells.setdefault(EXTRA, Cell(PRE))
        cell = state.change(arguments[0].cell)
        cell.weak = cell.weak | {EXTRA}
        cell.fields = {}
    return [state]


def _nothing(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    return result(frame, state, register, Symbol(), place)


def intrinsic(name: str) -> Builtin:
    if name.startswith(("llvm.memcpy", "llvm.memmove")):
        return _memcpy
    if name.startswith("llvm.memset"):
        return _memset
    if name == "llvm.va_start":
        return _va_start
    if name == "llvm.va_copy":
        return _va_copy
    return _nothing


def _va_copy(
    frame: Frame,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    into, source = arguments[:2]
    if not isinstance(into, Pointer) or not isinstance(source, Pointer):
        return [state]
    if into.cell in state.cells and source.cell in state.cells:
        cell = state.change(into.cell)
        cell.weak = cell.weak | state.cells[source.cell].weak
    return [state]


BUILTINS: dict[str, Builtin] = {
    "realloc": _realloc,
    "reallocarray": _realloc,
    "g_realloc": _realloc,
    "g_try_realloc": _realloc,
    "sqlite3_realloc": _realloc,
    "CRYPTO_realloc": _realloc,
    "getline": _getline,
    "getdelim": _getline,
    "__getdelim": _getline,
    "memcpy": _memcpy,
    "memmove": _memcpy,
    "__memcpy_chk": _memcpy,
    "__memmove_chk": _memcpy,
    "bcopy": lambda f, s, r, a, p: _memcpy(f, s, r, [a[1], a[0], *a[2:]], p),
    "memset": _memset,
    "bzero": _bzero,
    "explicit_bzero": _bzero,
    "realpath": _realpath,
    "getcwd": _getcwd,
    "strsep": _strsep,
    "pthread_create": _start_thread,
    "thrd_create": _start_thread,
    "open_memstream": _open_memstream,
    "g_string_free": _g_string_free,
    **dict.fromkeys(
        ("strtol", "strtoul", "strtoll", "strtoull", "strtod", "strtof", "strtold", "strtoimax",
         "strtoumax", "__strtol_internal", "__isoc23_strtol", "__isoc23_strtoul"),
        _strtol,
    ),
}  # fmt: skip
