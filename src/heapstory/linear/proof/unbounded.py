"""The relations for any number of operations: pairs of steps in every state that satisfies the
invariants, decided by z3.

A pair is *ordered* unless no such state lets the second step run after the first; it is
*reversible* only where in every such state the other order runs too and ends alike. Invariants hold
in all reachable states and maybe in others, so both err on the side that Algorithm 6 can bear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heapstory.linear.budget import Budget
from heapstory.linear.formulas.runs import NEVER, Move, Points, candidate_points
from heapstory.linear.formulas.symbolic import Actor, Execution, Shared, Unsupported
from heapstory.linear.language.syntax import Specification
from heapstory.linear.program.needed import needed_cells
from heapstory.linear.program.steps import Program, live_locals, prepare
from heapstory.linear.proof.elimination import answer, certain
from heapstory.linear.proof.houdini import Houdini, Where
from heapstory.linear.states.algorithm6 import Reordering, check_linearizability
from heapstory.linear.states.normalise import merged, movable
from heapstory.linear.states.relations import Relations


@dataclass
class Tables:
    """The relations of a program with its reads merged, and what Algorithm 6 says of them."""

    program: Program
    relations: Relations
    algorithm6: Reordering
    stuck: str  # who may have to wait after an effect; empty: nobody


def first_points(program: Program) -> Points:
    """A likely linearization point for each path; for specifications without a type, none."""
    typed = program.spec.implements is not None or program.spec.model is not None
    return {n: candidate_points(p)[0] if typed else NEVER for n, p in enumerate(program.paths)}


def invariants(program: Program, budget: Budget, guarded: bool = False) -> Pairs:
    """Find the invariants of a program, to ask about pairs."""
    if any(step.loop for path in program.paths for step in path.steps):
        raise Unsupported("the relations of a loop's turns are not proved")
    houdini = Houdini(program, first_points(program), budget, guarded)
    houdini.eliminate()
    return Pairs(houdini)


def tables(spec: Specification, budget: Budget) -> Tables:
    """The thesis' method for any number of operations: merge reads, derive, run Algorithm 6."""
    program = prepare(spec, turns=None)
    program = merged(program, invariants(program, budget, guarded=True).unmergeable())
    pairs = invariants(program, budget)
    relations = pairs.relations()
    outcome = check_linearizability(program, relations)
    return Tables(program, relations, outcome, pairs.stuck())


class Pairs:
    """Questions about one or two instances, answered with the invariants of a program."""

    def __init__(self, houdini: Houdini) -> None:
        self.houdini, self.program, self.spec = houdini, houdini.program, houdini.spec
        self.z3, self.pre = houdini.z3, houdini.runs.pre
        self.moves = {(m.path, m.at): m for m in houdini.runs.moves}
        self.needed = needed_cells(self.spec)
        self.live = [live_locals(path) for path in self.program.paths]

    def relations(self) -> Relations:
        """Both relations, for all pairs of steps of two instances."""
        found = Relations(list(self.moves))
        for first in self.moves.values():
            for second in self.moves:
                self.houdini.budget.check("proving the relations")
                ordered, reversible = self.pair(first, second)
                if ordered:
                    found.ordered.add(((first.path, first.at), second))
                if not reversible:
                    found.irreversible.add(((first.path, first.at), second))
        return found

    def pair(
        self, first: Move, second: Where, premises: list[Any] | None = None
    ) -> tuple[bool, bool]:
        """Whether a step of one instance can be followed by one of another, and whether the other
        order then runs too and ends alike."""
        one, other = self._who(first, second)
        begin = self._run((first.path, first.at), one, self.pre, "step")
        end = self._run(second, other, begin.shared, "other")
        solver = self.houdini.before(first, second, more=tuple(end.picked))
        solver.add(*end.conditions, *(premises or []))
        if answer(solver) == self.z3.unsat:
            return False, True
        if self._picks_beside_a_write(first, second):
            return True, False
        early = self._run(second, other, self.pre, "other")
        late = self._run((first.path, first.at), one, early.shared, "step")
        same = [*early.conditions, *late.conditions, *self._same(end.shared, late.shared)]
        same += self._alike((first.path, first.at), begin, late)
        same += self._alike(second, end, early)
        return True, certain(solver, self.z3.And(*same, self.z3.BoolVal(True)))

    def _who(self, first: Move, second: Where) -> tuple[Actor, Actor]:
        runs = self.houdini.runs
        return runs.actor(first.path), runs.actor(second[0], "watcher")

    def _run(self, where: Where, actor: Actor, shared: Shared, tag: str) -> Execution:
        run = Execution(self.spec, shared, actor, tag)
        run.run(self.program.paths[where[0]].steps[where[1]].parts)
        return run

    def _picks_beside_a_write(self, first: Move, second: Where) -> bool:
        """A step that picks any node of the structure, and one that may change what there is: the
        formulas do not say which nodes are still there."""
        steps = [self.program.paths[n].steps[pc] for n, pc in ((first.path, first.at), second)]
        picks = [any(part.picks for part in step.parts) for step in steps]
        return any(p and q.writes for p, q in zip(picks, steps[::-1], strict=True))

    def _same(self, one: Shared, other: Shared) -> list[Any]:
        """That two shared states agree on all that can matter."""
        pairs = []
        for kind, name in (("g", "scalars"), ("a", "arrays"), ("f", "fields")):
            left, right = getattr(one, name), getattr(other, name)
            for key in left:
                cell = (kind, *key) if kind == "f" else (kind, key)
                if cell in self.needed and not left[key].eq(right[key]):
                    pairs.append(left[key] == right[key])
        return pairs

    def _alike(self, where: Where, one: Execution, other: Execution) -> list[Any]:
        """That an instance ends a step with the same locals and answer."""
        live = self.live[where[0]][where[1] + 1]
        pairs = [one.actor.locals[n] == other.actor.locals[n] for n in sorted(live)]
        for left, right in zip(one.answer or (), other.answer or (), strict=True):
            pairs.append(left == right)
        return pairs

    # -- one instance -----------------------------------------------------------------------------

    def unmergeable(self) -> set[tuple[int, int, int]]:
        """(path, r, t): the reads r … t-1 may say something else when they are done just before t
        (see `normalise`)."""
        found = set()
        for number, path in enumerate(self.program.paths):
            for t in range(1, len(path.steps)):
                for r in range(t - 1, -1, -1):
                    if (number, r + 1, t) in found or not self._merges(number, r, t):
                        found.add((number, r, t))
        return found

    def _merges(self, number: int, r: int, t: int) -> bool:
        path = self.program.paths[number]
        run = path.steps[r:t]
        if not movable(path, r, t) or any(part.picks for step in run for part in step.parts):
            return False
        self.houdini.budget.check("merging reads")
        actor, move = self.houdini.runs.actor(number), self.moves[number, t]
        now = self._run((number, t), actor, self.pre, "step")
        again = Execution(self.spec, self.pre, actor, "step")
        for step in path.steps[r : t + 1]:
            again.run(step.parts)
        same = [*again.conditions, *self._same(now.shared, again.shared)]
        same += self._alike((number, t), now, again)
        solver = self.houdini.before(move)
        return certain(solver, self.z3.And(*same, self.z3.BoolVal(True)))

    def stuck(self) -> str:
        """Empty if whoever has had an effect or has answered can always go on, else who cannot."""
        for (number, pc), move in self.moves.items():
            path = self.program.paths[number]
            if pc <= path.response and not any(step.effect for step in path.steps[:pc]):
                continue
            actor = self.houdini.runs.actor(number)
            run = self._run((number, pc), actor, self.pre, "step")
            solver = self.houdini.before(move, can_run=False)
            if (
                run.picked
                or run.fresh
                or not certain(solver, self.z3.And(*run.conditions, self.z3.BoolVal(True)))
            ):
                return f"'{path.name}' may have to wait at '{path.steps[pc].label}'"
        return ""
