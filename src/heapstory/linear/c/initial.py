"""The initial state of a structure: which function makes it, and what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from heapstory.cfront import program as op
from heapstory.cfront.program import Function
from heapstory.linear.c.replacing import replaced_step
from heapstory.linear.c.source import Source, plain, pointed
from heapstory.linear.c.statements import SHARED
from heapstory.linear.c.values import CannotModel
from heapstory.linear.language.syntax import (
    Assign,
    Expr,
    Field,
    Global,
    Local,
    Malloc,
    Operation,
    Statement,
    SubOperation,
    conditions,
    subexpressions,
)
from heapstory.linear.program.privacy import expressions

_MAKES = re.compile(r"(^|_)(init|initiali[sz]e|create|new|make|setup)(_|$)")
_ENDS = re.compile(r"(^|_)(destroy|free|fini|delete|cleanup|release|print|dump|show)(_|$)")
_WRITES = (op.STORE, op.CMPXCHG, op.RMW)


def initialiser(source: Source, chosen: set[str], shared: str | None) -> str | None:
    """The function that makes the initial state, by its name; None where nothing else could."""
    others = [n for n in source.functions if n not in _called(source, chosen) and n != "main"]
    makes = [n for n in others if _MAKES.search(n)]
    if len(makes) == 1:
        return makes[0]
    if len(makes) > 1:
        line = source.functions[makes[1]].place.line
        raise CannotModel(f"which makes the initial state: {' or '.join(sorted(makes))}?", line)
    for name in others:
        function = source.functions[name]
        if not _ENDS.search(name) and _works_on(source, function, shared):
            message = f"'{name}' works on the structure and is no operation; if it makes the"
            raise CannotModel(f"{message} initial state, call it init", function.place.line)
    return None


def _called(source: Source, names: Iterable[str]) -> set[str]:
    """Some functions, and those they call."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name in found or name not in source.functions:
            continue
        found.add(name)
        for block in source.functions[name].blocks.values():
            calls = (s[3] for s in block.statements if s[0] == op.CALL)
            todo += [plain(callee) for callee in calls if isinstance(callee, str)]
    return found


def _works_on(source: Source, function: Function, shared: str | None) -> bool:
    """Whether a function may change the structure: it is handed one, or there are only globals."""
    handed = any(pointed(kind) == shared for kind in source.parameter_types(function))
    statements = [s for b in function.blocks.values() for s in b.statements]
    return (handed or shared is None) and any(s[0] in _WRITES for s in statements)


def made_shared(step: SubOperation, shared: str | None) -> SubOperation:
    """An initialiser that allocates the structure itself: what it allocates is the shared one."""
    made = [s for s in step.body if isinstance(s, Malloc) and s.struct == shared]
    if not made or not isinstance(made[0].target, Local):
        return step
    body = tuple(s for s in step.body if s is not made[0])
    return replaced_step(replace(step, body=body), {made[0].target.name: Global(SHARED)})


def field_of_shared(statement: Statement) -> str | None:
    """The field of the shared structure that a statement gives a value."""
    target = statement.target if isinstance(statement, Assign) else None
    return target.name if isinstance(target, Field) and target.base == Global(SHARED) else None


def fields_read(operations: tuple[Operation, ...]) -> set[tuple[str, str]]:
    """The (struct, field) pairs whose values some operation uses."""
    exprs: list[Expr] = []
    for operation in operations:
        for step in operation.steps:
            exprs += [e for c in conditions(step.guard) for e in (c.left, c.right)]
            for statement in step.body:
                if isinstance(statement, (Assign, Malloc)):  # what is written is not used
                    target = statement.target
                    exprs += [target.base] if isinstance(target, Field) else []
                    exprs += [statement.value] if isinstance(statement, Assign) else []
                else:
                    exprs += expressions(statement)
    parts = [part for expr in exprs for part in subexpressions(expr)]
    return {(part.struct, part.name) for part in parts if isinstance(part, Field)}
