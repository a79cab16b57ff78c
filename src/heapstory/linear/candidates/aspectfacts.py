"""Candidate invariants for the aspects of a queue: two tracked enqueues, arrays, and counters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from heapstory.linear.formulas.symbolic import solver_module
from heapstory.linear.language.syntax import Operation, Specification

Formula = Callable[..., Any]  # of shared state, instance, some index


@dataclass(frozen=True)
class Fact:
    """A candidate invariant; ``each``: it speaks of every index of an array."""

    text: str
    formula: Formula
    each: bool = False


class AspectFacts:
    """Makes the candidates of one specification."""

    def __init__(self, spec: Specification, enqueue: Operation) -> None:
        self.z3, self.spec, self.length = solver_module(), spec, len(enqueue.steps)
        self.tracked = [v.name for v in enqueue.locals if v.type == "int"]

    def numbers(self) -> list[tuple[str, Formula]]:
        """The shared counters, and the numbers that the tracked enqueues hold."""
        found: list[tuple[str, Formula]] = [
            (v.name, lambda s, a, j, n=v.name: s.scalars[n])
            for v in self.spec.globals
            if not v.array and v.type == "int"
        ]
        for who in "AB":
            for name in self.tracked:
                key = f"{who}.{name}"
                found.append((key, lambda s, a, j, k=key: s.ghosts[k]))
        return found

    def _whens(self) -> list[tuple[str, Formula]]:
        """Situations of the tracked operations that a fact may depend on."""
        z3, end = self.z3, self.length
        single: list[tuple[str, Formula]] = [("", lambda s, a, j: z3.BoolVal(True))]
        for who in "AB":
            key = f"at {who}"
            single.append((f"{who} began → ", lambda s, a, j, k=key: s.ghosts[k] >= 1))
            single.append((f"{who} ended → ", lambda s, a, j, k=key: s.ghosts[k] == end))
        single.append(("1 is out → ", lambda s, a, j: s.ghosts["out"] == 1))
        single.append(
            (
                "A ended, 1 not out → ",
                lambda s, a, j: z3.And(s.ghosts["at A"] == end, s.ghosts["out"] == 0),
            )
        )
        return single

    def _guarded(self, facts: list[Fact]) -> Iterator[Fact]:
        z3 = self.z3
        for (text, when), fact in product(self._whens(), facts):
            yield Fact(
                text + fact.text,
                lambda s, a, j, w=when, f=fact.formula: z3.Implies(w(s, a, j), f(s, a, j)),
                fact.each,
            )

    def _compared(
        self, left: list[tuple[str, Formula]], right: list[tuple[str, Formula]]
    ) -> list[Fact]:
        found = []
        for (p, f), (q, g) in product(left, right):
            if p == q:
                continue
            found += [
                Fact(f"{p} < {q}", lambda s, a, j, f=f, g=g: f(s, a, j) < g(s, a, j)),
                Fact(f"{p} <= {q}", lambda s, a, j, f=f, g=g: f(s, a, j) <= g(s, a, j)),
                Fact(f"{p} != {q}", lambda s, a, j, f=f, g=g: f(s, a, j) != g(s, a, j)),
            ]
        return found

    def shared(self) -> Iterator[Fact]:
        """Facts about shared state and the tracked enqueues."""
        z3, end, numbers = self.z3, self.length, self.numbers()
        facts = self._compared(numbers, numbers)
        facts += [Fact(f"{p} >= 0", lambda s, a, j, f=f: f(s, a, j) >= 0) for p, f in numbers]
        for who in "AB":
            key = f"at {who}"
            facts += [
                Fact(f"{who} ended", lambda s, a, j, k=key: s.ghosts[k] == end),
                Fact(f"{who} began", lambda s, a, j, k=key: s.ghosts[k] >= 1),
                Fact(
                    f"{key} is a step",
                    lambda s, a, j, k=key: z3.And(s.ghosts[k] >= 0, s.ghosts[k] <= end),
                ),
            ]
        facts.append(Fact("1 is not out", lambda s, a, j: s.ghosts["out"] == 0))
        facts.append(
            Fact("out is 0 or 1", lambda s, a, j: z3.Or(s.ghosts["out"] == 0, s.ghosts["out"] == 1))
        )
        for array in [v.name for v in self.spec.globals if v.array]:
            for (p, f), value in product(numbers, (0, 1, 2)):
                facts.append(
                    Fact(
                        f"{array}[{p}] == {value}",
                        lambda s, a, j, x=array, f=f, v=value: s.arrays[x][f(s, a, j)] == v,
                    )
                )
            facts += self._element_facts(array, numbers)
        yield from self._guarded(facts)

    def _element_facts(self, array: str, numbers: list[tuple[str, Formula]]) -> Iterator[Fact]:
        z3, end = self.z3, self.length
        for value in (1, 2):
            holds = lambda s, j, x=array, v=value: s.arrays[x][j] == v  # noqa: E731
            for p, f in numbers:
                yield Fact(
                    f"∀j {array}[j] == {value} → j == {p}",
                    lambda s, a, j, h=holds, f=f: z3.Implies(h(s, j), j == f(s, a, j)),
                    True,
                )
            for who in "AB":
                yield Fact(
                    f"∀j {array}[j] == {value} → {who} ended",
                    lambda s, a, j, h=holds, k=f"at {who}": z3.Implies(h(s, j), s.ghosts[k] == end),
                    True,
                )
                yield Fact(
                    f"∀j {array}[j] == {value} → {who} began",
                    lambda s, a, j, h=holds, k=f"at {who}": z3.Implies(h(s, j), s.ghosts[k] >= 1),
                    True,
                )
            yield Fact(
                f"∀j {array}[j] == {value} → 1 is not out",
                lambda s, a, j, h=holds: z3.Implies(h(s, j), s.ghosts["out"] == 0),
                True,
            )

    def local(self, operation: Operation) -> Iterator[Fact]:
        """Facts about one instance of an operation."""
        z3 = self.z3
        own: list[tuple[str, Formula]] = [
            (v.name, lambda s, a, j, n=v.name: a.locals[n])
            for v in operation.locals
            if v.type == "int"
        ]
        numbers = self.numbers()
        facts = self._compared(own, [*own, *numbers])
        facts += [Fact(f"{p} >= 0", lambda s, a, j, f=f: f(s, a, j) >= 0) for p, f in own]
        # past one place, and allowed to reach another: then the first value is out
        beyond = [
            (f"{p} > {q}", lambda s, a, j, f=f, g=g: f(s, a, j) > g(s, a, j))
            for (p, f), (q, g) in product(own, numbers)
        ]
        for (p, f), (q, g) in combinations(beyond, 2):
            facts.append(
                Fact(
                    f"{p}, {q} → 1 is out",
                    lambda s, a, j, f=f, g=g: z3.Implies(
                        z3.And(f(s, a, j), g(s, a, j)), s.ghosts["out"] == 1
                    ),
                )
            )
        yield from self._guarded(facts)
