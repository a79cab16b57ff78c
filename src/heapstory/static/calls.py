"""Calls: summaries of known functions, models of libraries, and everything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from heapstory.static import rules
from heapstory.static.applying import apply, shifted
from heapstory.static.conditions import assume, assume_fact
from heapstory.static.ir.program import Place, Statement
from heapstory.static.state import GLOBAL, HEAP, PRE, Cell, Site, State
from heapstory.static.summary import EXTRA, Summary
from heapstory.static.values import ANYWHERE, HIGH, LOW, Comparison, Fact, Symbol, Value

if TYPE_CHECKING:
    from heapstory.static.interpreter import FunctionAnalysis

MAX_TARGETS = 24  # a pointer that can mean more functions than this means any function
_SUCCESS = {"=0": Fact(0, 0), ">=0": Fact(0, HIGH), "!=0": Fact(LOW, HIGH, frozenset({0}))}
_FAILURE = {"=0": Fact(LOW, HIGH, frozenset({0})), ">=0": Fact(LOW, -1), "!=0": Fact(0, 0)}

States = list[State]


def call(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    """All states after a call."""
    _, place, register, callee, operands, signature, member = statement
    arguments = [frame.value(state, operand) for operand in operands]
    name = callee
    if type(callee) is str and callee[0] == "%":
        pointer = state.env.get(callee)
        if type(pointer) is tuple and type(pointer[0]) is str and pointer[0][0] == "@":
            name = frame.program.table(pointer) or pointer[0]
        else:
            return _indirect(frame, state, register, arguments, place, signature, member)
    if not isinstance(name, str):
        return _unknown(frame, state, register, arguments)
    return _named(frame, state, register, name, arguments, place)


def _named(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    name: str,
    arguments: list[Value],
    place: Place | None,
) -> States:
    plain = name[1:].split("@", 1)[0]
    models = frame.program.models
    builtin = _BUILTINS.get(plain) or (_intrinsic(plain) if plain.startswith("llvm.") else None)
    if builtin is not None:
        return builtin(frame, state, register, arguments, place)
    summary = None if models.standard(plain) else frame.summary(name)
    if summary is not None:
        return _summarised(frame, state, register, summary, arguments, place)
    return _modelled(frame, state, register, plain, arguments, place)


def _modelled(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    name: str,
    arguments: list[Value],
    place: Place | None,
) -> States:
    models = frame.program.models
    if name in models.ends:
        return []
    if name in models.releases:
        if models.releases[name] < len(arguments):
            rules.release(frame, state, arguments[models.releases[name]], place)
        return _result(frame, state, register, Symbol(), place)
    if name in models.allocates:
        site = Site(name, place, (), models.allocates[name])
        value = rules.allocate(frame, state, site, name in models.zeroed, name in models.certain)
        state.note(place, f"{name}() allocates")
        return _result(frame, state, register, value, place)
    if name in models.gives and models.gives[name][0] < len(arguments):
        return _gives(frame, state, register, name, arguments, place)
    if name in models.returns and models.returns[name] < len(arguments):
        return _returns(frame, state, register, name, arguments[models.returns[name]], place)
    if name in models.reads:
        return _result(frame, state, register, Symbol(), place)
    if name in models.fills:
        for value in arguments:
            rules.scramble(state, value)
        return _result(frame, state, register, Symbol(), place)
    return _unknown(frame, state, register, arguments)


def _returns(
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
        return _result(frame, state, register, value, place)
    rules.scramble(state, value)
    inside = shifted(value, ANYWHERE) if type(value) is tuple else Symbol()
    if type(inside) is not tuple:
        return _result(frame, state, register, inside, place)
    missing = state.copy()
    return [
        *_result(frame, state, register, inside, place),
        *_result(frame, missing, register, 0, place),
    ]


def _gives(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    name: str,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """``asprintf`` and its like: an out-parameter that is new memory if the call succeeded."""
    argument, success, release = frame.program.models.gives[name]
    failed = state.copy()
    value = rules.allocate(frame, state, Site(name, place, (), release), False, True)
    state.note(place, f"{name}() allocates")
    rules.store(frame, state, arguments[argument], value, place, "")
    good, bad = Symbol(), Symbol()
    state.facts[good] = _SUCCESS[success]
    failed.facts[bad] = _FAILURE[success]
    failed.note(place, f"{name}() fails")
    rules.scramble(failed, arguments[argument])
    return [
        *_result(frame, state, register, good, place),
        *_result(frame, failed, register, bad, place),
    ]


def _result(
    frame: FunctionAnalysis, state: State, register: str | None, value: Value, place: Place | None
) -> States:
    if register is not None:
        state.env[register] = value
    elif type(value) is tuple:
        rules.check(frame, state, (value[0],), rules.OVERWRITTEN, place, "")
    return [state]


def _unknown(
    frame: FunctionAnalysis, state: State, register: str | None, arguments: list[Value]
) -> States:
    """Code nobody has: it may keep, free and change everything it can get at."""
    for value in arguments:
        rules.escape(state, value)
    for identity, cell in list(state.cells.items()):
        if cell.kind == GLOBAL and any(type(v) is tuple for v in cell.fields.values()):
            if not frame.program.private(identity):
                rules.escape_contents(state, identity)
    rules.havoc(state)
    if register is not None:
        state.env[register] = Symbol()
    return [state]


# --- summaries ----------------------------------------------------------------------------------


def _summarised(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    summary: Summary,
    arguments: list[Value],
    place: Place | None,
) -> States:
    if summary.unknown:
        return _unknown(frame, state, register, arguments)
    found: States = []
    for outcome in summary.outcomes:
        frame.work += 4 + len(outcome.cells)
        applied = apply(frame, state, outcome, arguments, summary.parameters, place)
        if applied is None:
            continue
        after, value, suspects = applied
        if register is not None:
            after.env[register] = value
        if outcome.result is not None and _is_new(after, value) or len(summary.outcomes) > 1:
            after.note(place, _describe(after, summary.name, value))
        if suspects:
            alive = after.reachable(rules.roots(after))
            rules.report_unreachable(frame, after, alive, suspects)
        if register is None and type(value) is tuple:
            rules.check(frame, after, (value[0],), rules.OVERWRITTEN, place, "")
        found.append(after)
    return found


def _is_new(state: State, value: Value) -> bool:
    if type(value) is not tuple:
        return False
    cell = state.cells.get(value[0])
    return cell is not None and cell.tracked


def _describe(state: State, name: str, value: Value) -> str:
    plain = name[1:].split("@", 1)[0]
    if _is_new(state, value):
        return f"{plain}() returns new memory"
    if type(value) is int:
        return f"{plain}() returns {value if value else '0 or null'}"
    if type(value) is Symbol and value in state.facts:
        fact = state.facts[value]
        if fact.low == fact.high:
            return f"{plain}() returns {fact.low}"
        if fact.high < 0:
            return f"{plain}() returns a negative number"
        if 0 in fact.not_in or fact.low > 0:
            return f"{plain}() does not return 0"
    return f"{plain}() returns"


def _indirect(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
    signature: str,
    member: str,
) -> States:
    """A call through a pointer: all functions that were stored there, or that have its type."""
    targets = frame.program.targets(member, signature)
    if not targets or len(targets) > MAX_TARGETS:
        return _unknown(frame, state, register, arguments)
    if len(targets) == 1:
        return _named(frame, state, register, targets[0], arguments, place)
    new = True
    for name in targets:
        touched, fresh = _touched(frame, name, len(arguments))
        new = new and fresh
        for number in touched:
            if number < len(arguments):
                rules.escape(state, arguments[number])
    rules.havoc(state)
    for value in arguments:
        rules.scramble(state, value)
    if new and register is not None:
        site = Site("a function pointer", place, (), "free")
        return _result(frame, state, register, rules.allocate(frame, state, site), place)
    return _result(frame, state, register, Symbol(), place)


def _touched(frame: FunctionAnalysis, name: str, count: int) -> tuple[frozenset[int], bool]:
    """The arguments a possible target may free or keep, and whether it returns new memory."""
    everything = frozenset(range(count))
    summary = frame.summary(name)
    if summary is not None:
        if summary.unknown:
            return everything, False
        extra = frozenset(range(summary.parameters, count)) if summary.keeps_extra else frozenset()
        return summary.touched | extra, summary.returns_new
    plain = name[1:]
    models = frame.program.models
    if plain in models.releases:
        return frozenset({models.releases[plain]}), False
    if plain in models.allocates:
        return frozenset(), True
    if plain in models.reads or plain in models.fills or plain in models.ends:
        return frozenset(), False
    return everything, False


# --- functions with a meaning of their own ------------------------------------------------------

Builtin = Callable[
    ["FunctionAnalysis", State, str | None, list[Value], Place | None], States
]


def _realloc(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """Two outcomes: the block moves with its contents, or null comes back and it stays."""
    old = arguments[0] if arguments else None
    size = arguments[1] if len(arguments) == 2 else None
    failed = state.copy()
    members: dict[object, Value] = {}
    weak: frozenset[object] = frozenset()
    cell = state.cells.get(old[0]) if type(old) is tuple else None
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
    found = _result(frame, state, register, value, place)
    if size == 0:
        return found
    failed.note(place, "realloc() fails: the old block stays")
    if cell is not None and cell.kind == HEAP:
        assume(failed, old, True)
    return found + _result(frame, failed, register, 0, place)


def _getline(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """The buffer behind the first argument is (re)allocated, whether a line was read or not."""
    if not arguments:
        return _unknown(frame, state, register, arguments)
    held = rules.load(frame, state, arguments[0], True)
    cell = state.cells.get(held[0]) if type(held) is tuple else None
    if held == 0 or cell is not None and cell.kind == HEAP and cell.tracked:
        if cell is not None:
            state.change(held[0]).freed = place or Place("?", 0, "?")
        value = rules.allocate(frame, state, Site("getline", place), False, True)
        state.note(place, "getline() allocates")
        rules.store(frame, state, arguments[0], value, place, "")
    else:
        rules.scramble(state, arguments[0])
    for value in arguments[1:2]:
        rules.scramble(state, value)
    return _result(frame, state, register, Symbol(), place)


def _memcpy(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    size = arguments[2] if len(arguments) > 2 and type(arguments[2]) is int else -1
    rules.copy_members(frame, state, arguments[0], arguments[1], size, place)
    return _result(frame, state, register, arguments[0], place)


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
    return _result(frame, state, register, arguments[0], place)


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
        return _result(frame, state, register, value, place)
    return _result(frame, state, register, Symbol(), place)


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
        return _result(frame, state, register, value, place)
    return _returns(frame, state, register, "getcwd", arguments[0], place)


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
    return _result(frame, state, register, Symbol(), place)


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
    return _result(frame, state, register, Symbol(), place)


def _escape_all(
    frame: FunctionAnalysis,
    state: State,
    register: str | None,
    arguments: list[Value],
    place: Place | None,
) -> States:
    for value in arguments:
        rules.escape(state, value)
    return _result(frame, state, register, Symbol(), place)


def _intrinsic(name: str) -> Builtin:
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


_BUILTINS: dict[str, Builtin] = {
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
    "heapstory.escape": _escape_all,
    **dict.fromkeys(
        ("strtol", "strtoul", "strtoll", "strtoull", "strtod", "strtof", "strtold", "strtoimax",
         "strtoumax", "__strtol_internal", "__isoc23_strtol", "__isoc23_strtoul"),
        _strtol,
    ),
}  # fmt: skip


__all__ = ["Comparison", "assume_fact", "call"]
