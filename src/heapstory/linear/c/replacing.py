"""Locals in expressions and steps replaced by other expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from heapstory.linear.language.syntax import (
    Assign,
    Condition,
    Expr,
    Field,
    Free,
    Index,
    Local,
    Malloc,
    Place,
    Read,
    Return,
    Statement,
    SubOperation,
    Sum,
)

By = Mapping[str, Expr]


def replaced_step(step: SubOperation, by: By, targets: bool = False) -> SubOperation:
    """The step with locals replaced; with ``targets`` also those that it sets."""
    guard = tuple(replaced_condition(c, by) if isinstance(c, Condition) else c for c in step.guard)
    body = tuple(_statement(s, by, targets) for s in step.body)
    return replace(step, guard=guard, body=body)


def replaced_condition(check: Condition, by: By) -> Condition:
    """The condition with locals replaced."""
    return replace(check, left=_replaced(check.left, by), right=_replaced(check.right, by))


def _statement(statement: Statement, by: By, targets: bool) -> Statement:
    match statement:
        case Assign(target, value):
            where = _target(target, by, targets)
            return replace(statement, target=where, value=_replaced(value, by))
        case Malloc(target):
            return replace(statement, target=_target(target, by, targets))
        case Free(target):
            return replace(statement, target=_replaced(target, by))
        case Read(place):
            return replace(statement, place=_replaced(place, by))
        case Return(values):
            return replace(statement, values=tuple(_replaced(v, by) for v in values))


def _target(target: Place, by: By, targets: bool) -> Place:
    if isinstance(target, Local) and not targets:
        return target
    found = _replaced(target, by)
    assert isinstance(found, Place)
    return found


def _replaced(expr: Expr, by: By) -> Expr:
    match expr:
        case Local(own):
            return by.get(own, expr)
        case Field(base, _, _):
            return replace(expr, base=_replaced(base, by))
        case Index(_, index):
            return replace(expr, index=_replaced(index, by))
        case Sum(_, left, right):
            return replace(expr, left=_replaced(left, by), right=_replaced(right, by))
    return expr
