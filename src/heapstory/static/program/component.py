"""Functions that call each other, analysed until their summaries stay the same."""

from __future__ import annotations

from dataclasses import dataclass

from heapstory.cfront.program import Function
from heapstory.static.function.fixpoint import Fixpoint
from heapstory.static.function.single import follow_one_by_one
from heapstory.static.heap.state import Site
from heapstory.static.program.index import Index, View, callees
from heapstory.static.summaries.making import closed
from heapstory.static.summaries.shape import shape
from heapstory.static.summaries.summary import Summary, unknown_summary
from heapstory.static.transfer.losses import Loss

MAX_ANEW = 2  # levels of callees that are analysed anew where summaries are switched off
LARGE = 1_500  # statements of a function whose allocations are followed one by one at once
MAX_ROUNDS = 4  # of a recursive component, before its functions count as unknown


@dataclass(slots=True)
class FunctionResult:
    """What the analysis of one function gave."""

    summary: Summary
    losses: list[Loss]
    misuses: list[Loss]
    limited: bool
    handed: set[tuple[str, Site]]  # functions nobody has, and blocks they were given


class AnewView(View):
    """Without summaries: a callee is analysed anew at every call, down to a few levels. Only there
    to show what summaries save."""

    def __init__(
        self,
        index: Index,
        summaries: dict[str, Summary],
        functions: dict[str, Function],
        depth: int = 0,
    ) -> None:
        super().__init__(index, summaries)
        self._index, self._functions, self._depth = index, functions, depth

    def summary(self, name: str, unit: str) -> Summary | None:
        """Analyse the callee again."""
        function = self._functions.get(self._aliases.get((unit, name), name))
        if function is None or self._depth >= MAX_ANEW or name not in self.summaries:
            return super().summary(name, unit)
        below = AnewView(self._index, self.summaries, self._functions, self._depth + 1)
        return analyse_function(function, below).summary


def analyse_component(
    functions: list[Function],
    index: Index,
    summaries: dict[str, Summary],
    anew: dict[str, Function] | None = None,
) -> dict[str, FunctionResult]:
    """Analyse functions that call each other until their summaries stay the same."""
    names = {function.name for function in functions}
    kept = dict(summaries)
    view = View(index, kept) if anew is None else AnewView(index, kept, anew)
    recursive = len(functions) > 1 or any(
        callees(function, index) & names for function in functions
    )
    if recursive:
        view.recursive = frozenset(names)
    for function in functions:
        view.summaries.pop(function.name, None)
        if recursive:  # the least fixpoint: a call that never returned yet
            view.summaries[function.name] = Summary(function.name, len(function.parameters))
    results: dict[str, FunctionResult] = {}
    shapes: dict[str, object] = {}
    for number in range(MAX_ROUNDS + 1):
        stable = True
        for function in functions:
            results[function.name] = analyse_function(function, view)
            summary = results[function.name].summary
            if recursive and shapes.get(function.name) != shape(summary):
                stable = False
                if number == MAX_ROUNDS - 1:
                    summary = unknown_summary(function.name, len(function.parameters))
                shapes[function.name] = shape(summary)
            if recursive:
                view.summaries[function.name] = closed(summary)
        if stable or not recursive:
            break
    return results


def analyse_function(function: Function, view: View) -> FunctionResult:
    """Analyse one function with the summaries at hand."""
    analysis = Fixpoint(function, view)
    frame = analysis.frame
    summary = None
    if function.count <= LARGE:
        summary = analysis.run()
        if not analysis.limited and not frame.weakened:
            return FunctionResult(
                summary,
                list(frame.losses.values()),
                list(frame.misuses.values()),
                False,
                frame.handed,
            )
    # Blocks were let go in states too many to keep.
    found = follow_one_by_one(function, view)
    if summary is None or analysis.limited:
        summary = found.summary
    losses, misuses = frame.losses | found.losses, frame.misuses | found.misuses
    return FunctionResult(
        summary,
        list(losses.values()),
        list(misuses.values()),
        found.limited,
        frame.handed | found.handed,
    )
