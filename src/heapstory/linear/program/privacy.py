"""What of a sub-operation other instances can notice, and what only its own instance can."""

from __future__ import annotations

from heapstory.linear.language.binding import local_names
from heapstory.linear.language.syntax import (
    Assign,
    Expr,
    Field,
    Free,
    Index,
    Local,
    Malloc,
    OwnId,
    Read,
    Return,
    Specification,
    Statement,
    SubOperation,
    conditions,
    subexpressions,
)
from heapstory.linear.program.locks import Cell, cell_of
from heapstory.linear.program.needed import needed_cells


def classify(
    sub: SubOperation, private: set[str], reuse: bool, hidden: set[Cell]
) -> tuple[bool, bool]:
    """(local, writes shared state), updating the set of locals that hold unpublished nodes."""

    def touches(expr: Expr) -> bool:
        return _touches(expr, private, hidden)

    shared = bool(sub.picks) or any(
        touches(e) for c in conditions(sub.guard) for e in (c.left, c.right)
    )
    writes = False
    for statement in sub.body:
        match statement:
            case Malloc(target, _):
                shared |= reuse
                writes |= reuse
                if isinstance(target, Local):
                    private.add(target.name)
                else:
                    shared = writes = True
            case Assign(target, value):
                seen = touches(value)
                if isinstance(target, Local):
                    private.discard(target.name)
                    if isinstance(value, Local):  # an alias: neither is known private any more
                        private.discard(value.name)
                elif touches(target):
                    seen = writes = True
                    private -= local_names(value)
                elif isinstance(value, Local):
                    private.discard(value.name)
                shared |= seen
            case Read(place):
                shared |= touches(place)
            case Free(_):
                shared |= reuse
                writes |= reuse
            case Return(values):
                shared |= any(touches(v) for v in values)
    return not shared, writes


def _touches(expr: Expr, private: set[str], hidden: set[Cell]) -> bool:
    return bool(touched(expr, private) - hidden)


def touched(expr: Expr, private: set[str]) -> set[Cell]:
    """The shared places that an expression names, given the locals that hold unpublished nodes."""
    found = set()
    for part in subexpressions(expr):
        own = isinstance(part, Field) and isinstance(part.base, Local)
        cell = cell_of(part)
        if cell is not None and not (own and part.base.name in private):  # type: ignore[union-attr]
            found.add(cell)
    return found


def hidden_cells(spec: Specification) -> set[Cell]:
    """Shared places no other instance can notice: never used, or only ever indexed by one's ID."""
    needed = needed_cells(spec)
    cells: set[Cell] = {("g", v.name) for v in spec.globals if not v.array}
    cells |= {("a", v.name) for v in spec.globals if v.array}
    cells |= {("f", s, f.name) for s, fields in spec.structs.items() for f in fields}
    foreign = set()
    for operation in spec.operations:
        for step in operation.steps:
            exprs = [e for c in conditions(step.guard) for e in (c.left, c.right)]
            for statement in step.body:
                if not isinstance(statement, Read):
                    exprs += expressions(statement)
            for expr in exprs:
                for part in subexpressions(expr):
                    if isinstance(part, Index) and not isinstance(part.index, OwnId):
                        foreign.add(("a", part.array))
    own = {("a", v.name) for v in spec.globals if v.array} - foreign
    picked = any(step.picks for o in spec.operations for step in o.steps)
    return (cells - needed) | (set() if picked else own)


def expressions(statement: Statement) -> list[Expr]:
    """The expressions of a statement."""
    match statement:
        case Assign(target, value):
            return [target, value]
        case Malloc(target, _) | Free(target) | Read(target):
            return [target]
        case Return(values):
            return list(values)
