"""A specification prepared for analysis: local sub-operations folded into global ones.

A sub-operation is *local* when it touches only its own locals and nodes it allocated and has not
yet published; such steps commute with everything (in the address-reuse mode, allocation does not).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

from heapstory.errors import SpecificationError
from heapstory.linear.language.binding import reads_writes
from heapstory.linear.language.syntax import (
    Assign,
    Field,
    Free,
    Local,
    Malloc,
    Operation,
    Read,
    Specification,
    SubOperation,
    subexpressions,
)
from heapstory.linear.program.locks import Cell, cell_of, lock_cells
from heapstory.linear.program.privacy import classify, expressions, hidden_cells


@dataclass(frozen=True)
class Step:
    """An atomic step: one or more sub-operations of the specification, run together."""

    label: str
    parts: tuple[SubOperation, ...]
    writes: bool  # writes shared state
    effect: bool  # writes shared state other than locks
    pure: bool  # only reads shared state into locals
    loop: bool = False  # may run any number of times, also never

    @property
    def returns(self) -> bool:
        """Whether the response happens here."""
        return any(p.returns for p in self.parts)


@dataclass(frozen=True)
class Path:
    """One operation as steps. ``response`` is the index of the step that answers."""

    operation: Operation
    steps: tuple[Step, ...]
    turns: tuple[int, ...] = ()  # how often each loop step runs on this path
    closed: frozenset[int] = frozenset()  # the steps before which nobody else can run

    @property
    def name(self) -> str:
        """The operation's name, with the turns of its loops where it has any."""
        return "/".join((self.operation.name, *map(str, self.turns)))

    @property
    def answers(self) -> bool:
        """Whether the response says anything."""
        return any(p.returns and p.returns.values for s in self.steps for p in s.parts)

    @property
    def response(self) -> int:
        """The step of the response: the marked one, else the last."""
        marked = [i for i, s in enumerate(self.steps) if s.returns]
        return marked[0] if marked else len(self.steps) - 1


@dataclass(frozen=True)
class Program:
    """The operations of a specification as steps, and how memory behaves."""

    spec: Specification
    paths: tuple[Path, ...]
    reuse: bool = False

    def labels(self) -> list[str]:
        """The labels of all steps, in order."""
        return [s.label for p in self.paths for s in p.steps]


def prepare(spec: Specification, reuse: bool = False, turns: int | None = 3) -> Program:
    """Fold local sub-operations into the next global one (or the last one before them).

    An operation with loop steps becomes one path for each number of turns up to ``turns``; with
    None it stays one path, whose loop steps repeat.
    """
    locks, hidden = lock_cells(spec), hidden_cells(spec)
    for operation in spec.operations:
        once = unroll(operation, (1,) * sum(step.loop for step in operation.steps))
        if not _fold(once, reuse, locks, set()):
            message = f"operation '{operation.name}' has no step that touches shared state"
            where = operation.position
            raise SpecificationError(message, spec.path, spec.source, where.line, where.column)
    paths = []
    for operation in spec.operations:
        if turns is None:
            steps = _fold(operation, reuse, locks, hidden) or _fold(operation, reuse, locks, set())
            paths.append(Path(operation, steps))
            continue
        loops = sum(step.loop for step in operation.steps)
        for counts in product(range(turns + 1), repeat=loops):
            flat = unroll(operation, counts)
            steps = _fold(flat, reuse, locks, hidden) or _fold(flat, reuse, locks, set())
            paths.append(Path(operation, steps, counts))
    return Program(spec, tuple(paths), reuse)


def unroll(operation: Operation, counts: tuple[int, ...]) -> Operation:
    """The operation with each loop step written out the given number of times."""
    left = list(counts)
    steps: list[SubOperation] = []
    for step in operation.steps:
        steps += [replace(step, loop=False)] * (left.pop(0) if step.loop else 1)
    return replace(operation, steps=tuple(steps))


def merge(program: Program, groups: dict[str, list[list[int]]]) -> Program:
    """The program with runs of steps merged: for each operation, the groups of step indices."""
    paths = []
    for path in program.paths:
        steps = tuple(join([path.steps[i] for i in g]) for g in groups[path.name])
        paths.append(replace(path, steps=steps))
    return replace(program, paths=tuple(paths))


def join(steps: list[Step]) -> Step:
    """Several steps as one."""
    parts = tuple(p for s in steps for p in s.parts)
    label = steps[-1].label
    return Step(
        label,
        parts,
        any(s.writes for s in steps),
        any(s.effect for s in steps),
        all(s.pure for s in steps),
    )


def _fold(
    operation: Operation, reuse: bool, locks: set[Cell], hidden: set[Cell]
) -> tuple[Step, ...]:
    waiting: list[SubOperation] = []
    steps: list[Step] = []
    private: set[str] = set()
    for sub in operation.steps:
        local, writes = classify(sub, private, reuse, hidden)
        if sub.loop:  # what runs again and again stands alone
            steps += _alone(waiting)
            waiting = []
            steps.append(Step(sub.label, (sub,), writes, writes, not writes, loop=True))
            continue
        if local and not sub.returns:
            waiting.append(sub)
            continue
        joins = local and steps and not steps[-1].loop
        if joins and not any(map(_may_block, (*waiting, sub))):
            # an answer must not wait for the next step: it joins the one before
            steps[-1] = replace(steps[-1], parts=(*steps[-1].parts, *waiting, sub))
            waiting = []
            continue
        pure = not writes and not any(isinstance(s, (Malloc, Free)) for s in sub.body)
        if pure and _independent(waiting, sub):
            parts: tuple[SubOperation, ...] = (sub,)  # a read stays alone, so that it can move
        else:
            parts = (*waiting, sub)
            waiting = []
        effect = writes and not _only_locks(sub, locks)
        steps.append(Step(sub.label, parts, writes, effect, pure))
    if waiting and steps:
        steps += _tail(waiting, steps)
    return tuple(steps)


def _tail(waiting: list[SubOperation], steps: list[Step]) -> list[Step]:
    """Local steps at the end: joined to the last step if they can not block, else on their own."""
    if any(map(_may_block, waiting)) or steps[-1].loop:
        return _alone(waiting)
    last = steps.pop()
    return [replace(last, parts=(*last.parts, *waiting))]


def _alone(waiting: list[SubOperation]) -> list[Step]:
    return [Step(waiting[-1].label, tuple(waiting), False, False, True)] if waiting else []


def _may_block(sub: SubOperation) -> bool:
    """Whether a local step can get stuck: it has a guard, or follows a pointer that may be NULL."""
    if sub.guard:
        return True
    exprs = [e for s in sub.body if not isinstance(s, Read) for e in expressions(s)]
    return any(isinstance(part, Field) for e in exprs for part in subexpressions(e))


def _only_locks(sub: SubOperation, locks: set[Cell]) -> bool:
    for statement in sub.body:
        if isinstance(statement, (Malloc, Free)):
            return False
        if not isinstance(statement, Assign) or isinstance(statement.target, Local):
            continue
        if cell_of(statement.target) not in locks:
            return False
    return True


def _independent(waiting: list[SubOperation], sub: SubOperation) -> bool:
    needs, sets = reads_writes(sub)
    for other in waiting:
        used, given = reads_writes(other)
        if given & (needs | sets) or used & sets or other.returns:
            return False
    return True


def rewindable_locals(path: Path) -> list[set[str]]:
    """Like `live_locals`, and what the pure reads just before a step needed, to run them again."""
    live = live_locals(path)
    for pc in range(1, len(path.steps)):
        first = pc
        while first > 0 and path.steps[first - 1].pure:
            first -= 1
        for step in path.steps[first:pc]:
            for sub in step.parts:
                live[pc] |= reads_writes(sub)[0]
    return live


def live_locals(path: Path) -> list[set[str]]:
    """For each step index (and the end), the locals still needed from there on."""
    live: list[set[str]] = [set()]
    for step in reversed(path.steps):
        current = set(live[0])
        for sub in reversed(step.parts):
            needs, sets = reads_writes(sub)
            current = (current - sets) | needs
        live.insert(0, current | live[0] if step.loop else current)
    return live
