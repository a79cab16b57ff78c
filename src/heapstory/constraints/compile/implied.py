"""What a specification implies without saying so: nothing lost, pointers safe, no cycles."""

from __future__ import annotations

from heapstory.constraints.binding.layout import Array, Layout, Scalar, scalar_of
from heapstory.constraints.compile.attributes import Attributes
from heapstory.constraints.compile.building import ConstraintBuilder
from heapstory.constraints.compile.expanding import root_of
from heapstory.constraints.compile.schema import Entry, Schema
from heapstory.constraints.language import syntax
from heapstory.constraints.plan import EdgeRef, Expr, Op, PlanConstraint, PlanLoop, ShapeKind
from heapstory.constraints.plan.expressions import SAFE_ROOT, number, variable
from heapstory.parsing import did_you_mean

NOWHERE = syntax.At(0, 0)
LOST = "lost"  # how a node is rooted: what is merely apart from the structure is not lost


class Implied:
    """The roots of types and the constraints that follow from declarations."""

    def __init__(self, schema: Schema, builder: ConstraintBuilder) -> None:
        self.schema, self.builder = schema, builder
        self.users: list[str] = []  # functions whose variables are roots

    def read_roots(self) -> None:
        """Where the instances of types begin."""
        for line in self.schema.specification.statements:
            if isinstance(line, syntax.RootLine):
                entry = self.schema.find(line.type)
                if entry is None:
                    known = [e.name for e in self.schema.declared()]
                    hint = did_you_mean(line.type, known)
                    raise self.schema.fail(f"unknown type '{line.type}'{hint}", line.at)
                for source in line.sources:
                    entry.roots += self._root(source, line.at)
            elif isinstance(line, syntax.OneLiner) and (found := root_of(line, self.schema)):
                found[0].roots += self._root(found[1], line.at)

    def _root(self, source: str, at: syntax.At) -> list[EdgeRef]:
        if source.startswith(syntax.FRAME):
            return self._frame_root(source, at)
        holder, _, path = source.partition(".")
        found = self.schema.binding.roots(holder, path)
        declared = any(entry.name == holder for entry in self.schema.declared())
        if found and not declared:
            return [self._global(source, layout) for layout in found]
        entry = self.schema.find(holder)
        if entry is None:
            known = [e.name for e in self.schema.entries] + self.schema.binding.type_names()
            raise self.schema.unmatched(
                f"'{holder}' is neither a type nor a global variable{did_you_mean(holder, known)}",
                at,
            )
        part = entry.find_marked(path)
        if part is None:
            hint = did_you_mean(path, entry.field_names())
            raise self.schema.unmatched(f"{holder} has no field '{path}'{hint}", at)
        if self.schema.target(entry, part) is None:
            array = self.schema.array_of(part)
            if array is not None:
                own = (self.schema.refer_to(entry, part),)
                via = self.schema.intern(own, counted=False)
                return [self.schema.refer_to(array, array.layout.parts[0], via=via)]
        return [self.schema.refer_to(entry, part)]

    def _frame_root(self, source: str, at: syntax.At) -> list[EdgeRef]:
        function, _, rest = source.removeprefix(syntax.FRAME).partition(".")
        variable, _, path = rest.partition(".")
        if not variable:
            raise self.schema.fail(f"which variable of {function}? (frame {function}.NAME)", at)
        found = self.schema.binding.roots(f"{syntax.FRAME}{function}.{variable}", path)
        if not found:
            raise self.schema.unmatched(
                f"no pointer '{rest}' of {function}'s frames is in the trace (record --frame "
                f"{function}; in optimised code it may be in a register: build with -O0, or make "
                "it volatile)",
                at,
            )
        self.users.append(function)
        return [self._global(source, layout) for layout in found]

    def _global(self, source: str, layout: Layout) -> EdgeRef:
        entry = self.schema.imply(source, layout)
        return EdgeRef(type=entry.index, run=entry.refer(layout.parts[0]))

    def wild_roots(self) -> list[PlanConstraint]:
        """A root that was never an address of anything; one whose node was freed may be that of a
        structure that is no more. Types whose pointers are not checked have roots that are not."""
        found = {}
        for entry in list(self.schema.declared()):
            for root in entry.roots if self.schema.checked_parts(entry) else ():
                holder = self.schema.entries[root.type]
                if holder.implied:  # else it is checked as a field, or not on purpose
                    part = self.schema.part(root)
                    found[holder.name, part.name] = self._safe(
                        holder, part, SAFE_ROOT, self._held(root)
                    )
        return list(found.values())

    def _held(self, root: EdgeRef) -> Expr | None:
        """Of an array that holds roots: that it is the one its owner points to."""
        if root.via is None:
            return None
        return Expr(Op.GT, (Expr(Op.INDEGREE, (variable(0),), edges=root.via), number(0)))

    def unrooted(self) -> list[PlanConstraint]:
        body = Expr(Op.ROOTED, (variable(0),), text=LOST)
        return [
            self.builder.build(f"rooted({entry.name})", NOWHERE, {"X": entry}, None, body)
            for entry in list(self.schema.declared())
            if entry.roots
        ]

    def unwritten(self) -> list[PlanConstraint]:
        """Fields that are marked with ``!`` must have a value in every node, pointers in every node
        that something leads to. (Of an array only some elements may be in use.)"""
        found = []
        for entry in list(self.schema.declared()):
            for named in entry.line.fields if entry.line else ():
                part = entry.find_marked(named.name)
                link = bool(named.mark) and not named.unchecked and isinstance(part, Scalar)
                if part is not None and (named.written or link):
                    read, loop = self._each(entry, part)
                    body = Expr(Op.WRITTEN, (read,))
                    name = f"written({entry.name}.{named.name})"
                    guard = None if named.written else _linked(entry)
                    found.append(
                        self.builder.build(name, NOWHERE, {"X": entry}, guard, body, loop=loop)
                    )
        return found

    def unsafe(self) -> list[PlanConstraint]:
        found = []
        for entry in list(self.schema.declared()):
            for part in self.schema.checked_parts(entry):
                found.append(self._safe(entry, part))
        return found

    def _safe(
        self, entry: Entry, part: Scalar | Array, how: str = "", guard: Expr | None = None
    ) -> PlanConstraint:
        read, loop = self._each(entry, part)
        target = self.schema.target(entry, part, imply=False)
        if not entry.layout.known and not scalar_of(part).target:
            target = None  # only guessed
        if how:
            body = Expr(Op.SAFE, (read,), text=how)
        else:
            body = Expr(Op.SAFE, (read,), type=target.index if target else None)
        name = f"safe({entry.name}.{part.name.replace('[]', '')})".replace(".)", ")")
        return self.builder.build(name, NOWHERE, {"X": entry}, guard, body, loop=loop)

    def _each(self, entry: Entry, part: Scalar | Array) -> tuple[Expr, PlanLoop | None]:
        """A field of X, or every element of an array in it."""
        ref = entry.refer(part)
        if not isinstance(part, Array):
            return Expr(Op.FIELD, (variable(0),), index=ref, type=entry.index), None
        extent = Expr(Op.EXTENT, (variable(0),), index=ref, type=entry.index)
        loop = PlanLoop("I", number(0), Expr(Op.SUB, (extent, number(1))))
        read = Expr(Op.INDEX, (variable(0), variable(1)), index=ref, type=entry.index)
        return read, loop

    def attribute_cycles(
        self, attributes: Attributes, constraints: list[PlanConstraint]
    ) -> list[PlanConstraint]:
        """Attributes that are read and recurse need structures without cycles."""
        covered = [
            set(self.schema.edges(c.shape.edges))
            for c in constraints
            if c.shape.kind is ShapeKind.ACYCLIC
        ]
        found = []
        for index in sorted(attributes.read_by(constraints)):
            attribute, edges = attributes.all[index], attributes.recursion(index)
            refs = set(self.schema.edges(edges)) if edges is not None else set()
            if edges is None or any(refs <= known for known in covered):
                continue
            name = f"acyclic({attribute.name})"
            if attributes.stop(index) is not None:
                found.append(self._no_circle(name, attribute.entry, index, edges))
                continue
            covered.append(refs)
            there = Expr(Op.PATH, (variable(0), variable(1)), edges=edges)
            back = Expr(Op.NOT, (Expr(Op.PATH, (variable(1), variable(0)), edges=edges),))
            both = {"X": attribute.entry, "Y": attribute.entry}
            found.append(self.builder.build(name, NOWHERE, both, there, back))
        return found

    def _no_circle(self, name: str, entry: Entry, attribute: int, edges: int) -> PlanConstraint:
        """The same where the recursion stops at some nodes, which may lie on cycles."""
        circular = Expr(Op.CIRCULAR, (variable(0),), index=attribute)
        none = Expr(Op.NOT, (Expr(Op.PATH, (variable(0), variable(0)), edges=edges),))
        return self.builder.build(name, NOWHERE, {"X": entry}, circular, none)


def _linked(entry: Entry) -> Expr:
    """Something leads to the node."""
    pointed = Expr(Op.GT, (Expr(Op.INDEGREE, (variable(0),)), number(0)))
    if not entry.roots:
        return pointed
    return Expr(Op.OR, (pointed, Expr(Op.ROOTED, (variable(0),))))
