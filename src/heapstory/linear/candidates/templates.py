"""Candidate invariants, made from the specification's own variables.

*Global* ones speak of shared variables and of any one or two nodes; *local* ones of one instance
that stands before a certain step. A local candidate may be guarded by a condition the operation is
still going to check: what a validated read needs is exactly what its check will confirm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

from heapstory.linear.candidates.atoms import Atoms
from heapstory.linear.candidates.nodefacts import NodeFacts
from heapstory.linear.candidates.plainfacts import PlainFacts
from heapstory.linear.candidates.setfacts import SetFacts
from heapstory.linear.candidates.terms import Candidate, Term
from heapstory.linear.formulas.abstraction import Abstraction
from heapstory.linear.formulas.symbolic import Actor, Execution, Shared, initial, solver_module
from heapstory.linear.language.show import show, show_guard, show_step
from heapstory.linear.language.syntax import (
    Condition,
    Hint,
    Local,
    Specification,
    subexpressions,
)
from heapstory.linear.program.locks import lock_cells
from heapstory.linear.program.steps import Path, live_locals


class Templates:
    """Makes the candidates of one specification."""

    def __init__(self, spec: Specification, abstraction: Abstraction) -> None:
        self.spec, self.abstraction = spec, abstraction
        self.z3 = solver_module()
        self.static = {v.name for v in spec.static}
        self.nodes = NodeFacts(abstraction)
        self.atoms = Atoms(spec, abstraction.kind, self.nodes)
        self.lists = [
            SetFacts(spec, abstraction, struct)
            for struct in spec.structs
            if abstraction.kind == "set" and SetFacts.applies(spec, struct)
        ]
        self.plain = [PlainFacts(facts) for facts in self.lists if not facts.flags]

    def keys(self, path: Path, actor: Actor) -> list[Any]:
        """The arguments that are keys of the abstract state."""
        return [actor.locals[p.name] for p in path.operation.parameters] if self.lists else []

    def witnesses(self, shared: Shared, keys: list[Any]) -> list[Any]:
        """The nodes that stand for keys in the abstract state."""
        return [facts.witness(shared, key) for facts in self.lists for key in keys]

    def scopes(self) -> dict[str, Callable[[Shared, Any], Any]]:
        """The kinds of nodes that a walk along a list may meet, where some operation walks."""
        walks = any(step.loop for o in self.spec.operations for step in o.steps)
        return {s.text: s.holds for facts in self.lists for s in facts.flagged() if walks}

    # -- terms ------------------------------------------------------------------------------------

    def shared_terms(self) -> list[Term]:
        """Scalars, fields of fixed objects, and the numbers of the abstract state."""
        found = []
        for v in self.spec.globals:
            if v.array:
                continue
            if v.name in self.static:
                for f in self.spec.fields(v.type):
                    found.append(self._field(self._scalar(v.name, v.type), v.type, f.name, f.type))
            else:
                found.append(self._scalar(v.name, v.type))
        for name in self.abstraction.scalars():
            found.append(Term(f"abstract {name}", "int", lambda s, a, n=name: s.ghosts[n]))
        return found

    def _scalar(self, name: str, kind: str) -> Term:
        return Term(name, kind, lambda s, a: s.scalars[name])

    def _field(self, base: Term, struct: str, name: str, kind: str) -> Term:
        return Term(
            f"{base.text}.{name}",
            kind,
            lambda s, a: s.fields[struct, name][base.value(s, a)],
            base.local,
        )

    def local_terms(self, path: Path, pc: int) -> list[Term]:
        """The live locals of an instance that stands before a step, and their fields."""
        live = live_locals(path)[pc]
        found = []
        for v in (*path.operation.parameters, *path.operation.locals):
            if v.name in live or v in path.operation.parameters:
                term = Term(v.name, v.type, lambda s, a, n=v.name: a.locals[n], True)
                found.append(term)
                if v.type in self.spec.structs:
                    for f in self.spec.fields(v.type):
                        found.append(self._field(term, v.type, f.name, f.type))
        for v in self.spec.globals:
            if v.array and self._own_entry(path, v.name):
                term = Term(
                    f"{v.name}[ID]", v.type, lambda s, a, n=v.name: s.arrays[n][a.name], True
                )
                found.append(term)
                for f in self.spec.fields(v.type) if v.type in self.spec.structs else ():
                    found.append(self._field(term, v.type, f.name, f.type))
        return found

    def _own_entry(self, path: Path, array: str) -> bool:
        text = "".join(show_step(sub) for step in path.steps for sub in step.parts)
        return f"{array}[ID]" in text

    # -- candidates -------------------------------------------------------------------------------

    def shared(self) -> list[Candidate]:
        """Global candidates."""
        terms = self.shared_terms()
        atoms = self._shared_atoms(terms)
        found = [*atoms, *self._node_candidates(terms)]
        found += [self._hinted(h) for h in self.spec.hints if h.facts and not h.label]
        switches = self._switches(terms)
        for switch in switches:
            for zero in (True, False):
                found += [self._switched(switch, zero, atom) for atom in atoms]
        pointers = [t for t in switches if t.kind in self.spec.structs]
        for p, q in combinations(pointers, 2):
            for first, second in product((True, False), repeat=2):
                found += [
                    self._switched(p, first, self._switched(q, second, atom)) for atom in atoms
                ]
        return found

    def _shared_atoms(self, terms: list[Term]) -> list[Candidate]:
        atoms = list(self.atoms.between(terms, terms))
        for term in terms:
            if term.kind == "int":
                atoms += [
                    Candidate(
                        f"{term.text} == {c}", lambda s, a, n, t=term, c=c: t.value(s, a) == c
                    )
                    for c in (0, 1)
                ]
            elif self.abstraction.kind == "stack":
                atoms += self.atoms.on_top(term)
        return atoms

    def _switches(self, terms: list[Term]) -> list[Term]:
        """Shared variables whose being 0 or not decides what holds: locks, and pointers."""
        locks = set(self._lock_names())
        first = initial(self.spec).shared
        nobody = Actor(self.z3.IntVal(0), {})
        found = [t for t in terms if t.text in locks]
        for term in terms:
            if term.kind in self.spec.structs:
                begin = self.z3.simplify(term.value(first, nobody))
                if self.z3.is_int_value(begin):  # NULL at first: later sometimes not
                    found.append(term)
        return found

    def _lock_names(self) -> Iterator[str]:
        """Locks that are shared variables, or fields of fixed objects."""
        for cell in lock_cells(self.spec):
            if cell[0] == "g":
                yield cell[1]
            for v in self.spec.static if cell[0] == "f" else ():
                if v.type == cell[1]:
                    yield f"{v.name}.{cell[2]}"

    def _switched(self, switch: Term, zero: bool, atom: Candidate) -> Candidate:
        z3 = self.z3

        def formula(s: Shared, a: Actor, n: tuple[Any, ...]) -> Any:
            empty = switch.value(s, a) == 0
            return z3.Implies(empty if zero else z3.Not(empty), atom.formula(s, a, n))

        return Candidate(f"{switch.text} {'==' if zero else '!='} 0 → {atom.text}", formula)

    def local(self, path: Path, pc: int, guarded: bool, looks: bool) -> list[Candidate]:
        """Candidates about one instance of a path before a step."""
        shared, own = self.shared_terms(), self.local_terms(path, pc)
        own += [
            Term(f"result{i}", "int", lambda s, a, i=i: a.ghosts[f"result{i}"], True)
            for i in range(2)
        ]
        atoms = list(self.atoms.between(own, own + shared)) + list(self.atoms.private(own))
        for facts in self.lists:
            atoms += facts.beside(path, own)
        for plain in self.plain:
            atoms += plain.beside(path, own, shared)
        if looks:
            atoms += self.atoms.seen(own)
            for facts in self.lists:
                atoms += facts.met(path, own)
        if lock_cells(self.spec):  # the holder knows what others cannot count on
            atoms += self._shared_atoms(shared)
        atoms += [
            Candidate(f"{p.text} == ID", lambda s, a, n, p=p: p.value(s, a) == a.name)
            for p in (*own, *shared)
            if p.kind == "int" and "abstract" not in p.text and "result" not in p.text
        ]
        labels = {part.label for part in path.steps[pc].parts}
        atoms += [self._hinted(h) for h in self.spec.hints if h.facts and h.label in labels]
        found = list(atoms)
        for text, guard in self._coming(path, pc) if guarded else ():
            for atom in atoms:
                found.append(
                    Candidate(
                        f"{text} → {atom.text}",
                        lambda s, a, n, g=guard, f=atom.formula: self.z3.Implies(
                            g(s, a), f(s, a, n)
                        ),
                        atom.nodes,
                    )
                )
        return found

    def _coming(self, path: Path, pc: int) -> Iterator[tuple[str, Callable[[Shared, Actor], Any]]]:
        """The conditions that this and later steps check, over locals that have a value by now."""
        live = live_locals(path)[pc] | {p.name for p in path.operation.parameters}
        seen = set()
        for step in path.steps[pc:]:
            for sub in step.parts:
                for cond in sub.guard:
                    if not isinstance(cond, Condition) or not _over(cond, live):
                        continue
                    text = f"{show(cond.left)} {cond.op} {show(cond.right)}"
                    if text in seen:
                        continue
                    seen.add(text)
                    yield text, self._condition(cond)

    def _hinted(self, hint: Hint) -> Candidate:
        """A candidate that the user wrote; following NULL makes it false, or not meant."""

        def formula(s: Shared, a: Actor, n: tuple[Any, ...]) -> Any:
            who = a.copy()
            if hint.node:
                who.locals[hint.node[0]] = n[0]
            parts = []
            for conditions in (hint.when, hint.facts):
                run = Execution(self.spec, s, who, "hint")
                tests = [run.test(c) for c in conditions]
                parts.append(self.z3.And(*run.conditions, *tests, self.z3.BoolVal(True)))
            return self.z3.Implies(*parts)

        text = ", ".join(map(show_guard, hint.facts))
        text += f" if {', '.join(map(show_guard, hint.when))}" if hint.when else ""
        if hint.node:
            return Candidate(f"∀{hint.node[1]} {hint.node[0]}: {text}", formula, (hint.node[1],))
        return Candidate(text, formula)

    def _condition(self, cond: Condition) -> Callable[[Shared, Actor], Any]:
        def formula(s: Shared, a: Actor) -> Any:
            run = Execution(self.spec, s, a, "guard")
            return run.test(cond)

        return formula

    def _node_candidates(self, terms: list[Term]) -> list[Candidate]:
        found: list[Candidate] = []
        for struct, fields in self.spec.structs.items():
            if any(v.type == struct for v in self.spec.static):
                continue
            links = [f.name for f in fields if f.type == struct]
            data = [f.name for f in fields if f.type == "int"]
            for link in links:
                found += self.nodes.linked(struct, link)
            if self.abstraction.kind in ("queue", "stack"):
                found += self.nodes.ranks(struct, links, data)
            found += self.nodes.lifetimes(struct)
        for facts in self.lists:
            found += facts.shared()
        for plain in self.plain:
            found += plain.shared(terms)
        return found


def _over(cond: Condition, live: set[str]) -> bool:
    names = {
        p.name
        for side in (cond.left, cond.right)
        for p in subexpressions(side)
        if isinstance(p, Local)
    }
    return names <= live
