"""Aggregates: ``COUNT(X.root, *)``, ``MAX(X.left, key)``; MIN and MAX become attributes."""

from __future__ import annotations

from dataclasses import replace

from heapstory.constraints.binding.layout import Array
from heapstory.constraints.compile.access import FieldTerms, Partial, Value
from heapstory.constraints.compile.attributes import Attribute
from heapstory.constraints.compile.schema import Entry
from heapstory.constraints.language import syntax
from heapstory.constraints.plan import EdgeRef, Expr, Op
from heapstory.constraints.plan.expressions import TRUE, number, rename, variable

AGGREGATES = ("COUNT", "SUM", "MIN", "MAX")
UNROLLED_AT_MOST = 64  # elements of an array that an aggregate lists one by one
LEAST = {"MIN": Op.LEAST, "MAX": Op.GREATEST}


class Aggregate:
    """One call, with ``[fields]`` as a third argument perhaps, in the scope of some terms."""

    def __init__(self, terms: FieldTerms, call: syntax.Call) -> None:
        self.terms, self.call = terms, call
        self.schema, self.attributes = terms.schema, terms.attributes

    def expr(self) -> Expr:
        """What the plan has for it."""
        call = self.call
        if len(call.args) not in (2, 3):
            raise self.schema.fail(
                f"{call.name} takes a node, a field and perhaps [fields]: {call.name}(X.left, key)",
                call.at,
            )
        start = self.terms.value(call.args[0])
        refs, entry = self._followed(start)
        index = self.terms.scope.bind()
        what = self._gathered(entry, variable(index))
        edges = self.schema.intern(refs)
        if call.name in LEAST and _is_local(refs, entry):
            return self._recursive(start.expr, entry, what, index, edges)
        kind = call.name.lower()
        args = (start.expr, what)
        return Expr(Op.AGGREGATE, args, index=index, type=entry.index, edges=edges, text=kind)

    def _followed(self, start: Value) -> tuple[tuple[EdgeRef, ...], Entry]:
        """The edges to follow and the type that is gathered."""
        call, names = self.call, None
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

    def _gathered(self, entry: Entry, each: Expr) -> Expr:
        """What is counted, summed or compared of each object."""
        call, wanted = self.call, self.call.args[1]
        if isinstance(wanted, syntax.Word) and wanted.text == "*":
            if call.name != "COUNT":
                raise self.schema.fail("'*' stands only in COUNT(…, *)", wanted.at)
            return TRUE
        scope = replace(self.terms.scope, implied=(each, entry))
        inner = self.terms.inside(scope)
        found = inner.resolve(wanted)
        self.terms.scope.next_bound = scope.next_bound
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

    def _recursive(self, start: Expr, entry: Entry, what: Expr, index: int, edges: int) -> Expr:
        """MIN and MAX as an attribute: the least of a node's own and of those below it."""
        own = rename(what, {index: 0})
        known, key = self.attributes.aggregates, (self.call.name, entry.index, own, edges)
        if key not in known:
            made = self.attributes.add(
                Attribute(f"{self.call.name}({self._text()})", entry, self.call.at, written=False)
            )
            known[key] = made
            below = [
                Expr(Op.ATTRIBUTE, (child,), index=made)
                for ref in self.schema.edges(edges)
                for child in _children(entry, ref)
            ]
            self.attributes.all[made].value = Expr(LEAST[self.call.name], (own, *below))
        return Expr(Op.ATTRIBUTE, (start,), index=known[key])

    def _text(self) -> str:
        wanted = self.call.args[1]
        return syntax.dotted(wanted) or self.schema.specification.text(wanted.at)


def _is_local(refs: tuple[EdgeRef, ...], entry: Entry) -> bool:
    """Whether all edges belong to one type and can be listed."""
    for ref in refs:
        if ref.type != entry.index:
            return False
        if ref.run is not None and (entry.runs[ref.run].count or 0) not in range(
            1, UNROLLED_AT_MOST + 1
        ):
            return False
    return True


def _children(entry: Entry, ref: EdgeRef) -> list[Expr]:
    if ref.field is not None:
        return [Expr(Op.FIELD, (variable(0),), index=ref.field, type=entry.index)]
    assert ref.run is not None
    count = entry.runs[ref.run].count or 0
    return [
        Expr(Op.INDEX, (variable(0), number(i)), index=ref.run, type=entry.index)
        for i in (range(count) if ref.element is None else (ref.element,))
    ]
