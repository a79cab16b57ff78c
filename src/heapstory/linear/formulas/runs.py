"""The steps of a program on formulas, with the abstract state carried along.

Two kinds of operations are told apart. One that *acts* does its abstract step at a step of its own,
its linearization point. One that only *looks* (it changes nothing but locks, and answers a
constant) is right if at some moment since it began the abstract operation would have answered the
same and changed nothing; the ghost ``seen`` of its instance says so. That moment may lie in
another's step, as for a lookup that meets a node just removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from heapstory.linear.formulas.abstraction import Abstraction
from heapstory.linear.formulas.symbolic import Actor, Execution, Shared, arbitrary, solver_module
from heapstory.linear.language.syntax import Const, Hint
from heapstory.linear.program.steps import Path, Program

# kinds of nodes; a lookup remembers which nodes were of a kind at some moment (its ghost ``met``)
Scopes = dict[str, Callable[[Shared, Any], Any]]
Points = dict[int, int | None]  # by path: the step that takes effect, None where it only looks
NEVER = -1  # no abstract step: the specification has no abstract type


@dataclass(frozen=True)
class Move:
    """A step that an instance standing at ``at`` may run, and where it stands afterwards."""

    path: int
    at: int
    step: int
    after: int


def moves_of(number: int, path: Path) -> Iterator[Move]:
    """The moves of a path: a loop step may run again and again, and may be passed over, so that
    nobody ever stands right behind one."""
    for at in range(len(path.steps)):
        if at > 0 and path.steps[at - 1].loop:
            continue
        for step in range(at, len(path.steps)):
            again = path.steps[step].loop
            yield Move(number, at, step, step if again else step + 1)
            if not again:
                break


class Runs:
    """Every move from one state of which nothing is known. Building terms costs more than solving,
    so states and runs are made once and kept."""

    def __init__(
        self, program: Program, points: Points, abstraction: Abstraction, scopes: Scopes
    ) -> None:
        self.z3 = solver_module()
        self.program, self.spec, self.points = program, program.spec, points
        self.abstraction, self.scopes = abstraction, scopes
        self.moves = [m for n, path in enumerate(program.paths) for m in moves_of(n, path)]
        self.pre = arbitrary(self.spec, "pre")
        abstraction.declare(self.pre, "pre")
        self._actors: dict[tuple[int, str], Actor] = {}
        self.answers: dict[int, int] = {}  # by path: how many values its abstract step answers
        self._runs: dict[Move, Execution] = {}
        self._onlookers: dict[tuple[Move, int], Actor] = {}

    def actor(self, number: int, tag: str = "actor") -> Actor:
        """An instance of a path: the one that acts, or with another tag, one beside it."""
        if (number, tag) not in self._actors:
            self._actors[number, tag] = self._new_actor(number, tag)
        return self._actors[number, tag]

    def _new_actor(self, number: int, tag: str) -> Actor:
        z3 = self.z3
        operation = self.program.paths[number].operation
        names = [v.name for v in (*operation.parameters, *operation.locals)]
        ghosts = {f"result{i}": z3.Int(f"result{i}_{tag}") for i in range(self._width())}
        ghosts["seen"] = z3.Bool(f"seen_{tag}")
        for name in self.scopes:
            met = z3.Const(f"met_{name}_{tag}", z3.ArraySort(z3.IntSort(), z3.BoolSort()))
            ghosts[f"met {name}"] = lambda n, m=met: m[n]
        return Actor(z3.Int(f"id_{tag}"), {n: z3.Int(f"{n}_{tag}") for n in names}, ghosts)

    def _width(self) -> int:
        """The most values that any operation answers, of the specification or its model."""
        specs = [self.spec, *([self.spec.model] if self.spec.model else [])]
        steps = [step for spec in specs for o in spec.operations for step in o.steps]
        return max([2, *(len(step.returns.values) for step in steps if step.returns)])

    def execute(self, move: Move) -> Execution:
        """The acting instance makes a move."""
        if move not in self._runs:
            self._runs[move] = self._execute(move)
        return self._runs[move]

    def _execute(self, move: Move) -> Execution:
        z3, path, actor = self.z3, self.program.paths[move.path], self.actor(move.path)
        if move.at == 0:  # it begins here, so it has seen nothing yet
            actor = actor.copy()
            actor.ghosts["seen"] = z3.BoolVal(False)
            for name in self.scopes:
                actor.ghosts[f"met {name}"] = lambda n: z3.BoolVal(False)
        run = Execution(self.spec, self.pre, actor, "step")
        run.run(path.steps[move.step].parts)
        point = self.points[move.path]
        if point is None:
            self._look(run.actor, path, run.shared)
        elif point == move.step:
            self._take_effect(run, move.path)
        return run

    def onlooker(self, move: Move, number: int) -> Actor:
        """An instance beside the acting one, after the move: it may have seen something."""
        other = self.actor(number, "watcher")
        if self.points[number] is not None:
            return other
        if (move, number) not in self._onlookers:
            after = self._onlookers[move, number] = other.copy()
            self._look(after, self.program.paths[number], self.execute(move).shared)
        return self._onlookers[move, number]

    def _look(self, actor: Actor, path: Path, after: Shared) -> None:
        """Record whether the answer would be right before or after a step, and which nodes were
        there."""
        answer = constant_answer(path)
        assert answer is not None
        moments = [self.abstraction.would(s, path, actor, answer) for s in (self.pre, after)]
        actor.ghosts["seen"] = self.z3.Or(actor.ghosts["seen"], *moments)
        for name, holds in self.scopes.items():
            old = actor.ghosts[f"met {name}"]
            actor.ghosts[f"met {name}"] = lambda n, o=old, h=holds: self.z3.Or(
                o(n), h(self.pre, n), h(after, n)
            )

    def _take_effect(self, run: Execution, number: int) -> None:
        """Do the abstract operation. A path that changes nothing only looks: should the abstract
        operation change something there, its answer is recorded as a number nobody knows."""
        path = self.program.paths[number]
        before = dict(run.shared.ghosts)
        answer = self.abstraction.apply(run, path) or ()
        self.answers[number] = len(answer)
        if any(step.effect for step in path.steps):
            for i, value in enumerate(answer):
                run.actor.ghosts[f"result{i}"] = value
            return
        z3, after = self.z3, run.shared.ghosts
        names = (*self.abstraction.scalars(), *self.abstraction.arrays())
        quiet = z3.And(*[after[n] == before[n] for n in names], z3.BoolVal(True))
        run.shared.ghosts = before
        run.actor.ghosts["quiet"] = quiet
        for i, value in enumerate(answer):
            run.actor.ghosts[f"result{i}"] = z3.If(quiet, value, z3.Int(f"unknown{i}"))

    def changes(self, move: Move) -> bool:
        """Whether a move changes shared state, abstract state included."""
        after, before = self.execute(move).shared, self.pre
        for name in ("scalars", "arrays", "fields", "alloc", "ghosts"):
            new, old = getattr(after, name), getattr(before, name)
            if any(not new[key].eq(old[key]) for key in old):
                return True
        return False


def constant_answer(path: Path) -> tuple[int, ...] | None:
    """What a path that only looks answers, if that is a constant; None for all other paths."""
    if any(step.effect for step in path.steps):
        return None
    said = next((p.returns for step in path.steps for p in step.parts if p.returns), None)
    if said is None:
        return None
    values = [v.value for v in said.values if isinstance(v, Const)]
    return tuple(values) if values and len(values) == len(said.values) else None


def candidate_points(path: Path, hints: tuple[Hint, ...] = ()) -> list[int | None]:
    """Where a path may take effect: its changes of shared state, or its last looks at it; where the
    user says so."""
    said = {hint.label for hint in hints if not hint.facts}
    hinted = [i for i, s in enumerate(path.steps) if said & {part.label for part in s.parts}]
    if hinted:
        return [hinted[0]]
    if constant_answer(path) is not None:
        return [None]
    last = path.response
    everywhere = [i for i in range(last, -1, -1) if not path.steps[i].loop]
    effects = [i for i in everywhere[::-1] if path.steps[i].effect]
    if not effects and last > 0:  # the last step often only confirms what the one before saw
        effects = [last - 1]
    return [*effects, *(i for i in everywhere if i not in effects)]
