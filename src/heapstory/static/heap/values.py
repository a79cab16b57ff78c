"""The values that statements compute.

A value is an ``int`` (null is 0), a ``Pointer`` into a cell, a ``Symbol`` (a value nobody knows,
but always the same one) or a ``Comparison`` that no branch has decided yet.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from heapstory.static.heap.names import GLOBAL_VARIABLE, Named

LOW: Final = -(1 << 66)
HIGH: Final = 1 << 66
NULL_INDEXED: Final = "null[]"  # how an address is derived from null and an index
MAX_LENGTH: Final = 32  # steps by which a symbol is derived from others; then it is a new one


class Anywhere:
    """An offset that nobody knows. There is one object of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "*"

    def __reduce__(self) -> tuple[Any, ...]:
        return _anywhere, ()


ANYWHERE: Final = Anywhere()


def _anywhere() -> Anywhere:
    return ANYWHERE


class Symbol:
    """An unknown value. Equal symbols are equal values; facts about them live in the state.

    ``root`` is the cell out of whose depths the value came, where the analysis no longer follows;
    freeing the value then touches everything that lies there. ``path`` names what the caller
    passed, ``parameter`` its number where that is all it is. ``parents`` are the symbols a derived
    symbol (``flags & 4``) depends on; ``length`` says how many steps it was derived by.
    """

    __slots__ = ("derived", "key", "length", "parameter", "parents", "path", "root")

    def __init__(
        self,
        root: CellId | None = None,
        path: str | None = None,
        parents: tuple[Symbol, ...] = (),
        parameter: int | None = None,
    ) -> None:
        self.root = root
        self.parameter = parameter
        self.path = path
        self.parents = parents
        self.length: int = 0
        self.derived: dict[Derivation, Symbol] | None = None
        self.key: Derivation | None = None

    def derive(self, key: Derivation, *others: Symbol) -> Symbol:
        """The symbol for a pure function of this one: the same key gives the same symbol."""
        if self.derived is None:
            self.derived = {}
        known = self.derived.get(key)
        if known is None:
            known = self.derived[key] = Symbol()
            length = max([self.length, *[other.length for other in others]])
            if length < MAX_LENGTH:
                known.parents, known.key, known.length = (self, *others), key, length + 1
        return known

    @property
    def source(self) -> Symbol:
        """The symbol that this one was computed from, with constants alone; itself if none."""
        found = self
        while found.key is not None and isinstance(found.key[1], int):
            found = found.parents[0]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        if self.key is not None:
            return _derived, (self.key, self.parents)
        return Symbol, (self.root, self.path, self.parents, self.parameter)


def _derived(key: Derivation, parents: tuple[Symbol, ...]) -> Symbol:
    return parents[0].derive(key, *parents[1:])


class Index(NamedTuple):
    """An offset that depends on a number: ``symbol * scale + constant``."""

    symbol: Symbol
    scale: int
    constant: int


class Pointer:
    """A pointer into a cell."""

    __slots__ = ("cell", "offset")

    def __init__(self, cell: CellId, offset: Offset) -> None:
        self.cell = cell
        self.offset = offset

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pointer):
            return False
        if self.cell is not other.cell and self.cell != other.cell:
            return False
        return self.offset is other.offset or self.offset == other.offset

    def __hash__(self) -> int:
        return hash((self.cell, self.offset))

    def __repr__(self) -> str:
        return f"({self.cell}, {self.offset})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Pointer, (self.cell, self.offset)


class Comparison(NamedTuple):
    """``left predicate right``, undecided."""

    predicate: str
    left: Value
    right: Value


# A cell is known by its name, by its number if the function makes it, or by the symbol that leads
# to it.
CellId = Named | int | Symbol
Offset = int | Index | Anywhere
Value = int | Pointer | Symbol | Comparison
Derivation = tuple[str, int | Symbol | str]  # how a symbol was derived: operator, operand


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
        if predicate in ("ult", "ule"):
            end = constant - (predicate == "ult")  # the last one that is possible
            if constant >= 0:
                low, high = max(low, 0), min(high, end)
            elif high < 0:
                high = min(high, end)
            elif low > end:
                low = max(low, 0)
        elif constant < 0:
            low, high = max(low, constant + (predicate == "ugt")), min(high, -1)
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


def global_in(value: Value | None) -> Named | None:
    """The global variable or function that a value points to; not what one of them leads to."""
    if not isinstance(value, Pointer) or not isinstance(value.cell, Named):
        return None
    known = value.cell.origin == GLOBAL_VARIABLE and value.cell.depth == 0
    return value.cell if known else None
