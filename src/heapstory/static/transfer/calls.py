"""Calls: summaries of known functions, models of libraries, and everything else."""

from __future__ import annotations

from heapstory.cfront.program import Place, Statement
from heapstory.static.heap import escaping
from heapstory.static.heap.conditions import fact_of
from heapstory.static.heap.doubt import Doubt
from heapstory.static.heap.state import ANY_MAKER, HEAP, PRE, STACK, Site, State
from heapstory.static.heap.values import HIGH, LOW, CellId, Fact, Pointer, Symbol, Value, global_in
from heapstory.static.summaries.applied import Applied
from heapstory.static.summaries.summary import Summary
from heapstory.static.transfer import rules
from heapstory.static.transfer.applying import apply
from heapstory.static.transfer.frame import Frame
from heapstory.static.transfer.library import (
    BUILTINS,
    States,
    follow,
    intrinsic,
    result,
    returns,
    unknown,
)
from heapstory.static.transfer.losses import OVERWRITTEN
from heapstory.static.transfer.models import Models

UNASKED = "if the pointer is null, which nothing says"
FAILED = "returns 0 or null"  # of a call, in a path
MAX_TARGETS = 24  # a pointer that can mean more functions than this means any function
_COMPARISONS = ("strcmp", "strcasecmp", "strncmp", "strncasecmp", "memcmp")
_SUCCESS = {"=0": Fact(0, 0), ">=0": Fact(0, HIGH), "!=0": Fact(LOW, HIGH, frozenset({0}))}
_FAILURE = {"=0": Fact(LOW, HIGH, frozenset({0})), ">=0": Fact(LOW, -1), "!=0": Fact(0, 0)}


def call(frame: Frame, state: State, statement: Statement) -> States:
    """All states after a call."""
    _, place, register, callee, operands, signature, member = statement
    arguments = [frame.value(state, operand) for operand in operands]
    name = callee
    if type(callee) is str and callee[0] == "%":
        meant = function_in(frame, state.env.get(callee))
        if meant is None:
            return _indirect(frame, state, register, arguments, place, signature, member)
        name = meant
    if not isinstance(name, str):
        return unknown(frame, state, register, arguments)
    return named(frame, state, register, name, arguments, place)


def function_in(frame: Frame, pointer: Value | None) -> str | None:
    """The name of the function that a pointer means, as far as it is known."""
    if pointer is None:
        return None
    known = global_in(frame.table(pointer) or pointer)
    return None if known is None else known.text


def named(
    frame: Frame,
    state: State,
    register: str | None,
    name: str,
    arguments: list[Value],
    place: Place | None,
) -> States:
    """All states after a call of a function whose name is known."""
    plain = name[1:].split("@", 1)[0]
    models = frame.program.models
    builtin = BUILTINS.get(plain) or (intrinsic(plain) if plain.startswith("llvm.") else None)
    if builtin is not None:
        return builtin(frame, state, register, arguments, place)
    summary = None if models.standard(plain) else frame.summary(name)
    if summary is not None:
        return _summarised(frame, state, register, summary, arguments, place)
    return _modelled(frame, state, register, plain, arguments, place)


def _modelled(
    frame: Frame,
    state: State,
    register: str | None,
    name: str,
    arguments: list[Value],
    place: Place | None,
) -> States:
    models = frame.program.models
    if name in models.ends:
        return []
    follow(state, name, arguments)
    if name in models.releases:
        if models.releases[name] < len(arguments):
            rules.release(frame, state, arguments[models.releases[name]], place)
        return result(frame, state, register, Symbol(), place)
    if name in models.empties and models.empties[name] < len(arguments):
        holder = arguments[models.empties[name]]
        rules.release(frame, state, rules.load(frame, state, holder, True), place)
        return result(frame, state, register, Symbol(), place)
    release = models.allocates.get(name) or _unless(name, models, arguments)
    if release is not None:
        site = Site(name, place, (), release)
        made = rules.allocate(frame, state, site, name in models.zeroed, name in models.certain)
        state.note(place, f"{name}() allocates")
        return result(frame, state, register, made, place)
    if name in models.gives and models.gives[name][0] < len(arguments):
        return _gives(frame, state, register, name, arguments, place)
    if name in models.returns or name in models.reads or name in models.fills:
        for value in arguments:
            rules.use(frame, state, value, place)
    if name in models.returns and models.returns[name] < len(arguments):
        return returns(frame, state, register, name, arguments[models.returns[name]], place)
    if name in models.reads or name in models.fills:
        for value in arguments if name in models.fills else ():
            escaping.scramble(state, value)
        answer = _comparison(state, name, arguments) if name in _COMPARISONS else Symbol()
        if name in models.counts:
            state.facts[answer] = Fact(-1, HIGH)
        return result(frame, state, register, answer, place)
    for value in arguments:
        cell = state.cells.get(value.cell) if isinstance(value, Pointer) else None
        if cell is not None and cell.tracked and cell.site is not None:
            frame.handed_on(name, cell.site)
    return unknown(frame, state, register, arguments)


def _unless(name: str, models: Models, arguments: list[Value]) -> str | None:
    """What releases the memory that a function makes where the argument that would take it is
    null."""
    argument, release = models.allocates_unless.get(name, (0, None))
    empty = argument < len(arguments) and arguments[argument] == 0
    return release if empty else None


def _comparison(state: State, name: str, arguments: list[Value]) -> Symbol:
    """A text compared with a constant once more: the result is the same."""
    text, *rest = arguments
    if not all(isinstance(v, int) or _constant(v) for v in rest):
        return Symbol()
    if isinstance(text, Symbol):
        return text.derive((name, str(rest)))
    if (
        not isinstance(text, Pointer)
        or isinstance(text.cell, Symbol)
        or not isinstance(text.offset, int)
    ):
        return Symbol()
    cell = state.cells.get(text.cell)
    if cell is None or cell.summary or cell.kind not in (HEAP, PRE):
        return Symbol()
    key = f"{name} {text.offset} {rest}"
    if key not in cell.texts:
        answer = Symbol(None, "text")  # as if passed in: what is learnt of it is kept
        state.change(text.cell).texts = {**cell.texts, key: answer}
        return answer
    return cell.texts[key]


def _constant(value: Value) -> bool:
    name = global_in(value)
    return name is not None and name.text.startswith("@.str")


def _gives(
    frame: Frame,
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
    escaping.scramble(failed, arguments[argument])
    return [
        *result(frame, state, register, good, place),
        *result(frame, failed, register, bad, place),
    ]


# --- summaries ----------------------------------------------------------------------------------


def _summarised(
    frame: Frame,
    state: State,
    register: str | None,
    summary: Summary,
    arguments: list[Value],
    place: Place | None,
) -> States:
    if summary.unknown:
        return unknown(frame, state, register, arguments)
    applied: list[Applied] = []
    for row in summary.rows:
        frame.work += 4 + len(row.cells)
        again = summary.name in frame.program.recursive
        made = apply(
            frame, state, row, arguments, summary.parameters, place, again, summary.counted
        )
        if made is not None:
            applied.append(made)
    if len(applied) > 1:
        _hidden_choice(state, applied, register is not None and frame.reads(register))
    frame.called(summary, applied)
    applied.sort(key=_unasked)  # where ways are joined, the first is the one that is shown
    for each in applied:
        after, value, suspects = each.state, each.result, each.suspects
        if summary.keeps_extra:  # how often its loop over them runs is not known
            for extra in arguments[summary.parameters :]:
                escaping.escape(after, extra)
        if register is not None:
            after.env[register] = Symbol() if value is None else value
        if each.unasked and not applied[0].unasked:
            note = f"{_describe(after, summary.name, value)} {UNASKED}"
            after.note(place, note, doubt=Doubt.NULL_UNASKED)
        elif _is_new(after, value) or len(applied) > 1:
            supposed = value == 0 and any(_is_new(other.state, other.result) for other in applied)
            unasked = supposed and register is not None and not frame.asks(register)
            doubt = Doubt.FAILURE_SUPPOSED if unasked else None
            after.note(place, _describe(after, summary.name, value), doubt=doubt)
        if suspects:
            alive = after.reachable(rules.roots(after))
            rules.report_unreachable(frame, after, alive, suspects)
        if register is None and isinstance(value, Pointer):
            rules.check(frame, after, rules.cells_in(after, value), OVERWRITTEN, place, "")
    return [row.state for row in applied]


def _unasked(row: Applied) -> bool:
    return row.unasked


def _hidden_choice(before: State, rows: list[Applied], told: bool) -> None:
    """A callee that keeps or frees a cell on one way and not on another, by something the caller
    cannot tell (a count of references, a sanity check) or does not ask for (a result that nobody
    reads), decides for it: the cell is given up."""
    for identity, cell in before.cells.items():
        if not cell.tracked:
            continue
        taken = [row for row in rows if _taken(row, identity)]
        if not told and not _held(before, identity):
            taken += [row for row in rows if _held(row.state, identity)]
        for row in rows if taken else ():
            if row in taken or not _still(row.state, identity):
                continue
            if not told or not all(_told_apart(row, other) for other in taken):
                escaping.escape(row.state, Pointer(identity, 0))


def _taken(row: Applied, identity: CellId) -> bool:
    """A row that found the pointer null took nothing: the cell is gone from its state. Nor did one
    that perhaps overwrote it."""
    if identity not in row.state.cells or identity in row.perhaps_lost:
        return False
    return not _still(row.state, identity)


def _held(state: State, identity: CellId) -> bool:
    """Whether another cell than a variable's holds a cell."""
    return any(identity in cell.leads for cell in state.cells.values() if cell.kind != STACK)


def _still(state: State, identity: CellId) -> bool:
    cell = state.cells.get(identity)
    return cell is not None and cell.tracked


def _told_apart(one: Applied, other: Applied) -> bool:
    """Whether the results of two rows can never be equal."""
    return any(
        _differ(fact_of(one.state, left), fact_of(other.state, right))
        for left, right in zip(
            one.state.parts(one.result), other.state.parts(other.result), strict=False
        )
    )


def _differ(left: Fact, right: Fact) -> bool:
    """Whether no number is as both facts say."""
    if left.high < right.low or right.high < left.low:
        return True
    return any(a.low == a.high and a.low in b.not_in for a, b in ((left, right), (right, left)))


def _is_new(state: State, value: Value | None) -> bool:
    return any(_still(state, identity) for identity in rules.cells_in(state, value))


def _describe(state: State, name: str, value: Value | None) -> str:
    plain = name[1:].split("@", 1)[0]
    if _is_new(state, value):
        return f"{plain}() returns new memory"
    if isinstance(value, int):
        return f"{plain}() returns {value}" if value else f"{plain}() {FAILED}"
    if isinstance(value, Symbol) and value in state.facts:
        fact = state.facts[value]
        if fact.low == fact.high:
            return f"{plain}() returns {fact.low}"
        if fact.high < 0:
            return f"{plain}() returns a negative number"
        if 0 in fact.not_in or fact.low > 0:
            return f"{plain}() does not return 0"
    return f"{plain}() returns"


def _indirect(
    frame: Frame,
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
        return unknown(frame, state, register, arguments)
    if len(targets) == 1:
        return named(frame, state, register, targets[0], arguments, place)
    new = True
    freed = set(range(len(arguments)))
    given: set[int] = set()
    for name in targets:
        touched, fresh = _touched(frame, name, len(arguments))
        new = new and fresh
        freed &= _frees(frame, name)
        given |= touched
    for number in given:
        if number < len(arguments) and number not in freed:
            escaping.escape(state, arguments[number])
    for number in freed:
        rules.release(frame, state, arguments[number], place)
    escaping.havoc(state, arguments)
    for value in arguments:
        escaping.scramble(state, value)
    if new and register is not None:
        site = Site(ANY_MAKER, place, (), "free")
        return result(frame, state, register, rules.allocate(frame, state, site), place)
    return result(frame, state, register, Symbol(), place)


def _frees(frame: Frame, name: str) -> frozenset[int]:
    """The arguments that a possible target frees, and does nothing else to."""
    summary = frame.summary(name)
    if summary is not None:
        return summary.frees
    released = frame.program.models.releases.get(name[1:])
    return frozenset() if released is None else frozenset({released})


def _touched(frame: Frame, name: str, count: int) -> tuple[frozenset[int], bool]:
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
