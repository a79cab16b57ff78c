"""Constraints that say nothing: found by asking which truth values they can have at all."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from heapstory.constraints.plan import (
    BinderKind,
    Expr,
    Kind,
    Op,
    Plan,
    PlanConstraint,
    PlanField,
    Quantifier,
    ShapeKind,
)

Range = tuple[float, float]
ANY: Range = (-inf, inf)
BOTH = frozenset({True, False})


def lint(plan: Plan) -> Iterator[tuple[PlanConstraint, str]]:
    """What is odd about the constraints of a plan."""
    possible = _Possible(plan)
    for constraint in plan.constraints:
        if not constraint.line:
            continue
        if constraint.guard is not None and True not in possible.truth(constraint.guard):
            yield constraint, f"{constraint.name} can never fail: its guard is never true"
        elif False not in possible.truth(constraint.body):
            yield constraint, f"{constraint.name} can never fail"
        elif _all_pairs(constraint):
            yield (
                constraint,
                f"{constraint.name} compares every node with every other: slow on large structures",
            )


def _all_pairs(constraint: PlanConstraint) -> bool:
    forall = [v for v in constraint.variables if v.quantifier is Quantifier.FORALL]
    everything = [v for v in forall if v.binder.kind is BinderKind.ALL]
    return constraint.shape.kind is ShapeKind.NESTED and len(everything) > 1


class _Possible:
    """An over-approximation: the truth values and numbers that an expression may take."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def truth(self, expr: Expr) -> frozenset[bool]:
        op, args = expr.op, expr.args
        if op in (Op.TRUE, Op.FALSE):
            return frozenset({op is Op.TRUE})
        if op is Op.NOT:
            return frozenset(not value for value in self.truth(args[0]))
        if op in (Op.AND, Op.OR):
            parts = [self.truth(arg) for arg in args]
            stop = op is Op.OR  # the value that decides alone
            found = set()
            if any(stop in part for part in parts):
                found.add(stop)
            if all((not stop) in part for part in parts):
                found.add(not stop)
            return frozenset(found)
        if op in (Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE):
            return self._comparison(expr)
        return BOTH

    def _comparison(self, expr: Expr) -> frozenset[bool]:
        left, right = expr.args
        if left == right:
            return frozenset({expr.op in (Op.EQ, Op.LE, Op.GE)})
        (a, b), (c, d) = self.numbers(left), self.numbers(right)
        apart, same = b < c or d < a, a == b == c == d
        outcomes = {
            Op.EQ: (same, apart),
            Op.NE: (apart, same),
            Op.LT: (b < c, a >= d),
            Op.LE: (b <= c, a > d),
            Op.GT: (a > d, b <= c),
            Op.GE: (a >= d, b < c),
        }
        surely, never = outcomes[expr.op]
        return frozenset({True}) if surely else frozenset({False}) if never else BOTH

    def numbers(self, expr: Expr) -> Range:
        op, args = expr.op, expr.args
        if op is Op.NUMBER:
            return (expr.number, expr.number)
        if op is Op.NULL:
            return (0, 0)
        if op is Op.INDEGREE or op in (Op.LENGTH, Op.EXTENT, Op.REFERENCES, Op.ABS):
            return (0, inf)
        if op is Op.OUTDEGREE:
            return (0, self._pointers(expr.edges))
        if op is Op.AGGREGATE and expr.text == "count":
            return (0, inf)
        if op is Op.FIELD and expr.type is not None:
            return _field_range(self.plan.types[expr.type].fields[expr.index])
        if op is Op.INDEX and expr.type is not None:
            return _field_range(self.plan.types[expr.type].runs[expr.index].field)
        if op in (Op.ADD, Op.SUB):
            (a, b), (c, d) = self.numbers(args[0]), self.numbers(args[1])
            return (a + c, b + d) if op is Op.ADD else (a - d, b - c)
        return ANY

    def _pointers(self, edges: int) -> float:
        most: dict[int, float] = {}
        for ref in self.plan.edge_sets[edges]:
            run = self.plan.types[ref.type].runs[ref.run] if ref.run is not None else None
            count = 1.0 if run is None else inf if run.count is None else float(run.count)
            most[ref.type] = most.get(ref.type, 0) + count
        return max(most.values(), default=0)


def _field_range(field: PlanField) -> Range:
    bits = field.bit_size or 8 * field.size
    if field.kind is Kind.UINT:
        return (0, 2.0**bits - 1)
    if field.kind is Kind.INT and not field.bit_size:
        return (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1) - 1)
    return (0, inf) if field.kind is Kind.POINTER else ANY
