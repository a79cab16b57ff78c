"""Which locals a sub-operation needs and sets, and where locals without a value get one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from heapstory.linear.language.syntax import (
    Assign,
    Condition,
    Expr,
    Free,
    Local,
    Malloc,
    NoNode,
    Operation,
    Read,
    Return,
    SubOperation,
    conditions,
    subexpressions,
)


def mentions(sub: SubOperation) -> Iterator[tuple[str, str]]:
    """The locals of a sub-operation in the order in which it comes to them, each with ``use``,
    ``look`` (the value is not kept) or ``set``."""
    bound = {g.name for g in sub.guard if isinstance(g, NoNode)}

    def found(kind: str, *exprs: Expr) -> Iterator[tuple[str, str]]:
        for expr in exprs:
            for part in subexpressions(expr):
                if isinstance(part, Local) and part.name not in bound:
                    yield kind, part.name

    for condition in conditions(sub.guard):
        yield from found("use", condition.left, condition.right)
    for statement in sub.body:
        match statement:
            case Assign(target, value):
                yield from found("use", value)
                yield from found("set" if isinstance(target, Local) else "use", target)
            case Malloc(target, _):
                yield from found("set" if isinstance(target, Local) else "use", target)
            case Free(place):
                yield from found("use", place)
            case Read(place):
                yield from found("look", place)
            case Return(values):
                yield from found("use", *values)


def reads_writes(sub: SubOperation) -> tuple[set[str], set[str]]:
    """The locals a sub-operation needs from before, and those it sets."""
    sets = {name for name, _ in sub.binds} | {name for name, _ in sub.picks}
    needs = {name for _, expr in sub.binds for name in local_names(expr)} - sets
    for kind, name in mentions(sub):
        if kind == "set":
            sets.add(name)
        elif kind == "use" and name not in sets:
            needs.add(name)
    return needs, sets


def local_names(expr: Expr) -> set[str]:
    """The locals in an expression."""
    return {e.name for e in subexpressions(expr) if isinstance(e, Local)}


def bind(
    operation: Operation, structs: dict[str, Any], fail: Callable[[str, Any], Exception]
) -> Operation:
    """Give values to locals that have none: the guard that compares one with something that has a
    value binds it (Fig 6.4: ``Q.tail == Z``); a node that nothing determines may be any node."""
    known = {v.name for v in operation.parameters}
    returned = False
    steps = []
    for step in operation.steps:
        binds: list[tuple[str, Expr]] = []
        for condition in step.guard:
            pair = _binding(condition, known) if isinstance(condition, Condition) else None
            if pair:
                binds.append(pair)
                known.add(pair[0])
        picks = []
        for name in _unknown(step, known):
            variable = operation.variable(name)
            if variable.type not in structs:
                raise fail(f"'{name}' is used before it has a value", step.position)
            picks.append((name, variable.type))
            known.add(name)
        known |= {name for kind, name in mentions(step) if kind == "set"}
        if step.returns and returned:
            raise fail(f"'{operation.name}' returns twice", step.position)
        returned = returned or step.returns is not None
        steps.append(replace(step, binds=tuple(binds), picks=tuple(picks)))
    return replace(operation, steps=tuple(steps))


def _binding(condition: Condition, known: set[str]) -> tuple[str, Expr] | None:
    if condition.op != "==":
        return None
    for side, other in (
        (condition.left, condition.right),
        (condition.right, condition.left),
    ):
        if isinstance(side, Local) and side.name not in known and local_names(other) <= known:
            return side.name, other
    return None


def _unknown(step: SubOperation, known: set[str]) -> list[str]:
    """The locals that a step uses before they have a value, in order."""
    have, found = set(known), []
    for kind, name in mentions(step):
        if kind != "set" and name not in have:
            found.append(name)
        have.add(name)
    return found
