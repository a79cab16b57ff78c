"""What every kind of statement does to a state."""

from __future__ import annotations

from collections.abc import Callable

from heapstory.cfront import program as op
from heapstory.cfront.program import Operand, Statement
from heapstory.static.heap import escaping
from heapstory.static.heap.conditions import PAGE, arithmetic, assume, compare, fact_of
from heapstory.static.heap.names import Named
from heapstory.static.heap.state import GLOBAL, PRE, WHOLE, Cell, State
from heapstory.static.heap.values import (
    ANYWHERE,
    HIGH,
    LOW,
    NULL_INDEXED,
    Comparison,
    Fact,
    Index,
    Pointer,
    Symbol,
    Value,
)
from heapstory.static.transfer import calls, rules
from heapstory.static.transfer.frame import Frame
from heapstory.static.transfer.materialise import materialise

States = list[State] | None


def _copy(frame: Frame, state: State, statement: Statement) -> States:
    state.env[statement[2]] = frame.value(state, statement[3])
    return None


def _assign(frame: Frame, state: State, statement: Statement) -> States:
    _, place, variable, operand, label = statement
    value = _unsigned(frame.value(state, operand), frame.function.bits.get(variable, 0))
    rules.assign(frame, state, variable, value, place, label)
    return None


def _load(frame: Frame, state: State, statement: Statement) -> States:
    address = frame.value(state, statement[3])
    known = frame.constant(address, statement[5])
    if known is not None:
        state.env[statement[2]] = known
        return None
    rules.use(frame, state, address, statement[1])
    value = rules.load(frame, state, address, statement[4])
    state.env[statement[2]] = value
    if statement[4] and isinstance(address, Pointer):
        rules.look_at(state, address.cell, address.offset)
    if isinstance(value, Pointer) and isinstance(address, Pointer):
        cell = state.cells.get(value.cell)
        if cell is not None and cell.summary and cell.tracked and value.cell != address.cell:
            return materialise(frame, state, statement[2], address, value)
    return None


def _gather(frame: Frame, state: State, statement: Statement) -> States:
    """A structure in registers is a cell that lives as long as they do."""
    _, _, register, operand, members, _, _ = statement
    address = frame.value(state, operand)
    whole = Cell(WHOLE)
    for offset, pointer in members:
        whole.fields[offset] = rules.load(frame, state, _moved(address, offset, None), pointer)
    identity = frame.new_cell()
    state.cells[identity] = whole
    state.env[register] = Pointer(identity, 0)
    return None


def _store(frame: Frame, state: State, statement: Statement) -> States:
    _, place, where, operand, size, label, pointer, _ = statement
    address = frame.value(state, where)
    value = _unsigned(frame.value(state, operand), 8 * size)
    whole = state.in_registers(value)
    if whole is not None:
        for offset, member in whole.fields.items():
            if isinstance(offset, int):
                rules.store(frame, state, _moved(address, offset, None), member, place, label)
        return None
    if pointer and isinstance(address, Pointer) and isinstance(address.offset, int):
        cell = state.cells.get(address.cell)
        if isinstance(address.cell, Named) and (cell is None or cell.kind in (PRE, GLOBAL)):
            rules.load(frame, state, address, True)  # what is overwritten belongs to the caller
    rules.store(frame, state, address, value, place, label)
    return None


def _gep(frame: Frame, state: State, statement: Statement) -> States:
    _, _, register, operand, offset, terms = statement
    base = frame.value(state, operand)
    symbolic: tuple[Symbol | None, int] | None = None
    for index, scale in terms:
        value = _known(state, frame.value(state, index))
        if isinstance(value, int):
            offset += value * scale
        elif symbolic is None and isinstance(value, Symbol):
            symbolic = (value, scale)
        else:
            symbolic = (None, 0)
    state.env[register] = _moved(base, offset, symbolic)
    return None


def _moved(base: Value, offset: int, symbolic: tuple[Symbol | None, int] | None) -> Value:
    if isinstance(base, int):
        if symbolic is None:
            return base + offset
        index, scale = symbolic
        if index is None or abs(base) >= PAGE:
            return Symbol()
        return index.derive((NULL_INDEXED, scale))
    if isinstance(base, Symbol):
        base = Pointer(base, 0)
    if not isinstance(base, Pointer):
        return Symbol()
    start = base.offset
    if symbolic is None:
        if offset == 0:
            return base if not isinstance(base.cell, Symbol) or start != 0 else base.cell
        if isinstance(start, int):
            return Pointer(base.cell, start + offset)
        if isinstance(start, Index):
            return Pointer(base.cell, start._replace(constant=start.constant + offset))
        return Pointer(base.cell, ANYWHERE)
    if isinstance(start, int) and symbolic[0] is not None:
        return Pointer(base.cell, Index(symbolic[0], symbolic[1], start + offset))
    return Pointer(base.cell, ANYWHERE)


def _icmp(frame: Frame, state: State, statement: Statement) -> States:
    _, _, register, predicate, left, right = statement
    one, two = frame.value(state, left), frame.value(state, right)
    if isinstance(one, Comparison) and isinstance(two, Comparison):  # (a < b) == (c < d)
        found = []
        for truth in (True, False):
            each = state.copy()
            if assume(each, one, truth):
                each.env[register] = compare(each, predicate, int(truth), two)
                found.append(each)
        return found
    state.env[register] = compare(state, predicate, one, two)
    return None


def _bin(frame: Frame, state: State, statement: Statement) -> States:
    _, _, register, operator, left, right, _ = statement
    one, two = frame.value(state, left), frame.value(state, right)
    if operator not in ("add", "sub"):  # by which loops count
        one, two = _known(state, one), _known(state, two)
    value = state.env[register] = arithmetic(operator, one, two)
    if isinstance(value, Symbol) and isinstance(one, Symbol) and isinstance(two, int):
        _shift_fact(state, operator, one, two, value)
    elif operator == "add" and isinstance(one, Symbol) and _is_truth(state, two):
        assume(state, Comparison("uge", value, one), True)
    return None


def _known(state: State, value: Value) -> Value:
    """The number that a symbol stands for, where there is but one."""
    if isinstance(value, Symbol) and (fact := state.facts.get(value)) and fact.low == fact.high:
        return fact.low
    return value


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


def _select(frame: Frame, state: State, statement: Statement) -> States:
    _, place, register, condition, yes, no = statement
    test = frame.value(state, condition)
    if isinstance(test, int):
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


def _fresh(frame: Frame, state: State, statement: Statement) -> States:
    state.env[statement[2]] = Symbol()
    return None


def _extract(frame: Frame, state: State, statement: Statement) -> States:
    _, _, register, operand, offset = statement
    value = frame.value(state, operand)
    whole = state.in_registers(value)
    if whole is not None:
        value = whole.fields.get(offset, Symbol())
    else:
        value = value.derive(("member", offset)) if isinstance(value, Symbol) else Symbol()
    state.env[register] = value
    return None


def _cast(frame: Frame, state: State, statement: Statement) -> States:
    _, _, register, operand, bits, signed = statement
    value = _unsigned(frame.value(state, operand), bits)
    if signed:
        half = 1 << bits - 1
        if isinstance(value, int):
            value = value - 2 * half if value >= half else value
        elif bits <= op.UNSIGNED_BITS and fact_of(state, value).high >= half:
            value = value.derive(("sext", bits)) if isinstance(value, Symbol) else Symbol()
    state.env[register] = value
    return None


def _unsigned(value: Value, bits: int) -> Value:
    """A small constant as it is kept, see ``UNSIGNED_BITS``."""
    if isinstance(value, int) and value < 0 < bits <= op.UNSIGNED_BITS:
        return value & (1 << bits) - 1
    return value


def _exchange(frame: Frame, state: State, statement: Statement) -> States:
    """What another thread may read now has escaped; what was there nobody knows."""
    return _changed(frame, state, statement, statement[3], statement[5])


def _modify(frame: Frame, state: State, statement: Statement) -> States:
    return _changed(frame, state, statement, statement[4], statement[5])


def _changed(
    frame: Frame, state: State, statement: Statement, where: Operand, stored: Operand
) -> States:
    escaping.escape(state, frame.value(state, stored))
    rules.store(frame, state, frame.value(state, where), Symbol(), statement[1], "")
    state.env[statement[2]] = Symbol()
    return None


def _fence(frame: Frame, state: State, statement: Statement) -> States:
    return None


def _assembly(frame: Frame, state: State, statement: Statement) -> States:
    for operand in statement[3]:
        escaping.escape(state, frame.value(state, operand))
    if statement[2] is not None:
        state.env[statement[2]] = Symbol()
    return None


Handler = Callable[[Frame, State, Statement], States]
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
    op.CAST: _cast,
    op.EXTRACT: _extract,
    op.CMPXCHG: _exchange,
    op.RMW: _modify,
    op.FENCE: _fence,
    op.ASM: _assembly,
}
