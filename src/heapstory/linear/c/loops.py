"""Loops of a function: retries, turns that help others along, and walks along pointers.

A turn that ends where it began, with nothing changed, is as if it had not been tried. One that has
changed shared state becomes an operation of its own. One that hands values it has read to the next
is followed once more: after it, all are alike. A loop that only walks along pointers, one link
each turn, becomes a ``loop`` step.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from heapstory.cfront.program import Operand
from heapstory.linear.c.path import Head, Path, Turn
from heapstory.linear.c.statements import Statements
from heapstory.linear.c.values import EXPRESSIONS, NULL, CannotModel, Value
from heapstory.linear.language.binding import local_names, mentions
from heapstory.linear.language.syntax import (
    Assign,
    Condition,
    Expr,
    Field,
    Global,
    Local,
    Position,
    SubOperation,
    subexpressions,
)

# What a turn hands to the next: a variable, slot or field, its value before and after.
Carried = dict[object, tuple[Value, Value]]


class Follower(Protocol):
    """Who follows paths."""

    statements: Statements

    def follow(self, todo: list[Path]) -> list[Path]: ...

    def run(self, path: Path) -> list[Path] | None: ...


class NotAWalk(Exception):
    """The loop does more than walk along pointers."""


class Loops:
    """The loops of one function."""

    def __init__(self, paths: Follower) -> None:
        self.paths = paths
        self.helping: list[Path] = []
        self._turns: list[Path] = []

    def enter(self, path: Path) -> list[Path] | None:
        """Come to a block. None: it runs as any other; else the paths that go on instead."""
        block, head = path.frame.code, path.head
        line = self._line(path)
        values = {target: self._phi(path, sources, line) for target, sources in block.phis}
        path.frame.values.update(values)
        if not block.loops:
            return None
        if head in path.visited:
            return self._back(path, head, line)
        if not path.inline:
            self._walk(path, head, line)
        path.visited.append(head)
        path.entered[head] = path.turn()
        return None

    def _phi(self, path: Path, sources: dict[str, Operand], line: int) -> Value:
        return self.paths.statements.value(path, sources[path.frame.came], line)

    @staticmethod
    def _line(path: Path) -> int:
        block = path.frame.code
        places = [s[1] for s in (*block.statements, block.terminator) if s[1]]
        return places[0].line if places else 0

    # -- retries ----------------------------------------------------------------------------------

    def _back(self, path: Path, head: Head, line: int) -> list[Path] | None:
        if path.inline == head:
            self._turns.append(path)
            return []
        if path.inline:
            raise NotAWalk
        if head in path.walked:
            return []  # in the loop step already
        before = path.entered[head]
        carried = _carried(path, before)
        if any(index >= before.steps for index in path.effects):
            if path.held:
                raise CannotModel("a loop that changes shared state while it holds a lock", line)
            if carried:
                raise CannotModel("a loop that changes shared state, turn by turn", line)
            self._help(path, before.steps, line)
            return []
        if not carried:
            return []  # a pure retry: as if it had not been tried
        read = _handed_on(path, before, carried, line)
        if before.handed is not None:
            return []  # like the turn before
        _again(path, head, carried, read)
        return None

    def _help(self, path: Path, start: int, line: int) -> None:
        steps = path.steps[start:]
        named = {name for step in steps for _, name in mentions(step)}
        given = {name for step in steps for kind, name in mentions(step) if kind == "set"}
        if named - given:
            raise CannotModel(
                "a retry that changes shared state and depends on what was before", line
            )
        locals_ = {name: kind for name, kind in path.locals.items() if name in named}
        alone = Path([], steps=steps, locals=locals_, called=path.called)
        if all(alone.steps != other.steps for other in self.helping):
            self.helping.append(alone)

    # -- walks ------------------------------------------------------------------------------------

    def _walk(self, path: Path, head: Head, line: int) -> None:
        """Where the loop only walks along pointers: put a loop step for it on the path."""
        block, values = path.frame.code, path.frame.values
        moved = [v for v in path.frame.function.variables if v in block.changes & block.live]
        moved = [v for v in moved if v in values]
        if not moved:
            return
        ready = path.copy()
        self._name(ready, moved, line)
        try:
            step = self._loop_step(ready, head, moved, line)
        except NotAWalk:
            return
        vars(path).update(vars(ready))
        path.steps.append(step)
        path.walked.add(head)

    def _name(self, path: Path, moved: list[str], line: int) -> None:
        """Give the variables that a loop moves names of their own."""
        source, frame = self.paths.statements.source, path.frame
        for slot in moved:
            kind = source.variable_type(frame.function, slot)
            value = self.paths.statements.expression(path, frame.values[slot], kind, line)
            name = path.new_local(kind, frame.function.variables[slot])
            path.emit(line, Assign(Local(name), value))
            frame.values[slot] = Local(name)

    def _loop_step(self, path: Path, head: Head, moved: list[str], line: int) -> SubOperation:
        probe = path.copy()
        probe.inline, probe.visited = head, [head]
        probe.guards, probe.steps, probe.effects, probe.loads = [], [], [], []
        kept, self._turns = self._turns, []
        after = self.paths.run(probe)
        self.paths.follow(after or [])
        turns, self._turns = self._turns, kept
        if len(turns) != 1 or turns[0].steps or turns[0].slots != path.slots:
            raise NotAWalk
        return self._one_turn(path, turns[0], moved, line)

    def _one_turn(self, path: Path, turn: Path, moved: list[str], line: int) -> SubOperation:
        values = path.frame.values
        body: dict[str, Expr] = {}
        for slot in moved:
            name, after = values[slot], turn.frame.values[slot]
            assert isinstance(name, Local)
            kind = path.locals[name.name]
            if after != name:
                body[name.name] = self.paths.statements.expression(turn, after, kind, line)
        if not path.held:
            self.paths.statements.walks.append((line, tuple(turn.loads)))
        moves = _in_turn(path, body)
        guard = tuple(turn.guards)
        return SubOperation("", "1", guard, moves, loop=True, position=Position(line, 1))


def _in_turn(path: Path, body: dict[str, Expr]) -> tuple[Assign, ...]:
    """Values that change at once, one after the other: none before the others have used it;
    where that cannot be, by way of fresh names."""
    done, waiting = [], dict(body)
    fresh: dict[str, str] = {}

    def used(name: str) -> bool:
        return any(name in local_names(e) for other, e in waiting.items() if other != name)

    while waiting and (free := [name for name in waiting if not used(name)]):
        done.append(Assign(Local(free[0]), waiting.pop(free[0])))
    for name, value in waiting.items():
        fresh[name] = path.new_local(path.locals[name], f"next_{path.called.get(name, name)}")
        done.append(Assign(Local(fresh[name]), value))
    return (*done, *(Assign(Local(name), Local(fresh[name])) for name in waiting))


def _carried(path: Path, before: Turn) -> Carried:
    """What had a value before the turn, has another after it, and may be read again."""
    live = path.frame.code.live
    now, then = path.frame.values, before.variables
    found: Carried = {n: (v, now[n]) for n, v in then.items() if n in live and now[n] != v}
    found |= {s: (v, path.slots[s]) for s, v in before.slots.items() if path.slots[s] != v}
    found |= {f: (v, path.fields[f]) for f, v in before.fields.items() if path.fields[f] != v}
    return found


def _handed_on(path: Path, before: Turn, carried: Carried, line: int) -> dict[str, Expr]:
    """What a turn has read. It must hand on nothing but that, read without the help of what it was
    handed itself, and the same each time: then the last turn is all that counts."""
    old = _old(carried)
    read = _read(path.steps[before.steps :])
    fresh = all(
        isinstance(value, Local) and value.name in read and not _from(value.name, read) & old
        for _, value in carried.values()
    )
    if not fresh or (before.handed is not None and not before.handed >= carried.keys()):
        raise CannotModel("a loop whose turns depend on each other", line)
    return read


def _again(path: Path, head: Head, carried: Carried, read: dict[str, Expr]) -> None:
    """Begin again, with one turn behind. What it checked against the values before it is no
    condition, for those may come from yet another turn; and what had no value before the first
    turn has none now."""
    before, old = path.entered[head], _old(carried)
    start = before.steps
    path.frame.values = {n: v for n, v in path.frame.values.items() if n in before.variables}
    path.slots = {s: v for s, v in path.slots.items() if s in before.slots}
    path.stale |= path.fields.keys() - before.fields.keys()
    path.fields = {f: v for f, v in path.fields.items() if f in before.fields}
    path.steps[start:] = [_unchecked(step, old, set(read)) for step in path.steps[start:]]
    path.guards = [c for c in path.guards if not _between(c, old, set(read))]
    path.visited = path.visited[: path.visited.index(head) + 1]
    path.entered[head] = path.turn(frozenset(carried))


def _old(carried: Carried) -> set[str]:
    return {name for value, _ in carried.values() for name in _names(value)}


def _names(value: Value) -> set[str]:
    return local_names(value) if isinstance(value, EXPRESSIONS) else set()


def _read(steps: list[SubOperation]) -> dict[str, Expr]:
    """What the locals that some steps set are read from."""
    return {
        s.target.name: s.value
        for step in steps
        for s in step.body
        if isinstance(s, Assign) and isinstance(s.target, Local)
    }


def _from(name: str, read: dict[str, Expr]) -> set[str]:
    """The locals that a value which was read depends on."""
    found: set[str] = set()
    todo = [name]
    while todo:
        for part in local_names(read.get(todo.pop(), NULL)) - found:
            found.add(part)
            todo.append(part)
    return found


def _unchecked(step: SubOperation, old: set[str], read: set[str]) -> SubOperation:
    """A step without what it checked against old values, and without the check of an exchange
    that failed."""
    seen = [s.value for s in step.body if isinstance(s, Assign)]
    kept = tuple(
        c
        for c in step.guard
        if isinstance(c, Condition)
        and not _between(c, old, read)
        and not (c.op == "!=" and c.left in seen)
    )
    return replace(step, guard=kept)


def _between(check: Condition, old: set[str], read: set[str]) -> bool:
    """Whether a condition compares old values with what the turn has read, or with memory."""
    names = _names(check.left) | _names(check.right)
    memory = any(
        isinstance(p, (Field, Global)) for e in (check.left, check.right) for p in subexpressions(e)
    )
    return bool(names & old) and (memory or bool(names & read))
