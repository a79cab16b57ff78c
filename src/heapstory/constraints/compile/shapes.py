"""Recognising what can be evaluated without trying every binding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

from heapstory.constraints.compile.schema import Schema
from heapstory.constraints.plan import Binder, BinderKind, EdgeRef, Expr, Op, Shape, ShapeKind
from heapstory.constraints.plan.expressions import (
    conjuncts,
    negated_disjuncts,
    rename,
    variable,
    variables,
)

# What a candidate costs, roughly; ALL is chosen only where nothing else is left.
COSTS = {
    BinderKind.VALUE: 1,
    BinderKind.OUT: 4,
    BinderKind.IN: 5,
    BinderKind.REACHED: 100,
    BinderKind.REACHING: 150,
    BinderKind.ALL: 10_000,
}


def find_shape(guard: Expr | None, body: Expr, types: Sequence[int]) -> Shape:
    """The shape of a constraint over variables 0, 1, … of some types, all FORALL."""
    rooted = body.op is Op.ROOTED and body.args == (variable(0),)
    if len(types) == 1 and guard is None and rooted:
        return Shape(ShapeKind.ROOTED)
    if len(types) != 2:
        return Shape(ShapeKind.NESTED)
    for x, y in ((0, 1), (1, 0)):
        edges = _acyclic_over(guard, body, x, y)
        if edges is not None:
            return Shape(ShapeKind.ACYCLIC, edges)
    if types[0] != types[1]:
        return Shape(ShapeKind.NESTED)
    if guard is None and body.op is Op.PATH and body.args == (variable(0), variable(1)):
        return Shape(ShapeKind.CONNECTED, body.edges)
    return _unique(guard, body) or Shape(ShapeKind.NESTED)


def _acyclic_over(guard: Expr | None, body: Expr, x: int, y: int) -> int | None:
    if guard is None or guard.op is not Op.PATH or guard.args != (variable(x), variable(y)):
        return None
    back = Expr(Op.PATH, (variable(y), variable(x)), edges=guard.edges)
    return guard.edges if body == Expr(Op.NOT, (back,)) else None


def _unique(guard: Expr | None, body: Expr) -> Shape | None:
    """``p(X) and p(Y) and k(X) == k(Y) => X == Y``, or ``X != Y => k(X) != k(Y)``."""
    both = {(variable(0), variable(1)), (variable(1), variable(0))}
    parts = conjuncts(guard)
    if body.op is Op.EQ and body.args in both:
        return _keys(parts)
    if body.op is Op.NE:
        different = [part for part in parts if part.op is Op.NE and part.args in both]
        rest = [part for part in parts if part not in different]
        if different:
            return _keys([*rest, Expr(Op.EQ, body.args)])
    return None


def _keys(parts: list[Expr]) -> Shape | None:
    keys: list[Expr] = []
    filters: dict[int, set[Expr]] = {0: set(), 1: set()}
    order: list[Expr] = []
    for part in parts:
        used = variables(part)
        if len(used) == 1:
            (one,) = used
            mine = rename(part, {one: 0})
            filters[one].add(mine)
            if one == 0:
                order.append(mine)
        elif part.op is Op.EQ and _is_key(part):
            keys.append(min(part.args, key=lambda side: min(variables(side))))
        else:
            return None
    if filters[0] != filters[1]:
        return None
    chosen = order[0] if len(order) == 1 else Expr(Op.AND, tuple(order)) if order else None
    return Shape(ShapeKind.UNIQUE, filter=chosen, keys=tuple(keys))


def _is_key(part: Expr) -> bool:
    left, right = part.args
    if len(variables(left)) != 1 or len(variables(right)) != 1:
        return False
    if variables(left) == variables(right):
        return False
    (i,), (j,) = variables(left), variables(right)
    return rename(left, {i: 0}) == rename(right, {j: 0})


def filters(guard: Expr | None, body: Expr) -> list[Expr]:
    """What is TRUE of every binding that violates a constraint."""
    return [*conjuncts(guard), *negated_disjuncts(body)]


def order_variables(
    schema: Schema, wanted: Sequence[int], known: Iterable[int], facts: Sequence[Expr]
) -> tuple[list[int], list[Binder]]:
    """An order of some variables that makes their candidates few, and their binders."""
    best: tuple[int, list[int], list[Binder]] | None = None
    for order in permutations(wanted):
        bound, binders, cost = set(known), [], 1
        for one in order:
            binder = _binder(schema, one, bound, facts)
            cost *= COSTS[binder.kind]
            binders.append(binder)
            bound.add(one)
        if best is None or cost < best[0]:
            best = (cost, list(order), binders)
    assert best is not None
    return best[1], best[2]


def _binder(schema: Schema, one: int, bound: set[int], facts: Sequence[Expr]) -> Binder:
    found = [b for fact in facts for b in _from_fact(schema, one, bound, fact)]
    return min(found, key=lambda b: COSTS[b.kind], default=Binder())


def _from_fact(schema: Schema, one: int, bound: set[int], fact: Expr) -> Iterable[Binder]:
    if len(fact.args) != 2:
        return
    left, right = fact.args
    me = variable(one)
    if fact.op in (Op.EDGE, Op.PATH):
        is_edge = fact.op is Op.EDGE
        if right == me and variables(left) <= bound:
            yield Binder(BinderKind.OUT if is_edge else BinderKind.REACHED, left, fact.edges)
        if left == me and variables(right) <= bound:
            yield Binder(BinderKind.IN if is_edge else BinderKind.REACHING, right, fact.edges)
    if fact.op is not Op.EQ:
        return
    for this, other in ((left, right), (right, left)):
        if not variables(other) <= bound or not variables(other):
            continue
        if this == me:
            yield Binder(BinderKind.VALUE, other)
        holder = this.op in (Op.FIELD, Op.INDEX) and this.args[0] == me
        if holder and other.op is Op.VARIABLE and this.type is not None:
            run = this.op is Op.INDEX
            ref = EdgeRef(this.type, None if run else this.index, this.index if run else None)
            yield Binder(BinderKind.IN, other, schema.intern((ref,)))
