"""Which variables are locks, in the idiom of section 6.3.2.

A lock is taken by ``< L == 0; > L = ID;``, held while ``L == ID`` and given back by
``< L == ID; > L = 0;``; nothing else reads or writes it. Then a holder that never finishes can be
struck out of a history together with its lock: others only ever waited for it.
"""

from __future__ import annotations

from heapstory.linear.language.syntax import (
    Assign,
    Const,
    Expr,
    Field,
    Free,
    Global,
    Index,
    Malloc,
    OwnId,
    Read,
    Return,
    Specification,
    SubOperation,
    conditions,
    subexpressions,
)

Cell = tuple[str, ...]


def cell_of(expr: Expr) -> Cell | None:
    """The kind of place an expression names, or None if it is not shared."""
    match expr:
        case Global(name):
            return ("g", name)
        case Field(_, struct, name):
            return ("f", struct, name)
        case Index(array, _):
            return ("a", array)
    return None


def lock_cells(spec: Specification) -> set[Cell]:
    """The variables, fields and arrays that are used as locks and in no other way."""
    seen: set[Cell] = set()
    other: set[Cell] = set()
    for operation in spec.operations:
        for step in operation.steps:
            good, bad = _uses(step)
            seen |= good
            other |= bad
    return seen - other


def _uses(step: SubOperation) -> tuple[set[Cell], set[Cell]]:
    good: set[Cell] = set()
    bad: set[Cell] = set()
    free, mine = set(), set()
    for cond in conditions(step.guard):
        cell = cell_of(cond.left)
        bad |= _inside(cond.left, cell) | _inside(cond.right, None)
        if cell is None:
            continue
        if cond.op == "==" and isinstance(cond.right, OwnId):
            good.add(cell)
            mine.add(cond.left)
        elif cond.op == "==" and cond.right == Const(0):
            good.add(cell)
            free.add(cond.left)
        else:
            bad.add(cell)
    for statement in step.body:
        match statement:
            case Assign(target, value):
                cell = cell_of(target)
                bad |= _inside(target, cell) | _inside(value, None)
                if cell is None:
                    continue
                taken = isinstance(value, OwnId) and target in free
                given = value == Const(0) and target in mine
                (good if taken or given else bad).add(cell)
            case Malloc(target, _) | Read(target) | Free(target):
                bad |= _inside(target, None)
            case Return(values):
                for value in values:
                    bad |= _inside(value, None)
    return good, bad


def _inside(expr: Expr, top: Cell | None) -> set[Cell]:
    found = {cell for part in subexpressions(expr) if (cell := cell_of(part)) is not None}
    return found - {top} if top is not None else found
