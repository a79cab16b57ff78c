"""A queue proved by its aspects (Henzinger, Sezgin, Vafeiadis), without linearization points.

A queue that treats values alike and whose dequeue only waits when it finds nothing is linearizable
exactly if no dequeue answers a value that was not enqueued, or twice, or overtakes: if enqueue(a)
ended before enqueue(b) began, a is out when b comes out. It is enough to follow two values. So two
enqueues, A of value 1 and B of value 2, are tracked (B begins after A has answered), all others
enqueue something else, and dequeues are watched one at a time; invariants over all that are found
by elimination. A dequeue that answers "empty" is not covered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from heapstory.linear.budget import Budget
from heapstory.linear.candidates.aspectfacts import AspectFacts, Fact
from heapstory.linear.formulas.symbolic import (
    Actor,
    Execution,
    Shared,
    Unsupported,
    arbitrary,
    initial,
    solver_module,
)
from heapstory.linear.language.syntax import (
    Assign,
    Const,
    Expr,
    Field,
    Global,
    Local,
    Malloc,
    Operation,
    Return,
    Specification,
    SubOperation,
    subexpressions,
)
from heapstory.linear.program.kinds import kinds_of
from heapstory.linear.program.privacy import expressions
from heapstory.linear.proof.elimination import certain, solver_within, surviving

Place = tuple[str, int]  # operation, step about to run


@dataclass(frozen=True)
class Move:
    """One action: who (A, B or any), where it stands, what it runs, where it ends."""

    role: str
    operation: Operation
    pc: int
    step: int
    after: int


@dataclass
class AspectProof:
    """The outcome, with the invariants that were kept."""

    proved: bool
    invariants: list[str]
    failed: str = ""


def prove_aspects(spec: Specification, budget: Budget) -> AspectProof:
    """Try the rule; raises `Unsupported` where it does not apply."""
    enqueue, dequeues = _applicable(spec)
    return _Aspects(spec, enqueue, dequeues, budget).run()


def _applicable(spec: Specification) -> tuple[Operation, list[Operation]]:
    enqueues = [o for o in spec.operations if o.method == "enqueue"]
    dequeues = [o for o in spec.operations if o.method == "dequeue"]
    if (
        spec.implements != "queue"
        or len(enqueues) != 1
        or len(dequeues) != len(spec.operations) - 1
    ):
        raise Unsupported("the aspect rule is for queues with one way to enqueue")
    enqueue = enqueues[0]
    if kinds_of(spec).parameter(enqueue, enqueue.parameters[0].name) != "val":
        raise Unsupported("the aspect rule needs values that are only moved")
    if any(step.guard or step.loop or step.picks or _follows(spec, step) for step in enqueue.steps):
        raise Unsupported("the aspect rule needs an enqueue that never waits")
    for operation in dequeues:
        _applicable_dequeue(operation)
    return enqueue, dequeues


def _applicable_dequeue(operation: Operation) -> None:
    said = operation.steps[operation.return_index].returns
    if said is None or len(said.values) != 1:
        raise Unsupported("the aspect rule needs dequeues that answer a value")
    if isinstance(said.values[0], Const):
        raise Unsupported("the aspect rule does not cover a dequeue that answers 'empty'")
    for number, step in enumerate(operation.steps):
        writes = any(
            isinstance(s, (Assign, Malloc)) and not isinstance(s.target, Local) for s in step.body
        )
        if writes and number != operation.return_index:
            raise Unsupported("the aspect rule needs a dequeue that changes nothing early")


def _follows(spec: Specification, step: SubOperation) -> bool:
    """Whether a step follows a pointer that may be NULL, so that it could wait for good."""
    fixed: set[Expr] = {Global(v.name) for v in spec.static}
    fixed |= {s.target for s in step.body if isinstance(s, Malloc)}
    parts = [p for s in step.body for e in expressions(s) for p in subexpressions(e)]
    return any(isinstance(part, Field) and part.base not in fixed for part in parts)


class _Aspects:
    def __init__(
        self,
        spec: Specification,
        enqueue: Operation,
        dequeues: list[Operation],
        budget: Budget,
    ) -> None:
        self.z3 = solver_module()
        self.spec, self.enqueue, self.dequeues, self.budget = spec, enqueue, dequeues, budget
        self.length = len(enqueue.steps)
        self.facts = AspectFacts(spec, enqueue)
        self.tracked = self.facts.tracked
        self.pre = arbitrary(spec, "pre")
        for name in self._ghost_names():
            self.pre.ghosts[name] = self.z3.Int(f"pre_{name}")
        self.shared = list(self.facts.shared())
        self.local: dict[Place, list[Fact]] = {}
        self._checked: dict[tuple[Move, Place | None], tuple[int, ...]] = {}
        for operation in (enqueue, *dequeues):
            for pc in range(1, len(operation.steps)):
                self.local[operation.name, pc] = list(self.facts.local(operation))

    def _ghost_names(self) -> list[str]:
        names = [f"{who}.{name}" for who in "AB" for name in self.tracked]
        return ["at A", "at B", "out", *names]

    # -- elimination ------------------------------------------------------------------------------

    def run(self) -> AspectProof:
        """Eliminate until stable, then check the three aspects."""
        self._begin()
        moves = list(self._moves())
        changed = True
        while changed:
            changed = False
            for move, watcher in product(moves, (None, *self.local)):
                if watcher is not None and not self._changes(move):
                    continue
                sizes = self._sizes(move, watcher)
                if self._checked.get((move, watcher)) != sizes:
                    self._checked[move, watcher] = sizes
                    changed |= self._eliminate(move, watcher)
        failed = next((f for f in map(self._aspect, moves) if f), "")
        kept = [f.text for f in self.shared]
        kept += [
            f"before {o}.{pc}: {f.text}" for (o, pc), facts in self.local.items() for f in facts
        ]
        return AspectProof(not failed, kept, failed)

    @staticmethod
    def _changes(move: Move) -> bool:
        """Whether a move changes what others can see: tracked ones move on, others must write."""
        body = move.operation.steps[move.step].body
        return bool(move.role) or any(
            isinstance(s, (Return, Malloc))
            or (isinstance(s, Assign) and not isinstance(s.target, Local))
            for s in body
        )

    def _sizes(self, move: Move, watcher: Place | None) -> tuple[int, ...]:
        """How much a check assumes: it need not be repeated while this stays the same."""
        places = ((move.operation.name, move.pc), watcher)
        return (len(self.shared), *(len(self.local.get(p, ())) if p else 0 for p in places))

    def _moves(self) -> Iterator[Move]:
        for role in ("A", "B"):
            for pc in range(self.length):
                yield Move(role, self.enqueue, pc, pc, pc + 1)
        for operation in (self.enqueue, *self.dequeues):
            for pc in range(len(operation.steps)):
                for step in range(pc, len(operation.steps)):  # loops may be passed over
                    again = operation.steps[step].loop
                    yield Move("", operation, pc, step, step if again else step + 1)
                    if not again:
                        break

    def _begin(self) -> None:
        run = initial(self.spec)
        for name in self._ghost_names():
            run.shared.ghosts[name] = self.z3.IntVal(0)
        solver = solver_within(self.budget)
        solver.add(*run.conditions)
        self.shared = self._keep(solver, self.shared, run.shared, Actor(self.z3.IntVal(0), {}))

    def _actor(self, move: Move) -> tuple[Actor, list[Any]]:
        """The instance that moves, and what is known of it."""
        z3 = self.z3
        if move.role:
            parameter = self.enqueue.parameters[0].name
            value = z3.IntVal(1 if move.role == "A" else 2)
            names = {n: self.pre.ghosts[f"{move.role}.{n}"] for n in self.tracked}
            known = [self.pre.ghosts[f"at {move.role}"] == move.pc]
            if move.role == "B":
                known.append(self.pre.ghosts["at A"] > self.enqueue.return_index)
            return Actor(z3.Int("id_actor"), {**names, parameter: value}), known
        actor = self._instance(move.operation, "actor")
        known = [actor.locals[p.name] >= 3 for p in move.operation.parameters]
        if move.pc:
            known += self._known(self.local[move.operation.name, move.pc], actor)
        return actor, known

    def _instance(self, operation: Operation, tag: str) -> Actor:
        names = [v.name for v in (*operation.parameters, *operation.locals)]
        z3 = self.z3
        return Actor(z3.Int(f"id_{tag}"), {n: z3.Int(f"{n}_{tag}") for n in names})

    def _known(self, facts: list[Fact], actor: Actor) -> list[Any]:
        return [f.formula(self.pre, actor, self.z3.Int("some")) for f in facts]

    def _indices(self, actors: list[Actor]) -> list[Any]:
        some = [self.z3.Int("some")]
        some += [f(self.pre, actors[0], None) for _, f in self.facts.numbers()]
        for actor in actors:
            some += list(actor.locals.values())
        return some

    def _prepare(self, move: Move, other: Actor | None) -> tuple[Any, Execution]:
        actor, known = self._actor(move)
        solver = solver_within(self.budget)
        solver.add(*known)
        nobody = Actor(self.z3.IntVal(0), {})
        solver.add(*self._known([f for f in self.shared if not f.each], nobody))
        for index in self._indices([actor, *([other] if other else [])]):
            solver.add(*[f.formula(self.pre, nobody, index) for f in self.shared if f.each])
        run = Execution(self.spec, self.pre, actor, "step")
        run.run((move.operation.steps[move.step],))
        solver.add(*run.conditions)
        if move.role:
            run.shared.ghosts[f"at {move.role}"] = self.z3.IntVal(move.after)
            for name in self.tracked:
                run.shared.ghosts[f"{move.role}.{name}"] = run.actor.locals[name]
        elif run.answer:
            out = run.shared.ghosts["out"]
            run.shared.ghosts["out"] = self.z3.If(run.answer[0] == 1, self.z3.IntVal(1), out)
        return solver, run

    def _eliminate(self, move: Move, watcher: Place | None) -> bool:
        if watcher is not None and not self.local[watcher]:
            return False
        other = None
        if watcher is not None:
            operation = self.spec.operation(watcher[0])
            other = self._instance(operation, "watcher")
        solver, run = self._prepare(move, other)
        if watcher is not None and other is not None:
            before = self.local[watcher]
            solver.add(*self._known(before, other))
            self.local[watcher] = self._keep(solver, before, run.shared, other)
            return len(self.local[watcher]) < len(before)
        kept = self._keep(solver, self.shared, run.shared, run.actor)
        changed = len(kept) < len(self.shared)
        self.shared = kept
        place = (move.operation.name, move.after)
        if not move.role and place in self.local:
            kept = self._keep(solver, self.local[place], run.shared, run.actor)
            changed |= len(kept) < len(self.local[place])
            self.local[place] = kept
        return changed

    def _keep(self, solver: Any, facts: list[Fact], shared: Shared, actor: Actor) -> list[Fact]:
        z3 = self.z3
        formulas = [f.formula(shared, actor, z3.Int("some")) for f in facts]
        return [facts[i] for i in surviving(solver, formulas, self.budget)]

    def _aspect(self, move: Move) -> str:
        """What an answer must satisfy; empty if it does."""
        if move.role or move.operation is self.enqueue:
            return ""
        solver, run = self._prepare(move, None)
        if not run.answer:
            return ""
        z3, before, answer = self.z3, self.pre.ghosts, run.answer[0]
        aspects = {
            "a value that was not enqueued": z3.Implies(answer == 1, before["at A"] >= 1),
            "no value": answer != 0,
            "a value twice": z3.Implies(answer == 1, before["out"] == 0),
            "a value before one that was there first": z3.Implies(answer == 2, before["out"] == 1),
        }
        for text, formula in aspects.items():
            if not certain(solver, formula):
                return f"'{move.operation.name}' may answer {text}"
        return ""
