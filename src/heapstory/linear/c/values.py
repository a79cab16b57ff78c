"""What a register, a variable or a slot of a C function can hold while one path is followed."""

from __future__ import annotations

from dataclasses import dataclass

from heapstory.linear.language.syntax import (
    Condition,
    Const,
    Expr,
    Field,
    Global,
    Index,
    Local,
    OwnId,
    Sum,
)

NULL = Const(0, "NULL")
EMPTY = Const(-2, "EMPTY")
ZERO, ONE = Const(0), Const(1)
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
EXPRESSIONS = (Const, OwnId, Global, Local, Field, Index, Sum)


class CannotModel(Exception):
    """Something outside the model, with its line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Slot:
    """A variable of the function that stays in memory; ``frame`` tells calls apart."""

    frame: int
    name: str


@dataclass(frozen=True)
class Out:
    """The parameter through which an operation answers."""


@dataclass(frozen=True)
class Address:
    """A pointer into an object, or to a variable."""

    base: Expr | Slot | Out
    offset: int = 0


@dataclass(frozen=True)
class Truth:
    """A truth value that the path has decided."""

    value: bool


@dataclass(frozen=True)
class Test:
    """A truth value that is still to be decided."""

    condition: Condition


@dataclass(frozen=True)
class Exchanged:
    """What compare and exchange gives: the old value, and whether it was the expected one."""

    old: Expr
    won: bool


@dataclass(frozen=True)
class Untyped:
    """Memory just allocated, before something says what lies in it."""

    name: str
    size: int
    cleared: bool = False


Value = Expr | Address | Truth | Test | Exchanged | Untyped


def negated(value: Value) -> Value | None:
    """The opposite of a truth value; None for anything else."""
    match value:
        case Truth(known):
            return Truth(not known)
        case Test(Condition(left, relation, right)):
            return Test(Condition(left, NEGATED[relation], right))
    return None
