"""Comparisons, branches, and the facts they leave behind."""

from __future__ import annotations

from collections.abc import Callable

from heapstory.static.state import GLOBAL, HEAP, OPAQUE, PRE, STACK, State
from heapstory.static.values import (
    ANY,
    HIGH,
    LOW,
    NEGATED,
    SWAPPED,
    CellId,
    Comparison,
    Fact,
    Symbol,
    Value,
    decide,
    known,
    refine,
)

PAGE = 4096  # no cell lies below this address
_FOLD: dict[str, Callable[[int, int], int | None]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b if 0 <= b < 64 else 0,
    "lshr": lambda a, b: a >> b if a >= 0 and 0 <= b < 64 else None,
    "ashr": lambda a, b: a >> b if 0 <= b < 64 else None,
}


def arithmetic(operator: str, left: Value, right: Value) -> Value:
    """The value of an arithmetic statement."""
    if type(left) is int and type(right) is int:
        fold = _FOLD.get(operator)
        value = fold(left, right) if fold else None
        return value if value is not None and abs(value) < 1 << 64 else Symbol()
    if type(left) is Comparison and operator == "xor" and right in (1, -1):  # !c
        return Comparison(NEGATED[left.predicate], left.left, left.right)
    if type(left) is tuple and type(right) is not tuple:
        return _pointer_arithmetic(operator, left, right)
    if type(right) is tuple and type(left) is not tuple and operator == "add":
        return _pointer_arithmetic(operator, right, left)
    if type(left) is Symbol and type(right) in (int, Symbol):
        if right == 0 and operator in ("add", "sub", "or", "xor", "shl"):
            return left
        others = (right,) if type(right) is Symbol else ()
        return left.derive((operator, right), *others)
    return Symbol()


def _pointer_arithmetic(operator: str, pointer: Value, number: Value) -> Value:
    """A pointer made to a number and back still points into its cell."""
    identity, offset = pointer
    if operator in ("add", "sub") and type(number) is int and type(offset) is int:
        return identity, offset + number if operator == "add" else offset - number
    if operator in ("add", "sub", "and", "or"):
        return identity, "*"
    return Symbol()


def compare(state: State, predicate: str, left: Value, right: Value) -> Value:
    """The value of a comparison: 0, 1, or undecided."""
    if type(left) is int and type(right) is int:
        return int(decide(predicate, left, right))
    if type(left) is int:
        predicate, left, right = SWAPPED[predicate], right, left
    if type(left) is Comparison and type(right) is int:
        return _compare_truth(predicate, left, right)
    return Comparison(predicate, left, right)


def _compare_truth(predicate: str, inner: Comparison, right: int) -> Value:
    """``(a < b) != 0`` is ``a < b``; ``(a < b) == 0`` is its opposite."""
    if predicate in ("eq", "ne") and right in (0, 1):
        if (predicate == "ne") == (right == 0):
            return inner
        return Comparison(NEGATED[inner.predicate], inner.left, inner.right)
    return Symbol()


def assume(state: State, condition: Value, truth: bool) -> bool:
    """Make a condition true (or false) in the state; False if it cannot be."""
    if type(condition) is int:
        return bool(condition) == truth
    if type(condition) is Comparison:
        predicate = condition.predicate if truth else NEGATED[condition.predicate]
        return _assume(state, predicate, condition.left, condition.right)
    if condition is None:
        return True
    return _assume(state, "ne" if truth else "eq", condition, 0)


def assume_equal(state: State, value: Value, constant: int) -> bool:
    """Make a value equal to a constant; False if it cannot be."""
    if type(value) is Comparison:
        return constant in (0, 1) and assume(state, value, bool(constant))
    return _assume(state, "eq", value, constant)


def assume_fact(state: State, value: Value, fact: Fact) -> bool:
    """Make a value satisfy a fact; False if it cannot."""
    if type(value) is int:
        return fact.low <= value <= fact.high and value not in fact.not_in
    if type(value) is Comparison:
        return _assume_truth_fact(state, value, fact)
    for predicate, constant in (("sge", fact.low), ("sle", fact.high)):
        if type(value) is Symbol and not _assume(state, predicate, value, constant):
            return False
    if fact.low == fact.high and not _assume(state, "eq", value, fact.low):
        return False
    return all(_assume(state, "ne", value, constant) for constant in fact.not_in)


def _assume_truth_fact(state: State, value: Comparison, fact: Fact) -> bool:
    possible = [b for b in (0, 1) if fact.low <= b <= fact.high and b not in fact.not_in]
    if len(possible) == 1:
        return assume(state, value, bool(possible[0]))
    return bool(possible)


def fact_of(state: State, value: Value) -> Fact:
    """What is known of a value as a number."""
    if type(value) is int:
        return known(value)
    if type(value) is Symbol:
        return state.facts.get(value, ANY)
    if type(value) is Comparison:
        return Fact(0, 1)
    if type(value) is tuple and is_null(state, value) is False:
        return Fact(ANY.low, ANY.high, frozenset({0}))
    return ANY


def _assume(state: State, predicate: str, left: Value, right: Value) -> bool:
    if type(right) is int:
        if type(left) is int:
            return decide(predicate, left, right)
        if type(left) is Symbol:
            return _learn(state, left, predicate, right)
        if type(left) is tuple:
            if right == 0:
                return _assume_null(state, predicate, left)
            return predicate != "eq" or _assume_sentinel(state, left, right)
        if type(left) is Comparison:
            decided = _compare_truth(predicate, left, right)
            return assume(state, decided, True) if type(decided) is Comparison else True
        return True
    if type(left) is int:
        return _assume(state, SWAPPED[predicate], right, left)
    return _assume_related(state, predicate, left, right)


def _learn(state: State, symbol: Symbol, predicate: str, constant: int) -> bool:
    """Note what a comparison says of a symbol, and of those it is a sum of: ``n - 1 > 0`` says
    ``n > 1``."""
    while True:
        fact = refine(state.facts.get(symbol, ANY), predicate, constant)
        if fact is None:
            return False
        if fact != ANY:
            state.facts[symbol] = fact
        if symbol.key is None or len(symbol.parents) != 1:
            return True
        operator, operand = symbol.key
        if type(operand) is not int or operator not in ("add", "sub"):
            return True
        symbol = symbol.parents[0]
        constant = constant - operand if operator == "add" else constant + operand


def is_null(state: State, pointer: Value) -> bool | None:
    """Whether a pointer into a cell is null, as far as it is known."""
    identity, offset = pointer
    cell = state.cells.get(identity)
    if type(identity) is Symbol:
        if offset != 0:
            return False
        fact = state.facts.get(identity, ANY)
        return False if 0 in fact.not_in or fact.low > 0 else None
    if cell is None:
        return (
            False if type(identity) is str and identity[0] in "@%" and "[" not in identity else None
        )
    if cell.kind in (STACK, GLOBAL) or offset != 0 or cell.null == 1:
        return False
    if cell.freed is not None and cell.kind == HEAP:
        return False
    return True if cell.null == -1 else None


def _assume_null(state: State, predicate: str, pointer: Value) -> bool:
    """Rule 6's two outcomes: the split into null and not null happens when it is asked."""
    if predicate not in ("eq", "ne"):
        return True
    truth = is_null(state, pointer)
    if truth is not None:
        return truth == (predicate == "eq")
    identity = pointer[0]
    if type(identity) is Symbol:
        return _learn(state, identity, predicate, 0)
    if identity not in state.cells:
        return True
    if predicate == "ne":
        state.change(identity).null = 1
        return True
    become_null(state, identity)
    return True


def _assume_sentinel(state: State, pointer: Value, constant: int) -> bool:
    """``p == (T *)1``: such a pointer leads to no cell, as null does not."""
    if not -PAGE < constant < PAGE:
        return True
    identity = pointer[0]
    cell = state.cells.get(identity)
    if cell is None or type(identity) is Symbol:
        return True
    if cell.kind != PRE or cell.null == 1:
        return False
    if pointer[1] == 0:
        state.change(identity).null = -1
    return True


def become_null(state: State, identity: CellId) -> None:
    """The pointer to a cell was null all along. 0 takes its place everywhere, but for cells of
    the caller: there it stays a fact, which the other way round the branch can be joined with."""
    if state.cells[identity].kind == PRE:
        state.change(identity).null = -1
        return
    for name, value in state.env.items():
        if type(value) is tuple and value[0] == identity:
            state.env[name] = 0
    for other, cell in list(state.cells.items()):
        if any(type(v) is tuple and v[0] == identity for v in cell.fields.values()):
            changed = state.change(other)
            for offset, value in changed.fields.items():
                if type(value) is tuple and value[0] == identity:
                    changed.fields[offset] = 0
        if identity in cell.weak:
            changed = state.change(other)
            changed.weak = changed.weak - {identity}
    del state.cells[identity]


def _assume_related(state: State, predicate: str, left: Value, right: Value) -> bool:
    """A comparison of two values that are no constants."""
    if type(left) is tuple or type(right) is tuple:
        equal = _same_pointer(state, left, right)
        if equal is not None and predicate in ("eq", "ne"):
            return equal == (predicate == "eq")
        if predicate == "eq":
            _found_equal(state, left, right)
            _found_equal(state, right, left)
        return True
    if type(left) is not Symbol or type(right) is not Symbol:
        return True
    if left is right:
        return predicate[-1] in "qe" and predicate != "ne"
    flag = left.derive((predicate, right), right)
    opposite = left.derive((NEGATED[predicate], right), right)
    if not _learn(state, flag, "eq", 1) or not _learn(state, opposite, "eq", 0):
        return False
    return _intervals_allow(state, predicate, left, right)


def _intervals_allow(state: State, predicate: str, left: Symbol, right: Symbol) -> bool:
    one, two = state.facts.get(left, ANY), state.facts.get(right, ANY)
    if predicate == "eq":
        if one.low == one.high and not _learn(state, right, "eq", one.low):
            return False
        if two.low == two.high and not _learn(state, left, "eq", two.low):
            return False
        return one.low <= two.high and two.low <= one.high
    if predicate == "ne":
        return not one.low == one.high == two.low == two.high
    if predicate[0] == "u" and (one.low < 0 or two.low < 0):
        return True
    if predicate[1:] in ("gt", "ge"):
        predicate, left, right, one, two = SWAPPED[predicate], right, left, two, one
    gap = 1 if predicate[1:] == "lt" else 0
    if two.high < HIGH and not _learn(state, left, "sle", two.high - gap):
        return False
    return one.low <= LOW or _learn(state, right, "sge", one.low + gap)


def _same_pointer(state: State, left: Value, right: Value) -> bool | None:
    if type(left) is Symbol:
        left = (left, 0)
    if type(right) is Symbol:
        right = (right, 0)
    if type(left) is not tuple or type(right) is not tuple:
        return None
    if left[0] == right[0]:
        if type(left[1]) is int and type(right[1]) is int:
            return bool(left[1] == right[1])
        return None
    kinds = [_kind_of(state, v[0]) for v in (left, right)]
    if (PRE in kinds and OPAQUE in kinds) or kinds in ([PRE, PRE], [OPAQUE, OPAQUE]):
        return None
    for one, other in ((0, 1), (1, 0)):
        cell = state.cells.get((left, right)[one][0])
        if kinds[one] in (HEAP, STACK) and cell is not None and not cell.escaped:
            identity = (left, right)[other][0]
            if type(identity) is Symbol and identity.root is not None:
                held = state.reachable([identity])
                return None if (left, right)[one][0] in held else False
            return False  # nobody else can have its address
    return None if OPAQUE in kinds or PRE in kinds else False


def _found_equal(state: State, pointer: Value, other: Value) -> None:
    """The caller's cell is also somewhere else. A caller that knows it is not cannot come here."""
    if type(pointer) is not tuple or pointer[1] != 0:
        return
    identity, holder = pointer[0], other[0] if type(other) is tuple else other
    cell = state.cells.get(identity)
    if cell is not None and cell.kind == PRE and type(identity) is str:
        root = holder.root if type(holder) is Symbol else holder
        state.change(identity).same = cell.same | {root}


def _kind_of(state: State, identity: CellId) -> int:
    if type(identity) is Symbol:
        return OPAQUE
    cell = state.cells.get(identity)
    if cell is not None:
        return cell.kind
    if type(identity) is str:
        return GLOBAL if identity[0] == "@" and "[" not in identity else PRE
    return HEAP
