"""Asking the engine which candidate constraints hold at the C-points of good runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapstory.constraints.binding.traced import TraceBinding
from heapstory.constraints.compile.compiling import compile_plan
from heapstory.constraints.language.reading import parse
from heapstory.errors import SpecificationError
from heapstory.locating import cpoints

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.constraints.plan import Plan
    from heapstory.locating.diagnosis import CPoint
    from heapstory.trace import Trace

SAMPLE = 24  # C-points at which candidates are tried before all of them are
ROUNDS = 60


@dataclass(frozen=True, slots=True)
class Candidate:
    """A constraint to try, as one line. `guard` and `body` are given where its support can be
    counted. `ladder`: of several on one ladder the first that holds makes the others needless."""

    key: str
    type: str
    text: str
    group: str
    guard: str = ""
    body: str = ""
    attribute: str = ""
    ladder: str = ""
    doubtful: bool = False  # written as a comment: true of what was seen, but perhaps by chance


class Run:
    """One good run: candidates are compiled with a heading (types, roots) and checked."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.binding = TraceBinding(trace)

    def load(self, text: str) -> tuple[Plan, _core.Structure, list[CPoint]]:
        """A specification's plan, its structure, and the C-points it has by default."""
        from heapstory import _core

        plan = compile_plan(parse(text, "<inferred>"), self.binding).plan
        structure = _core.Structure(self.trace.core, plan)
        points = cpoints.find(self.trace, structure, plan, []).points
        return plan, structure, points

    def counts(self, text: str) -> dict[str, int]:
        """How many objects each type of a specification ever had."""
        plan, structure, _ = self.load(text)
        return dict(zip((t.name for t in plan.types), structure.counts.by_type, strict=False))

    def failing(self, text: str) -> dict[str, dict[str, int]]:
        """Names of constraints that fail at sampled C-points, with how often, by the function that
        the C-point returns to; the key '' holds how many C-points each function had."""
        plan, structure, points = self.load(text)
        found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for point in sample(points):
            caller = (point.place.function if point.place else None) or ""
            found[""][caller] += 1
            for name in violated(plan, structure, point.timestamp):
                found[name][caller] += 1
        return found

    def support(self, text: str) -> dict[str, int]:
        """How many violations each constraint has over a few C-points."""
        plan, structure, points = self.load(text)
        counts: dict[str, int] = defaultdict(int)
        for point in sample(points, 6):
            for found in structure.check(point.timestamp):
                counts[plan.constraints[found.constraint].name] += 1
        return counts


def sample(points: list[CPoint], most: int = SAMPLE) -> list[CPoint]:
    """Some C-points, spread over the run, a few of the first and the last among them."""
    if len(points) <= most:
        return points
    step = (len(points) - 1) / (most - 1)
    return [points[round(i * step)] for i in range(most)]


def violated(plan: Plan, structure: _core.Structure, at: int) -> set[str]:
    return {plan.constraints[found.constraint].name for found in structure.check(at)}


def surviving(runs: Iterable[Run], heading: str, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates that hold at every C-point of every run."""
    alive = _compiling(runs, heading, candidates)
    for run in runs:
        alive = _at_sampled(run, heading, alive)
        alive = _at_all(run, heading, alive)
    return alive


def write_out(heading: str, candidates: Iterable[Candidate], label: bool = True) -> str:
    """A specification with the candidates as labelled statements."""
    lines, attributes = [heading], []
    for candidate in candidates:
        if candidate.attribute and candidate.attribute not in attributes:
            attributes.append(candidate.attribute)
    lines += attributes
    lines += [f"{c.key + ': ' if label else ''}{c.text}" for c in candidates]
    return "\n".join(lines)


def _compiling(runs: Iterable[Run], heading: str, candidates: list[Candidate]) -> list[Candidate]:
    """Those that make sense for the types at all: an error names the line of one that does not."""
    alive = list(candidates)
    for run in runs:
        while alive:
            text = write_out(heading, alive)
            try:
                compile_plan(parse(text, "<inferred>"), run.binding)
                break
            except SpecificationError as error:
                first = len(text.splitlines()) - len(alive) + 1
                if error.line < first:
                    raise
                del alive[error.line - first]
    return alive


def _without(candidates: list[Candidate], names: set[str]) -> list[Candidate]:
    keys = {name.split(".")[0] for name in names}
    return [candidate for candidate in candidates if candidate.key not in keys]


def _at_sampled(run: Run, heading: str, candidates: list[Candidate]) -> list[Candidate]:
    """Small moments first, so that most wrong candidates go while they are cheap."""
    alive = candidates
    done: set[int] = set()
    for _ in range(ROUNDS):
        plan, structure, points = run.load(write_out(heading, alive))
        moments = [p.timestamp for p in sample(points) if p.timestamp not in done]
        dropped: set[str] = set()
        for moment in moments:
            dropped |= violated(plan, structure, moment)
            done.add(moment)
            if len(dropped) > len(alive) // 4:
                break
        alive = _without(alive, dropped)
        if not dropped or not moments:
            return alive
    return alive


def _at_all(run: Run, heading: str, candidates: list[Candidate]) -> list[Candidate]:
    alive = candidates
    for _ in range(ROUNDS):
        plan, structure, points = run.load(write_out(heading, alive))
        moments = sorted({point.timestamp for point in points})
        result = structure.locate([(moment, [], None) for moment in moments])
        names = {plan.constraints[found.constraint].name for found in result.inconsistencies}
        left = _without(alive, names)
        if len(left) == len(alive):
            return alive
        alive = left
    return alive
