"""Histories of one key each: what keys have nothing to do with each other is judged apart.

A history is linearizable if the history of every key is (Herlihy and Wing, locality). For a model
that a user wrote this holds if each of its operations touches only the elements of arrays at one
and the same parameter, and variables that no operation changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heapstory.linear.history.operations import Operation as Recorded
from heapstory.linear.language.syntax import (
    Assign,
    Expr,
    Field,
    Free,
    Global,
    Index,
    Local,
    Malloc,
    NoNode,
    Operation,
    Read,
    Return,
    Specification,
    Statement,
    SubOperation,
    subexpressions,
    written_globals,
)


def by_argument(operations: list[Recorded], places: dict[str, int]) -> Iterator[list[Recorded]]:
    """The histories of the single keys; ``places`` says which argument of a method is the key. Of
    methods that are not named there, each operation is a history of its own."""
    found: dict[Any, list[Recorded]] = {}
    for operation in operations:
        place = places.get(operation.method)
        if place is None or place >= len(operation.arguments):
            yield [operation]
        else:
            found.setdefault(operation.arguments[place], []).append(operation)
    yield from found.values()


def key_places(model: Specification) -> dict[str, int] | None:
    """Which parameter of each method is the key, if keys are independent in this model."""
    changed = {
        name
        for operation in model.operations
        for step in operation.steps
        for name in written_globals(step.body)
    }
    places: dict[str, int] = {}
    for operation in model.operations:
        try:
            place = _key_of(operation, changed)
        except _Shares:
            return None
        if place is not None and places.setdefault(operation.method, place) != place:
            return None
    return places


class _Shares(Exception):
    """An operation touches more than what belongs to one key."""


def _key_of(operation: Operation, changed: set[str]) -> int | None:
    """The parameter that all its indices are; None: it touches nothing."""
    names = {p.name: place for place, p in enumerate(operation.parameters)}
    indices = {
        _index_of(part, changed)
        for step in operation.steps
        for expr in _expressions(step)
        for part in subexpressions(expr)
    } - {None}
    given = {t.name for step in operation.steps for t in _assigned(step)}
    if not indices:
        return None
    if len(indices) > 1 or not indices <= set(names) or indices & given:
        raise _Shares
    return names[str(indices.pop())]


def _index_of(part: Expr, changed: set[str]) -> str | None:
    match part:
        case Index(_, Local(name)):
            return name
        case Index() | Field():
            raise _Shares
        case Global(name) if name in changed:
            raise _Shares
    return None


def _assigned(step: SubOperation) -> Iterator[Local]:
    for name, _ in step.binds:
        yield Local(name)
    for statement in step.body:
        if isinstance(statement, Assign) and isinstance(statement.target, Local):
            yield statement.target


def _expressions(step: SubOperation) -> Iterator[Expr]:
    """All that a step looks at or writes."""
    if step.picks or any(isinstance(each, NoNode) for each in step.guard):
        raise _Shares
    yield from (expr for _, expr in step.binds)
    for condition in step.guard:
        assert not isinstance(condition, NoNode)
        yield from (condition.left, condition.right)
    for statement in step.body:
        yield from _of_statement(statement)


def _of_statement(statement: Statement) -> tuple[Expr, ...]:
    match statement:
        case Assign(target, value):
            return target, value
        case Read(place):
            return (place,)
        case Return(values):
            return values
        case Malloc() | Free():
            raise _Shares
