"""Candidate invariants of a set kept as a list: order, neighbours, marks, and what a lookup met.

A *scope* is a kind of node: one that was ever put in, or one of those with a flag (a field that
only ever holds 0 or 1, such as a mark) set or not. Which flag says what is not known beforehand:
the facts are made for every scope, and elimination finds out. Where the list has the key k is the
ghost ``nodes[k]``: the node that the last add of k put in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from heapstory.linear.candidates.terms import Candidate, Term
from heapstory.linear.formulas.abstraction import Abstraction, key_fields
from heapstory.linear.formulas.symbolic import Actor, Shared, solver_module
from heapstory.linear.language.syntax import Assign, Const, Field, Specification, statements
from heapstory.linear.program.locks import lock_cells
from heapstory.linear.program.steps import Path

Flag = tuple[str, int]  # a field and what it holds


@dataclass(frozen=True)
class Scope:
    """A kind of node, as a formula over shared state and a node."""

    text: str
    holds: Callable[[Shared, Any], Any]


class SetFacts:
    """The candidates for one struct that has a key and a link to its own kind."""

    def __init__(self, spec: Specification, abstraction: Abstraction, struct: str) -> None:
        self.z3 = solver_module()
        self.spec, self.abstraction, self.struct = spec, abstraction, struct
        fields = spec.fields(struct)
        self.link = next(f.name for f in fields if f.type == struct)
        self.key = key_fields(spec, struct)[0]
        self.flags = [f.name for f in fields if f.type == "int" and self._is_flag(f.name)]

    @staticmethod
    def applies(spec: Specification, struct: str) -> bool:
        """Whether a struct is the node of a list with keys."""
        links = [f for f in spec.fields(struct) if f.type == struct]
        return len(links) == 1 and len(key_fields(spec, struct)) == 1

    def _is_flag(self, name: str) -> bool:
        if ("f", self.struct, name) in lock_cells(self.spec):
            return False
        written = [
            s.value
            for s in statements(self.spec)
            if isinstance(s, Assign)
            and isinstance(s.target, Field)
            and (s.target.struct, s.target.name) == (self.struct, name)
        ]
        return bool(written) and all(isinstance(v, Const) and v.value in (0, 1) for v in written)

    # -- parts of formulas ------------------------------------------------------------------------

    def _at(self, s: Shared, name: str, node: Any) -> Any:
        return s.fields[self.struct, name][node]

    def _inside(self, s: Shared, node: Any) -> Any:
        return s.ghosts[f"in {self.struct}"][node] == 1

    def next_of(self, s: Shared, node: Any) -> Any:
        """The node behind a node."""
        return self._at(s, self.link, node)

    def key_of(self, s: Shared, node: Any) -> Any:
        """The key of a node."""
        return self._at(s, self.key, node)

    def witness(self, s: Shared, key: Any) -> Any:
        """The node put in by the last add of a key."""
        return s.ghosts[f"nodes {self.struct}"][key]

    def scopes(self) -> list[Scope]:
        """Nodes ever put in, and those of them with a flag set or not; without flags, those that
        are there now."""
        return [Scope("in", self._inside), *(self.flagged() or [self.there])]

    def flagged(self) -> list[Scope]:
        """Nodes with a flag set or not."""
        return [self._flagged(flag, value) for flag, value in product(self.flags, (0, 1))]

    @property
    def there(self) -> Scope:
        """Nodes that stand for a member."""

        def holds(s: Shared, n: Any) -> Any:
            key = self.key_of(s, n)
            stands = self.z3.And(s.ghosts["member"][key] == 1, self.witness(s, key) == n)
            return self.z3.And(self._inside(s, n), stands)

        return Scope("there", holds)

    def _flagged(self, flag: str, value: int) -> Scope:
        def holds(s: Shared, n: Any) -> Any:
            return self.z3.And(self._inside(s, n), self._at(s, flag, n) == value)

        return Scope(f"in, {flag} == {value}", holds)

    # -- shared state -----------------------------------------------------------------------------

    def shared(self) -> Iterator[Candidate]:
        """Facts about every node, every two nodes and every key."""
        z3 = self.z3
        for flag in self.flags:
            yield self._fact(
                f"n.{flag} is 0 or 1",
                lambda s, n, f=flag: z3.Or(self._at(s, f, n) == 0, self._at(s, f, n) == 1),
            )
            yield self._fact(
                f"n.{flag} == 1 → n in",
                lambda s, n, f=flag: z3.Implies(self._at(s, f, n) == 1, self._inside(s, n)),
            )
        yield Candidate(
            "∀k: member[k] is 0 or 1",
            lambda s, a, n: z3.Or(*[s.ghosts["member"][n[0]] == v for v in (0, 1)]),
            ("int",),
        )
        yield self._fact(
            "n allocated → n in",
            lambda s, n: z3.Implies(s.alloc[self.struct][n], self._inside(s, n)),
        )
        yield from self._ends()
        for scope in self.scopes():
            yield from self._about_one(scope)
            yield from self._about_two(scope)
            yield Candidate(
                f"∀k: member[k] → nodes[k] is {scope.text} and has key k",
                lambda s, a, n, c=scope: self._represented(s, c, n[0]),
                ("int",),
            )

    def _ends(self) -> Iterator[Candidate]:
        """Where the list begins and ends: shared variables that hold a node."""
        for v in self.spec.globals:
            if v.type != self.struct or v.array:
                continue
            facts = [*product(self.flags, (0, 1))]
            facts += [(self.key, bound) for bound in self.abstraction.sentinels()]
            for field, value in facts:
                yield Candidate(
                    f"{v.name}.{field} == {value}",
                    lambda s, a, n, g=v.name, f=field, x=value: self._at(s, f, s.scalars[g]) == x,
                )

    def _fact(self, text: str, formula: Callable[..., Any]) -> Candidate:
        return Candidate(
            f"∀{self.struct} n: {text}", lambda s, a, n: formula(s, n[0]), (self.struct,)
        )

    def _represented(self, s: Shared, scope: Scope, key: Any) -> Any:
        node = self.witness(s, key)
        there = self.z3.And(node != 0, scope.holds(s, node), self.key_of(s, node) == key)
        return self.z3.Implies(s.ghosts["member"][key] == 1, there)

    def _about_one(self, scope: Scope) -> Iterator[Candidate]:
        z3, text = self.z3, scope.text

        def when(s: Shared, n: Any, then: Any) -> Any:
            return z3.Implies(scope.holds(s, n), then)

        def linked(s: Shared, n: Any, then: Any) -> Any:
            return z3.Implies(z3.And(scope.holds(s, n), self.next_of(s, n) != 0), then)

        yield self._fact(
            f"n {text} → n.{self.key} < n.{self.link}.{self.key}",
            lambda s, n: linked(s, n, self.key_of(s, n) < self.key_of(s, self.next_of(s, n))),
        )
        for bound in self.abstraction.sentinels():
            yield self._fact(
                f"n {text}, n.{self.link} == NULL → n.{self.key} == {bound}",
                lambda s, n, b=bound: when(
                    s, n, z3.Implies(self.next_of(s, n) == 0, self.key_of(s, n) == b)
                ),
            )
        for other in self.scopes():
            yield self._fact(
                f"n {text} → n.{self.link} is {other.text}",
                lambda s, n, o=other: linked(s, n, o.holds(s, self.next_of(s, n))),
            )
            if other.text != text:
                yield self._fact(
                    f"n {text} → n {other.text}", lambda s, n, o=other: when(s, n, o.holds(s, n))
                )
        for value in (0, 1):
            yield self._fact(
                f"n {text} → member[n.{self.key}] == {value}",
                lambda s, n, v=value: when(s, n, s.ghosts["member"][self.key_of(s, n)] == v),
            )
        yield self._fact(
            f"n {text} → nodes[n.{self.key}] == n",
            lambda s, n: when(s, n, self.witness(s, self.key_of(s, n)) == n),
        )

    def _about_two(self, scope: Scope) -> Iterator[Candidate]:
        z3, two = self.z3, (self.struct, self.struct)

        def both(s: Shared, n: Any, m: Any) -> Any:
            return z3.And(scope.holds(s, n), scope.holds(s, m))

        def between(s: Shared, n: Any, m: Any) -> Any:
            after = self.next_of(s, n)
            key = self.key_of(s, m)
            return z3.And(after != 0, self.key_of(s, n) < key, key < self.key_of(s, after))

        yield Candidate(
            f"∀ n, m {scope.text}: n.{self.key} == m.{self.key} → n == m",
            lambda s, a, n: z3.Implies(
                z3.And(both(s, *n), self.key_of(s, n[0]) == self.key_of(s, n[1])), n[0] == n[1]
            ),
            two,
        )
        yield Candidate(
            f"∀ n, m {scope.text}: m is not between n and n.{self.link}",
            lambda s, a, n: z3.Implies(
                both(s, *n), z3.Not(z3.Or(between(s, n[0], n[1]), between(s, n[1], n[0])))
            ),
            two,
        )

    # -- one instance -----------------------------------------------------------------------------

    def beside(self, path: Path, own: list[Term]) -> Iterator[Candidate]:
        """How an instance's nodes lie to its key."""
        key = path.operation.parameters[0].name
        for node in self.held(own):
            yield Candidate(
                f"{node.text}.{self.key} < {key}",
                lambda s, a, n, t=node: self.key_of(s, t.value(s, a)) < a.locals[key],
            )
            yield Candidate(
                f"{node.text}.{self.key} > {key}",
                lambda s, a, n, t=node: self.key_of(s, t.value(s, a)) > a.locals[key],
            )

    def held(self, own: list[Term]) -> list[Term]:
        """The nodes that an instance holds in its locals."""
        return [t for t in own if t.kind == self.struct and "." not in t.text]

    def met(self, path: Path, own: list[Term]) -> Iterator[Candidate]:
        """What it means to have met a node."""
        key = path.operation.parameters[0].name
        held = self.held(own)
        followed = [t for t in own if t.kind == self.struct and t.text.endswith(f".{self.link}")]
        for second in (*held, *followed):
            first = next((t for t in held if second.text == f"{t.text}.{self.link}"), None)
            yield from self._met(first, second, key)
        if any(step.loop for step in path.steps):
            for scope in self.flagged():
                yield from self._walked(scope, held, key)

    def _walked(self, scope: Scope, held: list[Term], key: str) -> Iterator[Candidate]:
        """A walk only meets nodes that were there since it began: one that is gone now still leads
        where it led when it went."""
        z3, name = self.z3, f"met {scope.text}"
        for node in held:
            yield Candidate(
                f"{node.text} was {scope.text} since the begin",
                lambda s, a, n, t=node: a.ghosts[name](t.value(s, a)),
            )
        yield self._walk_fact(
            f"n was {scope.text} → n in",
            lambda s, a, n: z3.Implies(a.ghosts[name](n), self._inside(s, n)),
        )

        def gone(s: Shared, a: Actor, n: Any) -> Any:
            link = self.next_of(s, n) != 0
            return z3.And(a.ghosts[name](n), z3.Not(scope.holds(s, n)), link)

        yield self._walk_fact(
            f"n was but is not {scope.text} → n.{self.link} was",
            lambda s, a, n: z3.Implies(gone(s, a, n), a.ghosts[name](self.next_of(s, n))),
        )
        none: list[Flag] = [("", 0)]
        for flag, larger in product(none + list(product(self.flags, (0, 1))), (False, True)):
            yield self._walk_fact(
                f"n was but is not {scope.text}, {key} "
                f"{'before' if larger else 'at'} n.{self.link} {flag[0]} {flag[1]} → seen",
                lambda s, a, n, f=flag, g=larger: z3.Implies(
                    z3.And(gone(s, a, n), *self._around(s, a.locals[key], n, f, g)),
                    a.ghosts["seen"],
                ),
            )

    def _around(self, s: Shared, key: Any, n: Any, flag: Flag, larger: bool) -> list[Any]:
        after = self.next_of(s, n)
        size = self.key_of(s, after)
        parts = [self.key_of(s, n) < key, size > key if larger else size == key]
        return [*parts, self._at(s, flag[0], after) == flag[1]] if flag[0] else parts

    def _walk_fact(self, text: str, formula: Callable[..., Any]) -> Candidate:
        return Candidate(f"∀n: {text}", lambda s, a, n: formula(s, a, n[0]), (self.struct,))

    def _met(self, first: Term | None, second: Term, key: str) -> Iterator[Candidate]:
        """``seen`` follows from a flag of one node, and key and flag of the one behind it."""
        none: list[Flag] = [("", 0)]
        flags = none + list(product(self.flags, (0, 1)))
        for before, at in product(flags if first else none, flags):
            for larger in (False, True):
                yield self._meeting(first, before, second, at, key, larger)

    def _meeting(
        self, first: Term | None, before: Flag, second: Term, at: Flag, key: str, larger: bool
    ) -> Candidate:
        z3 = self.z3

        def formula(s: Shared, a: Actor, n: Any) -> Any:
            node, wanted = second.value(s, a), a.locals[key]
            parts = [self.key_of(s, node) > wanted if larger else self.key_of(s, node) == wanted]
            parts.append(node != 0)
            if first is not None and before[0]:
                parts.append(self._at(s, before[0], first.value(s, a)) == before[1])
            if at[0]:
                parts.append(self._at(s, at[0], node) == at[1])
            return z3.Implies(z3.And(*parts), a.ghosts["seen"])

        text = f"{second.text}.{self.key} {'>' if larger else '=='} {key}"
        text += f", {second.text}.{at[0]} == {at[1]}" if at[0] else ""
        text += f", {first.text}.{before[0]} == {before[1]}" if first and before[0] else ""
        return Candidate(f"{text} → seen", formula)
