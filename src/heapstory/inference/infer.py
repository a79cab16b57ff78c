"""Inference: a specification from good runs.

First the types and what their pointers are for (edges, pointers back, roots), then constraints from
templates; what does not hold at every C-point of every run is dropped, and so is what was never put
to the test. The rest is written as a specification to be read and edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from heapstory.errors import UsageError
from heapstory.inference.checking import Candidate, Run, surviving, write_out
from heapstory.inference.facts import BACKWARD, TypeFacts, read_facts, root_sources
from heapstory.inference.inferred import Inferred, Kept
from heapstory.inference.templates import Templates, variables
from heapstory.inference.text import write_specification
from heapstory.inference.values import read_values
from heapstory.store.type_names import meant

if TYPE_CHECKING:
    from heapstory.trace import Trace

TESTED_AT_LEAST = 3  # bindings a constraint must have held for
SURE = 20  # bindings below which a constraint without a guard is doubtful


def infer(traces: Sequence[Trace], types: Sequence[str] = ()) -> Inferred:
    """Constraints that hold in all of some good runs; `types`: only these types."""
    learnt = _Inference(traces, types).run()
    return replace(learnt, text=write_specification(learnt))


class _Inference:
    def __init__(self, traces: Sequence[Trace], types: Sequence[str]) -> None:
        self.runs = [Run(trace) for trace in traces]
        self.facts = read_facts(traces[0], types)
        for name in types:
            if not meant(name, [facts.native for facts in self.facts.values()]):
                raise UsageError(
                    f"--type {name}: no block of that type is in {traces[0].path} "
                    f"(there are: {', '.join(sorted(read_facts(traces[0], ()))) or 'none'})"
                )
        if not self.facts:
            raise UsageError(
                f"{traces[0].path}: no linked structure with debug information was found "
                "(compile with -g)"
            )
        self.pause: list[str] = []

    def run(self) -> Inferred:
        self._find_edges()
        self._find_marks()
        self._find_roots()
        values = read_values(self.runs[0], self.facts)
        candidates = Templates(self.facts, values).all()
        heading = self._heading()
        alive = surviving(self.runs, heading, candidates)
        kept = self._supported(heading, _first_of_ladders(alive))
        points = sum(len(run.load(heading)[2]) for run in self.runs)
        return Inferred(
            tuple(run.trace.path.name for run in self.runs),
            tuple(self.facts.values()),
            tuple(self.pause),
            tuple(kept),
            len(candidates),
            points,
        )

    def _heading(self) -> str:
        """Types, variables, roots and pauses: what all candidates are written under."""
        lines = [facts.type_line() for facts in self.facts.values()]
        lines += [
            f"root: {facts.name} from {', '.join(facts.roots)};"
            for facts in self.facts.values()
            if facts.roots
        ]
        if self.pause:
            lines.append(f"pause in {', '.join(self.pause)};")
        lines += [f"{f.name} {', '.join(variables(f))};" for f in self.facts.values()]
        return "\n".join(lines)

    def _holding(self, candidates: list[Candidate]) -> set[str]:
        """The keys of those that hold at the sampled C-points and were put to the test."""
        heading = self._heading()
        alive = {c.key for c in candidates}
        for run in self.runs:
            failed = run.failing(write_out(heading, candidates))
            alive -= set(failed)
        held = [c for c in candidates if c.key in alive]
        counts = self._counts(heading, held)
        return {c.key for c in held if counts.get(c.key, 0)}

    # What pointers are for.

    def _find_edges(self) -> None:
        """Edges are the pointers to a type's own kind, but not those that lead back."""
        tests: dict[str, tuple[TypeFacts, str, str]] = {}
        candidates = []
        for facts in self.facts.values():
            facts.edges = list(facts.own)
            facts.unchecked = set(facts.pointers)
            x, y = variables(facts)
            for there in facts.own:
                for back in facts.own:
                    if back in facts.arrays:
                        continue
                    key = f"k{len(tests) + 1}"
                    tests[key] = (facts, there, back)
                    guard, body = f"{x} -[{facts.name}.{there}]-> {y}", f"{y}.{back} == {x}"
                    text = f"{guard} => {body};"
                    candidates.append(Candidate(key, facts.name, text, "", guard, body))
        answered = {tests[key] for key in self._holding(candidates)} if candidates else set()
        for facts in self.facts.values():
            self._split_edges(facts, {(t, b) for f, t, b in answered if f is facts})

    @staticmethod
    def _split_edges(facts: TypeFacts, answers: set[tuple[str, str]]) -> None:
        for there, back in sorted(answers, key=lambda pair: facts.own.index(pair[1])):
            mutual = (back, there) in answers
            named = any(word in back.lower() for word in BACKWARD)
            other = any(word in there.lower() for word in BACKWARD)
            later = facts.own.index(back) > facts.own.index(there)
            leads_back = there == back or not mutual or (later if named == other else named)
            if leads_back and back in facts.edges:
                facts.edges.remove(back)
                if there != back:
                    facts.back.append(back)

    def _find_marks(self) -> None:
        """Pointers that may be anything, and fields that may be left unwritten."""
        for facts in self.facts.values():
            facts.unchecked, facts.written = set(), set(facts.named)
        for run in self.runs:
            failed = run.failing(self._heading())
            for facts in self.facts.values():
                facts.unchecked |= {
                    n for n in facts.pointers if f"safe({facts.name}.{n})" in failed
                }
                facts.written -= {n for n in facts.named if f"written({facts.name}.{n})" in failed}
        for run in self.runs:  # a link that is not written in every linked node is not one
            failed = run.failing(self._heading())
            for facts in self.facts.values():
                facts.unchecked |= {
                    n for n in facts.pointers if f"written({facts.name}.{n})" in failed
                }

    def _find_roots(self) -> None:
        for facts in self.facts.values():
            if not facts.edges and not facts.own:
                continue
            options = root_sources(self.runs[0].trace, facts, self.facts)
            best: tuple[int, list[str], list[str]] | None = None
            for option in options:
                facts.roots = option
                callers = self._failing_callers(f"rooted({facts.name})")
                if callers is not None and (best is None or len(callers) < best[0]):
                    best = (len(callers), option, callers)
                if callers == []:
                    break
            facts.roots = best[1] if best else []
            self.pause += [name for name in (best[2] if best else []) if name not in self.pause]

    def _failing_callers(self, constraint: str) -> list[str] | None:
        """The functions in which a constraint fails, if it holds in others; None if it is wrong.

        A C-point inside an operation that only calls helpers is no moment to judge; such functions
        are few and are not main.
        """
        failing: set[str] = set()
        others: set[str] = set()
        for run in self.runs:
            found = run.failing(self._heading())
            failing |= set(found.get(constraint, {}))
            others |= {name for name in found[""] if name not in found.get(constraint, {})}
        if failing & {"", "main"} or (failing and not others):
            return None
        return sorted(failing)

    # What is worth writing.

    def _supported(self, heading: str, candidates: list[Candidate]) -> list[Kept]:
        counts = self._counts(heading, [c for c in candidates if c.body])
        kept = []
        for candidate in candidates:
            support = counts.get(candidate.key, 0) if candidate.body else None
            if support is not None and support < TESTED_AT_LEAST:
                continue
            if support is not None and support < SURE and not candidate.guard:
                candidate = replace(candidate, doubtful="COUNT(" not in candidate.body)
            kept.append(Kept(candidate, support))
        return kept

    def _counts(self, heading: str, candidates: list[Candidate]) -> dict[str, int]:
        """How often guard and body were both true: violations of the opposite constraints."""
        opposite = [
            Candidate(
                c.key,
                c.type,
                f"{c.guard} => not ({c.body});" if c.guard else f"not ({c.body});",
                c.group,
                attribute=c.attribute,
            )
            for c in candidates
        ]
        total: dict[str, int] = {}
        for run in self.runs:
            for key, number in run.support(write_out(heading, opposite)).items():
                total[key] = total.get(key, 0) + number
        return total


def _first_of_ladders(candidates: list[Candidate]) -> list[Candidate]:
    seen: set[str] = set()
    kept = []
    for candidate in candidates:
        if candidate.ladder and candidate.ladder in seen:
            continue
        seen.add(candidate.ladder)
        kept.append(candidate)
    return kept
