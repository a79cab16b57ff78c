"""A second, plain interpreter of specifications, for checking the first one's conclusions.

It shares nothing with the machine behind the relations: memory is one dictionary, expressions are
read as they stand, and which steps nobody else can see is found while running.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from heapstory.linear.budget import OutOfBudget
from heapstory.linear.language.show import show_step
from heapstory.linear.language.syntax import (
    Assign,
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
    Operation,
    OwnId,
    Read,
    Return,
    Specification,
    Statement,
    SubOperation,
    Sum,
)

Cell = tuple[Any, ...]
MOST_RUNS = 2_000  # of one operation of a model


class Blocked(Exception):
    """A guard does not hold, or NULL is followed."""


@dataclass
class Memory:
    """Shared memory: cells ``(variable,)``, ``(array, index)`` and ``(address, field)``."""

    cells: dict[Cell, int]
    kinds: dict[int, str]  # address -> struct
    freed: frozenset[int] = frozenset()
    born: int = 0

    def copy(self) -> Memory:
        """An independent copy."""
        return Memory(dict(self.cells), dict(self.kinds), self.freed, self.born)


@dataclass
class Instance:
    """A running operation: where it is, its locals, and nodes that only it knows."""

    number: int
    operation: Operation
    arguments: tuple[int, ...]
    pc: int
    locals: dict[str, int]
    own: set[int] = field(default_factory=set)
    name: int = 0  # what ``ID`` is

    def copy(self) -> Instance:
        """An independent copy."""
        return replace(self, own=set(self.own), locals=dict(self.locals))

    @property
    def done(self) -> bool:
        """Whether no step remains."""
        return self.pc == len(self.operation.steps)


@dataclass
class Effect:
    """What running one sub-operation did."""

    memory: Memory
    instance: Instance
    visible: bool
    answer: Any = None
    answered: bool = False
    choice: tuple[int, ...] = ()
    step: int = 0


class Interpreter:
    """Runs single sub-operations of one specification."""

    def __init__(self, spec: Specification, reuse: bool = False) -> None:
        self.spec, self.reuse = spec, reuse
        self.static = {v.name for v in spec.static}

    def initial(self) -> Memory:
        """The memory before any operation."""
        memory = Memory({}, {})
        for variable in self.spec.globals:
            if variable.name in self.static:
                memory.cells[variable.name,] = self._allocate(memory, variable.type)
            elif isinstance(variable.initial, Const):
                memory.cells[variable.name,] = variable.initial.value
        operation = Operation("init", "init", (), self.spec.init_locals, ())
        instance = Instance(0, operation, (), 0, {})
        run = _Run(self, memory, instance, 0)
        for statement in self.spec.init:
            run.execute(statement)
        return memory

    def _allocate(self, memory: Memory, struct: str, at: int = 0) -> int:
        if at:  # what the freed node held stays in it
            memory.freed -= {at}
            return at
        memory.born += 1
        memory.kinds[memory.born] = struct
        return memory.born

    def start(
        self, operation: Operation, number: int, arguments: tuple[int, ...], name: int = 0
    ) -> Instance:
        """A new instance that has run nothing yet; without a ``name`` its number gives it one."""
        local = {p.name: a for p, a in zip(operation.parameters, arguments, strict=True)}
        return Instance(number, operation, arguments, 0, local, name=name or number + 1)

    def step(self, memory: Memory, instance: Instance) -> Iterator[Effect]:
        """Every way to run the instance's next sub-operation; a loop step may also be left out."""
        sub = instance.operation.steps[instance.pc]
        if sub.loop:
            skipped = instance.copy()
            skipped.pc += 1
            if skipped.done:
                yield Effect(memory, skipped, False, step=skipped.pc)
            else:
                yield from self.step(memory, skipped)
        for chosen in self._choices(memory, instance, sub):
            for address in self._addresses(memory, sub):
                run = _Run(self, memory.copy(), instance.copy(), address)
                try:
                    run.sub_operation(sub, chosen)
                except Blocked:
                    continue
                run.instance.pc += 0 if sub.loop else 1
                choice = (*chosen.values(), address)
                yield Effect(
                    run.memory,
                    run.instance,
                    run.visible,
                    run.answer,
                    run.answered,
                    choice,
                    instance.pc,
                )

    def _choices(
        self, memory: Memory, instance: Instance, sub: SubOperation
    ) -> Iterator[dict[str, int]]:
        found: list[dict[str, int]] = [{}]
        for name, struct in sub.picks:
            nodes = self.reachable(memory, struct)
            found = [{**f, name: node} for f in found for node in nodes]
        yield from found

    def reachable(self, memory: Memory, struct: str) -> list[int]:
        """The nodes of a type that can be reached from shared variables."""
        structs = self.spec.structs
        pointers = {v.name for v in self.spec.globals if v.type in structs}
        todo = [
            value
            for cell, value in memory.cells.items()
            if isinstance(cell[0], str) and cell[0] in pointers and value
        ]
        found: set[int] = set()
        while todo:
            address = todo.pop()
            if address in found:
                continue
            found.add(address)
            for f in self.spec.fields(memory.kinds[address]):
                target = memory.cells.get((address, f.name), 0)
                if f.type in structs and target:
                    todo.append(target)
        return sorted(a for a in found if memory.kinds[a] == struct)

    def _addresses(self, memory: Memory, sub: SubOperation) -> list[int]:
        # Where the first malloc of the step may land: anywhere that was freed, or somewhere new.
        wanted = [s.struct for s in sub.body if isinstance(s, Malloc)]
        if not self.reuse or not wanted:
            return [0]
        return [*(a for a in sorted(memory.freed) if memory.kinds[a] == wanted[0]), 0]


class _Run:
    """One sub-operation being run on a copy of the memory."""

    def __init__(
        self, interpreter: Interpreter, memory: Memory, instance: Instance, at: int
    ) -> None:
        self.interpreter, self.memory, self.instance, self.at = interpreter, memory, instance, at
        self.visible = False
        self.answer: Any = None
        self.answered = False

    def sub_operation(self, sub: SubOperation, chosen: dict[str, int]) -> None:
        self.visible = bool(chosen)
        self.instance.locals.update(chosen)
        for name, expr in sub.binds:
            self.instance.locals[name] = self.value(expr)
        for condition in sub.guard:
            if not self._holds(condition):
                raise Blocked
        for statement in sub.body:
            self.execute(statement)

    def _holds(self, condition: Guard) -> bool:
        if isinstance(condition, NoNode):
            self.visible = True
            nodes = self.interpreter.reachable(self.memory, condition.struct)
            return not any(self._satisfies(node, condition) for node in nodes)
        left, right = self.value(condition.left), self.value(condition.right)
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

    def _satisfies(self, node: int, condition: NoNode) -> bool:
        self.instance.locals[condition.name] = node
        found = all(self._holds(c) for c in condition.conditions)
        del self.instance.locals[condition.name]
        return found

    def value(self, expr: Expr) -> int:
        match expr:
            case Const(value, _):
                return value
            case OwnId():
                return self.instance.name
            case Local(name):
                return self.instance.locals.get(name, 0)
            case Sum("+", left, right):
                return self.value(left) + self.value(right)
            case Sum(_, left, right):
                return self.value(left) - self.value(right)
        return self.memory.cells.get(self._cell(expr), 0)

    def _cell(self, place: Expr) -> Cell:
        match place:
            case Global(name):
                self.visible |= name not in self.interpreter.static
                return (name,)
            case Index(array, index):
                self.visible = True
                return (array, self.value(index))
            case Field(base, _, name):
                address = self.value(base)
                if address == 0:
                    raise Blocked
                self.visible |= address not in self.instance.own
                return (address, name)
        raise AssertionError(place)

    def execute(self, statement: Statement) -> None:
        match statement:
            case Assign(target, value):
                self._store(target, self.value(value), _is_pointer(self, target))
            case Malloc(target, struct):
                address = self.interpreter._allocate(self.memory, struct, self.at)
                self.visible |= self.interpreter.reuse
                self.at = 0
                self.instance.own.add(address)
                self._store(target, address, True)
            case Free(place):
                if self.interpreter.reuse:
                    self.memory.freed |= {self.value(place)}
                    self.visible = True
            case Read(place):
                self.value(place)
            case Return(values):
                answers = tuple(self.value(v) for v in values)
                self.answered = True
                self.answer = None if not answers else answers[0] if len(answers) == 1 else answers

    def _store(self, target: Expr, value: int, pointer: bool) -> None:
        if isinstance(target, Local):
            self.instance.locals[target.name] = value
            return
        cell = self._cell(target)
        self.memory.cells[cell] = value
        if pointer and not (len(cell) == 2 and cell[0] in self.instance.own):
            self._publish(value)

    def _publish(self, address: int) -> None:
        # A node that shared memory points to is known to all, and so is what it points to.
        if address in self.instance.own:
            self.instance.own.discard(address)
            struct = self.memory.kinds[address]
            for name in self.interpreter.spec.fields(struct):
                if name.type in self.interpreter.spec.structs:
                    self._publish(self.memory.cells.get((address, name.name), 0))


def _is_pointer(run: _Run, target: Expr) -> bool:
    spec = run.interpreter.spec
    match target:
        case Global(name):
            return next(v.type for v in spec.globals if v.name == name) in spec.structs
        case Index(array, _):
            return next(v.type for v in spec.globals if v.name == array) in spec.structs
        case Field(_, struct, name):
            return next(f.type for f in spec.fields(struct) if f.name == name) in spec.structs
    return False


class SpecificationModel:
    """A specification as a sequential model: each operation runs alone, from start to end."""

    def __init__(self, spec: Specification) -> None:
        self.spec = spec
        self.interpreter = Interpreter(spec)
        self._memory: dict[Any, Memory] = {}

    def initial(self) -> Any:
        return self._keep(self.interpreter.initial())

    def _keep(self, memory: Memory) -> Any:
        key = frozen(self.spec, memory, [], {})[0]
        self._memory.setdefault(key, memory)
        return key

    def apply(
        self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1
    ) -> list[tuple[Any, Any]]:
        found = []
        for operation in self.spec.operations:
            if operation.method == method and len(operation.parameters) == len(arguments):
                first = self.interpreter.start(operation, 0, arguments, who)
                found += self._finish(self._memory[state], first)
        return found

    def shown(self, state: Any) -> str:
        """The variables that are not 0, and the fields of the nodes they lead to."""
        memory, spec = self._memory[state], self.spec
        lost = set(memory.kinds)
        for struct in spec.structs:
            lost -= set(self.interpreter.reachable(memory, struct))
        pointers = {v.name for v in spec.globals if v.type in spec.structs}
        fields = {f.name for each in spec.structs.values() for f in each if f.type in spec.structs}
        parts = []
        for cell, value in memory.cells.items():
            node = isinstance(cell[0], int)
            if value and cell[0] not in lost:
                pointer = cell[1] in fields if node else cell[0] in pointers
                name = f"n{cell[0]}.{cell[1]}" if node else cell[0]
                name += f"[{cell[1]}]" if not node and len(cell) == 2 else ""
                parts.append(f"{name} = {'n' * pointer}{value}")
        return ", ".join(parts) or "all 0"

    def _finish(self, memory: Memory, instance: Instance) -> list[tuple[Any, Any]]:
        """Every way to the end; a loop that comes back to where it was ends there."""
        last = {instance.operation.name: last_mention(instance.operation)}
        todo: list[tuple[Memory, Instance, Any]] = [(memory, instance, None)]
        seen, found = set(), []
        while todo:
            memory, instance, answer = todo.pop()
            key = (frozen(self.spec, memory, [instance], last)[0], answer)
            if key in seen:
                continue
            seen.add(key)
            if len(seen) > MOST_RUNS:
                raise OutOfBudget("an operation of the model can run in too many ways")
            if instance.done:
                found.append((answer, self._keep(memory)))
                continue
            for effect in self.interpreter.step(memory, instance):
                said = effect.answer if effect.answered else answer
                todo.append((effect.memory, effect.instance, said))
        return found


def last_mention(operation: Operation) -> dict[str, int]:
    """For each local, the last step whose text names it: after that its value cannot matter."""
    last: dict[str, int] = {}
    for number, step in enumerate(operation.steps):
        for word in re.findall(r"\w+", show_step(step)):
            last[word] = number
    return last


def frozen(
    spec: Specification,
    memory: Memory,
    instances: list[Instance],
    last: dict[str, dict[str, int]],
) -> tuple[Any, dict[int, int]]:
    """A hashable form of memory and instances, addresses renamed and garbage left out.

    ``last`` has `last_mention` by operation.
    """
    return _Freezer(spec, memory).run(instances, last)


class _Freezer:
    def __init__(self, spec: Specification, memory: Memory) -> None:
        self.spec, self.memory = spec, memory
        self.names: dict[int, int] = {0: 0}
        self.todo: list[int] = []

    def _name(self, pointer: bool, value: int) -> int:
        if not pointer:
            return value
        if value not in self.names:
            self.names[value] = len(self.names)
            self.todo.append(value)
        return self.names[value]

    def run(
        self, instances: list[Instance], last_use: dict[str, dict[str, int]]
    ) -> tuple[Any, dict[int, int]]:
        spec, cells = self.spec, self.memory.cells
        shared: list[Any] = []
        arrays: dict[str, list[tuple[Any, ...]]] = {}
        for cell in cells:
            if isinstance(cell[0], str) and len(cell) == 2 and cells[cell]:
                arrays.setdefault(cell[0], []).append(cell)
        for variable in spec.globals:
            pointer = variable.type in spec.structs
            if variable.array:
                for cell in sorted(arrays.get(variable.name, [])):
                    shared.append((cell, self._name(pointer, cells[cell])))
            else:
                shared.append(self._name(pointer, cells.get((variable.name,), 0)))
        nodes = self._follow()
        pending = []
        for instance in instances:
            operation = instance.operation
            values = []
            last = last_use[operation.name]
            for variable in (*operation.parameters, *operation.locals):
                later = last.get(variable.name, -1) >= instance.pc
                value = instance.locals.get(variable.name, 0) if later else 0
                values.append(self._name(variable.type in spec.structs, value))
            nodes += self._follow()
            pending.append((operation.name, instance.pc, instance.number, tuple(values)))
        return (tuple(shared), tuple(nodes), tuple(pending)), self.names

    def _follow(self) -> list[Any]:
        found = []
        while self.todo:
            address = self.todo.pop(0)
            struct = self.memory.kinds[address]
            values = []
            for f in self.spec.fields(struct):
                value = self.memory.cells.get((address, f.name), 0)
                values.append(self._name(f.type in self.spec.structs, value))
            found.append((struct, address in self.memory.freed, *values))
        return found
