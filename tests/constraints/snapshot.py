"""Plans evaluated the plainest way: over one moment of the naive model, trying every binding.

It follows the text of `heapstory.constraints.plan` sentence by sentence; `canonical` gives the
witnesses that shapes ask for.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from heapstory.constraints.plan import ATOMS, Expr, Op, PlanConstraint, Quantifier, ShapeKind
from tests.constraints.naive_terms import Terms
from tests.constraints.naive_values import (
    ABSENT,
    UNKNOWN,
    Binding,
    Found,
    Object,
    plain_number,
)


class Snapshot(Terms):
    """One moment of a heap, and which constraints do not hold in it."""

    def violations(self, number: int) -> list[Found]:
        """Every binding that violates a constraint."""
        constraint = self.plan.constraints[number]
        forall = [v for v in constraint.variables if v.quantifier is Quantifier.FORALL]
        found = []
        for objects in itertools.product(*(self.objects[v.type] for v in forall)):
            for numbers in self._loops(constraint, list(objects)):
                binding = (*objects, *numbers)
                if self.is_violated(Found(number, binding)):
                    found.append(Found(number, binding))
        return found

    def _loops(self, constraint: PlanConstraint, objects: list[Any]) -> Iterator[tuple[int, ...]]:
        """The numbers the loops run over, given the FORALL variables."""
        ranges = []
        for loop in constraint.loops:
            padded = self._environment(constraint, tuple(objects))
            first = plain_number(self.value(loop.first, padded))
            last = plain_number(self.value(loop.last, padded))
            if not isinstance(first, int) or not isinstance(last, int):
                return
            ranges.append(range(first, last + 1))
        yield from itertools.product(*ranges)

    @staticmethod
    def _environment(constraint: PlanConstraint, binding: Binding) -> list[Any]:
        """The values of variables ++ loops; those of EXISTS variables come later."""
        forall = sum(v.quantifier is Quantifier.FORALL for v in constraint.variables)
        exists = len(constraint.variables) - forall
        return [*binding[:forall], *([None] * exists), *binding[forall:]]

    def is_alive(self, found: Found) -> bool:
        constraint = self.plan.constraints[found.constraint]
        if constraint.shape.kind is ShapeKind.ACYCLIC:  # any type
            return all(self.object_of(one) is not None for one in found.binding)
        forall = [v for v in constraint.variables if v.quantifier is Quantifier.FORALL]
        return all(
            self.is_object(one, v.type) for v, one in zip(forall, found.binding, strict=False)
        )

    def is_violated(self, found: Found) -> bool:
        constraint = self.plan.constraints[found.constraint]
        if not self.is_alive(found) or not self._one_instance(constraint, found.binding):
            return False
        values = self._environment(constraint, found.binding)
        if constraint.guard is not None and self.value(constraint.guard, values) is not True:
            return False
        return self._body(constraint, values) is False

    def _one_instance(self, constraint: PlanConstraint, binding: Binding) -> bool:
        if constraint.shape.kind is ShapeKind.ACYCLIC:
            return True
        forall = [v for v in constraint.variables if v.quantifier is Quantifier.FORALL]
        for kind in {v.type for v in forall}:
            mine = {one for v, one in zip(forall, binding, strict=False) if v.type == kind}
            if self.plan.types[kind].roots and len({self.instance(x, kind) for x in mine}) > 1:
                return False
        return True

    def _body(self, constraint: PlanConstraint, values: list[Any]) -> Any:
        exists = [
            i for i, v in enumerate(constraint.variables) if v.quantifier is Quantifier.EXISTS
        ]
        if not exists:
            return self.value(constraint.body, values)
        truths = [self.value(constraint.body, v) for v in self._filled(constraint, exists, values)]
        return True if True in truths else UNKNOWN if UNKNOWN in truths else False

    def _filled(
        self, constraint: PlanConstraint, exists: list[int], values: list[Any]
    ) -> Iterator[list[Any]]:
        """The values with every choice of the EXISTS variables."""
        if not exists:
            yield values
            return
        variable = constraint.variables[exists[0]]
        for one in self._candidates(variable.binder, variable.type, values):
            filled = [*values[: exists[0]], one, *values[exists[0] + 1 :]]
            yield from self._filled(constraint, exists[1:], filled)

    def canonical(self, number: int) -> list[Found]:
        """The witnesses that the shape of a constraint asks for."""
        constraint = self.plan.constraints[number]
        kind = constraint.shape.kind
        if kind is ShapeKind.NESTED:
            return self.violations(number)
        pairs = {
            ShapeKind.ACYCLIC: self._back_edges,
            ShapeKind.CONNECTED: self._unconnected,
            ShapeKind.UNIQUE: self._doubles,
            ShapeKind.ROOTED: self._lost,
        }[kind](constraint)
        return [Found(number, pair) for pair in pairs]

    def _back_edges(self, constraint: PlanConstraint) -> list[Binding]:
        edges, found = constraint.shape.edges, []
        done: set[Object] = set()

        def visit(one: Object, above: list[Object]) -> None:
            done.add(one)
            for target in self._after(one, edges):
                if target in [*above, one]:
                    found.append((one, target))
                elif target not in done:
                    visit(target, [*above, one])

        for one in self.everything:
            if one not in done:
                visit(one, [])
        return list(dict.fromkeys(found))

    def _groups(self, kind: int) -> list[list[Object]]:
        """The objects of a type by instance."""
        if not self.plan.types[kind].roots:
            return [self.objects[kind]]
        groups: dict[Object | None, list[Object]] = {}
        for one in self.objects[kind]:
            groups.setdefault(self.instance(one, kind), []).append(one)
        return list(groups.values())

    def _unconnected(self, constraint: PlanConstraint) -> list[Binding]:
        found: list[Binding] = []
        edges = constraint.shape.edges
        for group in self._groups(constraint.variables[0].type):
            for first in group[:1]:
                found += [(first, one) for one in group if one not in self.reached(first, edges)]
                found += [
                    (one, first) for one in group[1:] if first not in self.reached(one, edges)
                ]
        return found

    def _doubles(self, constraint: PlanConstraint) -> list[Binding]:
        shape, found = constraint.shape, []
        for group in self._groups(constraint.variables[0].type):
            firsts: list[tuple[list[Any], Object]] = []
            for one in group:
                if shape.filter is not None and self.value(shape.filter, [one]) is not True:
                    continue
                keys = [self.value(key, [one]) for key in shape.keys]
                if UNKNOWN in keys:
                    continue
                same = [
                    first
                    for other, first in firsts
                    if all(self._equal(a, b) is True for a, b in zip(keys, other, strict=True))
                ]
                if same:
                    found.append((same[0], one))
                else:
                    firsts.append((keys, one))
        return found

    def _lost(self, constraint: PlanConstraint) -> list[Binding]:
        kind = constraint.variables[0].type
        lost = [one for one in self.objects[kind] if self.instance(one, kind) is None]
        found = []
        for one in lost:
            above = [other for other in lost if one in self.reached(other, 0)]
            circle = [other for other in above if other in self.reached(one, 0)]
            if set(above) <= {*circle, one} and one == min([*circle, one]):
                found.append((one,))
        return found

    # Arguments.

    def arguments(self, found: Found) -> Any:
        """The values of the atoms of an inconsistency."""
        if not self.is_alive(found):
            return ABSENT
        constraint = self.plan.constraints[found.constraint]
        values = self._environment(constraint, found.binding)
        exists = {
            i for i, v in enumerate(constraint.variables) if v.quantifier is Quantifier.EXISTS
        }
        parts = [constraint.guard, constraint.body]
        atoms = [atom for part in parts if part is not None for atom in _atoms(part)]
        known = [atom for atom in atoms if not _mentioned(atom) & exists]
        answers = [self.value(atom, values) for atom in known]
        if exists:
            answers.append(self._body(constraint, values))
        return tuple(answers)


def _atoms(expr: Expr) -> list[Expr]:
    if expr.op in ATOMS:
        return [expr]
    return [atom for arg in expr.args for atom in _atoms(arg)]


def _mentioned(expr: Expr) -> set[int]:
    own = {expr.index} if expr.op is Op.VARIABLE else set()
    return own.union(*(_mentioned(arg) for arg in expr.args))
