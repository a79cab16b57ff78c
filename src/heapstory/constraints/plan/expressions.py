"""Small tools for the expressions of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from heapstory.constraints.plan import Binder, Expr, Op

SAFE_ROOT = "root"  # how a pointer is safe: all it must not be is wild
TRUE, FALSE, NULL = Expr(Op.TRUE), Expr(Op.FALSE), Expr(Op.NULL)


def variable(index: int) -> Expr:
    return Expr(Op.VARIABLE, index=index)


def number(value: int | float) -> Expr:
    return Expr(Op.NUMBER, number=value)


def subexpressions(expr: Expr) -> Iterator[Expr]:
    """An expression and everything inside it."""
    yield expr
    for arg in expr.args:
        yield from subexpressions(arg)
    if expr.binder.of is not None:
        yield from subexpressions(expr.binder.of)


def variables(*exprs: Expr | None) -> set[int]:
    """The variables mentioned, those bound inside included."""
    return {e.index for expr in exprs if expr for e in subexpressions(expr) if e.op is Op.VARIABLE}


def rename(expr: Expr, to: Mapping[int, int]) -> Expr:
    """The same expression over other variable numbers."""
    binder = expr.binder
    if binder.of is not None:
        binder = Binder(binder.kind, rename(binder.of, to), binder.edges)
    holds = expr.op in (Op.VARIABLE, Op.EXISTS, Op.AGGREGATE)
    index = to.get(expr.index, expr.index) if holds else expr.index
    args = tuple(rename(arg, to) for arg in expr.args)
    return replace(expr, args=args, index=index, binder=binder)


def conjuncts(expr: Expr | None) -> list[Expr]:
    """The parts of a conjunction."""
    if expr is None:
        return []
    if expr.op is Op.AND:
        return [part for arg in expr.args for part in conjuncts(arg)]
    return [expr]


def negated_disjuncts(expr: Expr) -> list[Expr]:
    """What is TRUE whenever an expression is FALSE: the negations of a disjunction's parts."""
    if expr.op is Op.OR:
        return [part for arg in expr.args for part in negated_disjuncts(arg)]
    if expr.op is Op.NOT:
        return conjuncts(expr.args[0])
    if expr.op is Op.NE:
        return [replace(expr, op=Op.EQ)]
    return []


def negate(expr: Expr) -> Expr:
    return expr.args[0] if expr.op is Op.NOT else Expr(Op.NOT, (expr,))
