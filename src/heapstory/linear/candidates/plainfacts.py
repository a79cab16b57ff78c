"""Candidate invariants of a set kept as a list whose nodes carry no mark, and that may be empty.

Which nodes are there is known from the abstract state alone. Without sentinels a list begins and
ends with NULL, and a walk along it has no predecessor at first: "if there is one, ..., else ...".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

from heapstory.linear.candidates.setfacts import SetFacts
from heapstory.linear.candidates.terms import Candidate, Term
from heapstory.linear.formulas.symbolic import Actor, Shared
from heapstory.linear.program.steps import Path


class PlainFacts:
    """The candidates for one struct, beside those of `SetFacts`."""

    def __init__(self, facts: SetFacts) -> None:
        self.z3, self.facts, self.scope = facts.z3, facts, facts.there

    def shared(self, shared: list[Term]) -> Iterator[Candidate]:
        """Where the list begins (one of the shared variables) and ends."""
        z3, facts, struct = self.z3, self.facts, self.facts.struct

        def last(s: Shared, n: Any, m: Any) -> Any:
            return z3.Implies(facts.next_of(s, n) == 0, facts.key_of(s, m) <= facts.key_of(s, n))

        yield Candidate(
            f"∀ n, m {self.scope.text}: n.{facts.link} == NULL → no key is larger",
            lambda s, a, n: z3.Implies(
                z3.And(*[self.scope.holds(s, x) for x in n]), z3.And(last(s, *n), last(s, *n[::-1]))
            ),
            (struct, struct),
        )
        for end in self._ends(shared):
            yield self._there(end)
            yield Candidate(
                f"∀n {self.scope.text}: {end.text} is at or before it",
                lambda s, a, n, e=end: z3.Implies(
                    self.scope.holds(s, n[0]), self._reaches(s, e.value(s, a), n[0])
                ),
                (struct,),
            )

    def _ends(self, shared: list[Term]) -> list[Term]:
        return [t for t in shared if t.kind == self.facts.struct]

    def beside(self, path: Path, own: list[Term], shared: list[Term]) -> Iterator[Candidate]:
        """What an instance knows of the nodes it holds on its way to a key."""
        z3, facts = self.z3, self.facts
        key, held = path.operation.parameters[0].name, facts.held(own)
        for node in held:
            yield self._there(node)
            yield Candidate(
                f"{node.text} != NULL → {node.text}.{facts.key} < {key}",
                lambda s, a, n, t=node: z3.Or(
                    t.value(s, a) == 0, facts.key_of(s, t.value(s, a)) < a.locals[key]
                ),
            )
            yield Candidate(
                f"∀n {self.scope.text}, n.{facts.key} >= {key}: {node.text} is at or before it",
                lambda s, a, n, t=node: z3.Implies(
                    z3.And(self.scope.holds(s, n[0]), facts.key_of(s, n[0]) >= a.locals[key]),
                    self._reaches(s, t.value(s, a), n[0]),
                ),
                (facts.struct,),
            )
        for before, at in permutations(held, 2):
            for end in self._ends(shared):
                yield self._followed(before, at, end)

    def _there(self, node: Term) -> Candidate:
        return Candidate(
            f"{node.text} is NULL or {self.scope.text}",
            lambda s, a, n: self.z3.Or(
                node.value(s, a) == 0, self.scope.holds(s, node.value(s, a))
            ),
        )

    def _reaches(self, s: Shared, node: Any, other: Any) -> Any:
        return self.z3.And(node != 0, self.facts.key_of(s, node) <= self.facts.key_of(s, other))

    def _followed(self, before: Term, at: Term, end: Term) -> Candidate:
        """One node comes after another, or is the first."""

        def formula(s: Shared, a: Actor, n: Any) -> Any:
            node = before.value(s, a)
            follows = self.z3.If(node == 0, end.value(s, a), self.facts.next_of(s, node))
            return at.value(s, a) == follows

        link = f"{before.text}.{self.facts.link}"
        return Candidate(f"{at.text} is {link}, or {end.text} without {before.text}", formula)
