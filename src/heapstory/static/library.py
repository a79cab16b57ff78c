"""Functions with a meaning of their own: realloc, getline, memcpy, strtol, va_start."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from heapstory.cfront.program import Place
from heapstory.static import rules
from heapstory.static.applying import shifted
from heapstory.static.conditions import assume
from heapstory.static.state import GLOBAL, HEAP, PRE, Cell, Site, State
from heapstory.static.summary import EXTRA
from heapstory.static.values import ANYWHERE, Symbol, Value

if TYPE_CHECKING:
    from heapstory.static.interpreter import FunctionAnalysis

States = list[State]


def result(
    frame: FunctionAnalysis, state: State, register: str | None, value: Value, place: Place | None
) -> States:
    if register is not None:
        state.env[register] = value
    elif type(value) is tuple:
        rules.check(frame, state, (value[0],), rules.OVERWRITTEN, place, "")
    return [state]


def returns(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    name: str,
    value: Value,
    place: Place | None,
) -> States:
    """``strcpy`` gives its argument back; ``strchr`` a pointer into it, or null."""
    if name in ("strcpy", "strcat", "strncpy", "strncat", "memset", "memcpy", "wcscpy", "wcscat"):
        rules.scramble(state, value)
        return result(frame, state, register, value, place)
    rules.scramble(state, value)
    inside = shifted(value, ANYWHERE) if type(value) is tuple else Symbol()
    if type(inside) is not tuple:
        return result(frame, state, register, inside, place)
    missing = state.copy()
    return [
        *result(frame, state, register, inside, place),
        *result(frame, missing, register, 0, place),
    ]


def unknown(
    frame: FunctionAnalysis, state: State, register: str | None, arguments: list[Value]
) -> States:
    """Code nobody has: it may keep, free and change everything it can get at."""
    for value in arguments:
        rules.escape(state, value)
    for identity, cell in list(state.cells.items()):
        if cell.kind != GLOBAL or frame.program.private(identity):
            continue
        if any(type(v) is tuple for v in cell.fields.values()):
            rules.escape_contents(state, identity)
    rules.havoc(state)
    if register is not None:
        state.env[register] = Symbol()
    return [state]


Builtin = Callable[["FunctionAnalysis", State, str | None, list[Value], Place | None], States]


def _realloc(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """Two outcomes: the block moves with its contents, or null comes back and it stays."""
    old: Value = arguments[0] if arguments else None
    failing = state.copy()
    members: dict[object, Value] = {}
    weak: frozenset[object] = frozenset()
    cell = state.cells.get(old[0]) if type(old) is tuple else None
    # A size of 0 frees, it does not fail.
    can_fail = all(assume(failing, size, True) for size in arguments[1:3])
    failed = failing if can_fail else None
    if cell is not None and cell.kind == PRE:
        return _realloc_outer(frame, state, failed, register, old, place)
    if cell is not None:
        members, weak = dict(cell.fields), cell.weak
    value = rules.allocate(frame, state, Site("realloc", place))
    fresh = state.change(value[0])
    fresh.null = 1
    if cell is not None and cell.kind in (HEAP, PRE):
        fresh.fields, fresh.weak = members, weak
        if cell.summary or old[1] != 0:
            rules.escape(state, old)
        else:
            state.change(old[0]).freed = place or Place("?", 0, "?")
    else:
        rules.release(frame, state, old, place)
    state.note(place, "realloc() succeeds")
    found = result(frame, state, register, value, place)
    if failed is None:
        return found
    failed.note(place, "realloc() fails: the old block stays")
    if cell is not None and cell.kind == HEAP:
        assume(failed, old, True)
    return found + result(frame, failed, register, 0, place)


def _realloc_outer(
    frame: FunctionAnalysis,
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
    failed.note(place, "realloc() fails: the old block stays")
    return found + result(frame, failed, register, 0, place)


def _getline(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """The buffer behind the first argument is (re)allocated, whether a line was read or not."""
    if not arguments:
        return unknown(frame, state, register, arguments)
    held = rules.load(frame, state, arguments[0], True)
    cell = state.cells.get(held[0]) if type(held) is tuple else None
    if held == 0 or (cell is not None and cell.kind == HEAP and cell.tracked):
        if cell is not None:
            state.change(held[0]).freed = place or Place("?", 0, "?")
        value = rules.allocate(frame, state, Site("getline", place), False, True)
        state.note(place, "getline() allocates")
        rules.store(frame, state, arguments[0], value, place, "")
    else:
        rules.scramble(state, arguments[0])
    for value in arguments[1:2]:
        rules.scramble(state, value)
    return result(frame, state, register, Symbol(), place)


def _memcpy(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    size = arguments[2] if len(arguments) > 2 and type(arguments[2]) is int else -1
    rules.copy_members(frame, state, arguments[0], arguments[1], size, place)
    return result(frame, state, register, arguments[0], place)


def _memset(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    size = arguments[2] if len(arguments) > 2 and type(arguments[2]) is int else -1
    if len(arguments) > 1 and arguments[1] == 0:
        rules.clear(frame, state, arguments[0], size, place)
    else:
        rules.scramble(state, arguments[0])
    return result(frame, state, register, arguments[0], place)


def _bzero(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    size = arguments[1] if len(arguments) > 1 and type(arguments[1]) is int else -1
    rules.clear(frame, state, arguments[0], size, place)
    return [state]


def _realpath(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    if len(arguments) > 1 and arguments[1] == 0:
        value = rules.allocate(frame, state, Site("realpath", place))
        state.note(place, "realpath() allocates")
        return result(frame, state, register, value, place)
    return result(frame, state, register, Symbol(), place)


def _getcwd(
    frame: FunctionAnalysis,
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
    frame: FunctionAnalysis,
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
        rules.scramble(state, value)
    failed.note(place, "open_memstream() fails")
    return found + result(frame, failed, register, 0, place)


def _strtol(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """The end pointer points into the string."""
    if len(arguments) > 1 and arguments[1] != 0:
        text = arguments[0]
        inside = shifted(text, ANYWHERE) if type(text) is tuple else Symbol()
        rules.store(frame, state, arguments[1], inside, place, "")
    return result(frame, state, register, Symbol(), place)


def _va_start(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """The list leads to the further arguments, all of them alike."""
    if arguments and type(arguments[0]) is tuple and arguments[0][0] in state.cells:
        state.cells.setdefault(EXTRA, Cell(PRE))
        cell = state.change(arguments[0][0])
        cell.weak = cell.weak | {EXTRA}
        cell.fields = {}
    return [state]


def _nothing(
    frame: FunctionAnalysis,
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
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    if all(type(a) is tuple and a[0] in state.cells for a in arguments[:2]):
        cell = state.change(arguments[0][0])
        cell.weak = cell.weak | state.cells[arguments[1][0]].weak
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
    "open_memstream": _open_memstream,
    **dict.fromkeys(
        ("strtol", "strtoul", "strtoll", "strtoull", "strtod", "strtof", "strtold", "strtoimax",
         "strtoumax", "__strtol_internal", "__isoc23_strtol", "__isoc23_strtoul"),
        _strtol,
    ),
}  # fmt: skip
