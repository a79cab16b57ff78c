"""The exhaustive checker: all interleavings of N instances against the sequential model.

It follows the product of the program and the set of all ways in which the answers so far can be
linearized; when that set becomes empty, the steps on the way are a history that is not
linearizable. The search itself is native (`native/core/explore`); it shares no code with the
relations.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from heapstory._core import Explored, Explorer, Stop
from heapstory.linear.budget import MIB, Budget, OutOfBudget
from heapstory.linear.language.syntax import Specification
from heapstory.linear.program.kinds import kinds_of, uses_id
from heapstory.linear.states.bytecode import TYPES, method_number, words_of

MOST_OPERATIONS = 30
FAULTS = {
    1: "follows NULL",
    2: "uses freed memory",
    3: "frees memory twice",
    4: "reads memory that holds no value",
}
UNUSED, SYMMETRIC, ANY = range(3)  # what the names of instances are to a search


@dataclass(frozen=True)
class Action:
    """One sub-operation of a history: who ran which step, and what it answered. ``name`` is the
    instance's ``ID``; a step behind the last is the end of a loop that was the last step."""

    instance: int
    operation: str
    arguments: tuple[int, ...]
    step: int
    answered: bool
    answer: Any
    name: int


@dataclass
class Search:
    """The outcome: a history that is not linearizable, or None, and how much was looked at."""

    trail: list[Action] | None
    states: int
    operations: int
    width: int
    complete: bool = True
    reason: str = ""
    ran: set[tuple[str, int]] = field(default_factory=set)  # operation, step
    ended: set[str] = field(default_factory=set)  # the operations that came to their end
    faults: set[tuple[str, int, str]] = field(default_factory=set)  # operation, step, what it does


class Checker:
    """Searches one specification for a history that is not linearizable."""

    def __init__(self, spec: Specification, keys: int = 2, reuse: bool = False) -> None:
        self.spec, self.keys = spec, keys
        self.stop = Stop()
        kinds = kinds_of(spec)
        method = method_number(spec)
        kind = "program" if spec.model is not None else spec.implements or "program"
        model = spec.model or spec
        of_model = kinds_of(model)
        named = uses_id(spec) or (kind == "program" and uses_id(model))
        names = ANY if kinds.counted or of_model.counted else SYMMETRIC
        self._explorer = Explorer(
            words_of(spec, kinds, reuse, method),
            TYPES.index(kind),
            words_of(model, of_model, False, method) if kind == "program" else [],
            names if named else UNUSED,
            uses_id(model),
        )

    def search(
        self, operations: int, budget: Budget, width: int | None = None, keys: int | None = None
    ) -> Search:
        """Look at every history of up to ``operations`` instances, at most ``width`` overlapping,
        with so many ``keys`` for the arguments that are compared.

        Without a width, first few overlaps, then more: most mistakes need only two.
        """
        widths = [width] if width else sorted({1, min(2, operations), operations})
        total = Search(None, 0, operations, 0)
        for current in widths:
            try:
                found = self._search(operations, current, keys or self.keys, budget)
            except OutOfBudget as reason:
                total.complete, total.reason = False, str(reason)
                return total
            total.states += found.states
            names = [o.name for o in self.spec.operations]
            total.ran |= {(names[n], step) for n, step in found.ran}
            total.ended |= {names[n] for n in found.ended}
            total.faults |= {(names[n], step, FAULTS[what]) for n, step, what in found.faults}
            if found.outcome not in ("explained", "unexplained"):
                total.complete = False
                total.reason = self._reason(found, operations, current, budget)
                return total
            total.width = current
            if found.outcome == "unexplained":
                total.trail = self._trail(found)
                return total
        return total

    def _search(self, operations: int, width: int, keys: int, budget: Budget) -> Explored:
        """One search, in a thread of its own so that an interrupt is seen at once."""
        budget.doing = _doing(operations, width)
        limits = (operations, width, keys, budget.states, budget.memory, max(budget.left(), 0.0))
        with ThreadPoolExecutor(1) as pool:
            try:
                return pool.submit(self._explorer.search, *limits, self.stop).result()
            except ValueError as reason:  # the model can run in too many ways
                raise OutOfBudget(str(reason)) from None
            except BaseException:
                self.stop.set()
                raise

    @staticmethod
    def _reason(found: Explored, operations: int, width: int, budget: Budget) -> str:
        doing = _doing(operations, width)
        if found.outcome == "time":
            limit = f"time limit of {budget.seconds:g} s"
            return f"{limit} reached while {doing} ({found.states} states)"
        if found.outcome == "states":
            return f"more than {budget.states} states while {doing}: it explodes"
        if found.outcome == "memory":
            return f"more than {budget.memory // MIB} MiB of memory while {doing}"
        return f"stopped while {doing}"

    def _trail(self, found: Explored) -> list[Action]:
        trail = []
        for step in found.trail:
            answer = tuple(step.answer)
            said = None if not answer else answer[0] if len(answer) == 1 else answer
            name = self.spec.operations[step.operation].name
            trail.append(
                Action(
                    step.number,
                    name,
                    tuple(step.arguments),
                    step.step,
                    step.answered,
                    said,
                    step.id,
                )
            )
        return trail


def _doing(operations: int, width: int) -> str:
    doing = f"trying all interleavings of {operations} operations"
    return doing if width >= operations else f"{doing}, {width} at a time"
