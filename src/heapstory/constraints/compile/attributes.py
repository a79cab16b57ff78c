"""The attributes of a specification: those it declares and those its aggregates become."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from heapstory.constraints.compile.schema import Entry, Schema
from heapstory.constraints.language import syntax
from heapstory.constraints.plan import EdgeRef, Expr, Op, PlanAttribute, PlanConstraint
from heapstory.constraints.plan.expressions import subexpressions, variable
from heapstory.parsing import did_you_mean

# An aggregate that became an attribute: its name, type, what it is of each object, and edges.
AggregateKey = tuple[str, int, Expr, int]


@dataclass
class Attribute:
    """An attribute in the making."""

    name: str
    entry: Entry
    at: syntax.At
    value: Expr | None = None
    null: int | float | None = None
    written: bool = True  # by the user, not made from an aggregate


class Attributes:
    """All attributes of a specification."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.all: list[Attribute] = []
        self.aggregates: dict[AggregateKey, int] = {}

    def find(self, entry: Entry, name: str) -> int | None:
        for index, attribute in enumerate(self.all):
            if attribute.written and attribute.entry is entry and attribute.name == name:
                return index
        return None

    def names(self, entry: Entry) -> list[str]:
        return [a.name for a in self.all if a.written and a.entry is entry]

    def read(self, entry: Entry, name: str, base: Expr) -> Expr:
        index = self.find(entry, name)
        assert index is not None
        return Expr(Op.ATTRIBUTE, (base,), index=index)

    def add(self, attribute: Attribute) -> int:
        """Its number from now on."""
        self.all.append(attribute)
        return len(self.all) - 1

    def declare(self, line: syntax.AttributeLine) -> None:
        """``node.HEIGHT;``."""
        entry = self.schema.find(line.type, imply=False)
        if entry is None:
            known = [e.name for e in self.schema.declared()]
            raise self.schema.fail(
                f"unknown type '{line.type}'{did_you_mean(line.type, known)}: an attribute belongs "
                "to a declared type (a condition must compare something)",
                line.at,
            )
        if self.find(entry, line.name) is not None:
            raise self.schema.fail(f"{line.type}.{line.name} is declared twice", line.at)
        if line.name in entry.field_names():
            raise self.schema.fail(f"{line.type}.{line.name} is a field already", line.at)
        self.add(Attribute(line.name, entry, line.at))

    # The result.

    def finish(self) -> tuple[PlanAttribute, ...]:
        """The attributes of the plan; each has a rule and none depends on itself in one node."""
        for attribute in self.all:
            if attribute.value is None:
                raise self.schema.fail(
                    f"{attribute.entry.name}.{attribute.name} has no rule: {attribute.entry.name} "
                    f"X; X.{attribute.name} = …;",
                    attribute.at,
                )
        self._check_order()
        return tuple(
            PlanAttribute(a.name, a.entry.index, a.value, self.recursion(i), a.null, self.stop(i))
            for i, a in enumerate(self.all)
            if a.value is not None
        )

    def stop(self, index: int) -> Expr | None:
        """Where an attribute does not recurse though there are edges: a sentinel, which may lead to
        itself. (A leaf has no edges to go on along.)"""
        value = self.all[index].value
        if value is None or value.op is not Op.IF:
            return None
        guard, terminal, _ = value.args
        fields = any(step.op in (Op.FIELD, Op.INDEX) for step in subexpressions(guard))
        alone = all(use.index == index for use in self.uses(index))
        return guard if fields and alone and not _attributes_in(terminal) else None

    def uses(self, index: int) -> list[Expr]:
        """The attributes that the rule of one reads."""
        return _attributes_in(self.all[index].value)

    def reachable(self, index: int) -> set[int]:
        """All attributes that one depends on, itself only if it does."""
        found: set[int] = set()
        todo = [e.index for e in self.uses(index)]
        while todo:
            one = todo.pop()
            if one not in found:
                found.add(one)
                todo += [e.index for e in self.uses(one)]
        return found

    def read_by(self, constraints: Iterable[PlanConstraint]) -> set[int]:
        """The attributes that some constraints need, those of other attributes included."""
        found: set[int] = set()
        for constraint in constraints:
            parts = [constraint.guard, constraint.body]
            parts += [bound for loop in constraint.loops for bound in (loop.first, loop.last)]
            for part in parts:
                found |= {use.index for use in _attributes_in(part)}
        return found.union(*(self.reachable(index) for index in found))

    def _check_order(self) -> None:
        """Attributes of one node may not depend on each other in a circle."""
        state: dict[int, int] = {}

        def visit(index: int, path: list[int]) -> None:
            if state.get(index) == 2:
                return
            if state.get(index) == 1:
                names = [self.all[i].name for i in [*path[path.index(index) :], index]]
                raise self.schema.fail(
                    f"attributes depend on each other in the same node: {' -> '.join(names)}",
                    self.all[index].at,
                )
            state[index] = 1
            for use in self.uses(index):
                if use.args[0] == variable(0):
                    visit(use.index, [*path, index])
            state[index] = 2

        for index in range(len(self.all)):
            visit(index, [])

    def recursion(self, index: int) -> int | None:
        """The set of fields an attribute recurses through."""
        circle = {i for i in self.reachable(index) if index in self.reachable(i)}
        refs: dict[EdgeRef, None] = {}
        for one in sorted(circle):
            for use in self.uses(one):
                if use.index in circle:
                    for step in subexpressions(use.args[0]):
                        if step.op in (Op.FIELD, Op.INDEX) and step.type is not None:
                            run = step.op is Op.INDEX
                            refs[
                                EdgeRef(
                                    step.type,
                                    None if run else step.index,
                                    step.index if run else None,
                                )
                            ] = None
        if not circle:
            return None
        return self.schema.intern(tuple(refs))


def _attributes_in(expr: Expr | None) -> list[Expr]:
    return [e for e in subexpressions(expr) if e.op is Op.ATTRIBUTE] if expr else []
