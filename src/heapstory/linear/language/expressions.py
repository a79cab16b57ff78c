"""Guards, statements and expressions of the raw tree, with their names and types resolved."""

from __future__ import annotations

from typing import Any

from heapstory.errors import SpecificationError
from heapstory.linear.language.syntax import (
    LARGE,
    Assign,
    Condition,
    Const,
    Expr,
    Field,
    Free,
    Global,
    Guard,
    Index,
    Local,
    Malloc,
    NoNode,
    OwnId,
    Place,
    Position,
    Read,
    Return,
    Statement,
    Sum,
    Variable,
)

CONSTANTS = {"NULL": 0, "EMPTY": -2, "TRUE": 1, "FALSE": 0, "MIN": -LARGE, "MAX": LARGE}
ROP = {"≠": "!=", "≤": "<=", "≥": ">=", "=": "=="}
Scope = dict[str, Variable]


class Expressions:
    """Resolves what stands in sub-operations, given the types and globals declared so far."""

    def __init__(self, source: str, path: str) -> None:
        self.source, self.path = source, path
        self.structs: dict[str, tuple[Variable, ...]] = {}
        self.globals: Scope = {}
        self.lenient = False
        self.labels = 0

    def fail(self, message: str, node: Any) -> SpecificationError:
        """An error at a node of the raw tree."""
        line, column = (node.line, node.column) if hasattr(node, "line") else (node[1], node[2])
        return SpecificationError(message, self.path, self.source, line or 1, column or 1)

    def guard(self, node: Any, scope: Scope) -> Guard:
        """A condition, or that no node satisfies some."""
        if node[0] != "nonode":
            return self.condition(node, scope)
        struct, name, *inner = node[3]
        if str(struct) not in self.structs:
            raise self.fail(f"unknown type '{struct}'", struct)
        if str(name) in scope or str(name) in self.globals:
            raise self.fail(f"'{name}' is already declared", name)
        inside = {**scope, str(name): Variable(str(name), str(struct))}
        where = Position(node[1], node[2])
        parts = tuple(self.condition(c, inside) for c in inner)
        return NoNode(str(name), str(struct), parts, where)

    def condition(self, node: Any, scope: Scope) -> Condition:
        """A comparison."""
        left, rop, right = node[3]
        op = str(rop[3][0])
        first, second = self.expr(left, scope), self.expr(right, scope)
        self._same_type(first, second, scope, node)
        return Condition(first, ROP.get(op, op), second, Position(node[1], node[2]))

    def statement(self, node: Any, scope: Scope) -> Statement:
        """A statement."""
        kind, line, column, parts = node
        where = Position(line, column)
        match kind:
            case "assign":
                target, value = self.place(parts[0], scope), self.expr(parts[2], scope)
                self._same_type(target, value, scope, node)
                return Assign(target, value, where)
            case "malloc":
                struct = parts[2]
                if str(struct) not in self.structs:
                    raise self.fail(f"unknown type '{struct}'", struct)
                target = self.place(parts[0], scope)
                if self.type_of(target, scope) != str(struct):
                    raise self.fail(f"a {struct} cannot be stored here", node)
                return Malloc(target, str(struct), where)
            case "free":
                return Free(self.place(parts[0], scope), where)
            case "read":
                return Read(self.place(parts[0], scope), where)
            case _:
                values = tuple(self.expr(p, scope) for p in parts if p is not None)
                return Return(values, where)

    def expr(self, node: Any, scope: Scope) -> Expr:
        """An expression."""
        kind, _, _, parts = node
        match kind:
            case "number":
                return Const(int(parts[0]))
            case "negative":
                return Const(-int(parts[1]))
            case "path":
                return self.named(node, scope)
        result = self.expr(parts[0], scope)
        for op, right in zip(parts[1::2], parts[2::2], strict=True):
            result = Sum(str(op), result, self.expr(right, scope))
        return result

    def place(self, node: Any, scope: Scope) -> Place:
        """What can be assigned."""
        result = self.named(node, scope)
        if not isinstance(result, (Global, Local, Field, Index)):
            raise self.fail("only a variable, a field or an array element can stand here", node)
        return result

    def named(self, node: Any, scope: Scope) -> Expr:
        """A variable or constant, with what stands behind it."""
        token, *suffixes = node[3]
        name = str(token)
        result: Expr
        if name in scope:
            result = Local(name)
        elif name in self.globals:
            result = Global(name)
        elif name == "ID":
            return OwnId()
        elif name in CONSTANTS:
            return Const(CONSTANTS[name], name)
        elif self.lenient:
            indexed = bool(suffixes) and suffixes[0][0] == "index"
            self.globals[name] = Variable(name, "int", indexed)
            result = Global(name)
        else:
            raise self.fail(f"'{name}' is not declared", token)
        for suffix in suffixes:
            result = self._suffix(result, suffix, scope)
        if isinstance(result, Global) and self.globals[result.name].array:
            raise self.fail(f"array '{name}' needs an index", token)
        return result

    def _suffix(self, base: Expr, suffix: Any, scope: Scope) -> Expr:
        kind, _, _, (inner,) = suffix
        if isinstance(base, Global) and self.globals[base.name].array:
            if kind == "dot":
                raise self.fail(f"array '{base.name}' needs an index", suffix)
            return Index(base.name, self.expr(inner, scope))
        struct = self.type_of(base, scope)
        # The figures also write a field as `P[next]`.
        name = str(inner) if kind == "dot" else str(_single_name(inner) or "")
        if struct not in self.structs:
            raise self.fail("only a node has fields, only an array has elements", suffix)
        if name not in {f.name for f in self.structs[struct]}:
            raise self.fail(f"struct '{struct}' has no field '{name}'", suffix)
        return Field(base, struct, name)

    def type_of(self, expr: Expr, scope: Scope) -> str:
        """The type of an expression: a struct's name, ``int``, or ``null`` for NULL."""
        match expr:
            case Global(name):
                return self.globals[name].type
            case Local(name):
                return scope[name].type
            case Field(_, struct, name):
                return next(f.type for f in self.structs[struct] if f.name == name)
            case Index(array, _):
                return self.globals[array].type
            case Const(_, "NULL"):
                return "null"
        return "int"

    def _same_type(self, left: Expr, right: Expr, scope: Scope, node: Any) -> None:
        kinds = {self.type_of(left, scope), self.type_of(right, scope)} - {"null"}
        kinds = {"int" if k == "bool" else k for k in kinds}
        if len(kinds) > 1:
            raise self.fail(f"{' and '.join(sorted(kinds))} do not mix here", node)


def _single_name(node: Any) -> str | None:
    # sum -> path -> NAME, with nothing else
    if node[0] == "sum" and len(node[3]) == 1 and node[3][0][0] == "path":
        path = node[3][0][3]
        return str(path[0]) if len(path) == 1 else None
    return None
