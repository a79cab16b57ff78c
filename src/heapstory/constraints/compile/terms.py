"""Giving meaning to terms: names become variables, fields, attributes and constants."""

from __future__ import annotations

from dataclasses import replace

from heapstory.constraints.binding.layout import Array, scalar_of
from heapstory.constraints.compile.access import FieldTerms, Partial, Scope, Value
from heapstory.constraints.compile.aggregates import AGGREGATES, Aggregate
from heapstory.constraints.compile.attributes import Attributes
from heapstory.constraints.compile.schema import Schema
from heapstory.constraints.language import syntax
from heapstory.constraints.language.oneliners import ONE_LINERS
from heapstory.constraints.plan import Expr, Kind, Op
from heapstory.constraints.plan.expressions import (
    FALSE,
    NULL,
    SAFE_ROOT,
    TRUE,
    negate,
    number,
    variable,
)
from heapstory.parsing import did_you_mean

LOGIC = {Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE, Op.AND, Op.OR, Op.NOT, Op.TRUE, Op.FALSE} | {
    Op.EXTERNAL, Op.INTERNAL, Op.ISROOT, Op.ISLEAF, Op.EDGE, Op.PATH, Op.ROOTED, Op.SAFE,
    Op.WRITTEN, Op.EXISTS,
}  # fmt: skip
ARITHMETIC_CALLS = {"min": Op.MIN, "max": Op.MAX, "abs": Op.ABS}
HASHES = ("djb2", "fnv1a", "fnv1a64", "sdbm")


class Terms(FieldTerms):
    """Resolves the terms of one constraint or rule."""

    def __init__(self, schema: Schema, attributes: Attributes, scope: Scope) -> None:
        self.schema, self.attributes, self.scope = schema, attributes, scope

    def inside(self, scope: Scope) -> Terms:
        return Terms(self.schema, self.attributes, scope)

    def expr(self, term: syntax.Term) -> Expr:
        return self.value(term).expr

    def truth(self, term: syntax.Term) -> Expr:
        expr = self.expr(term)
        if expr.op not in LOGIC and expr.op is not Op.IF:
            raise self.schema.fail("this is a value, not a condition (compare it: … == 0)", term.at)
        return expr

    def value(self, term: syntax.Term) -> Value:
        found = self.resolve(term)
        return found if isinstance(found, Value) else self.whole(found, term)

    def resolve(self, term: syntax.Term) -> Value | Partial:
        match term:
            case syntax.Name():
                return self._name(term)
            case syntax.Number(value=value):
                return Value(number(value))
            case syntax.Text(value=text):
                return Value(Expr(Op.TEXT, text=text))
            case syntax.Word(text="NULL"):
                return Value(NULL)
            case syntax.Word(text="*"):
                raise self.schema.fail("'*' stands only in COUNT(…, *)", term.at)
            case syntax.Word(text=text):
                return Value(TRUE if text == "true" else FALSE)
            case syntax.Member():
                return self.member(term)
            case syntax.Index():
                return self.index(term)
            case syntax.Operation():
                return Value(self._operation(term))
            case syntax.Connection():
                return Value(self._connection(term))
            case syntax.Call():
                return self._call(term)
            case syntax.Exists():
                return Value(self._exists(term))
        raise self.schema.fail("a list of fields stands only in an aggregate", term.at)

    # Names.

    def _name(self, term: syntax.Name) -> Value | Partial:
        name, scope = term.text, self.scope
        if scope.implied is not None:
            base, entry = scope.implied
            if entry.find_marked(name) or name in entry.layout.prefixes():
                return self.step(base, entry, name, None, term)
            if self.attributes.find(entry, name) is not None:
                return Value(self.attributes.read(entry, name, base))
        if name in scope.loops:
            return Value(variable(scope.loops[name]))
        if name in scope.numbers:
            return Value(variable(scope.numbers[name]), scope.variables[name], by_number=True)
        constant = self.schema.constant(name)
        if constant is not None:
            return Value(replace(number(constant), text=name))
        raise self._unknown(term)

    def _unknown(self, term: syntax.Name) -> Exception:
        name, schema = term.text, self.schema
        for entry in schema.declared():
            if entry.name == name:
                return schema.fail(
                    f"{name} is a type; declare a variable of it first: {name} X;", term.at
                )
        known = [*self.scope.variables, *self.scope.loops, *schema.values]
        if self.scope.implied:
            known += self.scope.implied[1].field_names()
        return schema.fail(
            f"'{name}' is neither a declared variable nor a known constant"
            f"{did_you_mean(name, known)}",
            term.at,
        )

    # Operators.

    def _operation(self, term: syntax.Operation) -> Expr:
        op = Op[term.op.upper()]
        if op in (Op.AND, Op.OR, Op.NOT):
            args = tuple(self.truth(arg) for arg in term.args)
            return negate(args[0]) if op is Op.NOT else Expr(op, args)
        if op is Op.IF:
            condition, first, second = term.args
            return Expr(op, (self.truth(condition), self.expr(first), self.expr(second)))
        values = [self.value(arg) for arg in term.args]
        if op in (Op.EQ, Op.NE) and (truth := self._compare_truth(op, values)) is not None:
            return truth
        if op in (Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE):
            return Expr(op, self._texts(values))
        return Expr(op, tuple(value.expr for value in values))

    def _compare_truth(self, op: Op, values: list[Value]) -> Expr | None:
        """``X.ISLEAF == true`` is X.ISLEAF itself."""
        for this, other in (values, values[::-1]):
            if this.expr.op in (Op.TRUE, Op.FALSE):
                wanted = (this.expr.op is Op.TRUE) == (op is Op.EQ)
                if other.expr.op in LOGIC:
                    return other.expr if wanted else negate(other.expr)
                return Expr(Op.NE if wanted else Op.EQ, (other.expr, number(0)))
        return None

    def _texts(self, values: list[Value]) -> tuple[Expr, ...]:
        """Two texts are compared as such, also where they are pointers to characters."""
        if all(_is_text(value) for value in values):
            return tuple(_as_text(value) for value in values)
        return tuple(value.expr for value in values)

    def _connection(self, term: syntax.Connection) -> Expr:
        edges = self.schema.edge_set(term.fields, term.at)
        self._check_arrow(term)
        ends = (self._object(term.source), self._object(term.target))
        expr = Expr(Op.PATH if term.is_path else Op.EDGE, ends, edges=edges)
        return negate(expr) if term.negated else expr

    def _check_arrow(self, term: syntax.Connection) -> None:
        """``X->next`` is C."""
        target = term.target
        if not isinstance(target, syntax.Name) or target.text in self.scope.variables:
            return
        source = self.value(term.source)
        if source.entry is not None and source.entry.find_marked(target.text) is not None:
            whole = f"{self._text(term.source)}.{target.text}"
            raise self.schema.fail(
                f"a field is written {whole}; X -> Y says that there is an edge", term.at
            )

    def _object(self, term: syntax.Term) -> Expr:
        value = self.value(term)
        if value.entry is None and value.part is None:
            raise self.schema.fail(f"{self._text(term)} is not a node", term.at)
        return value.expr

    def _exists(self, term: syntax.Exists) -> Expr:
        scope = self.scope
        entry = self.schema.find(term.type) if term.type else scope.variables.get(term.variable)
        if entry is None:
            raise self.schema.fail(
                f"say of what type {term.variable} is: exists TYPE {term.variable}: …", term.at
            )
        index = scope.bind()
        inner = replace(
            scope,
            variables={**scope.variables, term.variable: entry},
            numbers={**scope.numbers, term.variable: index},
        )
        body = self.inside(inner).truth(term.body)
        scope.next_bound = inner.next_bound
        return Expr(Op.EXISTS, (body,), index=index, type=entry.index)

    # Calls.

    def _call(self, term: syntax.Call) -> Value:
        if term.name in AGGREGATES:
            return Value(Aggregate(self, term).expr())
        if term.name in ARITHMETIC_CALLS:
            return Value(self._arithmetic_call(term))
        if term.name in ("LEN", "HASH"):
            return Value(self._text_call(term))
        if term.name == "rooted" and len(term.args) == 1:
            return Value(Expr(Op.ROOTED, (self._object(term.args[0]),)))
        if term.name == "WILD" and len(term.args) == 1:
            safe = Expr(Op.SAFE, (self.expr(term.args[0]),), text=SAFE_ROOT)
            return Value(Expr(Op.NOT, (safe,)))
        known = (*AGGREGATES, "LEN", "HASH", "WILD", "rooted", *ARITHMETIC_CALLS, *ONE_LINERS)
        if term.name in ONE_LINERS:
            raise self.schema.fail(f"{term.name}(…) is a statement of its own", term.at)
        raise self.schema.fail(
            f"unknown function '{term.name}'{did_you_mean(term.name, known)}", term.at
        )

    def _arithmetic_call(self, term: syntax.Call) -> Expr:
        wanted = 1 if term.name == "abs" else 2
        if len(term.args) != wanted:
            raise self.schema.fail(f"{term.name} takes {wanted} arguments", term.at)
        return Expr(ARITHMETIC_CALLS[term.name], tuple(self.expr(arg) for arg in term.args))

    def _text_call(self, term: syntax.Call) -> Expr:
        if not term.args:
            raise self.schema.fail(f"{term.name} takes a text", term.at)
        if term.name == "LEN" and (extent := self._extent(term.args[0])) is not None:
            return extent
        value = self.value(term.args[0])
        if not _is_text(value):
            raise self.schema.fail(f"{self._text(term.args[0])} is not a text", term.at)
        if term.name == "LEN":
            return Expr(Op.LENGTH, (_as_text(value),))
        name = "djb2"
        if len(term.args) > 1 and isinstance(term.args[1], syntax.Name):
            name = term.args[1].text
        if name not in HASHES:
            raise self.schema.fail(f"the hash functions are {', '.join(HASHES)}", term.at)
        return Expr(Op.HASH, (_as_text(value),), text=name)

    def _extent(self, term: syntax.Term) -> Expr | None:
        """``LEN(X.slots)`` of an array that is no text: how many elements it has."""
        found = self.resolve(term)
        if isinstance(found, Partial):
            base, entry = found.base, found.entry
            array = entry.layout.find(f"{found.path}[]")
        else:
            whole = found.entry if found.entry and found.entry.is_array else None
            if whole is None and found.part is not None and not _is_text(found):
                whole = self.schema.array_of(found.part)
            if whole is None:
                return None
            base, entry, array = found.expr, whole, whole.layout.parts[0]
        if not isinstance(array, Array) or array.element.is_char:
            return None
        return Expr(Op.EXTENT, (base,), index=entry.refer(array), type=entry.index)


def _is_text(value: Value) -> bool:
    if value.expr.op in (Op.TEXT, Op.STRING):
        return True
    part = value.part
    return part is not None and (
        scalar_of(part).kind is Kind.CHARS
        or (scalar_of(part).is_char and scalar_of(part).kind is Kind.POINTER)
    )


def _as_text(value: Value) -> Expr:
    is_pointer = value.part is not None and scalar_of(value.part).kind is Kind.POINTER
    return Expr(Op.STRING, (value.expr,)) if is_pointer else value.expr
