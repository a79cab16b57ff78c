"""Comparisons, branches, and the facts they leave behind."""

from __future__ import annotations

from collections.abc import Callable

from heapstory.static.heap.names import Named
from heapstory.static.heap.state import (
    ERROR,
    GLOBAL,
    HEAP,
    NULL,
    OPAQUE,
    PRE,
    STACK,
    State,
    kind_of_name,
)
from heapstory.static.heap.values import (
    ANY,
    ANYWHERE,
    HIGH,
    LOW,
    NEGATED,
    SWAPPED,
    CellId,
    Comparison,
    Fact,
    Pointer,
    Symbol,
    Value,
    decide,
    known,
    refine,
)

PAGE = 4096  # no cell lies below this address, nor so close to the last one
_USUAL = 1 << 40  # where a cell may lie
# Comparisons with 0 that are questions for null.
_ASKS_FOR_NULL = {"eq": "eq", "ule": "eq", "sle": "eq", "ne": "ne", "ugt": "ne", "sgt": "ne"}
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
    if isinstance(left, int) and isinstance(right, int):
        fold = _FOLD.get(operator)
        value = fold(left, right) if fold else None
        return value if value is not None and abs(value) < 1 << 64 else Symbol()
    if isinstance(left, Comparison) and operator == "xor" and right in (1, -1):  # !c
        return Comparison(NEGATED[left.predicate], left.left, left.right)
    if isinstance(left, Pointer) and not isinstance(right, Pointer):
        return _pointer_arithmetic(operator, left, right)
    if isinstance(right, Pointer) and not isinstance(left, Pointer) and operator == "add":
        return _pointer_arithmetic(operator, right, left)
    if isinstance(left, Symbol) and isinstance(right, (int, Symbol)):
        if right == 0 and operator in ("add", "sub", "or", "xor", "shl"):
            return left
        others = (right,) if isinstance(right, Symbol) else ()
        return left.derive((operator, right), *others)
    return Symbol()


def _pointer_arithmetic(operator: str, pointer: Pointer, number: Value) -> Value:
    """A pointer made to a number and back still points into its cell."""
    identity, offset = pointer.cell, pointer.offset
    if operator in ("add", "sub") and isinstance(number, int) and isinstance(offset, int):
        return Pointer(identity, offset + number if operator == "add" else offset - number)
    if operator in ("add", "sub", "and", "or"):
        return Pointer(identity, ANYWHERE)
    return Symbol()


def compare(state: State, predicate: str, left: Value, right: Value) -> Value:
    """The value of a comparison: 0, 1, or undecided."""
    if isinstance(left, int) and isinstance(right, int):
        return int(decide(predicate, left, right))
    if isinstance(left, int):
        predicate, left, right = SWAPPED[predicate], right, left
    if isinstance(left, Comparison) and isinstance(right, int):
        return _compare_truth(predicate, left, right)
    return Comparison(predicate, left, right)


def _compare_truth(predicate: str, inner: Comparison, right: int) -> Value:
    """``(a < b) != 0`` is ``a < b``; ``(a < b) == 0`` is its opposite."""
    if predicate in ("eq", "ne") and right in (0, 1):
        if (predicate == "ne") == (right == 0):
            return inner
        return Comparison(NEGATED[inner.predicate], inner.left, inner.right)
    return Symbol()


def assume(state: State, condition: Value | None, truth: bool) -> bool:
    """Make a condition true (or false) in the state; False if it cannot be."""
    if isinstance(condition, int):
        return bool(condition) == truth
    if isinstance(condition, Comparison):
        predicate = condition.predicate if truth else NEGATED[condition.predicate]
        return _assume(state, predicate, condition.left, condition.right)
    if condition is None:
        return True
    return _assume(state, "ne" if truth else "eq", condition, 0)


def assume_equal(state: State, value: Value, constant: int) -> bool:
    """Make a value equal to a constant; False if it cannot be."""
    if isinstance(value, Comparison):
        return constant in (0, 1) and assume(state, value, bool(constant))
    return _assume(state, "eq", value, constant)


def assume_fact(state: State, value: Value, fact: Fact) -> bool:
    """Make a value satisfy a fact; False if it cannot."""
    if isinstance(value, int):
        return fact.low <= value <= fact.high and value not in fact.not_in
    if isinstance(value, Comparison):
        return _assume_truth_fact(state, value, fact)
    for predicate, constant in (("sge", fact.low), ("sle", fact.high)):
        if isinstance(value, Symbol) and not _assume(state, predicate, value, constant):
            return False
    if fact.low == fact.high and not _assume(state, "eq", value, fact.low):
        return False
    return all(_assume(state, "ne", value, constant) for constant in fact.not_in)


def _assume_truth_fact(state: State, value: Comparison, fact: Fact) -> bool:
    possible = [b for b in (0, 1) if fact.low <= b <= fact.high and b not in fact.not_in]
    if len(possible) == 1:
        return assume(state, value, bool(possible[0]))
    return bool(possible)


def fact_of(state: State, value: Value | None) -> Fact:
    """What is known of a value as a number."""
    if isinstance(value, int):
        return known(value)
    if isinstance(value, Symbol):
        return state.facts.get(value, ANY)
    if isinstance(value, Comparison):
        return Fact(0, 1)
    if isinstance(value, Pointer) and is_null(state, value) is False:
        return Fact(ANY.low, ANY.high, frozenset({0}))
    return ANY


def sign_of(state: State, value: Value | None) -> int | None:
    """-1, 0 or 1; None if a value is no number or nobody knows."""
    fact = fact_of(state, value)
    if fact.low > 0 or fact.high < 0:
        return 1 if fact.low > 0 else -1
    return 0 if fact.low == fact.high else None


def _assume(state: State, predicate: str, left: Value, right: Value) -> bool:
    if isinstance(right, int):
        if isinstance(left, int):
            return decide(predicate, left, right)
        if isinstance(left, Symbol):
            return _learn(state, left, predicate, right)
        if isinstance(left, Pointer):
            return _assume_address(state, predicate, left, right)
        if isinstance(left, Comparison):
            decided = _compare_truth(predicate, left, right)
            return assume(state, decided, True) if isinstance(decided, Comparison) else True
        return True
    if isinstance(left, int):
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
        if not isinstance(operand, int) or operator not in ("add", "sub"):
            return True
        symbol = symbol.parents[0]
        constant = constant - operand if operator == "add" else constant + operand


def is_null(state: State, pointer: Pointer) -> bool | None:
    """Whether a pointer into a cell is null, as far as it is known."""
    identity, offset = pointer.cell, pointer.offset
    cell = state.cells.get(identity)
    if isinstance(identity, Symbol):
        if offset != 0:
            return False
        fact = state.facts.get(identity, ANY)
        return False if 0 in fact.not_in or fact.low > 0 else None
    if cell is None:
        known = isinstance(identity, Named) and kind_of_name(identity) != PRE
        return False if known else None
    if cell.kind in (STACK, GLOBAL) or offset != 0 or cell.null == 1:
        return False
    if cell.freed is not None and cell.kind == HEAP:
        return False
    return None if cell.null == 0 else cell.null == NULL


def _assume_null(state: State, predicate: str, pointer: Pointer) -> bool:
    """Rule 6's two outcomes: the split into null and not null happens when it is asked."""
    if predicate not in ("eq", "ne"):
        return True
    truth = is_null(state, pointer)
    if truth is not None:
        return truth == (predicate == "eq")
    identity = pointer.cell
    if isinstance(identity, Symbol):
        return _learn(state, identity, predicate, 0)
    if identity not in state.cells:
        return True
    if predicate == "ne":
        state.change(identity).null = 1
        return True
    become_null(state, identity)
    return True


def _assume_address(state: State, predicate: str, pointer: Pointer, constant: int) -> bool:
    """A pointer compared with a constant. Constants near 0 mark ends, those below it are errors
    that travel in pointers (``IS_ERR``): no cell lies there."""
    if constant == 0 and predicate in _ASKS_FOR_NULL:
        return _assume_null(state, _ASKS_FOR_NULL[predicate], pointer)
    if not -PAGE < constant < PAGE or decide(predicate, _USUAL, constant):
        return True
    if decide(predicate, 0, constant) and is_null(state, pointer) is not False:
        return True
    if decide(predicate, -1, constant):
        return assume_error(state, pointer)
    return _lead_nowhere(state, pointer, NULL)


def assume_error(state: State, pointer: Pointer) -> bool:
    """Make a pointer one of the last addresses; False if it cannot be."""
    identity = pointer.cell
    if isinstance(identity, Symbol):
        return pointer.offset != 0 or _learn(state, identity, "uge", 1 - PAGE)
    return _lead_nowhere(state, pointer, ERROR)


def is_error(state: State, pointer: Pointer) -> bool:
    """Whether a pointer is known to be an error, and to lead to no cell."""
    identity = pointer.cell
    if isinstance(identity, Symbol):
        return pointer.offset == 0 and state.facts.get(identity, ANY).high < 0
    cell = state.cells.get(identity)
    return cell is not None and cell.null == ERROR


def _lead_nowhere(state: State, pointer: Pointer, why: int) -> bool:
    """Such a pointer leads to no cell, as null does not. Only the caller's can be one."""
    identity = pointer.cell
    cell = state.cells.get(identity)
    if cell is None or isinstance(identity, Symbol):
        return True
    if cell.kind != PRE:
        return False
    if pointer.offset == 0:
        state.change(identity).null = why
    return True


def become_null(state: State, identity: CellId) -> None:
    """The pointer to a cell was null all along. 0 takes its place everywhere, but for cells of
    the caller: there it stays a fact, which the other way round the branch can be joined with."""
    if state.cells[identity].kind == PRE:
        state.change(identity).null = NULL
        return
    for name, value in state.env.items():
        if isinstance(value, Pointer) and value.cell == identity:
            state.env[name] = 0
    for other, cell in list(state.cells.items()):
        if any(isinstance(v, Pointer) and v.cell == identity for v in cell.fields.values()):
            changed = state.change(other)
            for offset, value in changed.fields.items():
                if isinstance(value, Pointer) and value.cell == identity:
                    changed.fields[offset] = 0
        if identity in cell.weak:
            changed = state.change(other)
            changed.weak = changed.weak - {identity}
    del state.cells[identity]


def _assume_related(state: State, predicate: str, left: Value, right: Value) -> bool:
    """A comparison of two values that are no constants."""
    if isinstance(left, Pointer) or isinstance(right, Pointer):
        equal = _same_pointer(state, left, right)
        if equal is not None and predicate in ("eq", "ne"):
            return equal == (predicate == "eq")
        if predicate == "eq":
            _found_equal(state, left, right)
            _found_equal(state, right, left)
        return True
    if not isinstance(left, Symbol) or not isinstance(right, Symbol):
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
    if isinstance(left, Symbol):
        left = Pointer(left, 0)
    if isinstance(right, Symbol):
        right = Pointer(right, 0)
    if not isinstance(left, Pointer) or not isinstance(right, Pointer):
        return None
    if left.cell == right.cell:
        if isinstance(left.offset, int) and isinstance(right.offset, int):
            return bool(left.offset == right.offset)
        return None
    kinds = [_kind_of(state, v.cell) for v in (left, right)]
    if (PRE in kinds and OPAQUE in kinds) or kinds in ([PRE, PRE], [OPAQUE, OPAQUE]):
        return None
    for kind, one, other in ((kinds[0], left, right), (kinds[1], right, left)):
        cell = state.cells.get(one.cell)
        if kind in (HEAP, STACK) and cell is not None and not cell.escaped:
            identity = other.cell
            if isinstance(identity, Symbol) and identity.root is not None:
                held = state.reachable([identity])
                return None if one.cell in held else False
            return False  # nobody else can have its address
    return None if OPAQUE in kinds or PRE in kinds else False


def _found_equal(state: State, pointer: Value, other: Value) -> None:
    """The caller's cell is also somewhere else. A caller that knows it is not cannot come here."""
    if not isinstance(pointer, Pointer) or pointer.offset != 0:
        return
    identity = pointer.cell
    cell = state.cells.get(identity)
    if cell is None or cell.kind != PRE or not isinstance(identity, Named):
        return
    holder = other.cell if isinstance(other, Pointer) else other
    if isinstance(holder, Symbol):
        root = holder.root
    else:
        root = None if isinstance(holder, Comparison) else holder
    state.change(identity).same = cell.same | {root}


def _kind_of(state: State, identity: CellId) -> int:
    if isinstance(identity, Symbol):
        return OPAQUE
    cell = state.cells.get(identity)
    if cell is not None:
        return cell.kind
    if not isinstance(identity, Named):
        return HEAP
    return GLOBAL if kind_of_name(identity) == GLOBAL else PRE
