"""The values that statements compute.

A value is an ``int`` (null is 0), a pair ``(cell, offset)``, a ``Symbol`` (a value nobody knows,
but always the same one) or a ``Comparison`` that no branch has decided yet. An offset is an
``int``, a triple ``(symbol, scale, constant)`` for an index nobody knows, or ``ANYWHERE``.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

Value = Any
CellId = Any  # a str (global, stack slot, access path), an int (allocation) or a Symbol
Offset = Any

ANYWHERE: Final = "*"
LOW: Final = -(1 << 66)
HIGH: Final = 1 << 66


class Symbol:
    """An unknown value. Equal symbols are equal values; facts about them live in the state.

    ``root`` is the cell out of whose depths the value came, where the analysis no longer follows;
    freeing the value then touches everything that lies there. ``path`` names what the caller
    passed. ``parents`` are the symbols a derived symbol (``flags & 4``) depends on.
    """

    __slots__ = ("derived", "key", "parents", "path", "root")

    def __init__(
        self, root: CellId = None, path: str | None = None, parents: tuple[Symbol, ...] = ()
    ) -> None:
        self.root = root
        self.path = path
        self.parents = parents
        self.derived: dict[Any, Symbol] | None = None
        self.key: Any = None  # how it was derived: (operator, operand)

    def derive(self, key: Any, *others: Symbol) -> Symbol:
        """The symbol for a pure function of this one: the same key gives the same symbol."""
        if self.derived is None:
            self.derived = {}
        known = self.derived.get(key)
        if known is None:
            known = self.derived[key] = Symbol(None, None, (self, *others))
            known.key = key
        return known

    def __reduce__(self) -> tuple[Any, ...]:
        return Symbol, (self.root, self.path, self.parents)


class Comparison(NamedTuple):
    """``left predicate right``, undecided."""

    predicate: str
    left: Value
    right: Value


class Fact(NamedTuple):
    """What is known of a symbol: an interval and values it is not."""

    low: int
    high: int
    not_in: frozenset[int] = frozenset()


ANY: Final = Fact(LOW, HIGH)
NEGATED = {
    "eq": "ne",
    "ne": "eq",
    "slt": "sge",
    "sge": "slt",
    "sgt": "sle",
    "sle": "sgt",
    "ult": "uge",
    "uge": "ult",
    "ugt": "ule",
    "ule": "ugt",
}
SWAPPED = {
    "eq": "eq",
    "ne": "ne",
    "slt": "sgt",
    "sgt": "slt",
    "sle": "sge",
    "sge": "sle",
    "ult": "ugt",
    "ugt": "ult",
    "ule": "uge",
    "uge": "ule",
}


def known(value: int) -> Fact:
    """The fact of a constant."""
    return Fact(value, value)


def hull(left: Fact, right: Fact) -> Fact:
    """What holds of both."""
    if left == right:
        return left
    low, high = min(left.low, right.low), max(left.high, right.high)
    excluded = {
        v
        for v in left.not_in | right.not_in
        if (v in left.not_in or not left.low <= v <= left.high)
        and (v in right.not_in or not right.low <= v <= right.high)
    }
    for one, other in ((left, right), (right, left)):  # [1, ∞) joined with (-∞, -1] is not 0
        if other.low > 0 > one.high:
            excluded.add(0)
    return Fact(low, high, frozenset(v for v in excluded if low <= v <= high))


def widened(old: Fact, fact: Fact) -> Fact:
    """A fact that grew again and again, and must come to rest: a bound that moved goes on to the
    next of -1, 0 and 1, which tell success from failure, and then to infinity."""
    low, high = fact.low, fact.high
    if low != old.low:
        low = next((bound for bound in (1, 0, -1) if low >= bound), LOW)
    if high != old.high:
        high = next((bound for bound in (-1, 0, 1) if high <= bound), HIGH)
    return Fact(low, high, fact.not_in)


def refine(fact: Fact, predicate: str, constant: int) -> Fact | None:
    """The fact after a comparison with a constant held; None if it cannot hold."""
    low, high, excluded = fact
    if predicate == "eq":
        if not low <= constant <= high or constant in excluded:
            return None
        return Fact(constant, constant)
    if predicate == "ne" or (predicate == "ugt" and constant == 0):
        if low == high == constant:
            return None
        excluded = excluded | {constant}
    elif predicate[0] == "u":  # a negative number is a large unsigned one
        if predicate in ("ult", "ule") and constant >= 0:
            low, high = max(low, 0), min(high, constant - (predicate == "ult"))
    elif predicate == "slt":
        high = min(high, constant - 1)
    elif predicate == "sle":
        high = min(high, constant)
    elif predicate == "sgt":
        low = max(low, constant + 1)
    else:
        low = max(low, constant)
    while low in excluded:
        low += 1
    while high in excluded:
        high -= 1
    if low > high:
        return None
    if len(excluded) > 8:
        excluded = frozenset(sorted(excluded)[:8])
    return Fact(low, high, frozenset(v for v in excluded if low <= v <= high))


def decide(predicate: str, left: int, right: int) -> bool:
    """A comparison of constants."""
    if predicate[0] == "u":
        left, right = left & (1 << 64) - 1, right & (1 << 64) - 1
    kind = predicate[-2:]
    if kind == "eq":
        return left == right
    if kind == "ne":
        return left != right
    if kind == "lt":
        return left < right
    if kind == "le":
        return left <= right
    return left > right if kind == "gt" else left >= right


def in_global(value: Value) -> bool:
    """Whether a value points to a global variable or a function."""
    return type(value) is tuple and type(value[0]) is str and value[0][0] == "@"
