"""Inductive invariants by elimination (Houdini), for any number of instances.

All candidates are assumed; a step of one instance is run on formulas; whoever is not true after it
is dropped, and so on until nothing drops. What remains is inductive: it holds in every reachable
state. Instances are symmetric, so it is enough to look at the one that acts and, for candidates
about an instance, at one that watches. Quantified facts are instantiated with the nodes at hand,
which only weakens what is assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from heapstory.linear.budget import Budget
from heapstory.linear.candidates.templates import Templates
from heapstory.linear.candidates.terms import Candidate
from heapstory.linear.formulas.abstraction import Abstraction
from heapstory.linear.formulas.runs import Move, Points, Runs
from heapstory.linear.formulas.symbolic import Actor, Shared, initial, solver_module
from heapstory.linear.program.steps import Program
from heapstory.linear.proof.elimination import certain, solver_within, surviving

Where = tuple[int, int]  # path, step about to run
Hand = dict[str, list[Any]]  # the nodes and keys that quantified facts are instantiated with


@dataclass
class Attempt:
    """Linearization points by path, and how far the proof got."""

    points: Points
    proved: bool
    invariants: list[str]
    failed: str = ""


class Houdini:
    """Finds the invariants of a program with given linearization points, and checks answers."""

    def __init__(
        self, program: Program, points: Points, budget: Budget, guarded: bool = False
    ) -> None:
        self.z3 = solver_module()
        self.program, self.spec, self.points, self.budget = program, program.spec, points, budget
        self.abstraction = Abstraction(self.spec)
        self.templates = Templates(self.spec, self.abstraction)
        self.runs = Runs(program, points, self.abstraction, self.templates.scopes())
        self.shared = self.templates.shared()
        self.local: dict[Where, list[Candidate]] = {}
        for number, pc in sorted({(m.path, m.at) for m in self.runs.moves if m.at > 0}):
            path, looks = program.paths[number], points[number] is None
            self.local[number, pc] = self.templates.local(path, pc, guarded, looks)
        self.skolem = tuple(self.z3.Int(name) for name in ("some_n", "some_m", "some_k"))
        self._nobody = Actor(self.z3.IntVal(0), {})
        self._formulas: dict[Any, Any] = {}
        self._hands: dict[Any, Hand] = {}
        self._checked: dict[tuple[Move, Where | None], tuple[int, ...]] = {}

    def run(self) -> Attempt:
        """Eliminate until stable, then check every answer."""
        self.eliminate()
        failed = self._answers()
        return Attempt(self.points, failed == "", self.texts(), failed)

    def eliminate(self) -> None:
        """Drop candidates until the rest is inductive."""
        self._initial()
        moves, changed = self.runs.moves, True
        watchers = [w for w in self.local if w[1] not in self.program.paths[w[0]].closed]
        while changed:
            # first what the acting instance says of itself, which is cheap and drops the most
            while self._sweep([(m, None) for m in moves]):
                pass
            changed = self._sweep([(m, w) for m in moves if self.runs.changes(m) for w in watchers])

    def texts(self) -> list[str]:
        """The invariants that are left, in words."""
        kept = [c.text for c in self.shared]
        for (number, pc), candidates in self.local.items():
            path = self.program.paths[number]
            place = f"before {path.name}.{path.steps[pc].label}"
            kept += [f"{place}: {c.text}" for c in candidates if "→" not in c.text]
        return kept

    def _sweep(self, pairs: list[tuple[Move, Where | None]]) -> bool:
        """Check each pair whose assumptions have shrunk since it was last checked."""
        changed = False
        for move, watcher in pairs:
            state = self._sizes(move, watcher)
            if self._checked.get((move, watcher)) == state:
                continue
            self.budget.check("looking for invariants")
            self._checked[move, watcher] = state
            changed |= self._watched(move, watcher) if watcher else self._acting(move)
        return changed

    def _sizes(self, move: Move, watcher: Where | None) -> tuple[int, ...]:
        actor = len(self.local.get((move.path, move.at), ()))
        return (len(self.shared), actor, len(self.local[watcher]) if watcher else 0)

    def _initial(self) -> None:
        run = initial(self.spec)
        self.abstraction.start(run)
        solver = solver_within(self.budget)
        solver.add(*run.conditions)
        self.shared = self._keep(solver, self.shared, run.shared, self._nobody)
        self._first = run  # kept: formulas are remembered by the identity of their state

    def _acting(self, move: Move) -> bool:
        """Run one step with everything assumed; drop what of the acting instance, and of shared
        state, does not hold afterwards."""
        run, solver = self.runs.execute(move), self.before(move, any_node=True)
        changed = False
        if self.runs.changes(move):
            kept = self._keep(solver, self.shared, run.shared, self._nobody)
            changed = len(kept) < len(self.shared)
            self.shared = kept
        after = (move.path, move.after)
        if after in self.local:
            kept = self._keep(solver, self.local[after], run.shared, run.actor)
            changed |= len(kept) < len(self.local[after])
            self.local[after] = kept
        return changed

    def _watched(self, move: Move, watcher: Where) -> bool:
        """Run one step of one instance; drop what does not hold afterwards of another."""
        before = self.local[watcher]
        if not before:
            return False
        run = self.runs.execute(move)
        solver = self.before(move, watcher, any(c.nodes for c in before))
        onlooker = self.runs.onlooker(move, watcher[0])
        self.local[watcher] = self._keep(solver, before, run.shared, onlooker)
        return len(self.local[watcher]) < len(before)

    # -- what is assumed --------------------------------------------------------------------------

    def before(
        self,
        move: Move,
        watcher: Where | None = None,
        any_node: bool = False,
        can_run: bool = True,
        more: tuple[Any, ...] = (),
    ) -> Any:
        """A solver that knows all invariants about the instances and nodes at hand, and that the
        move can be made."""
        run, actor = self.runs.execute(move), self.runs.actor(move.path)
        who = [((move.path, move.at), actor)]
        if watcher:
            who.append((watcher, self.runs.actor(watcher[0], "watcher")))
        key = (move, watcher, any_node, more)
        if key not in self._hands:
            picked = [*run.picked, *more]
            self._hands[key] = self._at_hand(who, self.skolem if any_node else (), picked)
        solver, hand = solver_within(self.budget), self._hands[key]
        for candidate in self.shared:
            solver.add(self._everywhere(candidate, self._nobody, hand, key))
        for where, instance in who:
            path = self.program.paths[where[0]]
            solver.add(instance.name > 0, *self.abstraction.domain(path, instance))
            for candidate in self.local.get(where, ()):
                solver.add(self._everywhere(candidate, instance, hand, key))
        if watcher:
            solver.add(who[0][1].name != who[1][1].name)
        if can_run:
            solver.add(*run.conditions)
        return solver

    def _everywhere(self, candidate: Candidate, actor: Actor, hand: Hand, key: Any) -> Any:
        """A candidate for all the nodes and keys at hand."""
        if not candidate.nodes:
            return self._formula(candidate, self.runs.pre, actor, ())
        at = (id(candidate), id(actor), key)
        if at not in self._formulas:
            choices = _choices([hand["int" if t == "int" else "node"] for t in candidate.nodes])
            self._formulas[at] = self.z3.And(
                *[self._formula(candidate, self.runs.pre, actor, some) for some in choices]
            )
        return self._formulas[at]

    def _at_hand(
        self, who: list[tuple[Where, Actor]], skolem: tuple[Any, ...], picked: list[Any]
    ) -> Hand:
        """The nodes and keys that the instances, shared variables and the facts to show name."""
        shared, structs = self.runs.pre, self.spec.structs
        terms = self.templates.shared_terms()
        nodes = [t.value(shared, self._nobody) for t in terms if t.kind in structs]
        keys = list(skolem[2:])
        for (number, _), actor in who:
            path = self.program.paths[number]
            keys += self.templates.keys(path, actor)
            for v in (*path.operation.parameters, *path.operation.locals):
                if v.type in structs:
                    nodes.append(actor.locals[v.name])
        nodes += [*skolem[:2], *picked]
        links = [(s, f.name) for s, fields in structs.items() for f in fields if f.type == s]
        nodes += [shared.fields[link][n] for link in links for n in nodes]
        nodes += self.templates.witnesses(shared, keys)
        return {"node": list({n.get_id(): n for n in nodes}.values()), "int": keys}

    def _formula(
        self, candidate: Candidate, shared: Shared, actor: Actor, nodes: tuple[Any, ...]
    ) -> Any:
        key = (id(candidate), id(shared), id(actor), tuple(n.get_id() for n in nodes))
        found = self._formulas.get(key)
        if found is None:
            found = self._formulas[key] = candidate.formula(shared, actor, nodes)
        return found

    # -- what follows -----------------------------------------------------------------------------

    def _keep(
        self, solver: Any, candidates: list[Candidate], shared: Shared, actor: Actor
    ) -> list[Candidate]:
        """The candidates that hold in every state the solver allows, for any node and key."""
        formulas = []
        for candidate in candidates:
            about = self.skolem[2:] if "int" in candidate.nodes else self.skolem
            formulas.append(self._formula(candidate, shared, actor, about[: len(candidate.nodes)]))
        return [candidates[i] for i in surviving(solver, formulas, self.budget)]

    def _answers(self) -> str:
        """Empty if every answer is right, else what fails."""
        for move in self.runs.moves:
            path, point = self.program.paths[move.path], self.points[move.path]
            label = path.steps[move.step].label
            if point is not None and point > path.response:
                return f"'{path.name}' answers before its linearization point"
            run = self.runs.execute(move)
            if not self.spec.cleared and not self._never_null(move):
                return f"'{path.name}' may follow NULL at '{label}'"
            if run.required and not self._sure(move, self.z3.And(*run.required)):
                return f"the model may not allow '{path.name}' at '{label}'"
            quiet = run.actor.ghosts.get("quiet")
            if quiet is not None and not path.answers and not self._sure(move, quiet):
                return f"'{path.name}' should change something at '{label}'"
            if move.step != path.response:
                continue
            if point is None:
                right = run.actor.ghosts["seen"]
            elif run.answer:
                if self.runs.answers[move.path] != len(run.answer):
                    return f"the model does not answer as much as '{path.name}' at '{label}'"
                expected = [run.actor.ghosts[f"result{i}"] for i in range(len(run.answer))]
                right = self.z3.And(*[a == e for a, e in zip(run.answer, expected, strict=True)])
            else:
                continue
            if not self._sure(move, right):
                return f"the answer of '{path.name}' at '{label}' does not follow"
        return ""

    def _never_null(self, move: Move) -> bool:
        """In C, to follow NULL is not to wait."""
        for before, address in self.runs.execute(move).follows:
            solver = self.before(move, can_run=False)
            solver.add(*before)
            if not certain(solver, address != 0):
                return False
        return True

    def _sure(self, move: Move, formula: Any) -> bool:
        return certain(self.before(move), formula)


def _choices(domains: list[list[Any]]) -> list[tuple[Any, ...]]:
    """All choices of values, two nodes in one order only (facts about two are symmetric)."""
    if len(domains) == 1:
        return [(value,) for value in domains[0]]
    return list(combinations(domains[0], 2))
