"""Putting a constraint of the plan together: order of variables, binders, shape."""

from __future__ import annotations

from dataclasses import replace

from heapstory.constraints.compile.schema import Entry, Schema
from heapstory.constraints.compile.shapes import filters, find_shape, order_variables
from heapstory.constraints.language import syntax
from heapstory.constraints.plan import (
    Binder,
    Expr,
    Op,
    PlanConstraint,
    PlanLoop,
    PlanVariable,
    Quantifier,
    Shape,
    ShapeKind,
)
from heapstory.constraints.plan.expressions import (
    conjuncts,
    rename,
    subexpressions,
    variable,
    variables,
)


class ConstraintBuilder:
    """Builds constraints over the types of one schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def build(
        self,
        name: str,
        at: syntax.At,
        entries: dict[str, Entry],
        guard: Expr | None,
        body: Expr,
        exists: list[str] | None = None,
        loop: PlanLoop | None = None,
    ) -> PlanConstraint:
        """A constraint over some variables by name, numbered as they come, then the loop's."""
        exists = exists or []
        names = list(entries)
        if guard is None and len(names) == 1 and _is_no_way_back(body):
            # X -/>> X: no cycle, in the usual form.
            entries, names = {"X": entries[names[0]], "Y": entries[names[0]]}, ["X", "Y"]
            path = body.args[0]
            guard = replace(path, args=(variable(0), variable(1)))
            body = Expr(Op.NOT, (replace(path, args=(variable(1), variable(0))),))
        forall = [i for i, n in enumerate(names) if n not in exists]
        some = [i for i, n in enumerate(names) if n in exists]
        facts = filters(guard, body) if not some else conjuncts(guard)
        order, binders = order_variables(self.schema, forall, [], facts)
        if some:
            rest, more = order_variables(self.schema, some, forall, conjuncts(body))
            order, binders = [*order, *rest], [*binders, *more]
        to = {old: new for new, old in enumerate(order)}
        if loop:
            to[len(names)] = len(names)
        self._number_bound(to, len(names) + (1 if loop else 0), guard, body)
        guard = rename(guard, to) if guard is not None else None
        body = self._bind_exists(rename(body, to))
        types = [entries[names[i]].index for i in order]
        shape = Shape(ShapeKind.NESTED)
        if not some and loop is None:
            shape = find_shape(guard, body, types)
        made = tuple(
            PlanVariable(
                names[i],
                entries[names[i]].index,
                Quantifier.EXISTS if i in some else Quantifier.FORALL,
                Binder(b.kind, rename(b.of, to) if b.of else None, b.edges),
            )
            for i, b in zip(order, binders, strict=True)
        )
        loops: tuple[PlanLoop, ...] = ()
        if loop:
            loops = (PlanLoop(loop.name, rename(loop.first, to), rename(loop.last, to)),)
        source = self.schema.specification.text(at) if at.line else ""
        return PlanConstraint(name, source, at.line, at.column, "", made, loops, guard, body, shape)

    def _number_bound(self, to: dict[int, int], first: int, *parts: Expr | None) -> None:
        for part in parts:
            for expr in subexpressions(part) if part is not None else ():
                if expr.op in (Op.EXISTS, Op.AGGREGATE) and expr.index not in to:
                    to[expr.index] = first
                    first += 1

    def _bind_exists(self, expr: Expr) -> Expr:
        args = tuple(self._bind_exists(arg) for arg in expr.args)
        if expr.op is not Op.EXISTS:
            return replace(expr, args=args)
        others = variables(*args) - {expr.index}
        _, (binder,) = order_variables(self.schema, [expr.index], others, conjuncts(args[0]))
        return replace(expr, args=args, binder=binder)


def _is_no_way_back(body: Expr) -> bool:
    inside = body.args[0] if body.op is Op.NOT else body
    return inside is not body and inside.op is Op.PATH and inside.args == (variable(0),) * 2
