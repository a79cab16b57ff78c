"""The small candidates that all others are made of: about one term, or two."""

from __future__ import annotations

from collections.abc import Iterator

from heapstory.linear.candidates.nodefacts import NodeFacts
from heapstory.linear.candidates.terms import Candidate, Term
from heapstory.linear.formulas.symbolic import solver_module
from heapstory.linear.language.syntax import Specification


class Atoms:
    """Makes them for one specification and abstract type."""

    def __init__(self, spec: Specification, kind: str, nodes: NodeFacts) -> None:
        self.spec, self.kind, self.nodes, self.z3 = spec, kind, nodes, solver_module()

    def between(self, left: list[Term], right: list[Term]) -> Iterator[Candidate]:
        """Facts about each term on the left, and about it with each on the right."""
        structs = self.spec.structs
        for p in left:
            if p.kind in structs:
                yield from self._pointer(p)
            elif p.local:
                for constant in (0, 1):
                    yield Candidate(
                        f"{p.text} == {constant}",
                        lambda s, a, n, p=p, c=constant: p.value(s, a) == c,
                    )
            for q in right:
                if p is q or (q in left and left.index(q) < left.index(p)):
                    continue
                if "." in p.text and "." in q.text and p.local and q.local:
                    continue  # two fields of locals: never seen to matter
                if p.kind == q.kind:
                    yield from self._pair(p, q)
                elif p.kind in structs and q.kind == "int":
                    yield from self._ranked(p, q)
                elif q.kind in structs and p.kind == "int":
                    yield from self._ranked(q, p)

    def _pointer(self, p: Term) -> Iterator[Candidate]:
        z3, struct = self.z3, p.kind
        yield Candidate(f"{p.text} != NULL", lambda s, a, n: p.value(s, a) != 0)
        yield Candidate(f"{p.text} == NULL", lambda s, a, n: p.value(s, a) == 0)
        yield Candidate(
            f"{p.text} is allocated or NULL",
            lambda s, a, n: z3.Or(p.value(s, a) == 0, s.alloc[struct][p.value(s, a)]),
        )
        yield Candidate(
            f"{p.text} is or was in or NULL",
            lambda s, a, n: z3.Or(p.value(s, a) == 0, s.ghosts[f"in {struct}"][p.value(s, a)] == 1),
        )
        yield from self._current(p)

    def _current(self, p: Term) -> Iterator[Candidate]:
        z3, struct = self.z3, p.kind
        if self.kind == "stack":
            yield Candidate(
                f"{p.text} is on the stack or NULL",
                lambda s, a, n: z3.Or(
                    p.value(s, a) == 0, self.nodes.there(s, struct, p.value(s, a))
                ),
            )

    def _pair(self, p: Term, q: Term) -> Iterator[Candidate]:
        yield Candidate(f"{p.text} == {q.text}", lambda s, a, n: p.value(s, a) == q.value(s, a))
        if p.kind != "int" and p.local and q.local:
            yield Candidate(
                f"{p.text} == NULL or {p.text} == {q.text}",
                lambda s, a, n: self.z3.Or(p.value(s, a) == 0, p.value(s, a) == q.value(s, a)),
            )
            yield Candidate(
                f"{q.text} == NULL or {p.text} == {q.text}",
                lambda s, a, n: self.z3.Or(q.value(s, a) == 0, p.value(s, a) == q.value(s, a)),
            )
        elif p.kind == "int":
            yield Candidate(f"{p.text} <= {q.text}", lambda s, a, n: p.value(s, a) <= q.value(s, a))
            yield Candidate(f"{p.text} >= {q.text}", lambda s, a, n: p.value(s, a) >= q.value(s, a))
        if p.kind != "int" and self.kind in ("queue", "stack"):
            struct = p.kind
            yield Candidate(
                f"rank({p.text}) + 1 == rank({q.text})",
                lambda s, a, n: (
                    s.ghosts[f"rank {struct}"][p.value(s, a)] + 1
                    == s.ghosts[f"rank {struct}"][q.value(s, a)]
                ),
            )
            yield Candidate(
                f"rank({p.text}) <= rank({q.text})",
                lambda s, a, n: (
                    s.ghosts[f"rank {struct}"][p.value(s, a)]
                    <= s.ghosts[f"rank {struct}"][q.value(s, a)]
                ),
            )
            yield Candidate(
                f"rank({p.text}) >= rank({q.text})",
                lambda s, a, n: (
                    s.ghosts[f"rank {struct}"][p.value(s, a)]
                    >= s.ghosts[f"rank {struct}"][q.value(s, a)]
                ),
            )

    def _ranked(self, p: Term, q: Term) -> Iterator[Candidate]:
        z3, struct = self.z3, p.kind
        if not q.text.startswith("abstract") or self.kind not in ("queue", "stack"):
            return
        for offset in (-2, -1, 0):
            yield Candidate(
                f"rank({p.text}) == {q.text} {offset}",
                lambda s, a, n, o=offset: z3.Or(
                    p.value(s, a) == 0,
                    s.ghosts[f"rank {struct}"][p.value(s, a)] == q.value(s, a) + o,
                ),
            )
            yield Candidate(
                f"rank({p.text}) >= {q.text} {offset}",
                lambda s, a, n, o=offset: (
                    s.ghosts[f"rank {struct}"][p.value(s, a)] >= q.value(s, a) + o
                ),
            )
            yield Candidate(
                f"rank({p.text}) <= {q.text} {offset}",
                lambda s, a, n, o=offset: (
                    s.ghosts[f"rank {struct}"][p.value(s, a)] <= q.value(s, a) + o
                ),
            )

    def private(self, own: list[Term]) -> Iterator[Candidate]:
        """That a node is known to no other instance."""
        z3 = self.z3
        for p in own:
            if p.kind in self.spec.structs and "." not in p.text:
                yield Candidate(
                    f"{p.text} is this instance's own",
                    lambda s, a, n, p=p: s.ghosts[f"owner {p.kind}"][p.value(s, a)] == a.name,
                )
                yield Candidate(
                    f"{p.text} is this instance's own and not in",
                    lambda s, a, n, p=p: z3.And(
                        s.ghosts[f"owner {p.kind}"][p.value(s, a)] == a.name,
                        s.ghosts[f"in {p.kind}"][p.value(s, a)] == 0,
                        p.value(s, a) != 0,
                    ),
                )

    def seen(self, own: list[Term]) -> Iterator[Candidate]:
        """The answer was right at some moment: surely, or because NULL was met."""
        yield Candidate("seen", lambda s, a, n: a.ghosts["seen"])
        for p in own:
            if p.kind in self.spec.structs and "." not in p.text:
                yield Candidate(
                    f"{p.text} == NULL → seen",
                    lambda s, a, n, p=p: self.z3.Implies(p.value(s, a) == 0, a.ghosts["seen"]),
                )

    def on_top(self, term: Term) -> Iterator[Candidate]:
        """That a node holds what is on top of a stack."""
        for f in self.spec.fields(term.kind):
            if f.type == "int":
                yield Candidate(
                    f"{term.text}.{f.name} == values[depth]",
                    lambda s, a, n, f=f.name: (
                        s.fields[term.kind, f][term.value(s, a)]
                        == s.ghosts["values"][s.ghosts["depth"]]
                    ),
                )
