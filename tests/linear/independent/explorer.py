"""All interleavings of a few operations, and whether each history they make is linearizable.

Nothing is folded, renamed or forgotten. A call is a move of its own, so is every step, and so is
leaving a loop; a state holds the whole history, and each history is judged by trying all orders.
Every argument ranges over all keys, and who gets which `ID` is tried in all ways.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any

from tests.linear.independent.reader import Op, Spec, Step, Term, read

COMPARE = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
Event = tuple[Any, ...]  # ("call", who, method, arguments, id) or ("ret", who, answer)
History = tuple[Event, ...]


class CannotRun(Exception):
    """A guard does not hold, or NULL is followed."""


class TooMany(Exception):
    """More states than were asked for."""


@dataclass(frozen=True)
class Memory:
    cells: frozenset[tuple[Term, int]]  # ("g", name), ("a", name, index), ("h", node, field)
    nodes: tuple[str, ...]  # the struct of node 1, 2, …
    freed: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Thread:
    who: int
    id: int
    op: int
    pc: int
    values: frozenset[tuple[str, int]]
    answered: bool = False


@dataclass(frozen=True)
class Outcome:
    memory: Memory
    values: frozenset[tuple[str, int]]
    answer: Any  # a tuple, if the step responds


class Machine:
    """Runs single steps of one specification."""

    def __init__(self, spec: Spec, reuse: bool = False) -> None:
        self.spec, self.reuse = spec, reuse

    def start(self) -> Memory:
        run = Run(self, {}, (), frozenset(), {}, 0, 0)
        for name in self.spec.fixed():
            run.cells["g", name] = run.new(self.spec.scalars[name])
        for name, value in self.spec.initial.items():
            run.cells["g", name] = run.value(value)
        for statement in self.spec.init:
            run.statement(statement)
        return run.memory()

    def step(self, memory: Memory, op: Op, step: Step, thread: Thread) -> Iterator[Outcome]:
        domains = [self.reachable(memory, struct) for _, struct in step.picks]
        wanted = [s[2] for s in step.body if s[0] == "malloc"]
        places = [0]
        if self.reuse and wanted:
            places += [n for n in memory.freed if memory.nodes[n - 1] == wanted[0]]
        for chosen, place in product(product(*domains), places):
            values = dict(thread.values)
            values.update(zip((name for name, _ in step.picks), chosen, strict=True))
            cells = dict(memory.cells)
            run = Run(self, cells, memory.nodes, memory.freed, values, thread.id, place)
            try:
                for name, term in step.binds:
                    run.values[name] = run.value(term)
                run.guard(step.guard)
                for statement in step.body:
                    run.statement(statement)
            except CannotRun:
                continue
            yield Outcome(run.memory(), frozenset(run.values.items()), run.answer)

    def reachable(self, memory: Memory, struct: str) -> list[int]:
        spec, cells = self.spec, dict(memory.cells)
        kinds = {**spec.scalars, **spec.arrays}
        todo = [v for c, v in cells.items() if c[0] in "ga" and kinds[c[1]] in spec.structs]
        found: set[int] = set()
        while todo:
            node = todo.pop()
            if node and node not in found:
                found.add(node)
                fields = spec.structs[memory.nodes[node - 1]]
                todo += [
                    cells.get(("h", node, f), 0) for f, t in fields.items() if t in spec.structs
                ]
        return sorted(n for n in found if memory.nodes[n - 1] == struct)


class Run:
    """One step in progress."""

    def __init__(
        self, machine: Machine, cells: dict[Term, int], nodes: tuple[str, ...],
        freed: frozenset[int], values: dict[str, int], own: int, place: int,
    ) -> None:  # fmt: skip
        self.machine, self.cells, self.nodes, self.freed = machine, cells, nodes, freed
        self.values, self.own, self.place, self.answer = values, own, place, None

    def memory(self) -> Memory:
        return Memory(frozenset(self.cells.items()), self.nodes, self.freed)

    def new(self, struct: str) -> int:
        if self.place:  # what is in it stays
            node, self.place = self.place, 0
            self.freed -= {node}
            return node
        self.nodes = (*self.nodes, struct)
        return len(self.nodes)

    def guard(self, tests: list[Term]) -> None:
        for test in tests:
            if test[0] == "test":
                if not COMPARE[test[2]](self.value(test[1]), self.value(test[3])):
                    raise CannotRun
                continue
            _, struct, name, inner = test
            for node in self.machine.reachable(self.memory(), struct):
                self.values[name] = node
                if all(COMPARE[t[2]](self.value(t[1]), self.value(t[3])) for t in inner):
                    raise CannotRun
            self.values.pop(name, None)

    def place_of(self, term: Term) -> Term:
        if term[0] == "index":
            return ("a", term[1], self.value(term[2]))
        if term[0] == "field":
            node = self.value(term[1])
            if node == 0:
                raise CannotRun
            return ("h", node, term[2])
        return ("g", term[1])

    def local(self, term: Term) -> bool:
        spec = self.machine.spec
        return term[0] == "var" and (term[1] in self.values or term[1] not in spec.scalars)

    def value(self, term: Term) -> int:
        if term[0] == "num":
            return int(term[1])
        if term[0] == "id":
            return self.own
        if term[0] in ("+", "-"):
            left, right = self.value(term[1]), self.value(term[2])
            return left + right if term[0] == "+" else left - right
        if self.local(term):
            return self.values.get(term[1], 0)
        return self.cells.get(self.place_of(term), 0)

    def statement(self, statement: Term) -> None:
        kind, *rest = statement
        if kind == "set":
            self.store(rest[0], self.value(rest[1]))
        elif kind == "malloc":
            self.store(rest[0], self.new(rest[1]))
        elif kind == "return":
            self.answer = tuple(self.value(v) for v in rest[0])
        else:
            node = self.value(rest[0])
            if kind == "free" and self.machine.reuse and node:
                self.freed |= {node}

    def store(self, place: Term, value: int) -> None:
        if self.local(place):
            self.values[place[1]] = value
        else:
            self.cells[self.place_of(place)] = value


# -- sequential objects ---------------------------------------------------------------------------


def builtin(kind: str, state: Any, method: str, arguments: tuple[int, ...]) -> Any:
    """(answer, next state) of an abstract type; an answer of None says nothing."""
    if method in ("enqueue", "push"):
        return None, (*state, *arguments)
    if method in ("dequeue", "pop"):
        if not state:
            return (-2,), state
        return ((state[0],), state[1:]) if kind == "queue" else ((state[-1],), state[:-1])
    if kind == "set":
        there = (int(arguments[0] in state),)
        if method == "contains":
            return there, state
        if method == "remove":
            return there, tuple(k for k in state if k not in arguments)
        return (1 - there[0],), tuple(sorted({*state, *arguments}))
    if kind == "counter":
        return (state,), state + {"increment": 1, "decrement": -1, "read": 0}[method]
    if kind == "snapshot":
        if method == "scan":
            return state, state
        cell, value = arguments if method == "update" else (int(method[-1]), *arguments)
        return None, tuple(value if i + 1 == cell else old for i, old in enumerate(state))
    if method == "read":
        return (state,), state
    if method == "write":
        return None, arguments[0]
    return ((1,), arguments[1]) if state == arguments[0] else ((0,), state)


FIRST = {"queue": (), "stack": (), "set": (), "register": 0, "snapshot": (0, 0), "counter": 0}


class Sequential:
    """What a specification's methods may answer and do, one at a time."""

    def __init__(self, spec: Spec) -> None:
        self.kind = spec.implements if spec.model is None else None
        self.spec = spec.model or spec
        self.machine = Machine(self.spec)
        self.first: Any = FIRST[self.kind] if self.kind else self.machine.start()

    def results(self, state: Any, call: Event) -> Iterator[tuple[Any, Any]]:
        _, who, method, arguments, own = call
        if method == "skip":
            yield None, state
        elif self.kind:
            inside = method != "update" or arguments[0] in (1, 2)
            if inside:
                yield builtin(self.kind, state, method, arguments)
        else:
            for number, op in enumerate(self.spec.ops):
                if op.method == method and len(op.parameters) == len(arguments):
                    values = frozenset(zip(op.parameters, arguments, strict=True))
                    yield from self.alone(state, op, Thread(who, own, number, 0, values), None)

    def alone(
        self, memory: Memory, op: Op, thread: Thread, answer: Any, rounds: int = 8
    ) -> Iterator[tuple[Any, Any]]:
        if thread.pc == len(op.steps):
            yield answer, memory
            return
        step = op.steps[thread.pc]
        if step.loop:
            yield from self.alone(memory, op, replace(thread, pc=thread.pc + 1), answer)
        for out in self.machine.step(memory, op, step, thread):
            said = answer if out.answer is None else out.answer
            after = replace(thread, values=out.values, pc=thread.pc + (not step.loop))
            if not step.loop or rounds:
                left = rounds - 1 if step.loop else 8
                yield from self.alone(out.memory, op, after, said, left)


# -- histories ------------------------------------------------------------------------------------


class Explorer:
    """The histories of up to ``count`` operations; `wrong` is one that has no order, or None."""

    def __init__(
        self, text: str, count: int, keys: int = 2, reuse: bool = False, most: int = 200_000
    ) -> None:
        self.spec, self.count, self.keys, self.most = read(text), count, keys, most
        self.machine, self.object = Machine(self.spec, reuse), Sequential(self.spec)
        self.names = "ID" in text
        self.explained = lru_cache(maxsize=None)(self._explained)
        self.completed: set[str] = set()  # the operations that came to their end
        self.ran: set[tuple[str, int]] = set()  # the steps that ran
        self.wrong = self._search()

    def _search(self) -> History | None:
        first = (self.machine.start(), (), ())
        seen, todo = {first}, [first]
        for memory, threads, history in todo:
            for after in self._moves(memory, threads, history):
                if after in seen:
                    continue
                seen.add(after)
                if len(seen) > self.most:
                    raise TooMany
                if len(after[2]) > len(history) and not self.explained(after[2]):
                    return after[2]
                todo.append(after)
        return None

    def _moves(self, memory: Memory, threads: tuple[Thread, ...], history: History) -> Any:
        started = sum(e[0] == "call" for e in history)
        if started < self.count:
            yield from self._calls(memory, threads, history, started)
        for at, thread in enumerate(threads):
            op = self.spec.ops[thread.op]
            step = op.steps[thread.pc]
            if step.loop:
                left = replace(thread, pc=thread.pc + 1)
                yield self._after(memory, threads, at, left, history, None)
            for out in self.machine.step(memory, op, step, thread):
                self.ran.add((op.name, thread.pc))
                moved = replace(thread, values=out.values, pc=thread.pc + (not step.loop))
                yield self._after(out.memory, threads, at, moved, history, out.answer)

    def _calls(self, memory: Memory, threads: Any, history: History, started: int) -> Any:
        taken = {e[4] for e in history if e[0] == "call"}
        free = [n for n in range(1, self.count + 1) if n not in taken]
        for number, op in enumerate(self.spec.ops):
            for arguments in product(range(1, self.keys + 1), repeat=len(op.parameters)):
                for own in free if self.names else free[:1]:
                    values = frozenset(zip(op.parameters, arguments, strict=True))
                    thread = Thread(started, own, number, 0, values)
                    call = ("call", started, op.method, arguments, own)
                    yield memory, (*threads, thread), (*history, call)

    def _after(
        self, memory: Memory, threads: Any, at: int, thread: Thread, history: History, answer: Any
    ) -> Any:
        op = self.spec.ops[thread.op]
        ended = thread.pc == len(op.steps)
        if ended:
            self.completed.add(op.name)
        if answer is not None or (ended and not op.says):
            history = (*history, ("ret", thread.who, answer or ()))
        rest = () if ended else (thread,)
        return memory, (*threads[:at], *rest, *threads[at + 1 :]), history

    def _explained(self, history: History) -> bool:
        calls = {e[1]: (i, e) for i, e in enumerate(history) if e[0] == "call"}
        ends = {e[1]: (i, e[2]) for i, e in enumerate(history) if e[0] == "ret"}
        tried = set()

        def order(placed: frozenset[int], state: Any) -> bool:
            if set(ends) <= placed:
                return True
            if (placed, state) in tried:
                return False
            tried.add((placed, state))
            for who, (begin, call) in calls.items():
                waits = any(i < begin and other not in placed for other, (i, _) in ends.items())
                if who in placed or waits:
                    continue
                for said, after in self.object.results(state, call):
                    answer = ends[who][1] if who in ends else ()
                    if (not said or not answer or said == answer) and order(placed | {who}, after):
                        return True
            return False

        return order(frozenset(), self.object.first)


def wrong_history(text: str, count: int, keys: int = 2, reuse: bool = False) -> History | None:
    """A history of up to so many operations that is not linearizable."""
    return Explorer(text, count, keys, reuse).wrong
