"""Reading a specification: from text to its statements."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
from typing import Any

from lark import Token, Tree

from heapstory.constraints.language import syntax
from heapstory.constraints.language.grammar import parse_tree
from heapstory.constraints.language.oneliners import ONE_LINERS
from heapstory.errors import SpecificationError

COMPARISONS = {
    "==": "eq", "!=": "ne", "≠": "ne", "<": "lt", "<=": "le", "≤": "le",
    ">": "gt", ">=": "ge", "≥": "ge",
}  # fmt: skip
ARITHMETIC = {"+": "add", "-": "sub", "−": "sub", "*": "mul", "/": "div", "%": "mod"}
NO_ARROWS = ("↛", "⤀", "⤁", "↠̸")
PATH_ARROWS = (">>", "↠", "⤀", "⤁", "↠̸")


def parse(source: str, path: str = "<specification>") -> syntax.Specification:
    """The statements of a specification; `SpecificationError` if it does not parse."""
    reader = _Reader(source, path)
    tree = parse_tree(source, path)
    return syntax.Specification(path, source, tuple(reader.statement(t) for t in tree.children))


def find_at(tree: Tree[Token] | Token) -> syntax.At:
    """Where a part of the text stands."""
    if isinstance(tree, Token):
        return syntax.At(tree.line or 1, tree.column or 1, tree.start_pos or 0, tree.end_pos or 0)
    meta = tree.meta
    return syntax.At(meta.line, meta.column, meta.start_pos, meta.end_pos)


class _Reader:
    def __init__(self, source: str, path: str) -> None:
        self.source, self.path = source, path

    def fail(self, message: str, at: syntax.At) -> SpecificationError:
        return SpecificationError(message, self.path, self.source, at.line, at.column)

    def statement(self, tree: Any) -> syntax.Statement:
        read: Callable[[Any, syntax.At], syntax.Statement] = getattr(self, f"_{tree.data}")
        return read(tree.children, find_at(tree))

    # Types.

    def _counted_type(self, parts: Any, at: syntax.At) -> syntax.TypeLine:
        name, alias, holders, fields, edges = parts
        counts = int(fields), int(edges)
        if counts[1] > counts[0]:
            raise self.fail(
                f"{name} has {counts[1]} edges but only {counts[0]} fields", find_at(edges)
            )
        return syntax.TypeLine(str(name), _alias(alias), _holders(holders), at, counts=counts)

    def _named_type(self, parts: Any, at: syntax.At) -> syntax.TypeLine:
        name, alias, holders, *fields = parts
        lines = tuple(self._field(field) for field in fields)
        return syntax.TypeLine(str(name), _alias(alias), _holders(holders), at, fields=lines)

    def _array_type(self, parts: Any, at: syntax.At) -> syntax.TypeLine:
        name, alias, holders, size = parts
        element = int(size) if size else None
        return syntax.TypeLine(
            str(name), _alias(alias), _holders(holders), at, is_array=True, element=element
        )

    def _field(self, tree: Any) -> syntax.FieldLine:
        name, decorations, target, values = tree.children
        length: int | None = 0
        for count in decorations.find_data("count"):
            length = int(count.children[0]) if count.children[0] else None
        signs = [str(token) for token in decorations.children if isinstance(token, Token)]
        marks = [sign for sign in signs if sign not in ("?", "!")]
        named, next_value = [], 0
        for value in values.children if values else ():
            word, number = value.children
            next_value = int(self._number(number)) if number else next_value
            named.append((str(word), next_value))
            next_value += 1
        return syntax.FieldLine(
            _dotted(name),
            length,
            marks[0] if marks else "",
            "?" in signs,
            "!" in signs,
            str(target) if target else None,
            tuple(named),
            find_at(tree),
        )

    def _number(self, tree: Any) -> int | float:
        *minus, digits = tree.children
        value = _literal(digits)
        return -value if minus else value

    # Other statements.

    def _declaration(self, parts: Any, at: syntax.At) -> syntax.Declaration:
        return syntax.Declaration(str(parts[0]), tuple(map(str, parts[1:])), at)

    def _root(self, parts: Any, at: syntax.At) -> syntax.RootLine:
        return syntax.RootLine(str(parts[1]), tuple(map(_dotted, parts[2:])), at)

    def _owner(self, parts: Any, at: syntax.At) -> syntax.OwnerLine:
        return syntax.OwnerLine(str(parts[1]), _dotted(parts[2]), True, at)

    def _no_alias(self, parts: Any, at: syntax.At) -> syntax.OwnerLine:
        return syntax.OwnerLine(str(parts[1]), _dotted(parts[2]), False, at)

    def _pause(self, parts: Any, at: syntax.At) -> syntax.PauseLine:
        return syntax.PauseLine(tuple(map(str, parts[1:])), at)

    def _const(self, parts: Any, at: syntax.At) -> syntax.ConstLine:
        return syntax.ConstLine(str(parts[0]), self._number(parts[1]), at)

    def _plain(self, parts: Any, at: syntax.At) -> syntax.Statement:
        label, loop, body, margin = parts
        term, name = self.term(body), _label(label, margin)
        if isinstance(term, syntax.Call) and term.name in ONE_LINERS and loop is None:
            return syntax.OneLiner(name, term, at)
        bare = name is None and loop is None
        if bare and isinstance(term, syntax.Member) and isinstance(term.base, syntax.Name):
            return syntax.AttributeLine(term.base.text, term.name, at)
        return syntax.Constraint(name, self._loop(loop), None, term, at)

    def _guarded(self, parts: Any, at: syntax.At) -> syntax.Constraint:
        label, loop, guard, _, body, margin = parts
        name = _label(label, margin)
        return syntax.Constraint(name, self._loop(loop), self.term(guard), self.term(body), at)

    def _loop(self, tree: Any) -> syntax.Loop | None:
        if tree is None:
            return None
        name, first, last = tree.children
        return syntax.Loop(str(name), self.term(first), self.term(last), find_at(tree))

    def _rule(self, parts: Any, at: syntax.At) -> syntax.Rule:
        guard, _, first, _, second = parts
        variable, attribute, terminal = self._assignment(first)
        other, again, value = self._assignment(second)
        if (other, again) != (variable, attribute):
            raise self.fail(f"both sides of || must assign {variable}.{attribute}", find_at(second))
        return syntax.Rule(self.term(guard), terminal, variable, attribute, value, at)

    def _plain_rule(self, parts: Any, at: syntax.At) -> syntax.Rule:
        variable, attribute, value = self._assignment(parts[0])
        return syntax.Rule(None, None, variable, attribute, value, at)

    def _assignment(self, tree: Any) -> tuple[str, str, syntax.Term]:
        target, _, value = tree.children
        term = self.term(target)
        if isinstance(term, syntax.Member) and isinstance(term.base, syntax.Name | syntax.Word):
            return term.base.text, term.name, self.term(value)
        raise self.fail(
            "only an attribute of a variable can be assigned, as in X.HEIGHT = 0 "
            "(to compare, write ==)",
            term.at,
        )

    # Terms.

    def term(self, tree: Any) -> syntax.Term:
        read: Callable[[Any, syntax.At], syntax.Term] = getattr(self, f"_term_{tree.data}")
        return read(tree.children, find_at(tree))

    def terms(self, trees: Any) -> tuple[syntax.Term, ...]:
        return tuple(self.term(tree) for tree in trees)

    def _term_name(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Name(str(parts[0]), at)

    def _term_integer(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Number(_literal(parts[0]), at)

    _term_float = _term_integer

    def _term_string(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Text(str(literal_eval(parts[0])), at)

    def _term_null(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Word("NULL", at)

    def _term_star(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Word("*", at)

    def _term_word(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Word(str(parts[0]).lower(), at)

    def _term_group(self, parts: Any, at: syntax.At) -> syntax.Term:
        return self.term(parts[0])

    def _term_fields(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Fields(tuple(map(_dotted, parts)), at)

    def _term_member(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Member(self.term(parts[0]), str(parts[1]), at)

    def _term_numbered(self, parts: Any, at: syntax.At) -> syntax.Term:
        number = syntax.Number(int(parts[1]), find_at(parts[1]))
        return syntax.Index(self.term(parts[0]), (number,), at, numbered=True)

    def _term_index(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Index(self.term(parts[0]), self.terms(parts[1].children), at)

    def _term_call(self, parts: Any, at: syntax.At) -> syntax.Term:
        name, arguments = parts
        args = self.terms(arguments.children) if arguments else ()
        return syntax.Call(str(name), args, at)

    def _term_absolute(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Operation("abs", self.terms(parts), at)

    def _term_negative(self, parts: Any, at: syntax.At) -> syntax.Term:
        value = self.term(parts[1])
        if isinstance(value, syntax.Number):
            return syntax.Number(-value.value, at)
        return syntax.Operation("neg", (value,), at)

    def _term_operation(self, parts: Any, at: syntax.At) -> syntax.Term:
        left, sign, right = parts
        return syntax.Operation(ARITHMETIC[sign], self.terms((left, right)), at)

    def _term_bits(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Operation("bitand", self.terms(parts), at)

    def _term_comparison(self, parts: Any, at: syntax.At) -> syntax.Term:
        left, sign, right = parts
        return syntax.Operation(COMPARISONS[sign], self.terms((left, right)), at)

    def _term_both(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Operation("and", self.terms((parts[0], parts[2])), at)

    def _term_either(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Operation("or", self.terms((parts[0], parts[2])), at)

    def _term_negated(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Operation("not", (self.term(parts[1]),), at)

    def _term_conditional(self, parts: Any, at: syntax.At) -> syntax.Term:
        return syntax.Operation("if", self.terms(parts), at)

    def _term_exists(self, parts: Any, at: syntax.At) -> syntax.Term:
        first, second, body = parts
        kind, variable = (str(first), str(second)) if second else (None, str(first))
        return syntax.Exists(kind, variable, self.term(body), at)

    def _term_arrow(self, parts: Any, at: syntax.At) -> syntax.Term:
        left, arrow, right = parts
        text, fields = str(arrow), None
        if text.startswith("-["):
            inside, text = text[2:].split("]", 1)
            fields = tuple(name.strip() for name in inside.split(","))
        negated = "/" in text or text.strip() in NO_ARROWS
        is_path = text.endswith(PATH_ARROWS)
        ends = self.term(left), self.term(right)
        return syntax.Connection(is_path, negated, fields, *ends, at)


def _alias(tree: Any) -> str | None:
    return str(literal_eval(tree.children[0])) if tree else None


def _holders(tree: Any) -> tuple[str, ...]:
    if tree is None:
        return ()
    return tuple("*" if isinstance(p, Token) else _dotted(p) for p in tree.children)


def _dotted(tree: Any) -> str:
    return ".".join(map(str, tree.children))


def _label(label: Any, margin: Any) -> str | None:
    if label is not None:
        return str(label.children[0])
    return str(margin.children[0]).strip(".() \t") if margin is not None else None


def _literal(token: Token) -> int | float:
    if token.type == "CHARACTER":
        return ord(literal_eval(token))
    return float(token) if token.type == "FLOAT" else int(token, 0 if "x" in token.lower() else 10)
