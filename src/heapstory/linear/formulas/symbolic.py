"""Sub-operations as formulas: symbolic execution over a heap of arrays (z3).

Every field of every struct is an array from addresses to values; addresses and values are
integers, NULL is 0. Nothing is known of the heap but what invariants say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from heapstory.errors import HeapstoryError
from heapstory.linear.language.syntax import (
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
    Read,
    Return,
    Specification,
    Statement,
    SubOperation,
    Sum,
)


class Unsupported(Exception):
    """Something the formulas do not cover."""


def solver_module() -> Any:
    """The z3 module, or one clear line where it is not installed."""
    try:
        import z3
    except ImportError:
        raise HeapstoryError(
            "proofs need z3, which is not installed; run: pip install 'heapstory[prove]'"
        ) from None
    return z3


@dataclass
class Shared:
    """Shared state as terms: scalars, arrays, fields, which addresses are allocated, ghosts."""

    scalars: dict[str, Any]
    arrays: dict[str, Any]
    fields: dict[tuple[str, str], Any]
    alloc: dict[str, Any]
    ghosts: dict[str, Any] = field(default_factory=dict)

    def copy(self) -> Shared:
        """An independent copy."""
        return Shared(
            dict(self.scalars),
            dict(self.arrays),
            dict(self.fields),
            dict(self.alloc),
            dict(self.ghosts),
        )


@dataclass
class Actor:
    """An instance as terms: its name and its locals."""

    name: Any
    locals: dict[str, Any]
    ghosts: dict[str, Any] = field(default_factory=dict)

    def copy(self) -> Actor:
        """An independent copy."""
        return Actor(self.name, dict(self.locals), dict(self.ghosts))


class Execution:
    """One step being run on terms; collects what must hold for it to run."""

    def __init__(self, spec: Specification, shared: Shared, actor: Actor, tag: str) -> None:
        self.z3 = solver_module()
        self.spec, self.shared, self.actor, self.tag = spec, shared.copy(), actor.copy(), tag
        self.conditions: list[Any] = []
        self.required: list[Any] = []  # what the abstract step done here needs
        self.follows: list[tuple[tuple[Any, ...], Any]] = []  # a pointer, and what holds there
        self.answer: tuple[Any, ...] | None = None
        self.answered = False
        self.fresh: list[tuple[str, Any]] = []
        self.picked: list[Any] = []

    def run(self, parts: tuple[SubOperation, ...]) -> None:
        """Run sub-operations one after the other."""
        for sub in parts:
            for name, struct in sub.picks:
                chosen = self._new(f"pick_{name}")
                self.conditions += [chosen != 0, self.shared.alloc[struct][chosen]]
                self.picked.append(chosen)
                self.actor.locals[name] = chosen
            for name, expr in sub.binds:
                self.actor.locals[name] = self.value(expr)
            for guard in sub.guard:
                self.conditions.append(self.test(guard))
            for statement in sub.body:
                self.execute(statement)

    def _new(self, name: str) -> Any:
        return self.z3.Int(f"{name}_{self.tag}_{len(self.picked)}_{len(self.fresh)}")

    def test(self, guard: Guard) -> Any:
        """A condition as a formula."""
        if isinstance(guard, NoNode):
            raise Unsupported("'none' is not covered by proofs")
        return compare(guard, self.value(guard.left), self.value(guard.right))

    def value(self, expr: Expr) -> Any:
        """An expression as a term; following a pointer asks that it is not NULL."""
        match expr:
            case Const(value, _):
                return self.z3.IntVal(value)
            case OwnId():
                return self.actor.name
            case Global(name):
                return self.shared.scalars[name]
            case Local(name):
                return self.actor.locals[name]
            case Field(base, struct, name):
                address = self._followed(base)
                return self.shared.fields[struct, name][address]
            case Index(array, index):
                return self.shared.arrays[array][self.value(index)]
            case Sum("+", left, right):
                return self.value(left) + self.value(right)
            case Sum(_, left, right):
                return self.value(left) - self.value(right)

    def _followed(self, base: Expr) -> Any:
        address = self.value(base)
        if not self._static(base):
            self.follows.append((tuple(self.conditions), address))
            self.conditions.append(address != 0)
        return address

    def _static(self, base: Expr) -> bool:
        return isinstance(base, Global) and base.name in {v.name for v in self.spec.static}

    def execute(self, statement: Statement) -> None:
        """Run one statement."""
        match statement:
            case Assign(target, value):
                self._store(target, self.value(value))
            case Malloc(target, struct):
                self._store(target, self._allocate(struct, self.spec.cleared))
            case Return(values):
                self.answered = True
                self.answer = tuple(self.value(v) for v in values)
            case Read() | Free():
                pass

    def _allocate(self, struct: str, cleared: bool) -> Any:
        z3, shared = self.z3, self.shared
        node = self._new(f"new_{struct}")
        self.fresh.append((struct, node))
        self.conditions += [node > 0, z3.Not(shared.alloc[struct][node])]
        shared.alloc[struct] = z3.Store(shared.alloc[struct], node, True)
        for f in self.spec.fields(struct):
            held = 0 if cleared else z3.Int(f"held_{f.name}_{self.tag}_{len(self.fresh)}")
            shared.fields[struct, f.name] = z3.Store(shared.fields[struct, f.name], node, held)
        shared.ghosts[f"owner {struct}"] = z3.Store(
            shared.ghosts[f"owner {struct}"], node, self.actor.name
        )
        shared.ghosts[f"in {struct}"] = z3.Store(shared.ghosts[f"in {struct}"], node, 0)
        return node

    def _store(self, target: Expr, value: Any) -> None:
        shared = self.shared
        match target:
            case Global(name):
                shared.scalars[name] = value
            case Local(name):
                self.actor.locals[name] = value
            case Field(base, struct, name):
                address = self._followed(base)
                array = shared.fields[struct, name]
                shared.fields[struct, name] = self.z3.Store(array, address, value)
            case Index(array_name, index):
                array = shared.arrays[array_name]
                shared.arrays[array_name] = self.z3.Store(array, self.value(index), value)


def compare(condition: Condition, left: Any, right: Any) -> Any:
    """Two terms under a condition's operator."""
    match condition.op:
        case "==":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
    return left >= right


def arbitrary(spec: Specification, tag: str) -> Shared:
    """A shared state of which nothing is known."""
    z3 = solver_module()
    integers = z3.ArraySort(z3.IntSort(), z3.IntSort())
    booleans = z3.ArraySort(z3.IntSort(), z3.BoolSort())
    shared = Shared(
        {v.name: z3.Int(f"{v.name}_{tag}") for v in spec.globals if not v.array},
        {v.name: z3.Const(f"{v.name}_{tag}", integers) for v in spec.globals if v.array},
        {
            (s, f.name): z3.Const(f"{s}_{f.name}_{tag}", integers)
            for s, fields in spec.structs.items()
            for f in fields
        },
        {s: z3.Const(f"alloc_{s}_{tag}", booleans) for s in spec.structs},
    )
    for struct in spec.structs:
        for ghost in ("owner", "in", "rank"):
            name = f"{ghost} {struct}"
            shared.ghosts[name] = z3.Const(f"{ghost}_{struct}_{tag}", integers)
    return shared


def initial(spec: Specification) -> Execution:
    """The state before any operation, run from empty memory."""
    z3 = solver_module()
    zero = z3.K(z3.IntSort(), z3.IntVal(0))
    none = z3.K(z3.IntSort(), z3.BoolVal(False))
    shared = Shared(
        {v.name: z3.IntVal(0) for v in spec.globals if not v.array},
        {v.name: zero for v in spec.globals if v.array},
        {(s, f.name): zero for s, fields in spec.structs.items() for f in fields},
        dict.fromkeys(spec.structs, none),
    )
    for struct in spec.structs:
        for ghost in ("owner", "in", "rank"):
            shared.ghosts[f"{ghost} {struct}"] = zero
    for variable in spec.globals:
        if isinstance(variable.initial, Const):
            shared.scalars[variable.name] = z3.IntVal(variable.initial.value)
    actor = Actor(z3.IntVal(0), {v.name: z3.IntVal(0) for v in spec.init_locals})
    run = Execution(spec, shared, actor, "init")
    for variable in spec.static:
        run.shared.scalars[variable.name] = run._allocate(variable.type, cleared=True)
    for statement in spec.init:
        run.execute(statement)
    return run
