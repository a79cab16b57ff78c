"""What every kind of statement does to a state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from heapstory.cfront import program as op
from heapstory.cfront.program import Operand, Statement
from heapstory.static import calls, rules
from heapstory.static.conditions import arithmetic, assume, compare, fact_of
from heapstory.static.materialise import materialise
from heapstory.static.state import GLOBAL, PRE, State
from heapstory.static.values import ANYWHERE, HIGH, LOW, Comparison, Fact, Symbol, Value, in_global

if TYPE_CHECKING:
    from heapstory.static.interpreter import FunctionAnalysis

States = list[State] | None


def _copy(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    state.env[statement[2]] = frame.value(state, statement[3])
    return None


def _assign(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    value = frame.value(state, statement[3])
    rules.assign(frame, state, statement[2], value, statement[1], statement[4])
    return None


def _load(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    address = statement[3]
    if type(address) is str:
        address = frame.value(state, address)
    if in_global(address):
        known = frame.program.table(address)
        if known is not None:
            state.env[statement[2]] = (known, 0)
            return None
    value = rules.load(frame, state, address, statement[4])
    state.env[statement[2]] = value
    if statement[4] and type(address) is tuple:
        rules.look_at(state, *address)
    if type(value) is tuple and type(address) is tuple:
        cell = state.cells.get(value[0])
        if cell is not None and cell.summary and cell.tracked and value[0] != address[0]:
            return materialise(frame, state, statement[2], address, value)
    return None


def _gather(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    """A structure in registers is followed by the one pointer in it; several escape."""
    address = frame.value(state, statement[3])
    where = rules.target(frame, state, address)
    register, size = statement[2], statement[5]
    state.env[register] = Symbol()
    if where is None or type(where[1]) is not int:
        return None
    cell = state.cells[where[0]]
    found = [
        value
        for offset, value in cell.fields.items()
        if type(value) is tuple and type(offset) is int and 0 <= offset - where[1] < size
    ]
    if len(found) == 1:
        state.env[register] = found[0]
    else:
        for value in found:
            rules.escape(state, value)
    return None


def _store(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    _, place, address, operand, _, label, pointer, _ = statement
    if type(address) is str:
        address = frame.value(state, address)
    value = frame.value(state, operand)
    if pointer and type(address) is tuple and type(address[1]) is int:
        cell = state.cells.get(address[0])
        if type(address[0]) is str and (cell is None or cell.kind in (PRE, GLOBAL)):
            rules.load(frame, state, address, True)  # what is overwritten belongs to the caller
    rules.store(frame, state, address, value, place, label)
    return None


def _gep(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    _, _, register, operand, offset, terms = statement
    base = frame.value(state, operand)
    symbolic: tuple[Symbol | None, int] | None = None
    for index, scale in terms:
        value = frame.value(state, index)
        if type(value) is Symbol and (fact := state.facts.get(value)) and fact.low == fact.high:
            value = fact.low
        if type(value) is int:
            offset += value * scale
        elif symbolic is None and type(value) is Symbol:
            symbolic = (value, scale)
        else:
            symbolic = (None, 0)
    state.env[register] = _moved(base, offset, symbolic)
    return None


def _moved(base: Value, offset: int, symbolic: tuple[Symbol | None, int] | None) -> Value:
    if type(base) is int:
        return base + offset if symbolic is None else Symbol()
    if type(base) is Symbol:
        base = (base, 0)
    if type(base) is not tuple:
        return Symbol()
    start = base[1]
    if symbolic is None:
        if offset == 0:
            return base if type(base[0]) is not Symbol or start != 0 else base[0]
        if type(start) is int:
            return base[0], start + offset
        if type(start) is tuple:
            return base[0], (start[0], start[1], start[2] + offset)
        return base[0], ANYWHERE
    if type(start) is int and symbolic[0] is not None:
        return base[0], (symbolic[0], symbolic[1], start + offset)
    return base[0], ANYWHERE


def _icmp(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    _, _, register, predicate, left, right = statement
    one, two = frame.value(state, left), frame.value(state, right)
    if type(one) is Comparison and type(two) is Comparison:  # (a < b) == (c < d)
        found = []
        for truth in (True, False):
            each = state.copy()
            if assume(each, one, truth):
                each.env[register] = compare(each, predicate, int(truth), two)
                found.append(each)
        return found
    state.env[register] = compare(state, predicate, one, two)
    return None


def _bin(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    _, _, register, operator, left, right, _ = statement
    one, two = frame.value(state, left), frame.value(state, right)
    value = state.env[register] = arithmetic(operator, one, two)
    if type(value) is Symbol and type(one) is Symbol and type(two) is int:
        _shift_fact(state, operator, one, two, value)
    elif operator == "add" and type(one) is Symbol and _is_truth(state, two):
        assume(state, Comparison("uge", value, one), True)
    return None


def _is_truth(state: State, value: Value) -> bool:
    """Whether a value is 0 or 1: ``size + (size == 0)`` is no less than ``size``."""
    fact = fact_of(state, value)
    return fact.low >= 0 and fact.high <= 1


def _shift_fact(state: State, operator: str, one: Symbol, two: int, value: Symbol) -> None:
    """``n + 1`` is at least 1 if ``n`` is at least 0."""
    fact = state.facts.get(one)
    if fact is None or operator not in ("add", "sub") or value is one:
        return
    by = two if operator == "add" else -two
    low = fact.low + by if fact.low > LOW else LOW
    high = fact.high + by if fact.high < HIGH else HIGH
    state.facts[value] = Fact(low, high, frozenset(v + by for v in fact.not_in))


def _select(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    _, place, register, condition, yes, no = statement
    test = frame.value(state, condition)
    if type(test) is int:
        state.env[register] = frame.value(state, yes if test else no)
        return None
    found = []
    for truth, operand in ((True, yes), (False, no)):
        each = state.copy()
        if assume(each, test, truth):
            each.note(place, "", truth)
            each.env[register] = frame.value(each, operand)
            found.append(each)
    return found


def _fresh(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    state.env[statement[2]] = Symbol()
    return None


def _extract(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    _, _, register, operand, _, only = statement
    state.env[register] = frame.value(state, operand) if only else Symbol()
    return None


def _exchange(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    """What another thread may read now has escaped; what was there nobody knows."""
    return _changed(frame, state, statement, statement[3], statement[5])


def _modify(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    return _changed(frame, state, statement, statement[4], statement[5])


def _changed(
    frame: FunctionAnalysis, state: State, statement: Statement, where: Operand, stored: Operand
) -> States:
    rules.escape(state, frame.value(state, stored))
    rules.store(frame, state, frame.value(state, where), Symbol(), statement[1], "")
    state.env[statement[2]] = Symbol()
    return None


def _fence(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    return None


def _assembly(frame: FunctionAnalysis, state: State, statement: Statement) -> States:
    for operand in statement[3]:
        rules.escape(state, frame.value(state, operand))
    if statement[2] is not None:
        state.env[statement[2]] = Symbol()
    return None


Handler = Callable[["FunctionAnalysis", State, Statement], States]
HANDLERS: dict[int, Handler] = {
    op.COPY: _copy,
    op.ASSIGN: _assign,
    op.LOAD: _load,
    op.STORE: _store,
    op.GEP: _gep,
    op.CALL: calls.call,
    op.ICMP: _icmp,
    op.BIN: _bin,
    op.SELECT: _select,
    op.FRESH: _fresh,
    op.GATHER: _gather,
    op.CAST: _copy,
    op.EXTRACT: _extract,
    op.CMPXCHG: _exchange,
    op.RMW: _modify,
    op.FENCE: _fence,
    op.ASM: _assembly,
}
