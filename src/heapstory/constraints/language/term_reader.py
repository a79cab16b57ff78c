"""Reading terms: one method for every rule of the grammar that makes one."""

from __future__ import annotations

from ast import literal_eval

from lark import Token, Transformer, v_args
from lark.tree import Meta

from heapstory.constraints.language import syntax
from heapstory.constraints.language.syntax import Term

COMPARISONS = {
    "==": "eq", "!=": "ne", "≠": "ne", "<": "lt", "<=": "le", "≤": "le",
    ">": "gt", ">=": "ge", "≥": "ge",
}  # fmt: skip
ARITHMETIC = {"+": "add", "-": "sub", "−": "sub", "*": "mul", "/": "div", "%": "mod"}
NO_ARROWS = ("↛", "⤀", "⤁", "↠̸")
PATH_ARROWS = (">>", "↠", "⤀", "⤁", "↠̸")


def find_at(part: Meta | Token) -> syntax.At:
    """Where a part of the text stands."""
    return syntax.At(part.line or 1, part.column or 1, part.start_pos or 0, part.end_pos or 0)


def read_number(token: Token) -> int | float:
    """The value of a number or a character."""
    if token.type == "CHARACTER":
        return ord(literal_eval(token))
    return float(token) if token.type == "FLOAT" else int(token, 0 if "x" in token.lower() else 10)


@v_args(inline=True, meta=True)
class TermReader(Transformer[Token, syntax.Specification]):
    """The rules of the grammar below ``term``."""

    def name(self, meta: Meta, text: Token) -> Term:
        return syntax.Name(str(text), find_at(meta))

    def literal(self, meta: Meta, text: Token) -> Term:
        return syntax.Number(read_number(text), find_at(meta))

    def string(self, meta: Meta, text: Token) -> Term:
        return syntax.Text(str(literal_eval(text)), find_at(meta))

    def null(self, meta: Meta) -> Term:
        return syntax.Word("NULL", find_at(meta))

    def star(self, meta: Meta, text: Token) -> Term:
        return syntax.Word(str(text), find_at(meta))

    def word(self, meta: Meta, text: Token) -> Term:
        return syntax.Word(text.lower(), find_at(meta))

    def group(self, meta: Meta, inside: Term) -> Term:
        return inside

    def dotted(self, meta: Meta, *names: Token) -> str:
        return ".".join(names)

    def edge(self, meta: Meta, name: str, element: Token | None) -> str:
        return f"{name}[{element}]" if element else name

    def fields(self, meta: Meta, *names: str) -> Term:
        return syntax.Fields(names, find_at(meta))

    def member(self, meta: Meta, base: Term, name: Token) -> Term:
        return syntax.Member(base, str(name), find_at(meta))

    def numbered(self, meta: Meta, base: Term, position: Token) -> Term:
        number = syntax.Number(int(position), find_at(position))
        return syntax.Index(base, (number,), find_at(meta), numbered=True)

    def arguments(self, meta: Meta, *terms: Term) -> tuple[Term, ...]:
        return terms

    def index(self, meta: Meta, base: Term, items: tuple[Term, ...]) -> Term:
        return syntax.Index(base, items, find_at(meta))

    def call(self, meta: Meta, name: Token, arguments: tuple[Term, ...] | None) -> Term:
        return syntax.Call(str(name), arguments or (), find_at(meta))

    def absolute(self, meta: Meta, inside: Term) -> Term:
        return syntax.Operation("abs", (inside,), find_at(meta))

    def negative(self, meta: Meta, minus: Token, value: Term) -> Term:
        if isinstance(value, syntax.Number):
            return syntax.Number(-value.value, find_at(meta))
        return syntax.Operation("neg", (value,), find_at(meta))

    def operation(self, meta: Meta, left: Term, sign: Token, right: Term) -> Term:
        return syntax.Operation(ARITHMETIC[sign], (left, right), find_at(meta))

    def bits(self, meta: Meta, left: Term, right: Term) -> Term:
        return syntax.Operation("bitand", (left, right), find_at(meta))

    def comparison(self, meta: Meta, left: Term, sign: Token, right: Term) -> Term:
        return syntax.Operation(COMPARISONS[sign], (left, right), find_at(meta))

    def both(self, meta: Meta, left: Term, word: Token, right: Term) -> Term:
        return syntax.Operation("and", (left, right), find_at(meta))

    def either(self, meta: Meta, left: Term, word: Token, right: Term) -> Term:
        return syntax.Operation("or", (left, right), find_at(meta))

    def negated(self, meta: Meta, word: Token, inside: Term) -> Term:
        return syntax.Operation("not", (inside,), find_at(meta))

    def conditional(self, meta: Meta, *condition_yes_no: Term) -> Term:
        return syntax.Operation("if", condition_yes_no, find_at(meta))

    def exists(self, meta: Meta, first: Token, second: Token | None, body: Term) -> Term:
        kind, variable = (str(first), str(second)) if second else (None, str(first))
        return syntax.Exists(kind, variable, body, find_at(meta))

    def reachable(self, meta: Meta, node: Term, words: Token, start: Term) -> Term:
        """What the start points to is reachable from it, and all that paths lead to from there."""
        at = find_at(meta)
        itself = syntax.Operation("eq", (node, start), at)
        below = syntax.Connection(True, False, None, start, node, at)
        return syntax.Operation("or", (itself, below), at)

    def arrow(self, meta: Meta, source: Term, arrow: Token, target: Term) -> Term:
        text, fields = str(arrow), None
        if text.startswith("-["):
            inside, text = text[2:].rsplit("]", 1)
            fields = tuple(name.strip() for name in inside.split(","))
        negated = "/" in text or text.strip() in NO_ARROWS
        is_path = text.endswith(PATH_ARROWS)
        return syntax.Connection(is_path, negated, fields, source, target, find_at(meta))
