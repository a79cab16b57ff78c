"""Specifications as words for the native explorer (`native/core/explore/program.h`)."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from heapstory.linear.language.binding import local_names, mentions
from heapstory.linear.language.methods import SKIP
from heapstory.linear.language.syntax import (
    Assign,
    Condition,
    Const,
    Expr,
    Field,
    Free,
    Global,
    Index,
    Local,
    Malloc,
    NoNode,
    Operation,
    OwnId,
    Place,
    Read,
    Return,
    Specification,
    Statement,
    SubOperation,
    Sum,
    conditions,
    subexpressions,
    written_globals,
)
from heapstory.linear.program.kinds import Kinds
from heapstory.linear.program.privacy import expressions
from heapstory.linear.program.settled import settled_fields


class Code(IntEnum):
    """The instructions of the machine."""

    CONSTANT = 0
    OWN_ID = 1
    LOCAL = 2
    GLOBAL = 3
    FIELD = 4
    INDEX = 5
    ADD = 6
    SUBTRACT = 7
    SET_LOCAL = 8
    SET_GLOBAL = 9
    SET_FIELD = 10
    SET_INDEX = 11
    ALLOCATE = 12
    RELEASE = 13
    DROP = 14
    TEST = 15
    ANSWER = 16
    NONE = 17


COMPARE = {"==": 0, "!=": 1, "<": 2, "<=": 3, ">": 4, ">=": 5}
HELPS = -1


def words_of(
    spec: Specification, kinds: Kinds, reuse: bool, method: Callable[[str], int]
) -> list[int]:
    """The program of a specification; ``method`` numbers the methods."""
    return _Writer(spec, kinds, reuse).program(method)


class _Writer:
    def __init__(self, spec: Specification, kinds: Kinds, reuse: bool) -> None:
        self.spec, self.kinds, self.reuse = spec, kinds, reuse
        self.structs = list(spec.structs)
        self.scalars = [v for v in spec.globals if not v.array]
        self.arrays = [v for v in spec.globals if v.array]
        body = tuple(s for o in spec.operations for step in o.steps for s in step.body)
        self.written = set(written_globals(body))
        self.slots: dict[str, int] = {}  # of the operation that is being written

    def program(self, method: Callable[[str], int]) -> list[int]:
        spec, structs = self.spec, self.structs
        settled = set() if self.reuse else settled_fields(spec)
        words = [int(self.reuse), int(spec.cleared), len(structs)]
        for struct in structs:
            words.append(len(spec.fields(struct)))
            for f in spec.fields(struct):
                words += [f.type in structs, (struct, f.name) in settled]
        fixed = {v.name for v in spec.static}
        words.append(len(self.scalars))
        for v in self.scalars:
            kind = structs.index(v.type) if v.name in fixed else -1
            first = v.initial.value if isinstance(v.initial, Const) else 0
            words += [v.type in structs, v.name not in self.written, kind, first]
        words += [len(self.arrays), *(v.type in structs for v in self.arrays)]
        self.slots = {v.name: i for i, v in enumerate(spec.init_locals)}
        code = [word for s in spec.init for word in self._statement(s)]
        words += [len(self.slots), len(code), *code, len(spec.operations)]
        for operation in spec.operations:
            words += self._operation(operation, method(operation.method))
        return list(map(int, words))

    def _operation(self, operation: Operation, method: int) -> list[int]:
        variables = (*operation.parameters, *operation.locals)
        self.slots = {v.name: i for i, v in enumerate(variables)}
        pointers = [v.type in self.structs for v in variables]
        for name in _bound(operation):  # the nodes that `none` ranges over
            self.slots[name] = len(self.slots)
            pointers.append(True)
        opaque = [self.kinds.parameter(operation, p.name) == "val" for p in operation.parameters]
        words = [method, len(opaque), *opaque, len(pointers), *pointers, len(operation.steps)]
        for live in _live(operation):
            words += [name in live for name in self.slots]
        for step in operation.steps:
            words += self._step(step)
        return words

    def _step(self, step: SubOperation) -> list[int]:
        first = next((s.struct for s in step.body if isinstance(s, Malloc)), None)
        words = [step.loop, self._open(step), -1 if first is None else self.structs.index(first)]
        words.append(len(step.picks))
        for name, struct in step.picks:
            words += [self.slots[name], self.structs.index(struct)]
        code: list[int] = []
        for name, expr in step.binds:
            code += [*self._value(expr), Code.SET_LOCAL, self.slots[name]]
        for guard in step.guard:
            code += self._none(guard) if isinstance(guard, NoNode) else self._test(guard)
        for statement in step.body:
            code += self._statement(statement)
        return [*words, len(code), *code]

    def _open(self, step: SubOperation) -> bool:
        """Whether others can notice the step in any case."""
        if step.picks or any(isinstance(g, NoNode) for g in step.guard):
            return True
        if self.reuse and any(isinstance(s, (Malloc, Free)) for s in step.body):
            return True
        exprs = [e for c in conditions(step.guard) for e in (c.left, c.right)]
        exprs += [e for _, e in step.binds]
        exprs += [e for s in step.body for e in expressions(s)]
        return any(
            isinstance(part, Index) or (isinstance(part, Global) and part.name in self.written)
            for expr in exprs
            for part in subexpressions(expr)
        )

    def _test(self, condition: Condition) -> list[int]:
        left, right = self._value(condition.left), self._value(condition.right)
        return [*left, *right, Code.TEST, COMPARE[condition.op]]

    def _none(self, guard: NoNode) -> list[int]:
        inner = [word for c in guard.conditions for word in self._test(c)]
        head = [Code.NONE, self.structs.index(guard.struct), self.slots[guard.name], len(inner)]
        return [*head, *inner]

    def _statement(self, statement: Statement) -> list[int]:
        match statement:
            case Assign(target, value):
                return [*self._value(value), *self._store(target)]
            case Malloc(target, struct):
                return [Code.ALLOCATE, self.structs.index(struct), *self._store(target)]
            case Free(place):
                return [*self._value(place), Code.RELEASE, 0]
            case Read(place):
                return [*self._value(place), Code.DROP, 0]
            case Return(values):
                parts = [word for v in values for word in self._value(v)]
                return [*parts, Code.ANSWER, len(values)]

    def _store(self, target: Place) -> list[int]:
        match target:
            case Global(name):
                return [Code.SET_GLOBAL, self._scalar(name)]
            case Local(name):
                return [Code.SET_LOCAL, self.slots[name]]
            case Field(base, struct, name):
                return [*self._value(base), Code.SET_FIELD, self._field(struct, name)]
            case Index(array, index):
                return [*self._value(index), Code.SET_INDEX, self._array(array)]

    def _value(self, expr: Expr) -> list[int]:
        match expr:
            case Const(value, _):
                return [Code.CONSTANT, value]
            case OwnId():
                return [Code.OWN_ID, 0]
            case Global(name):
                return [Code.GLOBAL, self._scalar(name)]
            case Local(name):
                return [Code.LOCAL, self.slots[name]]
            case Field(base, struct, name):
                return [*self._value(base), Code.FIELD, self._field(struct, name)]
            case Index(array, index):
                return [*self._value(index), Code.INDEX, self._array(array)]
            case Sum(op, left, right):
                code = Code.ADD if op == "+" else Code.SUBTRACT
                return [*self._value(left), *self._value(right), code, 0]

    def _scalar(self, name: str) -> int:
        return [v.name for v in self.scalars].index(name)

    def _array(self, name: str) -> int:
        return [v.name for v in self.arrays].index(name)

    def _field(self, struct: str, name: str) -> int:
        return [f.name for f in self.spec.fields(struct)].index(name)


def _bound(operation: Operation) -> list[str]:
    names = [g.name for s in operation.steps for g in s.guard if isinstance(g, NoNode)]
    return list(dict.fromkeys(names))


def _live(operation: Operation) -> list[set[str]]:
    """For each step and the end, the locals whose values can still matter, looks included."""
    live: list[set[str]] = [set()]
    for step in reversed(operation.steps):
        sets = {name for name, _ in step.binds} | {name for name, _ in step.picks}
        needs = {name for _, expr in step.binds for name in local_names(expr)} - sets
        for kind, name in mentions(step):
            if kind == "set":
                sets.add(name)
            elif name not in sets:
                needs.add(name)
        live.insert(0, needs | (live[0] if step.loop else live[0] - sets))
    return live


METHODS: dict[str, dict[str, int]] = {
    "queue": {"enqueue": 0, "dequeue": 1},
    "stack": {"push": 0, "pop": 1},
    "set": {"add": 0, "remove": 1, "contains": 2},
    "register": {"write": 3, "read": 4, "cas": 5},
    "snapshot": {"update": 3, "scan": 4, "update1": 6, "update2": 7},
    "counter": {"read": 4, "increment": 8, "decrement": 9},
}
TYPES = (*METHODS, "program")


def method_number(spec: Specification) -> Callable[[str], int]:
    """The numbers of a specification's methods, the same in its model."""
    if spec.model is None and spec.implements is not None:
        numbers = METHODS[spec.implements]
    else:
        names = sorted({o.method for s in (spec, spec.model) if s for o in s.operations})
        numbers = {name: number for number, name in enumerate(names)}
    return lambda name: HELPS if name == SKIP else numbers[name]
