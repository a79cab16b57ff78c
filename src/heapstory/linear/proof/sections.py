"""Critical sections as atomic steps (Lipton's reduction), for proofs.

Where everything an operation touches between taking and giving back a lock is only ever touched by
holders of that lock, or never changes, no other instance can tell whether it runs in one piece. So
its steps may be joined, up to loops, and nobody comes between them. An instance that gets stuck
inside keeps the lock for good: what it did is never seen, and it may be struck out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from heapstory.linear.language.syntax import (
    Assign,
    Expr,
    Field,
    Global,
    NoNode,
    OwnId,
    Read,
    Specification,
    conditions,
)
from heapstory.linear.program.locks import Cell, cell_of, lock_cells
from heapstory.linear.program.privacy import classify, expressions, touched
from heapstory.linear.program.steps import Path, Program, Step, join


@dataclass(frozen=True)
class _Visit:
    """A step on its path: the lock held while it runs (None: none, or more than one), whether none
    was held before and it still is afterwards, and the other shared places that it names and
    writes."""

    lock: Expr | None
    begins: bool
    keeps: bool
    names: frozenset[Cell]
    writes: frozenset[Cell]


def atomic_sections(program: Program) -> Program:
    """The program with the critical sections of locks joined, where nobody can tell."""
    parts = [p for path in program.paths for step in path.steps for p in step.parts]
    if any(p.picks or any(isinstance(g, NoNode) for g in p.guard) for p in parts):
        return program  # these look at nodes without naming what they touch
    visits_of = [list(_visits(program.spec, path)) for path in program.paths]
    visits = [visit for visited in visits_of for visit in visited]
    written = set().union(*(visit.writes for visit in visits))
    guardians: dict[Cell, set[Expr | None]] = {cell: set() for cell in written}
    for visit in visits:
        for cell in visit.names & written:
            guardians[cell].add(visit.lock)
    own = {cell: locks.pop() for cell, locks in guardians.items() if len(locks) == 1}
    paths = []
    for path, visited in zip(program.paths, visits_of, strict=True):
        guarded = [v.lock and all(own.get(c) == v.lock for c in v.names & written) for v in visited]
        paths.append(_closed(path, visited, [bool(g) for g in guarded]))
    return replace(program, paths=tuple(paths))


def _visits(spec: Specification, path: Path) -> Iterator[_Visit]:
    locks = _Locks(spec)
    private: set[str] = set()
    held: set[Expr] = set()
    for step in path.steps:
        names: set[Cell] = set()
        writes: set[Cell] = set()
        begins, during = not held, set(held)
        for part in step.parts:
            exprs = [e for c in conditions(part.guard) for e in (c.left, c.right)]
            for statement in part.body:
                if not isinstance(statement, Read):
                    exprs += expressions(statement)
                if not isinstance(statement, Assign):
                    continue
                target = statement.target
                if locks.fixed(target):
                    (held.add if isinstance(statement.value, OwnId) else held.discard)(target)
                    during.add(target)
                elif (cell := cell_of(target)) in touched(target, private) and cell is not None:
                    writes.add(cell)
            names |= {c for e in exprs if not locks.fixed(e) for c in touched(e, private)}
            classify(part, private, False, set())
        lock = next(iter(during)) if len(during) == 1 else None
        yield _Visit(lock, begins, lock in held, frozenset(names), frozenset(writes))


class _Locks:
    """The locks that are shared variables, or fields of fixed objects."""

    def __init__(self, spec: Specification) -> None:
        self.cells, self.objects = lock_cells(spec), {v.name for v in spec.static}

    def fixed(self, place: Expr) -> bool:
        """Whether a place is such a lock."""
        base = place.base if isinstance(place, Field) else place
        named = isinstance(base, Global) and (base is place or base.name in self.objects)
        return named and cell_of(place) in self.cells


def _closed(path: Path, visited: list[_Visit], guarded: list[bool]) -> Path:
    """Join the steps of each section that gives its lock back before the operation answers."""
    steps: list[Step] = []
    closed: set[int] = set()
    at = 0
    while at < len(path.steps):
        end = at
        while visited[at].begins and end < len(visited) and guarded[end] and visited[end].keeps:
            end += 1
        if end == at or end > path.response or not guarded[end] or path.steps[end].loop:
            steps.append(path.steps[at])
            at += 1
            continue
        joined = _up_to_loops(path.steps[at : end + 1])
        closed |= set(range(len(steps) + 1, len(steps) + len(joined)))
        steps += joined
        at = end + 1
    return replace(path, steps=tuple(steps), closed=frozenset(closed))


def _up_to_loops(steps: tuple[Step, ...]) -> list[Step]:
    found: list[list[Step]] = []
    for step in steps:
        if found and not step.loop and not found[-1][-1].loop:
            found[-1].append(step)
        else:
            found.append([step])
    return [group[0] if group[0].loop else join(group) for group in found]
