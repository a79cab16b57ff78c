"""Shared places whose contents can matter: those that flow into a guard, an answer or an address.

What is only written, or only looked at by ``READ``, is left out of states. (The collision array
of the elimination stack is such a hint once the partner it suggested has been checked.)
"""

from __future__ import annotations

from collections.abc import Iterator

from heapstory.linear.language.syntax import (
    Assign,
    Expr,
    Field,
    Global,
    Index,
    Local,
    Malloc,
    NoNode,
    Return,
    Specification,
    conditions,
    subexpressions,
)

Cell = tuple[str, ...]


def needed_cells(spec: Specification) -> set[Cell]:
    """The cells ``g name``, ``f struct name``, ``a array``, ``l operation name`` that matter."""
    needed = set(_holding(spec, picked_structs(spec)))
    flows: list[tuple[Cell, set[Cell]]] = []
    bodies = [("", spec.init), *((o.name, s.body) for o in spec.operations for s in o.steps)]
    for operation in spec.operations:
        for step in operation.steps:
            for condition in conditions(step.guard):
                needed |= set(_cells(operation.name, condition.left))
                needed |= set(_cells(operation.name, condition.right))
    for owner, body in bodies:
        for statement in body:
            if isinstance(statement, Return):
                for value in statement.values:
                    needed |= set(_cells(owner, value))
            elif isinstance(statement, (Assign, Malloc)):
                target, *address = _cells(owner, statement.target)
                sources = set(address)
                if isinstance(statement, Assign):
                    sources |= set(_cells(owner, statement.value))
                flows.append((target, sources))
    grown = True
    while grown:
        grown = False
        for target, sources in flows:
            if target in needed and not sources <= needed:
                needed |= sources
                grown = True
    return needed


def picked_structs(spec: Specification) -> set[str]:
    """The types whose nodes some step picks from or looks through."""
    picked: set[str] = set()
    for operation in spec.operations:
        for step in operation.steps:
            picked |= {struct for _, struct in step.picks}
            picked |= {g.struct for g in step.guard if isinstance(g, NoNode)}
    return picked


def _holding(spec: Specification, structs: set[str]) -> Iterator[Cell]:
    # What keeps a node in the structure keeps it among those that can be picked.
    for variable in spec.globals:
        if variable.type in structs:
            yield ("a" if variable.array else "g", variable.name)
    for name, fields in spec.structs.items():
        for f in fields:
            if f.type in structs:
                yield ("f", name, f.name)


def _cells(owner: str, expr: Expr) -> Iterator[Cell]:
    for part in subexpressions(expr):
        match part:
            case Global(name):
                yield ("g", name)
            case Local(name):
                yield ("l", owner, name)
            case Field(_, struct, name):
                yield ("f", struct, name)
            case Index(array, _):
                yield ("a", array)
