"""Candidate invariants about the nodes of a queue or stack: their positions, values and links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heapstory.linear.candidates.terms import Candidate
from heapstory.linear.formulas.abstraction import Abstraction
from heapstory.linear.formulas.symbolic import Shared, solver_module


class NodeFacts:
    """The candidates that speak of every node, or every two."""

    def __init__(self, abstraction: Abstraction) -> None:
        self.abstraction, self.z3 = abstraction, solver_module()

    def there(self, s: Shared, struct: str, node: Any) -> Any:
        """The node is in the structure now, at its rank."""
        rank = s.ghosts[f"rank {struct}"][node]
        here = s.ghosts[f"nodes {struct}"][rank] == node
        top = s.ghosts["depth"] if self.abstraction.kind == "stack" else s.ghosts["last"] - 1
        inside = s.ghosts[f"in {struct}"][node] == 1
        return self.z3.And(here, inside, rank >= 1, rank <= top, node != 0)

    def linked(self, struct: str, link: str) -> Iterator[Candidate]:
        """What is in leads to what is in."""
        z3 = self.z3
        field_of = (struct, link)

        def inside(s: Shared, n: Any) -> Any:
            return s.ghosts[f"in {struct}"][n] == 1

        yield Candidate(
            f"∀{struct} n: n in and n.{link} != NULL → n.{link} in",
            lambda s, a, n: z3.Implies(
                z3.And(inside(s, n[0]), s.fields[field_of][n[0]] != 0),
                inside(s, s.fields[field_of][n[0]]),
            ),
            (struct,),
        )

    def lifetimes(self, struct: str) -> Iterator[Candidate]:
        """What is in has been allocated."""
        z3 = self.z3
        yield Candidate(
            f"∀{struct} n: n in → n allocated and not NULL",
            lambda s, a, n: z3.Implies(
                s.ghosts[f"in {struct}"][n[0]] == 1, z3.And(s.alloc[struct][n[0]], n[0] != 0)
            ),
            (struct,),
        )

    def ranks(self, struct: str, links: list[str], data: list[str]) -> Iterator[Candidate]:
        """Neighbours in the list are neighbours in the abstract state, with the same values."""
        z3 = self.z3
        rank, inside = f"rank {struct}", f"in {struct}"
        last = "depth" if self.abstraction.kind == "stack" else "last"
        end = 0 if self.abstraction.kind == "stack" else -1
        step = -1 if self.abstraction.kind == "stack" else 1
        scopes = [("in", lambda s, n: s.ghosts[inside][n] == 1)]
        scopes.append(("there", lambda s, n: self.there(s, struct, n)))
        for scope, holds in scopes:
            for link in links:
                yield Candidate(
                    f"∀{struct} n {scope}, n.{link} != NULL: rank(n.{link}) == rank(n) {step:+}",
                    lambda s, a, n, h=holds, f=link: z3.Implies(
                        z3.And(h(s, n[0]), s.fields[struct, f][n[0]] != 0),
                        s.ghosts[rank][s.fields[struct, f][n[0]]] == s.ghosts[rank][n[0]] + step,
                    ),
                    (struct,),
                )
                yield Candidate(
                    f"∀{struct} n {scope}, n.{link} != NULL: n.{link} {scope}",
                    lambda s, a, n, h=holds, f=link: z3.Implies(
                        z3.And(h(s, n[0]), s.fields[struct, f][n[0]] != 0),
                        h(s, s.fields[struct, f][n[0]]),
                    ),
                    (struct,),
                )
                bottom = (lambda s: 1) if step < 0 else (lambda s: s.ghosts[last] - 1)
                yield Candidate(
                    f"∀{struct} n {scope}, n.{link} == NULL: n is at the end",
                    lambda s, a, n, h=holds, f=link, b=bottom: z3.Implies(
                        z3.And(h(s, n[0]), s.fields[struct, f][n[0]] == 0),
                        s.ghosts[rank][n[0]] == b(s),
                    ),
                    (struct,),
                )
            for name in data:
                yield Candidate(
                    f"∀{struct} n {scope}, rank(n) > 0: n.{name} == values[rank(n)]",
                    lambda s, a, n, h=holds, f=name: z3.Implies(
                        z3.And(h(s, n[0]), s.ghosts[rank][n[0]] > 0),
                        s.fields[struct, f][n[0]] == s.ghosts["values"][s.ghosts[rank][n[0]]],
                    ),
                    (struct,),
                )
        yield Candidate(
            f"∀{struct} n in: 0 <= rank(n) <= {last} {end:+}",
            lambda s, a, n: z3.Implies(
                s.ghosts[inside][n[0]] == 1,
                z3.And(s.ghosts[rank][n[0]] >= 0, s.ghosts[rank][n[0]] <= s.ghosts[last] + end),
            ),
            (struct,),
        )
        yield Candidate(
            f"∀{struct} n, m in: rank(n) == rank(m) → n == m",
            lambda s, a, n: z3.Implies(
                z3.And(
                    s.ghosts[inside][n[0]] == 1,
                    s.ghosts[inside][n[1]] == 1,
                    s.ghosts[rank][n[0]] == s.ghosts[rank][n[1]],
                ),
                n[0] == n[1],
            ),
            (struct, struct),
        )
        yield Candidate(
            f"{last} >= {0 if step < 0 else 1}",
            lambda s, a, n: s.ghosts[last] >= (0 if step < 0 else 1),
        )
