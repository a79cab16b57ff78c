"""From a specification to a plan for one trace."""

from __future__ import annotations

from dataclasses import dataclass, replace

from heapstory.constraints.binding.layout import Scalar
from heapstory.constraints.binding.protocol import Binding
from heapstory.constraints.compile.access import Scope
from heapstory.constraints.compile.aggregates import AGGREGATES
from heapstory.constraints.compile.attributes import Attributes
from heapstory.constraints.compile.building import ConstraintBuilder
from heapstory.constraints.compile.expanding import expand
from heapstory.constraints.compile.implied import Implied
from heapstory.constraints.compile.rules import Rules
from heapstory.constraints.compile.schema import Entry, Schema
from heapstory.constraints.compile.terms import Terms
from heapstory.constraints.language import syntax
from heapstory.constraints.plan import (
    Expr,
    Op,
    Plan,
    PlanConstraint,
    PlanLoop,
)
from heapstory.constraints.plan.expressions import conjuncts, number, rename, variable, variables
from heapstory.constraints.plan.lint import lint
from heapstory.constraints.plan.words import Wording
from heapstory.parsing import did_you_mean


@dataclass(frozen=True, slots=True)
class Warning:
    """Something odd in a specification that does not stop it from being used."""

    path: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: warning: {self.message}"


@dataclass(frozen=True, slots=True)
class Compiled:
    """A plan and what is to be said about the specification."""

    plan: Plan
    warnings: tuple[Warning, ...]


def compile_plan(specification: syntax.Specification, binding: Binding) -> Compiled:
    """The plan of a specification for what `binding` knows; `SpecificationError` if it has none."""
    return _Compiler(specification, binding).run()


class _Compiler:
    def __init__(self, specification: syntax.Specification, binding: Binding) -> None:
        self.specification = specification
        self.schema = Schema(specification, binding)
        self.attributes = Attributes(self.schema)
        self.rules = Rules(self.schema, self.attributes)
        self.variables: dict[str, Entry] = {}
        self.declared_at: dict[str, syntax.At] = {}
        self.used: set[str] = set()
        self.constraints: list[PlanConstraint] = []
        self.builder = ConstraintBuilder(self.schema)
        self.pause: list[str] = []

    def run(self) -> Compiled:
        statements = self.specification.statements
        for statement in statements:
            if isinstance(statement, syntax.AttributeLine):
                self.attributes.declare(statement)
            elif isinstance(statement, syntax.ConstLine):
                self.schema.values[statement.name] = statement.value
        implied = Implied(self.schema, self.builder)
        implied.read_roots()
        for statement in statements:
            self._statement(statement)
        more = [*implied.unrooted(), *implied.unsafe(), *implied.wild_roots()]
        more += implied.unwritten()
        attributes = self.attributes.finish()
        more += implied.attribute_cycles(self.attributes, self.constraints)
        plan = Plan(
            self.specification.path,
            self.schema.types(),
            self.schema.edge_sets(),
            attributes,
            tuple(self.constraints + more),
            tuple(self.pause),
            tuple(implied.users),
        )
        wording = Wording(plan)
        worded = tuple(replace(c, words=wording.constraint(c)) for c in plan.constraints)
        return Compiled(replace(plan, constraints=worded), self._warnings(plan))

    def _warnings(self, plan: Plan) -> tuple[Warning, ...]:
        for name, at in self.declared_at.items():
            if name not in self.used:
                self.schema.warn(f"variable {name} is never used", at)
        read = self.attributes.read_by(plan.constraints)
        for index, attribute in enumerate(self.attributes.all):
            if attribute.written and index not in read:
                self.schema.warn(f"attribute {attribute.name} is never used", attribute.at)
        for constraint, message in lint(plan):
            self.schema.warn(message, syntax.At(constraint.line, constraint.column))
        path = self.specification.path
        found = sorted({(at.line, at.column, text) for at, text in self.schema.warnings})
        return tuple(Warning(path, *rest) for rest in found)

    # Statements.

    def _statement(self, statement: syntax.Statement) -> None:
        match statement:
            case syntax.Declaration():
                self._declare(statement)
            case syntax.Rule():
                self.used.add(statement.variable)
                self.rules.define(statement, self.variables)
            case syntax.Constraint():
                self._constraint(statement, self.variables)
            case syntax.OneLiner():
                self._one_liner(statement)
            case syntax.OwnerLine():
                self._owner(statement)
            case syntax.PauseLine(functions=functions):
                self.pause += functions

    def _declare(self, line: syntax.Declaration) -> None:
        entry = self.schema.find(line.type)
        if entry is None:
            names = [e.name for e in self.schema.declared()]
            names += self.schema.binding.type_names()
            hint = did_you_mean(line.type, names)
            raise self.schema.fail(f"unknown type '{line.type}'{hint}", line.at)
        for name in line.variables:
            self.variables[name] = entry
            if name not in self.used:
                self.declared_at[name] = line.at

    def _one_liner(self, line: syntax.OneLiner) -> None:
        written = expand(line, self.schema, self.variables)
        for constraint in written.constraints:
            self._constraint(constraint, {"X": written.entry, "Y": written.entry})
        for constraint in written.of_holder:
            assert written.holder is not None
            self._constraint(constraint, {"X": written.holder})
        self.used |= {t.text for t in syntax.subterms(line.call) if isinstance(t, syntax.Name)}

    def _owner(self, line: syntax.OwnerLine) -> None:
        entry = self.schema.find(line.type)
        if entry is None:
            raise self.schema.fail(f"unknown type '{line.type}'", line.at)
        part = entry.find_marked(line.field)
        if not isinstance(part, Scalar):
            hint = did_you_mean(line.field, entry.field_names())
            raise self.schema.fail(f"{line.type} has no field '{line.field}'{hint}", line.at)

        def held(one: int) -> Expr:
            return Expr(Op.FIELD, (variable(one),), index=entry.refer(part), type=entry.index)

        filled = Expr(Op.NE, (held(0), Expr(Op.NULL)))
        if line.exclusive:
            body = Expr(Op.EQ, (Expr(Op.REFERENCES, (held(0),)), number(1)))
            owner = f"owner({line.type}.{line.field})"
            self.constraints.append(self.builder.build(owner, line.at, {"X": entry}, filled, body))
            return
        guard = Expr(Op.AND, (filled, rename(filled, {0: 1}), Expr(Op.EQ, (held(0), held(1)))))
        body = Expr(Op.EQ, (variable(0), variable(1)))
        name = f"no alias({line.type}.{line.field})"
        both = {"X": entry, "Y": entry}
        self.constraints.append(self.builder.build(name, line.at, both, guard, body))

    # Constraints.

    def _constraint(self, line: syntax.Constraint, declared: dict[str, Entry]) -> None:
        guard_names, body_names = self._names(line, declared)
        names = [*guard_names, *(n for n in body_names if n not in guard_names)]
        self.used |= set(names)
        numbers = {name: i for i, name in enumerate(names)}
        loops = {line.loop.variable: len(names)} if line.loop else {}
        scope = Scope(declared, numbers, loops, next_bound=len(names))
        terms = Terms(self.schema, self.attributes, scope)
        guard = terms.truth(line.guard) if line.guard is not None else None
        body = terms.truth(line.body)
        loop = None
        if line.loop:
            first, last = terms.expr(line.loop.first), terms.expr(line.loop.last)
            loop = PlanLoop(line.loop.variable, first, last)
        if not names:
            raise self.schema.fail(
                "a constraint must speak of a variable (declare one: node X;)", line.at
            )
        exists = [n for n in body_names if n not in guard_names] if line.guard is not None else []
        entries = {name: declared[name] for name in names}
        name = line.name or f"c{len(self.constraints) + 1}"
        for part in _apart(guard, body, len(names)) if not exists else [body]:
            self.constraints.append(
                self.builder.build(name, line.at, entries, guard, part, exists, loop)
            )

    def _names(
        self, line: syntax.Constraint, declared: dict[str, Entry]
    ) -> tuple[list[str], list[str]]:
        """The variables of guard (and loop) and of the body, in the order they are mentioned."""

        def mentioned(*parts: syntax.Term | None) -> list[str]:
            found: dict[str, None] = {}
            for part in parts:
                for name in _free_names(part) if part is not None else ():
                    if name in declared:
                        found[name] = None
            return list(found)

        bounds = (line.loop.first, line.loop.last) if line.loop else ()
        return mentioned(*bounds, line.guard), mentioned(line.body)


def _apart(guard: Expr | None, body: Expr, count: int) -> list[Expr]:
    """What is asked for together is checked part by part: only what is read by a part that does
    not hold can have led to it."""
    parts = conjuncts(body)
    everyone = set(range(count))
    whole = any(not everyone <= variables(guard, part) for part in parts)
    return [body] if whole else parts


def _free_names(term: syntax.Term) -> list[str]:
    match term:
        case syntax.Name(text=text):
            return [text]
        case syntax.Exists(variable=bound, body=body):
            return [name for name in _free_names(body) if name != bound]
        case syntax.Call(name=name, args=args) if name in AGGREGATES and args:
            return _free_names(args[0]) + [n for a in args[1:] for n in _free_names(a)]
    return [name for child in syntax.children(term) for name in _free_names(child)]
