"""The syntax tree of a specification, names resolved and types known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

LARGE = 1_000_000  # MAX; no argument is as large, or as small as MIN


@dataclass(frozen=True)
class Position:
    """Where something stands in the specification, counted from 1."""

    line: int = 0
    column: int = 0


@dataclass(frozen=True)
class Const:
    """A number, or one of the named constants NULL, EMPTY, TRUE, FALSE, MIN, MAX."""

    value: int
    name: str = ""


@dataclass(frozen=True)
class OwnId:
    """``ID``: the name of the operation instance."""


@dataclass(frozen=True)
class Global:
    name: str


@dataclass(frozen=True)
class Local:
    name: str


@dataclass(frozen=True)
class Field:
    base: Expr
    struct: str
    name: str


@dataclass(frozen=True)
class Index:
    array: str
    index: Expr


@dataclass(frozen=True)
class Sum:
    op: str
    left: Expr
    right: Expr


Expr = Const | OwnId | Global | Local | Field | Index | Sum
Place = Global | Local | Field | Index


@dataclass(frozen=True)
class Condition:
    left: Expr
    op: str
    right: Expr
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True)
class NoNode:
    """``none T n : condition, …``: no node n of type T satisfies all the conditions."""

    name: str
    struct: str
    conditions: tuple[Condition, ...]
    position: Position = field(default=Position(), compare=False)


Guard = Condition | NoNode


@dataclass(frozen=True)
class Assign:
    target: Place
    value: Expr
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True)
class Malloc:
    target: Place
    struct: str
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True)
class Free:
    target: Expr
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True)
class Read:
    """``READ place``: the value is looked at and not kept."""

    place: Expr
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True)
class Return:
    """The response of the operation, with what it answers (nothing: not observed)."""

    values: tuple[Expr, ...]
    position: Position = field(default=Position(), compare=False)


Statement = Assign | Malloc | Free | Read | Return


@dataclass(frozen=True)
class SubOperation:
    """One atomic step: a guard and statements. ``mark`` is ``1`` or ``*`` (any thread may run it).

    ``binds`` are the locals that get their value here by being compared with a place that has it;
    ``picks`` those that may be any node of their type. A ``loop`` step may run any number of times,
    also never, before the one after it.
    """

    label: str
    mark: str
    guard: tuple[Guard, ...]
    body: tuple[Statement, ...]
    binds: tuple[tuple[str, Expr], ...] = ()
    picks: tuple[tuple[str, str], ...] = ()
    loop: bool = False
    position: Position = field(default=Position(), compare=False)

    @property
    def returns(self) -> Return | None:
        """The response in this step, if it has one."""
        return next((s for s in self.body if isinstance(s, Return)), None)


@dataclass(frozen=True)
class Variable:
    name: str
    type: str
    array: bool = False
    size: int | None = None
    ghost: bool = False
    initial: Expr | None = None
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True)
class Operation:
    """One path through a method, as a sequence of sub-operations."""

    name: str
    method: str
    parameters: tuple[Variable, ...]
    locals: tuple[Variable, ...]
    steps: tuple[SubOperation, ...]
    position: Position = field(default=Position(), compare=False)

    @property
    def return_index(self) -> int:
        """The step of the response: the marked one, else the last."""
        for number, step in enumerate(self.steps):
            if step.returns is not None:
                return number
        return len(self.steps) - 1

    def variable(self, name: str) -> Variable:
        """The parameter or local of that name."""
        return next(v for v in (*self.parameters, *self.locals) if v.name == name)


@dataclass(frozen=True)
class Table:
    """A relation given by the user: ``order a, b``, ``reverse a, b`` or a denial of one.

    ``premises`` say for which pairs it is meant; they speak of the locals of the two instances as
    ``first.p`` and ``second.q``, as they are before the two steps.
    """

    relation: str
    first: str
    second: str
    holds: bool
    premises: tuple[Condition, ...] = ()
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True)
class Hint:
    """Help for the proof, which is checked like everything else.

    With ``label`` alone: the operation takes effect at that step. Otherwise a candidate invariant:
    ``facts`` hold where ``when`` does, always, before the step ``label``, or for every ``node``
    (a name and its struct).
    """

    label: str
    facts: tuple[Condition, ...] = ()
    when: tuple[Condition, ...] = ()
    node: tuple[str, str] | None = None


@dataclass(frozen=True)
class Specification:
    """A whole specification. ``model`` is a nested one whose operations run atomically."""

    name: str
    implements: str | None
    model: Specification | None
    structs: dict[str, tuple[Variable, ...]]
    globals: tuple[Variable, ...]
    init_locals: tuple[Variable, ...]
    init: tuple[Statement, ...]
    operations: tuple[Operation, ...]
    tables: tuple[Table, ...] = ()
    hints: tuple[Hint, ...] = ()
    source: str = ""
    path: str = "<specification>"
    cleared: bool = True  # new memory holds 0; else nobody knows what

    def operation(self, name: str) -> Operation:
        """The operation of that name."""
        return next(o for o in self.operations if o.name == name)

    def fields(self, struct: str) -> tuple[Variable, ...]:
        """The fields of a struct."""
        return self.structs[struct]

    @property
    def static(self) -> tuple[Variable, ...]:
        """Struct globals that nothing assigns: each is one object that exists from the start."""
        written = set(written_globals(statements(self)))
        return tuple(
            v
            for v in self.globals
            if v.type in self.structs and not v.array and v.name not in written
        )


def written_globals(statements: Iterable[Statement]) -> Iterator[str]:
    """Names of global variables that some statement assigns."""
    for statement in statements:
        if isinstance(statement, (Assign, Malloc)) and isinstance(statement.target, Global):
            yield statement.target.name


def statements(spec: Specification) -> Iterator[Statement]:
    """Every statement, of the initial state and of all operations."""
    yield from spec.init
    for operation in spec.operations:
        for step in operation.steps:
            yield from step.body


def subexpressions(expr: Expr) -> Iterator[Expr]:
    """The expression and all its parts."""
    yield expr
    if isinstance(expr, Field):
        yield from subexpressions(expr.base)
    elif isinstance(expr, Index):
        yield from subexpressions(expr.index)
    elif isinstance(expr, Sum):
        yield from subexpressions(expr.left)
        yield from subexpressions(expr.right)


def conditions(guard: tuple[Guard, ...]) -> Iterator[Condition]:
    """All simple conditions of a guard, those under ``none`` included."""
    for item in guard:
        if isinstance(item, NoNode):
            yield from item.conditions
        else:
            yield item
