"""From the raw tree to a `Specification`: names, types and the values that guards bind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from heapstory.linear.language.binding import bind
from heapstory.linear.language.expressions import ROP, Expressions, Scope
from heapstory.linear.language.grammar import parse_tree
from heapstory.linear.language.methods import SKIP, SYNONYMS, TYPES, method_of
from heapstory.linear.language.syntax import (
    Condition,
    Const,
    Expr,
    Guard,
    Hint,
    Local,
    Operation,
    Position,
    Return,
    Specification,
    Statement,
    SubOperation,
    Sum,
    Table,
    Variable,
)

TABLES = {
    "ordered": ("order", True),
    "unordered": ("order", False),
    "reversible": ("reverse", True),
    "irreversible": ("reverse", False),
}


def resolve(text: str, path: str) -> Specification:
    """Parse a specification's text and resolve its names."""
    return _Resolver(text, path).specification(parse_tree(text, path)[3])


class _Resolver(Expressions):
    # -- the whole ------------------------------------------------------------------------------

    def specification(self, items: list[Any]) -> Specification:
        name, implements, model = Path(self.path).stem, None, None
        self._declare_structs(items)
        for item in items:
            if item[0] in ("decl", "ghost_decl"):
                variable = self._variable(item)
                if variable.name in self.globals:
                    raise self.fail(f"'{variable.name}' is declared twice", item)
                self.globals[variable.name] = variable
            elif item[0] == "named":
                name = str(item[3][0])
            elif item[0] == "implements":
                implements = str(item[3][0])
                if implements not in TYPES:
                    known = ", ".join(TYPES)
                    raise self.fail(f"unknown type '{implements}' (known: {known})", item[3][0])
            elif item[0] == "model":
                model = _Resolver(self.source, self.path).specification(item[3])
        init_locals, init = self._init([i for i in items if i[0] == "init"])
        operations = [
            self._operation(i, implements, model)
            for i in items
            if i[0] in ("operation", "fragment")
        ]
        self._unique(operations, items)
        return Specification(
            name,
            implements,
            model,
            self.structs,
            tuple(self.globals.values()),
            init_locals,
            init,
            tuple(operations),
            tuple(self._table(i, operations) for i in items if i[0] in TABLES),
            tuple(self._hint(i, operations) for i in items if i[0].startswith("hint_")),
            self.source,
            self.path,
        )

    def _unique(self, operations: list[Operation], items: list[Any]) -> None:
        if not operations:
            raise self.fail("no operation", items[-1] if items else ("", 1, 1))
        seen: set[str] = set()
        for operation in operations:
            if operation.name in seen:
                message = f"operation '{operation.name}' is declared twice"
                raise self.fail(message, operation.position)
            seen.add(operation.name)

    def _labelled(self, token: Any, operations: list[Operation]) -> Operation:
        for operation in operations:
            if any(step.label == str(token) for step in operation.steps):
                return operation
        raise self.fail(f"no sub-operation has the label '{token}'", token)

    def _table(self, item: Any, operations: list[Operation]) -> Table:
        relation, holds = TABLES[item[0]]
        first, second, *when = item[3]
        scope: Scope = {}
        for who, token in (("first", first), ("second", second)):
            operation = self._labelled(token, operations)
            for v in (*operation.parameters, *operation.locals):
                scope[f"{who}.{v.name}"] = v
        premises = tuple(self._premise(c, scope) for w in when for c in w[3])
        where = Position(item[1], item[2])
        return Table(relation, str(first), str(second), holds, premises, where)

    def _premise(self, node: Any, scope: Scope) -> Condition:
        left, rop, right = node[3]
        sides = [self._premise_side(side, scope) for side in (left, right)]
        self._same_type(sides[0], sides[1], scope, node)
        op = str(rop[3][0])
        return Condition(sides[0], ROP.get(op, op), sides[1], Position(node[1], node[2]))

    def _premise_side(self, node: Any, scope: Scope) -> Expr:
        if node[0] == "sum" and len(node[3]) == 1 and node[3][0][0] == "path":
            token, *suffixes = node[3][0][3]
            if str(token) in ("first", "second") and [s[0] for s in suffixes] == ["dot"]:
                name = f"{token}.{suffixes[0][3][0]}"
                if name in scope:
                    return Local(name)
                raise self.fail(f"'{name}' is no parameter or local of that operation", token)
        value = self.expr(node, {})
        if isinstance(value, Const):
            return value
        raise self.fail("a premise compares first.NAME, second.NAME and constants", node)

    def _hint(self, item: Any, operations: list[Operation]) -> Hint:
        kind, parts = item[0], list(item[3])
        if kind == "hint_point":
            operation = self._labelled(parts[0], operations)
            if any(step.loop for step in operation.steps if step.label == str(parts[0])):
                message = f"'{parts[0]}' is a loop step, which may run never or many times"
                raise self.fail(f"{message}: no operation takes effect there", parts[0])
            return Hint(str(parts[0]))
        scope: Scope = {}
        label, node = "", None
        if kind == "hint_before":
            operation = self._labelled(parts[0], operations)
            label = str(parts.pop(0))
            scope = {v.name: v for v in (*operation.parameters, *operation.locals)}
        elif kind == "hint_all":
            struct, name = str(self._check_type(parts.pop(0))), str(parts.pop(0))
            node = (name, struct)
            scope = {name: Variable(name, struct)}
        facts, *when = parts
        return Hint(
            label,
            tuple(self.condition(c, scope) for c in facts[3]),
            tuple(self.condition(c, scope) for w in when for c in w[3]),
            node,
        )

    def _declare_structs(self, items: list[Any]) -> None:
        raw = [i for i in items if i[0] == "struct"]
        for item in raw:
            if str(item[3][0]) in self.structs:
                raise self.fail(f"struct '{item[3][0]}' is declared twice", item)
            self.structs[str(item[3][0])] = ()
        for item in raw:
            fields = []
            for node in item[3][1:]:
                ghost = not isinstance(node[3][0], str)
                kind, name = node[3][-2:]
                self._check_type(kind)
                where = Position(node[1], node[2])
                fields.append(Variable(str(name), str(kind), ghost=ghost, position=where))
            if len({f.name for f in fields}) < len(fields):
                raise self.fail(f"struct '{item[3][0]}' has two fields of one name", item)
            self.structs[str(item[3][0])] = tuple(fields)

    def _check_type(self, token: Any) -> str:
        if str(token) not in ("int", "bool", *self.structs):
            raise self.fail(f"unknown type '{token}'", token)
        return str(token)

    def _variable(self, item: Any) -> Variable:
        ghost = item[0] == "ghost_decl"
        plain = item[3][0]
        kind, name, *rest = plain[3]
        self._check_type(kind)
        where = Position(name.line, name.column)
        if plain[0] == "array":
            size = int(rest[0]) if rest[0] is not None else None
            return Variable(str(name), str(kind), True, size, ghost, position=where)
        initial = self._constant(rest[0]) if rest else None
        return Variable(str(name), str(kind), ghost=ghost, initial=initial, position=where)

    def _constant(self, node: Any) -> Const:
        def value(expr: Expr) -> int:
            match expr:
                case Const(number, _):
                    return number
                case Sum(op, left, right):
                    return value(left) + (value(right) if op == "+" else -value(right))
            raise self.fail("an initial value must be a constant; 'init' can do more", node)

        found = self.expr(node, {})
        return found if isinstance(found, Const) else Const(value(found))

    def _init(self, blocks: list[Any]) -> tuple[tuple[Variable, ...], tuple[Statement, ...]]:
        scope: Scope = {}
        found: list[Statement] = []
        for block in blocks:
            for item in block[3]:
                if item[0] in ("decl", "ghost_decl"):
                    variable = self._variable(item)
                    scope[variable.name] = variable
                else:
                    found.append(self.statement(item[3][0], scope))
        return tuple(scope.values()), tuple(found)

    # -- operations -----------------------------------------------------------------------------

    def _operation(
        self, item: Any, implements: str | None, model: Specification | None
    ) -> Operation:
        self.lenient = item[0] == "fragment"
        parts = item[3]
        name = "fragment" if self.lenient else str(parts[0])
        nodes = {p[0]: p for p in parts if isinstance(p, tuple)}
        scope: Scope = {}
        for param in nodes["params"][3] if "params" in nodes else []:
            if param is not None:
                kind, pname = param[3]
                where = Position(pname.line, pname.column)
                if str(kind) in self.structs:
                    raise self.fail("an argument is a number, not a node", pname)
                scope[str(pname)] = Variable(str(pname), self._check_type(kind), position=where)
        parameters = tuple(scope.values())
        body = nodes.get("body", ("body", item[1], item[2], parts))[3]
        for decl in body[0][3] if body[0][0] == "decls" else []:
            variable = self._variable(decl)
            if variable.name in scope:
                raise self.fail(f"'{variable.name}' is declared twice", decl)
            if variable.initial is not None or variable.array:
                raise self.fail(f"'{variable.name}' must get its value in a step", decl)
            scope[variable.name] = variable
        steps = [self._step(node, scope) for node in body[-1][3]]
        method = str(nodes["isof"][3][0]) if "isof" in nodes else method_of(name)
        known = {o.method for o in model.operations} if model else TYPES.get(implements or "", {})
        if known and method not in known:
            method = SYNONYMS.get(method, method)
        self._check_method(method, implements, model, item, len(parameters))
        locals_ = tuple(v for v in scope.values() if v not in parameters)
        where = Position(item[1], item[2])
        operation = Operation(name, method, parameters, locals_, tuple(steps), where)
        return bind(operation, self.structs, self.fail)

    def _check_method(
        self, method: str, implements: str | None, model: Specification | None, item: Any, n: int
    ) -> None:
        if model is not None:
            methods = {o.method: len(o.parameters) for o in model.operations}
        elif implements is not None:
            methods = TYPES[implements]
        else:
            return
        if method == SKIP:
            return
        if method not in methods:
            known = ", ".join(methods)
            kind = implements or "the model"
            message = f"'{method}' is not a method of {kind} (has: {known}); say which with 'is'"
            raise self.fail(message, item)
        if methods[method] != n:
            raise self.fail(f"'{method}' takes {methods[method]} argument(s), not {n}", item)

    def _step(self, node: Any, scope: Scope) -> SubOperation:
        mark, label, loop = "1", "", False
        guard: list[Guard] = []
        body: list[Statement] = []
        for part in node[3]:
            match part[0]:
                case "star":
                    mark = "*"
                case "guard":
                    for cond in part[3][0][3] if part[3] else []:
                        guard.append(self.guard(cond, scope))
                case "loop":
                    loop = True
                case "stmt" | "last":
                    body.append(self.statement(part[3][0], scope))
                case "label":
                    label = str(part[3][0]).lstrip(". \t")
        if not guard and not body:
            raise self.fail("empty sub-operation", node)
        if loop and any(isinstance(s, Return) for s in body):
            raise self.fail("a loop step cannot return: it may run never or many times", node)
        self.labels += 1
        where = Position(node[1], node[2])
        label = label or f"s{self.labels}"
        return SubOperation(label, mark, tuple(guard), tuple(body), loop=loop, position=where)

    # -- statements and expressions ---------------------------------------------------------------
