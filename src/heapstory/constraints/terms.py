"""Giving meaning to terms: names become variables, fields, attributes and constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from heapstory.constraints import syntax
from heapstory.constraints.expressions import FALSE, NULL, TRUE, negate, number, variable
from heapstory.constraints.layout import Array, Scalar, scalar_of
from heapstory.constraints.plan import Expr, Kind, Op
from heapstory.constraints.schema import TEXT_PREFIX, Entry, Schema
from heapstory.parsing import did_you_mean

if TYPE_CHECKING:
    from heapstory.constraints.attributes import Attributes

DEGREES = {
    "INDEGREE": Op.INDEGREE,
    "OUTDEGREE": Op.OUTDEGREE,
    "EXTERNAL": Op.EXTERNAL,
    "INTERNAL": Op.INTERNAL,
    "ISROOT": Op.ISROOT,
    "ISLEAF": Op.ISLEAF,
}
LOGIC = {Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE, Op.AND, Op.OR, Op.NOT, Op.TRUE, Op.FALSE} | {
    Op.EXTERNAL, Op.INTERNAL, Op.ISROOT, Op.ISLEAF, Op.EDGE, Op.PATH, Op.ROOTED, Op.SAFE, Op.EXISTS,
}  # fmt: skip
ARITHMETIC_CALLS = {"min": Op.MIN, "max": Op.MAX, "abs": Op.ABS}
HASHES = ("djb2", "fnv1a", "fnv1a64", "sdbm")


@dataclass(frozen=True, slots=True)
class Value:
    """A resolved term. `entry`: the type of the object it is or points to; `part`: the field it
    was read from; `by_number`: reached in the thesis' way, so that ``[n]`` counts fields."""

    expr: Expr
    entry: Entry | None = None
    part: Scalar | Array | None = None
    by_number: bool = False


@dataclass(frozen=True, slots=True)
class Partial:
    """A name on its way to a field: ``X.link``, ``X.slot[i]``."""

    base: Expr
    entry: Entry
    path: str
    index: Expr | None


@dataclass
class Scope:
    """The names in force: variables with their types and numbers, loop variables, and inside an
    aggregate the object whose fields may be named alone."""

    variables: Mapping[str, Entry]
    numbers: dict[str, int] = field(default_factory=dict)
    loops: dict[str, int] = field(default_factory=dict)
    implied: tuple[Expr, Entry] | None = None
    next_bound: int = 1000

    def bind(self) -> int:
        """A number for a variable bound inside a term; the compiler renumbers them."""
        self.next_bound += 1
        return self.next_bound


class Terms:
    """Resolves the terms of one constraint or rule."""

    def __init__(self, schema: Schema, attributes: Attributes, scope: Scope) -> None:
        self.schema, self.attributes, self.scope = schema, attributes, scope

    def expr(self, term: syntax.Term) -> Expr:
        """A term as an expression of the plan."""
        return self.value(term).expr

    def truth(self, term: syntax.Term) -> Expr:
        """A term that must be true or false."""
        expr = self.expr(term)
        if expr.op not in LOGIC and expr.op is not Op.IF:
            raise self.schema.fail("this is a value, not a condition (compare it: … == 0)", term.at)
        return expr

    def value(self, term: syntax.Term) -> Value:
        found = self._resolve(term)
        return found if isinstance(found, Value) else self._whole(found, term)

    def _resolve(self, term: syntax.Term) -> Value | Partial:
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
                return self._member(term)
            case syntax.Index():
                return self._index(term)
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
                return self._step(base, entry, name, None, term)
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

    # Fields.

    def _member(self, term: syntax.Member) -> Value | Partial:
        found = self._resolve(term.base)
        if isinstance(found, Partial):
            path = f"{found.path}.{term.name}"
            return self._step(found.base, found.entry, path, found.index, term)
        if found.expr.op is Op.NULL:
            raise self.schema.fail("NULL has no fields", term.at)
        if found.entry is None:
            raise self.schema.fail(
                f"{self._text(term.base)} does not lead to a node of a known type, so it has no "
                f"'{term.name}' (declare the type, or name it at the field: next* : node;)",
                term.at,
            )
        if term.name in DEGREES:
            return Value(Expr(DEGREES[term.name], (found.expr,)))
        if self.attributes.find(found.entry, term.name) is not None:
            return Value(self.attributes.read(found.entry, term.name, found.expr))
        return self._step(found.expr, found.entry, term.name, None, term)

    def _step(
        self, base: Expr, entry: Entry, path: str, index: Expr | None, term: syntax.Term
    ) -> Value | Partial:
        part = entry.layout.find(path)
        if isinstance(part, Scalar) and index is None:
            return self._read(base, entry, part, None)
        if isinstance(part, Array) and index is not None:
            return self._read(base, entry, part, index)
        if path in entry.layout.prefixes():
            return Partial(base, entry, path, index)
        known = [*entry.field_names(), *self.attributes.names(entry), *DEGREES]
        raise self.schema.fail(
            f"{entry.name} has no field or attribute '{path.replace('[]', '')}'"
            f"{did_you_mean(path.replace('[]', ''), known)}",
            term.at,
        )

    def _read(
        self,
        base: Expr,
        entry: Entry,
        part: Scalar | Array,
        index: Expr | None,
        number: bool = False,
    ) -> Value:
        op, args = (Op.FIELD, (base,)) if index is None else (Op.INDEX, (base, index))
        expr = Expr(op, args, index=entry.refer(part), type=entry.index)
        return Value(expr, self.schema.target(entry, part), part, by_number=number)

    def _whole(self, found: Partial, term: syntax.Term) -> Value:
        """A name that is no single field: an array of characters is a text."""
        array = found.entry.layout.find(f"{found.path}[]")
        if isinstance(array, Array) and array.element.is_char and found.index is None:
            first = array.element
            text = Scalar(TEXT_PREFIX + found.path, first.offset, array.count or 1, Kind.CHARS)
            return self._read(found.base, found.entry, text, None)
        what = "an array: say which element" if array else "a structure: name a field of it"
        raise self.schema.fail(f"{self._text(term)} is {what}", term.at)

    def _index(self, term: syntax.Index) -> Value | Partial:
        base = term.base
        if isinstance(base, syntax.Member) and base.name in DEGREES:
            names = tuple(_field_name(item, self.schema) for item in term.items)
            degree = self._member(base)
            assert isinstance(degree, Value)
            return Value(replace(degree.expr, edges=self.schema.edge_set(names, term.at)))
        if len(term.items) != 1:
            raise self.schema.fail("one index, please: X[i]", term.at)
        index = self.expr(term.items[0])
        found = self._resolve(base)
        if isinstance(found, Partial):
            return self._element(found, index, term)
        if term.numbered or found.by_number:
            return self._numbered(found, index, term)
        array = self.schema.array_of(found.part) if found.part is not None else None
        if array is None:
            raise self.schema.fail(f"{self._text(base)} is not an array", term.at)
        return self._step(found.expr, array, "[]", index, term)

    def _element(self, found: Partial, index: Expr, term: syntax.Term) -> Value | Partial:
        if index.op is Op.NUMBER:
            expanded = f"{found.path}[{index.number}]"
            if expanded in found.entry.layout.prefixes():
                return Partial(found.base, found.entry, expanded, found.index)
        if found.index is not None:
            raise self.schema.fail("only one index of an array of arrays may vary", term.at)
        if index.op is Op.NUMBER:
            array = found.entry.layout.find(f"{found.path}[]")
            count = array.count if isinstance(array, Array) else None
            if count is not None and not 0 <= index.number < count:
                raise self.schema.fail(
                    f"{found.entry.name}.{found.path} has {count} elements, 0 to {count - 1}, so "
                    f"there is no [{index.number}]",
                    term.at,
                )
        return self._step(found.base, found.entry, f"{found.path}[]", index, term)

    def _numbered(self, found: Value, index: Expr, term: syntax.Term) -> Value:
        """``X[n]``: the n-th field, from 1."""
        entry = found.entry
        if entry is None:
            raise self.schema.fail(
                f"{self._text(term)} does not lead to a node of a known type", term.at
            )
        if entry.is_array:
            array = entry.layout.parts[0]
            zero_based = _minus_one(index)
            return self._read(found.expr, entry, array, zero_based, number=True)
        flat = list(entry.layout.flat())
        if index.op is not Op.NUMBER:
            return self._read(
                found.expr, entry, self._uniform(entry, term), _minus_one(index), True
            )
        if not 1 <= index.number <= len(flat):
            raise self.schema.fail(
                f"{entry.name} has {len(flat)} fields, X[1] to X[{len(flat)}], so there is no "
                f"[{index.number}]",
                term.at,
            )
        part, position = flat[int(index.number) - 1]
        inside = number(position) if isinstance(part, Array) else None
        return self._read(found.expr, entry, part, inside, number=True)

    def _uniform(self, entry: Entry, term: syntax.Term) -> Array:
        """All fields of a type as one array, for ``X[I]``."""
        scalars = []
        for part, position in entry.layout.flat():
            stride = part.stride if isinstance(part, Array) else 0
            first = scalar_of(part)
            scalars.append(replace(first, offset=first.offset + position * stride))
        first = scalars[0]
        alike = all(
            (s.size, s.kind, s.offset) == (first.size, first.kind, first.offset + i * first.size)
            for i, s in enumerate(scalars)
        )
        if not alike:
            raise self.schema.fail(
                f"the fields of {entry.name} are not all alike, so an index cannot vary over them "
                "(name an array in it: X.key[I])",
                term.at,
            )
        return Array(replace(first, name="fields[]"), first.size, len(scalars))

    # Operators.

    def _operation(self, term: syntax.Operation) -> Expr:
        op = Op(term.op)
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
        ends = (self._object(term.source), self._object(term.target))
        expr = Expr(Op.PATH if term.is_path else Op.EDGE, ends, edges=edges)
        return negate(expr) if term.negated else expr

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
        body = Terms(self.schema, self.attributes, inner).truth(term.body)
        scope.next_bound = inner.next_bound
        return Expr(Op.EXISTS, (body,), index=index, type=entry.index)

    # Calls.

    def _call(self, term: syntax.Call) -> Value:
        if term.name in ("COUNT", "SUM", "MIN", "MAX"):
            return Value(self.attributes.aggregate(self, term))
        if term.name in ARITHMETIC_CALLS:
            return Value(self._arithmetic_call(term))
        if term.name in ("LEN", "HASH"):
            return Value(self._text_call(term))
        if term.name == "rooted" and len(term.args) == 1:
            return Value(Expr(Op.ROOTED, (self._object(term.args[0]),)))
        known = ("COUNT", "SUM", "MIN", "MAX", "LEN", "HASH", "rooted", *ARITHMETIC_CALLS)
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
        found = self._resolve(term)
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

    def _text(self, term: syntax.Term) -> str:
        return self.schema.specification.text(term.at) or "this"


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


def _minus_one(index: Expr) -> Expr:
    if index.op is Op.NUMBER:
        return number(index.number - 1)
    if index.op is Op.ADD and index.args[1] == number(1):
        return index.args[0]
    return Expr(Op.SUB, (index, number(1)))


def _field_name(term: syntax.Term, schema: Schema) -> str:
    if isinstance(term, syntax.Name):
        return term.text
    if isinstance(term, syntax.Member):
        return f"{_field_name(term.base, schema)}.{term.name}"
    raise schema.fail("the name of a field is wanted here", term.at)
