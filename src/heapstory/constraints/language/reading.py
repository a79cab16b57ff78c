"""Reading a specification: from text to its statements."""

from __future__ import annotations

from ast import literal_eval
from dataclasses import dataclass

from lark import Token, v_args
from lark.exceptions import VisitError
from lark.tree import Meta

from heapstory.constraints.language import syntax
from heapstory.constraints.language.grammar import parse_tree
from heapstory.constraints.language.oneliners import ONE_LINERS
from heapstory.constraints.language.syntax import Term
from heapstory.constraints.language.term_reader import TermReader, find_at, read_number
from heapstory.errors import SpecificationError


def parse(source: str, path: str = "<specification>") -> syntax.Specification:
    """The statements of a specification; `SpecificationError` if it does not parse."""
    try:
        return _Reader(source, path).transform(parse_tree(source, path))
    except VisitError as error:
        raise error.orig_exc from None


@dataclass(frozen=True, slots=True)
class _Count:
    """The length of an array, None if it goes to the block's end."""

    length: int | None


@dataclass(frozen=True, slots=True)
class _Decorations:
    signs: tuple[str, ...]
    length: int | None

    @property
    def mark(self) -> str:
        return next((sign for sign in self.signs if sign not in ("?", "!")), "")


@dataclass(frozen=True, slots=True)
class _Assignment:
    """``X.HEIGHT = value``."""

    variable: str
    attribute: str
    value: Term
    at: syntax.At


@v_args(inline=True, meta=True)
class _Reader(TermReader):
    """The rules of the grammar above ``term``."""

    def __init__(self, source: str, path: str) -> None:
        super().__init__()
        self._source, self._path = source, path

    def _fail(self, message: str, at: syntax.At) -> SpecificationError:
        return SpecificationError(message, self._path, self._source, at.line, at.column)

    def start(self, meta: Meta, *statements: syntax.Statement) -> syntax.Specification:
        return syntax.Specification(self._path, self._source, statements)

    # Types.

    def alias(self, meta: Meta, text: Token) -> str:
        return str(literal_eval(text))

    def holders(self, meta: Meta, *fields: str) -> tuple[str, ...]:
        return tuple(map(str, fields))

    def counted_type(
        self,
        meta: Meta,
        name: Token,
        alias: str | None,
        holders: tuple[str, ...] | None,
        fields: Token,
        edges: Token,
    ) -> syntax.TypeLine:
        counts = int(fields), int(edges)
        if counts[1] > counts[0]:
            raise self._fail(
                f"{name} has {counts[1]} edges but only {counts[0]} fields", find_at(edges)
            )
        return syntax.TypeLine(str(name), alias, holders or (), find_at(meta), counts=counts)

    def named_type(
        self,
        meta: Meta,
        name: Token,
        alias: str | None,
        holders: tuple[str, ...] | None,
        *fields: syntax.FieldLine,
    ) -> syntax.TypeLine:
        named: set[str] = set()
        for field in fields:
            if field.name in named:
                raise self._fail(
                    f"field '{field.name}' is named twice: all that is said of it stands in one "
                    "place, as in next*!;",
                    field.at,
                )
            named.add(field.name)
        return syntax.TypeLine(str(name), alias, holders or (), find_at(meta), fields=fields)

    def array_type(
        self,
        meta: Meta,
        name: Token,
        alias: str | None,
        holders: tuple[str, ...] | None,
        size: Token | None,
    ) -> syntax.TypeLine:
        element = int(size) if size else None
        at = find_at(meta)
        return syntax.TypeLine(str(name), alias, holders or (), at, is_array=True, element=element)

    def count(self, meta: Meta, length: Token | None) -> _Count:
        return _Count(int(length) if length else None)

    def decorations(self, meta: Meta, *parts: Token | _Count) -> _Decorations:
        counts = [part.length for part in parts if isinstance(part, _Count)]
        signs = tuple(str(part) for part in parts if isinstance(part, Token))
        return _Decorations(signs, counts[-1] if counts else 0)

    def value(self, meta: Meta, name: Token, number: int | float | None) -> tuple[str, int | None]:
        return str(name), None if number is None else int(number)

    def values(self, meta: Meta, *values: tuple[str, int | None]) -> tuple[tuple[str, int], ...]:
        """As in an enumeration of C: one more than the last where none is given."""
        named: list[tuple[str, int]] = []
        following = 0
        for name, given in values:
            number = following if given is None else given
            named.append((name, number))
            following = number + 1
        return tuple(named)

    def field(
        self,
        meta: Meta,
        name: str,
        decorations: _Decorations,
        target: Token | None,
        values: tuple[tuple[str, int], ...] | None,
    ) -> syntax.FieldLine:
        return syntax.FieldLine(
            name,
            decorations.length,
            decorations.mark,
            "?" in decorations.signs,
            "!" in decorations.signs,
            str(target) if target else None,
            values or (),
            find_at(meta),
        )

    # Other statements.

    def declaration(self, meta: Meta, type_name: Token, *variables: Token) -> syntax.Declaration:
        return syntax.Declaration(str(type_name), tuple(map(str, variables)), find_at(meta))

    def root(self, meta: Meta, word: Token, type_name: Token, *sources: str) -> syntax.RootLine:
        return syntax.RootLine(str(type_name), sources, find_at(meta))

    def frame(self, meta: Meta, word: Token, variable: str) -> str:
        return syntax.FRAME + variable

    def owner(self, meta: Meta, word: Token, type_name: Token, field: str) -> syntax.OwnerLine:
        return syntax.OwnerLine(str(type_name), field, True, find_at(meta))

    def no_alias(self, meta: Meta, word: Token, type_name: Token, field: str) -> syntax.OwnerLine:
        return syntax.OwnerLine(str(type_name), field, False, find_at(meta))

    def pause(self, meta: Meta, word: Token, *functions: Token) -> syntax.PauseLine:
        return syntax.PauseLine(tuple(map(str, functions)), find_at(meta))

    def number(self, meta: Meta, *minus_and_digits: Token) -> int | float:
        *minus, digits = minus_and_digits
        value = read_number(digits)
        return -value if minus else value

    def const(self, meta: Meta, name: Token, value: int | float) -> syntax.ConstLine:
        return syntax.ConstLine(str(name), value, find_at(meta))

    # Constraints and rules.

    def label(self, meta: Meta, name: Token) -> str:
        return str(name)

    def margin(self, meta: Meta, text: Token) -> str:
        return text.strip(".() \t")

    def loop(self, meta: Meta, variable: Token, first: Term, last: Term) -> syntax.Loop:
        return syntax.Loop(str(variable), first, last, find_at(meta))

    def plain(
        self,
        meta: Meta,
        label: str | None,
        loop: syntax.Loop | None,
        body: Term,
        margin: str | None,
    ) -> syntax.Statement:
        name, at = label or margin, find_at(meta)
        if isinstance(body, syntax.Call) and body.name in ONE_LINERS and loop is None:
            return syntax.OneLiner(name, body, at)
        bare = name is None and loop is None
        if bare and isinstance(body, syntax.Member) and isinstance(body.base, syntax.Name):
            return syntax.AttributeLine(body.base.text, body.name, at)
        return syntax.Constraint(name, loop, None, body, at)

    def guarded(
        self,
        meta: Meta,
        label: str | None,
        loop: syntax.Loop | None,
        guard: Term,
        implies: Token,
        body: Term,
        margin: str | None,
    ) -> syntax.Constraint:
        return syntax.Constraint(label or margin, loop, guard, body, find_at(meta))

    def assignment(self, meta: Meta, target: Term, sign: Token, value: Term) -> _Assignment:
        if isinstance(target, syntax.Member) and isinstance(target.base, syntax.Name | syntax.Word):
            return _Assignment(target.base.text, target.name, value, find_at(meta))
        raise self._fail(
            "only an attribute of a variable can be assigned, as in X.HEIGHT = 0 "
            "(to compare, write ==)",
            target.at,
        )

    def rule(
        self,
        meta: Meta,
        guard: Term,
        implies: Token,
        terminal: _Assignment,
        otherwise: Token,
        value: _Assignment,
    ) -> syntax.Rule:
        variable, attribute = terminal.variable, terminal.attribute
        if (value.variable, value.attribute) != (variable, attribute):
            raise self._fail(f"both sides of || must assign {variable}.{attribute}", value.at)
        return syntax.Rule(guard, terminal.value, variable, attribute, value.value, find_at(meta))

    def plain_rule(self, meta: Meta, only: _Assignment) -> syntax.Rule:
        return syntax.Rule(None, None, only.variable, only.attribute, only.value, find_at(meta))
