"""A specification prepared for analysis: local sub-operations folded into global ones.

A sub-operation is *local* when it touches only its own locals and nodes it allocated and has not
yet published; such steps commute with everything (in the address-reuse mode, allocation does not).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from heapstory.linear.grammar import SpecificationError
from heapstory.linear.locks import Cell, cell_of, lock_cells
from heapstory.linear.syntax import (
    Assign,
    Expr,
    Field,
    Free,
    Global,
    Index,
    Local,
    Malloc,
    Operation,
    Read,
    Return,
    Specification,
    SubOperation,
    walk,
)

@dataclass(frozen=True)
class Step:
    """An atomic step: one or more sub-operations of the specification, run together."""

    label: str
    parts: tuple[SubOperation, ...]
    writes: bool  # writes shared state
    effect: bool  # writes shared state other than locks
    pure: bool  # only reads shared state into locals

    @property
    def returns(self) -> bool:
        """Whether the response happens here."""
        return any(p.returns for p in self.parts)


@dataclass(frozen=True)
class Path:
    """One operation as steps. ``response`` is the index of the step that answers."""

    operation: Operation
    steps: tuple[Step, ...]

    @property
    def name(self) -> str:
        """The operation's name."""
        return self.operation.name

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


def prepare(spec: Specification, reuse: bool = False) -> Program:
    """Fold local sub-operations into the next global one (or the last one before them)."""
    locks = lock_cells(spec)
    for operation in spec.operations:
        if not _fold(operation, reuse, locks):
            message = f"operation '{operation.name}' has no step that touches shared state"
            where = operation.position
            raise SpecificationError(message, spec.path, spec.source, where.line, where.column)
    return Program(spec, tuple(Path(o, _fold(o, reuse, locks)) for o in spec.operations), reuse)


def merge(program: Program, groups: dict[str, list[list[int]]]) -> Program:
    """The program with runs of steps merged: for each operation, the groups of step indices."""
    paths = []
    for path in program.paths:
        steps = tuple(_join([path.steps[i] for i in g]) for g in groups[path.name])
        paths.append(replace(path, steps=steps))
    return replace(program, paths=tuple(paths))


def _join(steps: list[Step]) -> Step:
    parts = tuple(p for s in steps for p in s.parts)
    label = steps[-1].label
    return Step(label, parts, any(s.writes for s in steps), any(s.effect for s in steps), all(s.pure for s in steps))


def _fold(operation: Operation, reuse: bool, locks: set[Cell]) -> tuple[Step, ...]:
    waiting: list[SubOperation] = []
    steps: list[Step] = []
    private: set[str] = set()
    for sub in operation.steps:
        local, writes = _classify(sub, private, reuse)
        if local:
            waiting.append(sub)
            continue
        pure = not writes and not any(isinstance(s, (Malloc, Free)) for s in sub.body)
        if pure and _independent(waiting, sub):
            parts: tuple[SubOperation, ...] = (sub,)  # a read stays alone, so that it can move
        else:
            parts = (*waiting, sub)
            waiting = []
        steps.append(Step(sub.label, parts, writes, writes and not _only_locks(sub, locks), pure))
    if waiting and steps:
        steps[-1] = replace(steps[-1], parts=(*steps[-1].parts, *waiting))
    return tuple(steps)


def _only_locks(sub: SubOperation, locks: set[Cell]) -> bool:
    for statement in sub.body:
        if isinstance(statement, (Malloc, Free)):
            return False
        if isinstance(statement, Assign) and not isinstance(statement.target, Local):
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


def _classify(sub: SubOperation, private: set[str], reuse: bool) -> tuple[bool, bool]:
    """(local, writes shared state), updating the set of locals that hold unpublished nodes."""
    shared = bool(sub.picks) or any(
        _touches(e, private) for c in sub.guard for e in (c.left, c.right)
    )
    writes = False
    for statement in sub.body:
        match statement:
            case Malloc(target, _):
                shared |= reuse
                writes |= reuse
                if isinstance(target, Local):
                    private.add(target.name)
                else:
                    shared = writes = True
            case Assign(target, value):
                touches = _touches(value, private)
                if isinstance(target, Local):
                    private.discard(target.name)
                    if isinstance(value, Local):  # an alias: neither is known private any more
                        private.discard(value.name)
                elif _touches(target, private):
                    touches = writes = True
                    private -= _locals(value)
                elif isinstance(value, Local):
                    private.discard(value.name)
                shared |= touches
            case Read(place):
                shared |= _touches(place, private)
            case Free(_):
                shared |= reuse
                writes |= reuse
            case Return(values):
                shared |= any(_touches(v, private) for v in values)
    return not shared, writes


def _locals(expr: Expr) -> set[str]:
    return {e.name for e in walk(expr) if isinstance(e, Local)}


def _touches(expr: Expr, private: set[str]) -> bool:
    for part in walk(expr):
        if isinstance(part, (Global, Index)):
            return True
        if isinstance(part, Field) and not (
            isinstance(part.base, Local) and part.base.name in private
        ):
            return True
    return False


def reads_writes(sub: SubOperation) -> tuple[set[str], set[str]]:
    """The locals a sub-operation needs from before, and those it sets."""
    needs: set[str] = set()
    sets = {name for name, _ in sub.binds} | {name for name, _ in sub.picks}

    def use(*exprs: Expr) -> None:
        for expr in exprs:
            needs.update(_locals(expr) - sets)

    for _, expr in sub.binds:
        use(expr)
    for cond in sub.guard:
        use(cond.left, cond.right)
    for statement in sub.body:
        match statement:
            case Assign(target, value):
                use(value)
                if isinstance(target, Local):
                    sets.add(target.name)
                else:
                    use(target)
            case Malloc(target, _):
                if isinstance(target, Local):
                    sets.add(target.name)
                else:
                    use(target)
            case Free(place) | Read(place):
                use(place)
            case Return(values):
                use(*values)
    return needs, sets


def live_locals(path: Path) -> list[set[str]]:
    """For each step index (and the end), the locals still needed from there on."""
    live: list[set[str]] = [set()]
    for step in reversed(path.steps):
        current = set(live[0])
        for sub in reversed(step.parts):
            needs, sets = reads_writes(sub)
            current = (current - sets) | needs
        live.insert(0, current)
    return live
