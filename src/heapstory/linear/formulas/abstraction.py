"""Abstract state in formulas: what a method does to it, and what it answers.

Queue and stack keep, beside the values by position, the node that the inserting operation put
there (``node``) and each node's position (``rank``); so "the node at position k" is a term, and
facts about lists become facts about neighbouring positions. A set keeps membership by key, and
the node that stands for a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heapstory.linear.formulas.symbolic import (
    Actor,
    Execution,
    Shared,
    Unsupported,
    initial,
    solver_module,
)
from heapstory.linear.language.methods import SKIP
from heapstory.linear.language.syntax import (
    LARGE,
    Assign,
    Const,
    Field,
    Local,
    Malloc,
    Specification,
    conditions,
)
from heapstory.linear.models.sequential import EMPTY
from heapstory.linear.program.kinds import uses_id
from heapstory.linear.program.steps import Path

INSERTS = {"enqueue", "push", "add"}


def key_fields(spec: Specification, struct: str) -> list[str]:
    """The fields of a struct that hold arguments which are compared by size."""
    found = set()
    for operation in spec.operations:
        names = {p.name for p in operation.parameters}
        for step in operation.steps:
            pairs = [(c.left, c.right) for c in conditions(step.guard)]
            pairs += [(s.target, s.value) for s in step.body if isinstance(s, Assign)]
            for pair in pairs:
                for one, other in (pair, pair[::-1]):
                    if isinstance(one, Field) and isinstance(other, Local) and other.name in names:
                        found.add((one.struct, one.name))
    return [f.name for f in spec.fields(struct) if (struct, f.name) in found]


@dataclass(frozen=True)
class _Variant:
    """One way to run a method of the user's model: when it can run, what it leaves and answers."""

    when: Any
    after: dict[str, Any]
    answer: tuple[Any, ...]


@dataclass
class Abstraction:
    """The abstract state of one specification as ghosts in `Shared`."""

    spec: Specification

    @property
    def kind(self) -> str:
        """The type's name, ``model``, or ``none``."""
        return "model" if self.spec.model is not None else self.spec.implements or "none"

    def scalars(self) -> list[str]:
        """The names of the ghosts that are plain numbers."""
        match self.kind:
            case "queue":
                return ["first", "last"]
            case "stack":
                return ["depth"]
            case "snapshot":
                return ["cell1", "cell2"]
            case "register" | "counter":
                return ["cell1"]
            case "model":
                return [f"model {v.name}" for v in self._model().globals if not v.array]
        return []

    def arrays(self) -> list[str]:
        """The names of the ghosts that are arrays of numbers."""
        nodes = [f"nodes {struct}" for struct in self.spec.structs]
        return {
            "queue": ["values", *nodes],
            "stack": ["values", *nodes],
            "set": ["member", *nodes],
        }.get(self.kind, [])

    def _model(self) -> Specification:
        assert self.spec.model is not None
        model = self.spec.model
        if model.structs or any(v.array for v in model.globals):
            raise Unsupported("the model has more than plain variables")
        if any(step.loop for o in model.operations for step in o.steps) or uses_id(model):
            raise Unsupported("the model has a loop, or names instances")
        return model

    def declare(self, shared: Shared, tag: str) -> None:
        """Add an unknown abstract state."""
        z3 = solver_module()
        integers = z3.ArraySort(z3.IntSort(), z3.IntSort())
        for name in self.scalars():
            shared.ghosts[name] = z3.Int(f"abs_{name}_{tag}")
        for name in self.arrays():
            shared.ghosts[name] = z3.Const(f"abs_{name}_{tag}", integers)

    def start(self, run: Execution) -> None:
        """Set the initial abstract state, after the initial memory is built."""
        z3, shared = run.z3, run.shared
        for name in self.scalars():
            shared.ghosts[name] = z3.IntVal(0)
        for name in self.arrays():
            shared.ghosts[name] = z3.K(z3.IntSort(), z3.IntVal(0))
        if self.kind == "queue":
            shared.ghosts["first"] = shared.ghosts["last"] = z3.IntVal(1)
        if self.kind == "model":
            for name, value in initial(self._model()).shared.scalars.items():
                shared.ghosts[f"model {name}"] = value
        if self.kind == "set":
            for bound in self.sentinels():
                shared.ghosts["member"] = z3.Store(shared.ghosts["member"], bound, 1)
            self._place_first(run)
        # nodes that exist from the start are in the structure, at position 0
        for struct, node in run.fresh:
            shared.ghosts[f"in {struct}"] = z3.Store(shared.ghosts[f"in {struct}"], node, 1)

    def sentinels(self) -> list[int]:
        """MIN and MAX, where the initial state uses them. No argument of a set is one of them, so
        they may count as members from the start, which spares the list's ends an exception."""
        used = {
            s.value.value
            for s in self.spec.init
            if isinstance(s, Assign) and isinstance(s.value, Const)
        }
        return [bound for bound in (-LARGE, LARGE) if bound in used]

    def domain(self, path: Path, actor: Actor) -> list[Any]:
        """What is known of an instance's arguments."""
        if self.kind != "set":
            return []
        key = actor.locals[path.operation.parameters[0].name]
        return [key > b if b < 0 else key < b for b in self.sentinels()]

    def _place_first(self, run: Execution) -> None:
        z3, shared = run.z3, run.shared
        for struct, node in run.fresh:
            for f in key_fields(self.spec, struct):
                name, key = f"nodes {struct}", shared.fields[struct, f][node]
                shared.ghosts[name] = z3.Store(shared.ghosts[name], key, node)

    def would(self, shared: Shared, path: Path, actor: Actor, answer: tuple[int, ...]) -> Any:
        """Whether the operation, done now, would give this answer and change nothing."""
        z3 = solver_module()
        if path.operation.method == SKIP:
            return z3.BoolVal(True)
        if self.kind == "model":
            return self._model_would(shared, path, actor, answer)
        run = Execution(self.spec, shared, actor, "would")
        given = self.apply(run, path)
        if given is None or len(given) != len(answer):
            return z3.BoolVal(False)
        after = run.shared.ghosts
        same = [g == a for g, a in zip(given, answer, strict=True)]
        same += [after[name] == shared.ghosts[name] for name in self.scalars()]
        if self.kind == "set":  # only the argument's own entry can have changed
            key = actor.locals[path.operation.parameters[0].name]
            same.append(after["member"][key] == shared.ghosts["member"][key])
        return z3.simplify(z3.And(*same))

    def apply(self, run: Execution, path: Path) -> tuple[Any, ...] | None:
        """Do the operation on the abstract state; gives what it answers (None: nothing)."""
        operation = path.operation
        actor, shared = run.actor, run.shared
        if operation.method == SKIP:
            return None
        arguments = [actor.locals[p.name] for p in operation.parameters]
        if self.kind == "model":
            return self._run_model(run, operation.method, arguments)
        handler = getattr(self, f"_{self.kind}")
        answer: tuple[Any, ...] | None = handler(shared, operation.method, arguments, path, actor)
        return answer

    def _inserted(self, path: Path, actor: Actor) -> list[tuple[str, Any]]:
        # The nodes that the operation allocated and still holds in a local.
        found = []
        for step in path.steps:
            for sub in step.parts:
                for s in sub.body:
                    if isinstance(s, Malloc) and isinstance(s.target, Local):
                        found.append((s.struct, actor.locals[s.target.name]))
        return found

    def _place(self, shared: Shared, path: Path, actor: Actor, rank: Any, key: Any) -> None:
        z3 = solver_module()
        for struct in self.spec.structs:  # whoever was there before is not any more
            name = f"nodes {struct}"
            shared.ghosts[name] = z3.Store(shared.ghosts[name], key, 0)
        for struct, node in self._inserted(path, actor):
            for name, value in ((f"rank {struct}", rank), (f"in {struct}", z3.IntVal(1))):
                shared.ghosts[name] = z3.Store(shared.ghosts[name], node, value)
            name = f"nodes {struct}"
            shared.ghosts[name] = z3.Store(shared.ghosts[name], key, node)

    def _queue(
        self, shared: Shared, method: str, arguments: list[Any], path: Path, actor: Actor
    ) -> tuple[Any, ...] | None:
        z3, g = solver_module(), shared.ghosts
        if method == "enqueue":
            last = g["last"]
            g["values"] = z3.Store(g["values"], last, arguments[0])
            self._place(shared, path, actor, last, last)
            g["last"] = last + 1
            return None
        first = g["first"]
        empty = first == g["last"]
        g["first"] = z3.If(empty, first, first + 1)
        return (z3.If(empty, z3.IntVal(EMPTY), g["values"][first]),)

    def _stack(
        self, shared: Shared, method: str, arguments: list[Any], path: Path, actor: Actor
    ) -> tuple[Any, ...] | None:
        z3, g = solver_module(), shared.ghosts
        depth = g["depth"]
        if method == "push":
            g["depth"] = depth + 1
            g["values"] = z3.Store(g["values"], depth + 1, arguments[0])
            self._place(shared, path, actor, depth + 1, depth + 1)
            return None
        empty = depth == 0
        g["depth"] = z3.If(empty, depth, depth - 1)
        return (z3.If(empty, z3.IntVal(EMPTY), g["values"][depth]),)

    def _set(
        self, shared: Shared, method: str, arguments: list[Any], path: Path, actor: Actor
    ) -> tuple[Any, ...] | None:
        z3, g, key = solver_module(), shared.ghosts, arguments[0]
        there = g["member"][key]
        if method == "contains":
            return (there,)
        if method == "add":
            if self._inserted(path, actor):
                self._place(shared, path, actor, key, key)
            g["member"] = z3.Store(g["member"], key, 1)
            return (1 - there,)
        g["member"] = z3.Store(g["member"], key, 0)
        return (there,)

    def _snapshot(
        self, shared: Shared, method: str, arguments: list[Any], path: Path, actor: Actor
    ) -> tuple[Any, ...] | None:
        g = shared.ghosts
        if method == "scan":
            return (g["cell1"], g["cell2"])
        if method == "update":
            raise Unsupported("update with a computed index")
        g[f"cell{method.removeprefix('update')}"] = arguments[0]
        return None

    def _register(
        self, shared: Shared, method: str, arguments: list[Any], path: Path, actor: Actor
    ) -> tuple[Any, ...] | None:
        z3, g = solver_module(), shared.ghosts
        old = g["cell1"]
        if method == "read":
            return (old,)
        if method == "write":
            g["cell1"] = arguments[0]
            return None
        same = old == arguments[0]
        g["cell1"] = z3.If(same, arguments[1], old)
        return (z3.If(same, z3.IntVal(1), z3.IntVal(0)),)

    def _counter(
        self, shared: Shared, method: str, arguments: list[Any], path: Path, actor: Actor
    ) -> tuple[Any, ...] | None:
        g = shared.ghosts
        old = g["cell1"]
        g["cell1"] = old + {"increment": 1, "decrement": -1}.get(method, 0)
        return (old,)

    def _run_model(
        self, run: Execution, method: str, arguments: list[Any]
    ) -> tuple[Any, ...] | None:
        # Where several variants can run, the model leaves the choice open: the first is taken.
        # Where none can, the model does not allow the operation: that one can is left to show.
        z3 = solver_module()
        variants = self._variants(run.shared, method, arguments)
        run.required.append(z3.Or(*[v.when for v in variants]))
        after, answer = variants[-1].after, variants[-1].answer
        for variant in reversed(variants[:-1]):
            if len(variant.answer) != len(answer):
                raise Unsupported(f"the variants of '{method}' in the model answer differently")
            after = {n: z3.If(variant.when, variant.after[n], after[n]) for n in after}
            both = zip(variant.answer, answer, strict=True)
            answer = tuple(z3.If(variant.when, one, other) for one, other in both)
        for name, value in after.items():
            run.shared.ghosts[f"model {name}"] = value
        return answer or None

    def _model_would(
        self, shared: Shared, path: Path, actor: Actor, answer: tuple[int, ...]
    ) -> Any:
        z3, operation = solver_module(), path.operation
        arguments = [actor.locals[p.name] for p in operation.parameters]
        ways = []
        for variant in self._variants(shared, operation.method, arguments):
            if len(variant.answer) == len(answer):
                same = [a == b for a, b in zip(variant.answer, answer, strict=True)]
                same += [v == shared.ghosts[f"model {n}"] for n, v in variant.after.items()]
                ways.append(z3.And(variant.when, *same))
        return z3.simplify(z3.Or(*ways, z3.BoolVal(False)))

    def _variants(self, shared: Shared, method: str, arguments: list[Any]) -> list[_Variant]:
        z3, model = solver_module(), self._model()
        names = [v.name for v in model.globals]
        before = {n: shared.ghosts[f"model {n}"] for n in names}
        found = []
        for operation in model.operations:
            if operation.method == method:
                params = (p.name for p in operation.parameters)
                actor = Actor(z3.IntVal(0), dict(zip(params, arguments, strict=True)))
                run = Execution(model, Shared(dict(before), {}, {}, {}), actor, "model")
                run.run(operation.steps)
                when = z3.And(*run.conditions, z3.BoolVal(True))
                found.append(_Variant(when, dict(run.shared.scalars), run.answer or ()))
        return found
