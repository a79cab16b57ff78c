"""The exhaustive checker: all interleavings of N instances against the sequential model.

It follows the product of the program (run by the reference interpreter) and the set of all ways in
which the answers so far can be linearized. When that set becomes empty, the steps on the way are
a history that is not linearizable. Breadth first and by the number of operations that overlap, so
the first one found is short. Shares no code with the relations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from heapstory.linear.budget import Budget, OutOfBudget
from heapstory.linear.language.syntax import (
    Operation,
    OwnId,
    Specification,
    conditions,
    subexpressions,
)
from heapstory.linear.models.reference import (
    Effect,
    Instance,
    Interpreter,
    Memory,
    frozen,
    last_mention,
)
from heapstory.linear.models.sequential import Model, agrees, model_of
from heapstory.linear.program.kinds import kinds_of

Config = tuple[Any, frozenset[tuple[int, Any]]]  # model state, pending ones already linearized


@dataclass(frozen=True)
class Action:
    """One sub-operation of a history: who ran which step, and what it had to choose."""

    instance: int
    operation: str
    arguments: tuple[int, ...]
    step: int
    choice: tuple[int, ...]


@dataclass
class Search:
    """The outcome: a history that is not linearizable, or None, and how much was looked at."""

    trail: list[Action] | None
    states: int
    operations: int
    width: int
    complete: bool = True
    reason: str = ""
    stuck: bool = field(default=False)


@dataclass
class _Node:
    memory: Memory
    instances: list[Instance]
    configs: frozenset[Config]
    started: int
    answered: frozenset[int]
    parent: _Node | None = None
    actions: tuple[Action, ...] = ()

    def trail(self) -> list[Action]:
        node: _Node | None = self
        found: list[tuple[Action, ...]] = []
        while node is not None:
            found.append(node.actions)
            node = node.parent
        return [action for actions in reversed(found) for action in actions]


class Checker:
    """Searches one specification for a history that is not linearizable."""

    def __init__(
        self, spec: Specification, keys: int = 2, reuse: bool = False, model: Model | None = None
    ) -> None:
        self.spec, self.keys = spec, keys
        self.interpreter = Interpreter(spec, reuse)
        self.model = model or model_of(spec)
        kinds = kinds_of(spec)
        self.opaque = {
            (o.name, p.name): kinds.parameter(o, p.name) == "val"
            for o in spec.operations
            for p in o.parameters
        }
        self.named = _uses_id(spec)
        self.last = {o.name: last_mention(o) for o in spec.operations}

    def search(self, operations: int, budget: Budget, width: int | None = None) -> Search:
        """Look at every history of up to ``operations`` instances, at most ``width`` overlapping.

        Without a width, first few overlaps, then more: most mistakes need only two.
        """
        widths = [width] if width else sorted({1, *range(2, operations - 1), operations})
        seen = 0
        for current in widths:
            try:
                result = self._search(operations, current, budget)
            except OutOfBudget as reason:
                return Search(None, seen, operations, current - 1, False, str(reason))
            seen += result.states
            if result.trail is not None or current == operations:
                result.states = seen
                return result
        return Search(None, seen, operations, widths[-1])

    def _search(self, operations: int, width: int, budget: Budget) -> Search:
        memory = self.interpreter.initial()
        root = _Node(memory, [], frozenset({(self.model.initial(), frozenset())}), 0, frozenset())
        seen = {self._key(root)}
        layer = [root]
        while layer:
            following: list[_Node] = []
            for count, node in enumerate(layer):
                if count % 64 == 0:
                    budget.check(
                        f"trying all interleavings of {operations} operations, {width} at a time"
                        f" ({len(seen)} states)"
                    )
                    if len(seen) > budget.states:
                        raise OutOfBudget(f"more than {budget.states} states: it explodes")
                for after in self._moves(node, operations, width):
                    if not after.configs:
                        return Search(after.trail(), len(seen), operations, width)
                    key = self._key(after)
                    if key not in seen:
                        seen.add(key)
                        following.append(after)
            layer = following
        return Search(None, len(seen), operations, width)

    # -- moves ------------------------------------------------------------------------------------

    def _moves(self, node: _Node, operations: int, width: int) -> Iterator[_Node]:
        for position, instance in enumerate(node.instances):
            yield from self._advance(node, node.instances, position, instance)
        waiting = sum(i.number not in node.answered for i in node.instances)
        if node.started < operations and waiting < width:
            for operation in self.spec.operations:
                for arguments in self._arguments(operation, node.started):
                    fresh = self.interpreter.start(operation, node.started, arguments)
                    instances = [*node.instances, fresh]
                    yield from self._advance(node, instances, len(node.instances), fresh, 1)

    def _arguments(self, operation: Operation, number: int) -> Iterator[tuple[int, ...]]:
        domains = []
        for offset, parameter in enumerate(operation.parameters):
            opaque = self.opaque[operation.name, parameter.name]
            domains.append([10 * (number + 1) + offset] if opaque else range(1, self.keys + 1))
        return product(*domains)

    def _advance(
        self,
        node: _Node,
        instances: list[Instance],
        position: int,
        instance: Instance,
        new: int = 0,
    ) -> Iterator[_Node]:
        others = [*instances[:position], *instances[position + 1 :]]
        for effects in self._visible_run(node.memory, instance):
            last = effects[-1].instance
            configs = node.configs
            answered = node.answered
            pending = [i for i in instances if i.number not in answered]
            for effect in effects:
                # without a mark, the last step answers
                unmarked = effect.instance.done and last.number not in answered
                if effect.answered or unmarked:
                    configs = self._respond(configs, pending, last.number, effect.answer)
                    answered = answered | {last.number}
            remaining = others if last.done else [*others, last]
            if last.done:
                answered = answered - {last.number}
            actions = []
            for effect in effects:
                actions.append(_action(instance, effect))
            yield _Node(
                effects[-1].memory,
                remaining,
                configs,
                node.started + new,
                answered,
                node,
                tuple(actions),
            )

    def _visible_run(self, memory: Memory, instance: Instance) -> Iterator[list[Effect]]:
        """Steps nobody sees, then one that others can see; at the end of an operation the rest."""
        for effect in self.interpreter.step(memory, instance):
            if effect.instance.done:
                yield [effect]
            elif not effect.visible:
                for rest in self._visible_run(effect.memory, effect.instance):
                    yield [effect, *rest]
            else:
                yield [effect, *self._silent_tail(effect)]

    def _silent_tail(self, effect: Effect) -> list[Effect]:
        tail: list[Effect] = []
        while not effect.instance.done:
            outcomes = list(self.interpreter.step(effect.memory, effect.instance))
            if len(outcomes) != 1 or outcomes[0].visible:
                return []
            effect = outcomes[0]
            tail.append(effect)
        return tail

    # -- linearizations ---------------------------------------------------------------------------

    def _respond(
        self, configs: frozenset[Config], pending: list[Instance], number: int, answer: Any
    ) -> frozenset[Config]:
        """The ways to linearize after instance ``number`` has answered."""
        kept: set[Config] = set()
        seen: set[Config] = set(configs)
        todo = list(configs)
        while todo:
            state, done = todo.pop()
            said = dict(done)
            if number in said:
                if agrees(answer, said[number]):
                    kept.add((state, done - {(number, said[number])}))
                continue
            for instance in pending:
                if instance.number in said:
                    continue
                method, arguments = instance.operation.method, instance.arguments
                for result, after in self.model.apply(state, method, arguments):
                    config = (after, done | {(instance.number, result)})
                    if config not in seen:
                        seen.add(config)
                        todo.append(config)
        return frozenset(kept)

    def _key(self, node: _Node) -> Any:
        node.instances.sort(key=_rank)
        key, names = frozen(self.spec, node.memory, node.instances, self.last)
        memory = node.memory
        for address in [a for a in memory.kinds if a not in names]:
            for f in self.spec.fields(memory.kinds.pop(address)):
                memory.cells.pop((address, f.name), None)
            memory.freed -= {address}
        number = {i.number: p for p, i in enumerate(node.instances)}
        if not self.named:
            shared, nodes, pending = key
            key = (shared, nodes, tuple((o, pc, v) for o, pc, _, v in pending))
        configs = frozenset(
            (state, frozenset((number[n], r) for n, r in done)) for state, done in node.configs
        )
        answered = frozenset(number[n] for n in node.answered)
        return key, configs, answered, node.started


def _rank(instance: Instance) -> Any:
    values = sorted((k, v) for k, v in instance.locals.items())
    return (instance.operation.name, instance.pc, instance.arguments, values)


def _action(instance: Instance, effect: Effect) -> Action:
    name = instance.operation.name
    return Action(instance.number, name, instance.arguments, effect.step, effect.choice)


def _uses_id(spec: Specification) -> bool:
    for operation in spec.operations:
        for step in operation.steps:
            exprs = [e for c in conditions(step.guard) for e in (c.left, c.right)]
            for statement in step.body:
                for item in vars(statement).values():
                    exprs += list(item) if isinstance(item, tuple) else [item]
            for expr in exprs:
                if not isinstance(expr, str) and any(
                    isinstance(e, OwnId) for e in subexpressions(expr)
                ):
                    return True
    return False
