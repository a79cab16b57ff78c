"""What each variable holds: a node, the name of an instance, an opaque value, or a number.

Values that flow together form a class. A class that no arithmetic, no index and no comparison (but
with NULL) ever touches is *opaque* if the abstract type only moves its values, too: the structure
treats them alike, so distinct arguments are the general case. Everything else ranges over a small
domain when states are enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator

from heapstory.linear.language.methods import SKIP
from heapstory.linear.language.syntax import (
    Assign,
    Const,
    Expr,
    Field,
    Global,
    Index,
    Local,
    NoNode,
    Operation,
    OwnId,
    Specification,
    Sum,
    conditions,
    subexpressions,
)
from heapstory.linear.program.privacy import expressions

Cell = tuple[str, ...]
# the position of the argument that a method of an abstract type only moves
MOVED = {"enqueue": 0, "push": 0, "write": 0, "update": 1, "update1": 0, "update2": 0}


class Kinds:
    """The classes of one specification; `of` answers ``ptr``, ``id``, ``val`` or ``int``."""

    def __init__(self, spec: Specification) -> None:
        self.spec = spec
        self._parent: dict[Cell, Cell] = {}
        self._numbers: set[Cell] = set()
        self._ids: set[Cell] = set()
        self._compared: list[Cell] = []
        self._counted = False  # an `ID` is added, or compared with a number
        self._visit("", spec.init)
        for variable in spec.globals:
            if variable.initial is not None:
                self._flow("", Global(variable.name), variable.initial)
        for operation in spec.operations:
            self._operation(operation)

    def of(self, cell: Cell) -> str:
        """The kind of a cell (``g name``, ``l operation name``, ``f struct name``, ``a|i x``)."""
        if self._type(cell) in self.spec.structs:
            return "ptr"
        root = self._find(cell)
        if root in {self._find(c) for c in self._numbers}:
            return "int"
        if root in {self._find(c) for c in self._ids}:
            return "id"
        return "val" if root in self._argument_roots() else "int"

    def parameter(self, operation: Operation, name: str) -> str:
        """The kind of a parameter."""
        return self.of(("l", operation.name, name))

    def _argument_roots(self) -> set[Cell]:
        return {
            self._find(("l", o.name, p.name)) for o in self.spec.operations for p in o.parameters
        }

    def _type(self, cell: Cell) -> str:
        match cell:
            case ("g" | "a", name):
                return next(v.type for v in self.spec.globals if v.name == name)
            case ("l", operation, name):
                if operation == "":
                    return next(v.type for v in self.spec.init_locals if v.name == name)
                return self._local_type(self.spec.operation(operation), name)
            case ("f", struct, name):
                return next(f.type for f in self.spec.fields(struct) if f.name == name)
        return "int"

    @staticmethod
    def _local_type(operation: Operation, name: str) -> str:
        for step in operation.steps:
            for item in step.guard:
                if isinstance(item, NoNode) and item.name == name:
                    return item.struct
        return operation.variable(name).type

    def _find(self, cell: Cell) -> Cell:
        while (up := self._parent.get(cell, cell)) != cell:
            cell = up
        return cell

    def _cell(self, owner: str, expr: Expr) -> Cell | None:
        match expr:
            case Global(name):
                return ("g", name)
            case Local(name):
                return ("l", owner, name)
            case Field(_, struct, name):
                return ("f", struct, name)
            case Index(array, _):
                return ("a", array)
        return None

    def _operation(self, operation: Operation) -> None:
        for step in operation.steps:
            for cond in conditions(step.guard):
                bound = {name for name, _ in step.binds}
                sides = (cond.left, cond.right)
                binding = any(isinstance(s, Local) and s.name in bound for s in sides)
                self._compare(operation.name, cond.left, cond.op, cond.right, binding)
            self._visit(operation.name, step.body)

    def _visit(self, owner: str, body: tuple[object, ...]) -> None:
        for statement in body:
            if isinstance(statement, Assign):
                self._flow(owner, statement.target, statement.value)
            for expr in vars(statement).values():
                for part in expr if isinstance(expr, tuple) else (expr,):
                    if isinstance(part, Expr):
                        self._expression(owner, part)

    def _expression(self, owner: str, expr: Expr) -> None:
        for part in subexpressions(expr):
            if isinstance(part, Index):
                self._join(owner, ("i", part.array), part.index)
            elif isinstance(part, Sum):
                self._number(owner, part)

    def _flow(self, owner: str, target: Expr, value: Expr) -> None:
        cell = self._cell(owner, target)
        if cell is not None:
            self._join(owner, cell, value)

    def _join(self, owner: str, cell: Cell, value: Expr) -> None:
        other = self._cell(owner, value)
        if other is not None:
            self._parent[self._find(cell)] = self._find(other)
        elif isinstance(value, OwnId):
            self._ids.add(cell)
        elif isinstance(value, Sum) or (isinstance(value, Const) and not self._neutral(value)):
            self._numbers.add(cell)

    @staticmethod
    def _neutral(value: Const) -> bool:
        return value.value == 0 or value.name == "EMPTY"

    def _number(self, owner: str, expr: Sum) -> None:
        for part in (expr.left, expr.right):
            cell = self._cell(owner, part)
            if cell is not None:
                self._numbers.add(cell)
            self._counted |= isinstance(part, OwnId)

    def _compare(self, owner: str, left: Expr, op: str, right: Expr, binding: bool) -> None:
        self._expression(owner, left)
        self._expression(owner, right)
        cells = [self._cell(owner, side) for side in (left, right)]
        if binding:
            self._flow(owner, left, right)
            return
        ids = any(isinstance(side, OwnId) for side in (left, right))
        self._counted |= ids and (op not in ("==", "!=") or not self._named(left, right))
        for cell, other in zip(cells, (right, left), strict=True):
            if cell is None:
                continue
            if ids:
                self._ids.add(cell)
            elif isinstance(other, Const):
                if not self._neutral(other) or op not in ("==", "!="):
                    self._numbers.add(cell)
            elif op not in ("==", "!=") or isinstance(other, Sum):
                self._numbers.add(cell)
        if None not in cells and not ids:
            self._two_variables(cells[0], cells[1])  # type: ignore[arg-type]

    def _named(self, left: Expr, right: Expr) -> bool:
        # An `ID` is only told from other names: no constant but 0 is on the other side.
        other = right if isinstance(left, OwnId) else left
        return self._cell("", other) is not None or (isinstance(other, Const) and not other.value)

    def _two_variables(self, left: Cell, right: Cell) -> None:
        # Two values compared with each other: names of instances and nodes may be, values not.
        self._parent[self._find(left)] = self._find(right)
        self._compared.append(left)

    def finish(self) -> Kinds:
        """Mark what is compared, an index, or no secret to the model as a number; call once."""
        ids = {self._find(c) for c in self._ids}
        indices = [("i", v.name) for v in self.spec.globals if v.array]
        for cell in (*self._compared, *indices):
            if self._find(cell) not in ids:
                self._numbers.add(cell)
        self._numbers |= set(self._told_apart())
        return self

    def _told_apart(self) -> Iterator[Cell]:
        """The arguments that the abstract type compares."""
        spec = self.spec
        model = kinds_of(spec.model) if spec.model is not None else None
        exchanged = any(o.method == "cas" for o in spec.operations)
        for operation in spec.operations:
            for position, parameter in enumerate(operation.parameters):
                if model is not None:
                    moved = model.moves(operation.method, position)
                elif spec.implements is not None:
                    moved = MOVED.get(operation.method) == position
                    moved &= not (exchanged and spec.implements == "register")
                else:
                    moved = True
                if not moved and operation.method != SKIP:
                    yield ("l", operation.name, parameter.name)

    def moves(self, method: str, position: int) -> bool:
        """Whether the variants of a method only move an argument about."""
        variants = [o for o in self.spec.operations if o.method == method]
        return all(
            len(o.parameters) > position and self.parameter(o, o.parameters[position].name) == "val"
            for o in variants
        )

    @property
    def counted(self) -> bool:
        """Whether names of instances are numbers, too: they are compared by size, or with what is
        not a name. Then it matters who has which."""
        others = {self._find(c) for c in self._numbers} | self._argument_roots()
        return self._counted or any(self._find(c) in others for c in self._ids)


def kinds_of(spec: Specification) -> Kinds:
    """The kinds of a specification."""
    return Kinds(spec).finish()


def uses_id(spec: Specification) -> bool:
    """Whether an operation names its instance."""
    for operation in spec.operations:
        for step in operation.steps:
            exprs = [e for c in conditions(step.guard) for e in (c.left, c.right)]
            exprs += [e for s in step.body for e in expressions(s)]
            if any(isinstance(part, OwnId) for e in exprs for part in subexpressions(e)):
                return True
    return False
