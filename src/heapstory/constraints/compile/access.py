"""Getting at fields: ``X.left.key``, ``X.slot[i].key``, ``X[2].(1)``, ``X.INDEGREE[left]``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from heapstory.constraints.binding.layout import Array, Scalar, scalar_of
from heapstory.constraints.compile.attributes import Attributes
from heapstory.constraints.compile.schema import TEXT_PREFIX, Entry, Schema
from heapstory.constraints.language import syntax
from heapstory.constraints.language.syntax import DEGREES
from heapstory.constraints.plan import Expr, Kind, Op
from heapstory.constraints.plan.expressions import number
from heapstory.parsing import did_you_mean


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


class FieldTerms(ABC):
    """The part of resolving terms that has to do with fields."""

    schema: Schema
    attributes: Attributes
    scope: Scope

    @abstractmethod
    def inside(self, scope: Scope) -> FieldTerms:
        """The same for the terms inside one that binds a name."""

    @abstractmethod
    def resolve(self, term: syntax.Term) -> Value | Partial:
        """A term, perhaps only on its way to a field."""

    @abstractmethod
    def value(self, term: syntax.Term) -> Value:
        """A term that is something by itself."""

    @abstractmethod
    def expr(self, term: syntax.Term) -> Expr:
        """A term as an expression of the plan."""

    @abstractmethod
    def truth(self, term: syntax.Term) -> Expr:
        """A term that must be true or false, as an expression."""

    def member(self, term: syntax.Member) -> Value | Partial:
        found = self.resolve(term.base)
        if isinstance(found, Partial):
            path = f"{found.path}.{term.name}"
            return self.step(found.base, found.entry, path, found.index, term)
        if found.expr.op is Op.NULL:
            raise self.schema.fail("NULL has no fields", term.at)
        if found.entry is None:
            raise self.schema.fail(
                f"{self._text(term.base)} does not lead to a node of a known type, so it has no "
                f"'{term.name}' (declare the type, or name it at the field: next* : node;)",
                term.at,
            )
        if term.name in DEGREES:
            return Value(Expr(Op[term.name], (found.expr,)))
        if self.attributes.find(found.entry, term.name) is not None:
            return Value(self.attributes.read(found.entry, term.name, found.expr))
        return self.step(found.expr, found.entry, term.name, None, term)

    def step(
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

    def whole(self, found: Partial, term: syntax.Term) -> Value:
        """A name that is no single field: an array of characters is a text."""
        array = found.entry.layout.find(f"{found.path}[]")
        if isinstance(array, Array) and array.element.is_char and found.index is None:
            first = array.element
            text = Scalar(TEXT_PREFIX + found.path, first.offset, array.count or 1, Kind.CHARS)
            return self._read(found.base, found.entry, text, None)
        if found.index is not None and (value := self._structure(found)) is not None:
            return value
        what = "an array: say which element" if array else "a structure: name a field of it"
        raise self.schema.fail(f"{self._text(term)} is {what}", term.at)

    def _structure(self, found: Partial) -> Value | None:
        """An element of an array of structures, as a node."""
        parts = [p for p in found.entry.layout.parts if p.name.startswith(f"{found.path}.")]
        entry = self.schema.element_type(found.entry, found.path)
        first = parts[0] if parts else None
        if entry is None or found.index is None or not isinstance(first, Array):
            return None
        start = 0 if found.path == "[]" else min(scalar_of(part).offset for part in parts)
        args = (found.base, found.index)
        return Value(Expr(Op.ELEMENT, args, index=start, number=first.stride), entry)

    def index(self, term: syntax.Index) -> Value | Partial:
        base = term.base
        if isinstance(base, syntax.Member) and base.name in DEGREES:
            names = tuple(_field_name(item, self.schema) for item in term.items)
            degree = self.member(base)
            assert isinstance(degree, Value)
            return Value(replace(degree.expr, edges=self.schema.edge_set(names, term.at)))
        if len(term.items) != 1:
            raise self.schema.fail("one index, please: X[i]", term.at)
        index = self.expr(term.items[0])
        found = self.resolve(base)
        if isinstance(found, Partial):
            return self._element(found, index, term)
        if term.numbered or found.by_number:
            return self._numbered(found, index, term)
        array = self._array_behind(found)
        if array is None:
            raise self.schema.fail(f"{self._text(base)} is not an array", term.at)
        return self.step(found.expr, array, "[]", index, term)

    def _array_behind(self, found: Value) -> Entry | None:
        if found.part is None or found.expr.type is None:
            return None
        return self.schema.array_behind(self.schema.entries[found.expr.type], found.part)

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
        return self.step(found.base, found.entry, f"{found.path}[]", index, term)

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

    def _text(self, term: syntax.Term) -> str:
        return self.schema.specification.text(term.at) or "this"


def _minus_one(index: Expr) -> Expr:
    if index.op is Op.NUMBER:
        return number(index.number - 1)
    if index.op is Op.ADD and index.args[1] == number(1):
        return index.args[0]
    return Expr(Op.SUB, (index, number(1)))


def _field_name(term: syntax.Term, schema: Schema) -> str:
    if name := syntax.dotted(term):
        return name
    raise schema.fail("the name of a field is wanted here", term.at)
