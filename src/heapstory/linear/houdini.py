"""Inductive invariants by elimination (Houdini), for any number of instances.

All candidates are assumed; a step of one instance is run on formulas; whoever is not true after it
is dropped, and so on until nothing drops. What remains is inductive: it holds in every reachable
state. Instances are symmetric, so it is enough to look at the one that acts and, for candidates
about an instance, at one that watches. Quantified facts are instantiated with the nodes at hand,
which only weakens what is assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heapstory.linear.abstraction import Abstraction
from heapstory.linear.explore import Budget, OutOfBudget
from heapstory.linear.program import Path, Program
from heapstory.linear.symbolic import Actor, Execution, Shared, arbitrary, initial, solver_module
from heapstory.linear.templates import Candidate, Templates

Where = tuple[int, int]  # path, step about to run


@dataclass
class Attempt:
    """Linearization points by path, and how far the proof got."""

    points: dict[int, int]
    proved: bool
    invariants: list[str]
    failed: str = ""


class Houdini:
    """Finds the invariants of a program with given linearization points, and checks answers."""

    def __init__(
        self, program: Program, points: dict[int, int], budget: Budget, guarded: bool = False
    ) -> None:
        self.z3 = solver_module()
        self.program, self.spec, self.points = program, program.spec, points
        self.budget = budget
        self.abstraction = Abstraction(self.spec)
        self.templates = Templates(self.spec, self.abstraction)
        self.shared = self.templates.shared()
        self.local: dict[Where, list[Candidate]] = {}
        for number, path in enumerate(program.paths):
            for pc in range(1, len(path.steps)):
                self.local[number, pc] = self.templates.local(path, pc, guarded)
        self.terms = self.templates.shared_terms()
        # Building terms costs more than solving, so states, runs and formulas are made once.
        self._pre = arbitrary(self.spec, "pre")
        self.abstraction.declare(self._pre, "pre")
        self._actors: dict[tuple[int, str], Actor] = {}
        self._runs: dict[Where, Execution] = {}
        self._formulas: dict[Any, Any] = {}
        self._nobody = Actor(self.z3.IntVal(0), {})

    def run(self) -> Attempt:
        """Eliminate until stable, then check every answer."""
        self._initial()
        changed = True
        while changed:
            changed = False
            for number, path in enumerate(self.program.paths):
                for pc in range(len(path.steps)):
                    changed |= self._step(number, pc, None)
                    for watcher in list(self.local):
                        changed |= self._step(number, pc, watcher)
        failed = self._answers()
        kept = [c.text for c in self.shared]
        for (number, pc), candidates in self.local.items():
            path = self.program.paths[number]
            label = path.steps[pc].label
            kept += [
                f"before {path.name}.{label}: {c.text}" for c in candidates if "→" not in c.text
            ]
        return Attempt(self.points, failed == "", kept, failed)

    # -- checks -----------------------------------------------------------------------------------

    def _solver(self) -> Any:
        solver = self.z3.Solver()
        left = self.budget.left()
        if left <= 0:
            raise OutOfBudget("time limit reached while looking for invariants")
        solver.set("timeout", max(1, int(left * 1000)))
        return solver

    def _initial(self) -> None:
        run = initial(self.spec)
        self.abstraction.start(run)
        solver = self._solver()
        solver.add(*run.conditions)
        nodes = [self.z3.Int("some_n"), self.z3.Int("some_m")]
        self.shared = self._keep(solver, self.shared, run.shared, self._nobody, nodes)
        self._first = run  # kept: formulas are remembered by the identity of their state

    def _actor(self, number: int, tag: str) -> Actor:
        if (number, tag) not in self._actors:
            self._actors[number, tag] = self._new_actor(number, tag)
        return self._actors[number, tag]

    def _new_actor(self, number: int, tag: str) -> Actor:
        z3 = self.z3
        operation = self.program.paths[number].operation
        names = [v.name for v in (*operation.parameters, *operation.locals)]
        ghosts = {f"result{i}": z3.Int(f"result{i}_{tag}") for i in range(2)}
        return Actor(z3.Int(f"id_{tag}"), {n: z3.Int(f"{n}_{tag}") for n in names}, ghosts)

    def _execute(self, number: int, pc: int) -> Execution:
        if (number, pc) not in self._runs:
            self._runs[number, pc] = self._run_once(number, pc)
        return self._runs[number, pc]

    def _run_once(self, number: int, pc: int) -> Execution:
        path = self.program.paths[number]
        run = Execution(self.spec, self._pre, self._actor(number, "actor"), "step")
        run.run(path.steps[pc].parts)
        if self.points[number] == pc:
            self._take_effect(run, path)
        return run

    def _take_effect(self, run: Execution, path: Path) -> None:
        """Do the abstract operation. A path that changes nothing only looks: should the abstract
        operation change something there, its answer is recorded as a number nobody knows."""
        before = dict(run.shared.ghosts)
        answer = self.abstraction.apply(run, path) or ()
        if any(step.effect for step in path.steps):
            for i, value in enumerate(answer):
                run.actor.ghosts[f"result{i}"] = value
            return
        z3, after = self.z3, run.shared.ghosts
        names = (*self.abstraction.scalars(), *self.abstraction.arrays())
        quiet = z3.And(*[after[n] == before[n] for n in names])
        run.shared.ghosts = before
        for i, value in enumerate(answer):
            run.actor.ghosts[f"result{i}"] = z3.If(quiet, value, z3.Int(f"unknown{i}"))

    def _assume(
        self, solver: Any, shared: Shared, who: list[tuple[Where, Actor]], extra: list[Any]
    ) -> list[Any]:
        """Add all invariants that speak of the instances and nodes at hand."""
        nobody = self._nobody
        nodes = self._nodes(shared, who) + extra
        for candidate in self.shared:
            solver.add(*self._instances(candidate, shared, nobody, nodes))
        for where, actor in who:
            solver.add(actor.name > 0, self._all_local(where, shared, actor))
        return nodes

    def _all_local(self, where: Where, shared: Shared, actor: Actor) -> Any:
        candidates = self.local.get(where, [])
        key = (where, len(candidates), id(actor))
        found = self._formulas.get(key)
        if found is None:
            formulas = [self._formula(c, shared, actor, ()) for c in candidates]
            found = self._formulas[key] = self.z3.And(*formulas, self.z3.BoolVal(True))
        return found

    def _nodes(self, shared: Shared, who: list[tuple[Where, Actor]]) -> list[Any]:
        nobody = self._nobody
        nodes = [t.value(shared, nobody) for t in self.terms if t.kind in self.spec.structs]
        for (number, _), actor in who:
            operation = self.program.paths[number].operation
            for v in (*operation.parameters, *operation.locals):
                if v.type in self.spec.structs:
                    nodes.append(actor.locals[v.name])
        followed = []
        for struct, fields in self.spec.structs.items():
            for f in fields:
                if f.type == struct:
                    followed += [shared.fields[struct, f.name][n] for n in nodes]
        unique: dict[str, Any] = {}
        for node in (*nodes, *followed):
            unique.setdefault(node.sexpr(), node)
        return list(unique.values())

    def _instances(
        self, candidate: Candidate, shared: Shared, actor: Actor, nodes: list[Any]
    ) -> list[Any]:
        if not candidate.nodes:
            return [self._formula(candidate, shared, actor, ())]
        if len(candidate.nodes) == 1:
            return [self._formula(candidate, shared, actor, (n,)) for n in nodes]
        pairs = [(n, m) for i, n in enumerate(nodes) for m in nodes[i + 1 :]]
        return [self._formula(candidate, shared, actor, pair) for pair in pairs]

    def _formula(
        self, candidate: Candidate, shared: Shared, actor: Actor, nodes: tuple[Any, ...]
    ) -> Any:
        key = (id(candidate), id(shared), id(actor), tuple(n.get_id() for n in nodes))
        found = self._formulas.get(key)
        if found is None:
            found = self._formulas[key] = candidate.formula(shared, actor, nodes)
        return found

    def _step(self, number: int, pc: int, watcher: Where | None) -> bool:
        """Run one step with everything assumed; drop what does not hold afterwards."""
        self.budget.check("looking for invariants")
        if watcher is not None and not self.local[watcher]:
            return False
        z3 = self.z3
        shared, actor = self._pre, self._actor(number, "actor")
        who = [((number, pc), actor)]
        skolem = [z3.Int("some_n"), z3.Int("some_m")]
        if watcher is not None:
            other = self._actor(watcher[0], "watcher")
            who.append((watcher, other))
        solver = self._solver()
        links = [
            shared.fields[s, f.name][k]
            for s, fields in self.spec.structs.items()
            for f in fields
            if f.type == s
            for k in skolem
        ]
        self._assume(solver, shared, who, skolem + links)
        if watcher is not None:
            solver.add(who[0][1].name != who[1][1].name)
        run = self._execute(number, pc)
        solver.add(*run.conditions)
        if watcher is not None:
            before = self.local[watcher]
            self.local[watcher] = self._keep(solver, before, run.shared, who[1][1], [])
            return len(self.local[watcher]) < len(before)
        kept = self._keep(solver, self.shared, run.shared, run.actor, skolem)
        changed = len(kept) < len(self.shared)
        self.shared = kept
        after = (number, pc + 1)
        if after in self.local:
            kept = self._keep(solver, self.local[after], run.shared, run.actor, [])
            changed |= len(kept) < len(self.local[after])
            self.local[after] = kept
        return changed

    def _keep(
        self,
        solver: Any,
        candidates: list[Candidate],
        shared: Shared,
        actor: Actor,
        nodes: list[Any],
    ) -> list[Candidate]:
        """The candidates that hold in every state the solver allows."""
        z3 = self.z3
        formulas = []
        for candidate in candidates:
            if len(candidate.nodes) <= 1:
                found = self._instances(candidate, shared, actor, nodes[:1] or nodes)
            else:
                found = self._instances(candidate, shared, actor, nodes[:2])
            formulas.append(z3.And(*found) if found else z3.BoolVal(True))
        alive = list(range(len(candidates)))
        while alive:
            self.budget.check("looking for invariants")
            solver.push()
            solver.add(z3.Not(z3.And(*[formulas[i] for i in alive])))
            result = solver.check()
            if result == z3.unsat:
                solver.pop()
                break
            if result != z3.sat:
                solver.pop()
                alive = [i for i in alive if self._certain(solver, formulas[i])]
                break
            model = solver.model()
            solver.pop()
            alive = [i for i in alive if not z3.is_false(model.eval(formulas[i], True))]
        return [candidates[i] for i in alive]

    def _certain(self, solver: Any, formula: Any) -> bool:
        solver.push()
        solver.add(self.z3.Not(formula))
        result = solver.check()
        solver.pop()
        return bool(result == self.z3.unsat)

    # -- answers ----------------------------------------------------------------------------------

    def _answers(self) -> str:
        """Empty if every answer is the one given at the linearization point, else what fails."""
        for number, path in enumerate(self.program.paths):
            pc = path.response
            if self.points[number] > pc:
                return f"'{path.name}' answers before its linearization point"
            shared, actor = self._pre, self._actor(number, "actor")
            solver = self._solver()
            self._assume(solver, shared, [((number, pc), actor)], [])
            run = self._execute(number, pc)
            if not run.answer:
                continue
            solver.add(*run.conditions)
            expected = [run.actor.ghosts[f"result{i}"] for i in range(len(run.answer))]
            same = [a == e for a, e in zip(run.answer, expected, strict=True)]
            if not self._certain(solver, self.z3.And(*same)):
                step = path.steps[pc]
                return f"the answer of '{path.name}' at '{step.label}' does not follow"
        return ""


def candidate_points(path: Path) -> list[int]:
    """Where a path may take effect: its changes of shared state, or its last looks at it."""
    last = path.response
    everywhere = list(range(last, -1, -1))
    effects = [i for i in range(last + 1) if path.steps[i].effect]
    if not effects and last > 0:  # the last step often only confirms what the one before saw
        effects = [last - 1]
    return effects + [i for i in everywhere if i not in effects]
