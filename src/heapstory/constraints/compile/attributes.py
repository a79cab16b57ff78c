"""User-defined attributes, and the aggregates that become attributes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from heapstory.constraints.binding.layout import Array
from heapstory.constraints.compile.access import Partial, Value
from heapstory.constraints.compile.schema import Entry, Schema
from heapstory.constraints.compile.terms import Scope, Terms
from heapstory.constraints.language import syntax
from heapstory.constraints.plan import EdgeRef, Expr, Op, PlanAttribute, PlanConstraint
from heapstory.constraints.plan.expressions import TRUE, number, rename, subexpressions, variable
from heapstory.parsing import did_you_mean

UNROLLED_AT_MOST = 64  # elements of an array that an aggregate lists one by one
LEAST = {"MIN": Op.LEAST, "MAX": Op.GREATEST}


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
        self._aggregates: dict[tuple[object, ...], int] = {}

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

    # What the user defines.

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
        self.all.append(Attribute(line.name, entry, line.at))

    def define(self, rule: syntax.Rule, variables: dict[str, Entry]) -> None:
        """``guard => X.h = a || X.h = b;`` or ``NULL.h = n;``."""
        if rule.variable == "NULL":
            self._define_null(rule)
            return
        entry = variables.get(rule.variable)
        if entry is None:
            raise self.schema.fail(
                f"{rule.variable} is not declared{did_you_mean(rule.variable, variables)}", rule.at
            )
        index = self.find(entry, rule.attribute)
        if index is None:
            hint = did_you_mean(rule.attribute, self.names(entry))
            raise self.schema.fail(
                f"{entry.name} has no attribute '{rule.attribute}'{hint}; declare it first: "
                f"{entry.name}.{rule.attribute};",
                rule.at,
            )
        attribute = self.all[index]
        if attribute.value is not None:
            raise self.schema.fail(f"{entry.name}.{rule.attribute} has two rules", rule.at)
        scope = Scope(variables, {rule.variable: 0}, next_bound=0)
        terms = Terms(self.schema, self, scope)
        value = terms.expr(rule.value)
        if rule.guard is not None and rule.terminal is not None:
            terminal = terms.expr(rule.terminal)
            value = Expr(Op.IF, (terms.truth(rule.guard), terminal, value))
            if terminal.op is Op.NUMBER and attribute.null is None:
                attribute.null = terminal.number - 1
        attribute.value = value

    def _define_null(self, rule: syntax.Rule) -> None:
        found = [a for a in self.all if a.written and a.name == rule.attribute]
        if not found:
            known = [a.name for a in self.all]
            hint = did_you_mean(rule.attribute, known)
            raise self.schema.fail(f"no type has an attribute '{rule.attribute}'{hint}", rule.at)
        if not isinstance(rule.value, syntax.Number):
            raise self.schema.fail("the attribute of NULL must be a number", rule.at)
        for attribute in found:
            attribute.null = rule.value.value

    # Aggregates.

    def aggregate(self, terms: Terms, call: syntax.Call) -> Expr:
        """``COUNT(X.root, *)``, ``MAX(X.left, key)``, with ``[fields]`` as a third argument."""
        if len(call.args) not in (2, 3):
            raise self.schema.fail(
                f"{call.name} takes a node, a field and perhaps [fields]: {call.name}(X.left, key)",
                call.at,
            )
        start = terms.value(call.args[0])
        refs, entry = self._way(start, call)
        index = terms.scope.bind()
        what = self._what(terms, call, entry, variable(index))
        edges = self.schema.intern(refs)
        if call.name in LEAST and self._is_local(refs, entry):
            return self._recursive(call, start.expr, entry, what, index, edges)
        kind = call.name.lower()
        args = (start.expr, what)
        return Expr(Op.AGGREGATE, args, index=index, type=entry.index, edges=edges, text=kind)

    def _way(self, start: Value, call: syntax.Call) -> tuple[tuple[EdgeRef, ...], Entry]:
        """The edges to follow and the type that is gathered."""
        names = None
        if len(call.args) == 3:
            last = call.args[2]
            if not isinstance(last, syntax.Fields):
                raise self.schema.fail(
                    "the fields to follow stand in brackets: [left, right]", last.at
                )
            names = last.names
        refs = self.schema.edges(self.schema.edge_set(names, call.at))
        entry = start.entry
        if entry is None and start.part is not None:
            array = self.schema.array_of(start.part)
            part = array.layout.parts[0] if array else None
            entry = self.schema.target(array, part) if array and part else None
            if array and part:
                refs = (*refs, EdgeRef(array.index, run=array.refer(part)))
        if entry is None:
            raise self.schema.fail("this does not lead to a node of a known type", call.args[0].at)
        return refs, entry

    def _what(self, terms: Terms, call: syntax.Call, entry: Entry, each: Expr) -> Expr:
        wanted = call.args[1]
        if isinstance(wanted, syntax.Word) and wanted.text == "*":
            if call.name != "COUNT":
                raise self.schema.fail("'*' stands only in COUNT(…, *)", wanted.at)
            return TRUE
        scope = replace(terms.scope, implied=(each, entry))
        inner = Terms(self.schema, self, scope)
        found = inner.resolve(wanted)
        terms.scope.next_bound = scope.next_bound
        if isinstance(found, Partial) and call.name in LEAST:
            array = found.entry.layout.find(f"{found.path}[]")
            if isinstance(array, Array) and array.count and array.count <= UNROLLED_AT_MOST:
                run = found.entry.refer(array)
                elements = (
                    Expr(Op.INDEX, (found.base, number(i)), index=run, type=found.entry.index)
                    for i in range(array.count)
                )
                return Expr(LEAST[call.name], tuple(elements))
        return inner.truth(wanted) if call.name == "COUNT" else inner.expr(wanted)

    def _is_local(self, refs: tuple[EdgeRef, ...], entry: Entry) -> bool:
        """Whether all edges belong to one type and can be listed."""
        for ref in refs:
            if ref.type != entry.index:
                return False
            if ref.run is not None and (entry.runs[ref.run].count or 0) not in range(
                1, UNROLLED_AT_MOST + 1
            ):
                return False
        return True

    def _recursive(
        self, call: syntax.Call, start: Expr, entry: Entry, what: Expr, index: int, edges: int
    ) -> Expr:
        """MIN and MAX as an attribute: the least of a node's own and of those below it."""
        own = rename(what, {index: 0})
        key = (call.name, entry.index, own, edges)
        if key not in self._aggregates:
            made = len(self.all)
            self._aggregates[key] = made
            wanted = call.args[1]
            text = self.schema.specification.text(wanted.at)
            if isinstance(wanted, syntax.Name):
                text = wanted.text
            self.all.append(Attribute(f"{call.name}({text})", entry, call.at, written=False))
            below = [
                Expr(Op.ATTRIBUTE, (child,), index=made)
                for ref in self.schema.edges(edges)
                for child in self._children(entry, ref)
            ]
            self.all[made].value = Expr(LEAST[call.name], (own, *below))
        return Expr(Op.ATTRIBUTE, (start,), index=self._aggregates[key])

    def _children(self, entry: Entry, ref: EdgeRef) -> list[Expr]:
        if ref.field is not None:
            return [Expr(Op.FIELD, (variable(0),), index=ref.field, type=entry.index)]
        assert ref.run is not None
        return [
            Expr(Op.INDEX, (variable(0), number(i)), index=ref.run, type=entry.index)
            for i in range(entry.runs[ref.run].count or 0)
        ]

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
            PlanAttribute(a.name, a.entry.index, a.value, self.recursion(i), a.null)
            for i, a in enumerate(self.all)
            if a.value is not None
        )

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
