"""From a specification to a plan for one trace."""

from __future__ import annotations

from dataclasses import dataclass, replace

from heapstory.constraints import syntax
from heapstory.constraints.attributes import Attributes
from heapstory.constraints.binding import Binding
from heapstory.constraints.expanding import expand
from heapstory.constraints.expressions import conjuncts, number, rename, variable, variables, walk
from heapstory.constraints.layout import Array, Scalar, scalar_of
from heapstory.constraints.plan import (
    Binder,
    Expr,
    Op,
    Plan,
    PlanConstraint,
    PlanLoop,
    PlanRoot,
    PlanVariable,
    Quantifier,
    Shape,
    ShapeKind,
)
from heapstory.constraints.schema import Entry, Schema
from heapstory.constraints.shapes import filters, find_shape, order_variables
from heapstory.constraints.terms import Scope, Terms
from heapstory.constraints.words import Wording
from heapstory.parsing import did_you_mean

NOWHERE = syntax.At(0, 0)


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
        self.variables: dict[str, Entry] = {}
        self.declared_at: dict[str, syntax.At] = {}
        self.used: set[str] = set()
        self.constraints: list[PlanConstraint] = []
        self.pause: list[str] = []

    def run(self) -> Compiled:
        statements = self.specification.statements
        for statement in statements:
            if isinstance(statement, syntax.AttributeLine):
                self.attributes.declare(statement)
            elif isinstance(statement, syntax.ConstLine):
                self.schema.values[statement.name] = statement.value
        self._roots()
        for statement in statements:
            self._statement(statement)
        implied = [*self._unrooted(), *self._unsafe()]
        attributes = self.attributes.finish()
        implied += self._attribute_cycles()
        plan = Plan(
            self.specification.path,
            self.schema.types(),
            self.schema.edge_sets(),
            attributes,
            tuple(self.constraints + implied),
            tuple(self.pause),
        )
        return Compiled(_Worded(plan, self.schema).run(), self._warnings(plan))

    def _warnings(self, plan: Plan) -> tuple[Warning, ...]:
        from heapstory.constraints.lint import lint

        for name, at in self.declared_at.items():
            if name not in self.used:
                self.schema.warn(f"variable {name} is never used", at)
        read = {e.index for c in plan.constraints for e in self._reads(c)}
        for index in list(read):
            read |= self.attributes.reachable(index)
        for index, attribute in enumerate(self.attributes.all):
            if attribute.written and index not in read:
                self.schema.warn(f"attribute {attribute.name} is never used", attribute.at)
        for constraint, message in lint(plan):
            self.schema.warn(message, syntax.At(constraint.line, constraint.column))
        path = self.specification.path
        found = sorted({(at.line, at.column, text) for at, text in self.schema.warnings})
        return tuple(Warning(path, *rest) for rest in found)

    def _reads(self, constraint: PlanConstraint) -> list[Expr]:
        parts = [constraint.body, *([constraint.guard] if constraint.guard else [])]
        parts += [bound for loop in constraint.loops for bound in (loop.first, loop.last)]
        return [e for part in parts for e in walk(part) if e.op is Op.ATTRIBUTE]

    # Statements.

    def _statement(self, statement: syntax.Statement) -> None:
        match statement:
            case syntax.Declaration():
                self._declare(statement)
            case syntax.Rule():
                self.used.add(statement.variable)
                self.attributes.define(statement, self.variables)
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
        entry, constraints = expand(line, self.schema, self.variables)
        for constraint in constraints:
            self._constraint(constraint, {"X": entry, "Y": entry})
        self.used |= {t.text for t in syntax.walk(line.call) if isinstance(t, syntax.Name)}

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
            self._add(f"owner({line.type}.{line.field})", line.at, {"X": entry}, filled, body)
            return
        guard = Expr(Op.AND, (filled, rename(filled, {0: 1}), Expr(Op.EQ, (held(0), held(1)))))
        body = Expr(Op.EQ, (variable(0), variable(1)))
        name = f"no alias({line.type}.{line.field})"
        self._add(name, line.at, {"X": entry, "Y": entry}, guard, body)

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
        self._add(name, line.at, entries, guard, body, exists, loop)

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

    def _add(
        self,
        name: str,
        at: syntax.At,
        entries: dict[str, Entry],
        guard: Expr | None,
        body: Expr,
        exists: list[str] | None = None,
        loop: PlanLoop | None = None,
    ) -> None:
        constraint = self._build(name, at, entries, guard, body, exists or [], loop)
        self.constraints.append(constraint)

    def _build(
        self,
        name: str,
        at: syntax.At,
        entries: dict[str, Entry],
        guard: Expr | None,
        body: Expr,
        exists: list[str],
        loop: PlanLoop | None = None,
    ) -> PlanConstraint:
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
        source = self.specification.text(at) if at.line else ""
        return PlanConstraint(name, source, at.line, at.column, "", made, loops, guard, body, shape)

    def _number_bound(self, to: dict[int, int], first: int, *parts: Expr | None) -> None:
        for part in parts:
            for expr in walk(part) if part is not None else ():
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

    # What a specification implies.

    def _roots(self) -> None:
        for line in self.specification.statements:
            if isinstance(line, syntax.RootLine):
                entry = self.schema.find(line.type)
                if entry is None:
                    known = [e.name for e in self.schema.declared()]
                    hint = did_you_mean(line.type, known)
                    raise self.schema.fail(f"unknown type '{line.type}'{hint}", line.at)
                for source in line.sources:
                    entry.roots += self._root(source, line.at)

    def _root(self, source: str, at: syntax.At) -> list[PlanRoot]:
        holder, _, path = source.partition(".")
        found = list(self.schema.binding.roots(holder, path))
        declared = any(entry.name == holder for entry in self.schema.declared())
        if found and not declared:
            return found
        entry = self.schema.find(holder)
        if entry is None:
            known = [e.name for e in self.schema.entries] + self.schema.binding.type_names()
            raise self.schema.fail(
                f"'{holder}' is neither a type nor a global variable{did_you_mean(holder, known)}",
                at,
            )
        part = entry.find_marked(path)
        if part is None:
            hint = did_you_mean(path, entry.field_names())
            raise self.schema.fail(f"{holder} has no field '{path}'{hint}", at)
        if self.schema.target(entry, part) is None:
            array = self.schema.array_of(part)
            if array is not None:
                first = array.layout.parts[0]
                return [PlanRoot(type=array.index, run=array.refer(first))]
        ref = entry.refer(part)
        run = isinstance(part, Array)
        return [PlanRoot(entry.index, None if run else ref, ref if run else None)]

    def _unrooted(self) -> list[PlanConstraint]:
        body = Expr(Op.ROOTED, (variable(0),))
        return [
            self._build(f"rooted({entry.name})", NOWHERE, {"X": entry}, None, body, [])
            for entry in list(self.schema.declared())
            if entry.roots
        ]

    def _unsafe(self) -> list[PlanConstraint]:
        found = []
        for entry in list(self.schema.declared()):
            for part in self.schema.checked_parts(entry):
                found.append(self._safe(entry, part))
        return found

    def _safe(self, entry: Entry, part: Scalar | Array) -> PlanConstraint:
        ref, loop = entry.refer(part), None
        read = Expr(Op.FIELD, (variable(0),), index=ref, type=entry.index)
        if isinstance(part, Array):
            read = Expr(Op.INDEX, (variable(0), variable(1)), index=ref, type=entry.index)
            extent = Expr(Op.EXTENT, (variable(0),), index=ref, type=entry.index)
            loop = PlanLoop("I", number(0), Expr(Op.SUB, (extent, number(1))))
        target = self.schema.target(entry, part, imply=False)
        if not entry.layout.known and not scalar_of(part).target:
            target = None  # only guessed
        body = Expr(Op.SAFE, (read,), type=target.index if target else None)
        name = f"safe({entry.name}.{part.name.replace('[]', '')})"
        return self._build(name, NOWHERE, {"X": entry}, None, body, [], loop)

    def _attribute_cycles(self) -> list[PlanConstraint]:
        covered = [set(self.schema.edges(c.shape.edges)) for c in self.constraints
                   if c.shape.kind is ShapeKind.ACYCLIC]  # fmt: skip
        found = []
        read = {e.index for c in self.constraints for e in self._reads(c)}
        for index in list(read):
            read |= self.attributes.reachable(index)
        for index in sorted(read):
            attribute, edges = self.attributes.all[index], self.attributes._recursion(index)
            refs = set(self.schema.edges(edges)) if edges is not None else set()
            if edges is None or any(refs <= known for known in covered):
                continue
            covered.append(refs)
            there = Expr(Op.PATH, (variable(0), variable(1)), edges=edges)
            back = Expr(Op.NOT, (Expr(Op.PATH, (variable(1), variable(0)), edges=edges),))
            both = {"X": attribute.entry, "Y": attribute.entry}
            name = f"acyclic({attribute.name})"
            found.append(self._build(name, NOWHERE, both, there, back, []))
        return found


class _Worded:
    """Gives each constraint its words."""

    def __init__(self, plan: Plan, schema: Schema) -> None:
        self.plan, self.wording = plan, Wording(plan)

    def run(self) -> Plan:
        worded = tuple(replace(c, words=self.wording.constraint(c)) for c in self.plan.constraints)
        return replace(self.plan, constraints=worded)


def _is_no_way_back(body: Expr) -> bool:
    inside = body.args[0] if body.op is Op.NOT else body
    return inside is not body and inside.op is Op.PATH and inside.args == (variable(0),) * 2


def _free_names(term: syntax.Term) -> list[str]:
    match term:
        case syntax.Name(text=text):
            return [text]
        case syntax.Exists(variable=bound, body=body):
            return [name for name in _free_names(body) if name != bound]
        case syntax.Call(name=name, args=args) if name in ("COUNT", "SUM", "MIN", "MAX") and args:
            return _free_names(args[0]) + [n for a in args[1:] for n in _free_names(a)]
    return [name for child in syntax.children(term) for name in _free_names(child)]
