"""The walk beside the summaries: what each adds to the results of the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heapstory.cfront.program import Function, Unit
from heapstory.static.function.confidence import confidence, doubts_of
from heapstory.static.heap.doubt import Doubt
from heapstory.static.program.component import FunctionResult
from heapstory.static.program.index import Index, View
from heapstory.static.transfer.losses import Loss
from heapstory.static.walk.frame import Globals
from heapstory.static.walk.library import LIBRARY
from heapstory.static.walk.machine import Walk


@dataclass(slots=True)
class Walked:
    """What following one ``main`` gave."""

    main: str
    losses: list[Loss]
    entered: set[str]  # functions
    unsure: set[object]  # places of allocations whose blocks got out of sight
    complete: bool  # every way was followed to its end


def follow(functions: Mapping[str, Function], index: Index, units: Sequence[Unit]) -> list[Walked]:
    """Follow every ``main``."""
    variables = Globals(units)
    found = []
    for name, main in functions.items():
        if main.place.function != "main":
            continue
        walk = Walk(main, View(index, {}), functions, index.aliases, variables, LIBRARY)
        walk.walk()
        losses = list(walk.frame.losses.values())
        found.append(Walked(name, losses, walk.entered, walk.unsure, not walk.limited))
    return found


def merge(walks: Sequence[Walked], results: Mapping[str, FunctionResult]) -> None:
    """Losses on the ways are added to the results. Where all ways of the program were followed to
    their end, a loss that summaries suppose and no way shows is a guess."""
    limited = {name[1:].split("@", 1)[0] for name, each in results.items() if each.limited}
    for walked in walks:
        if walked.complete and len(walks) == 1:
            _doubt(walked, results)
        known = {
            key
            for each in results.values()
            for loss in each.losses
            if confidence(doubts_of(loss)) != "low"
            for key in _same(loss)
        }
        fresh = [loss for loss in walked.losses if not known & _same(loss)]
        for loss in fresh:
            if loss.function not in limited and _chosen_by_callee(loss):
                loss.doubts.add(Doubt.CALLEE_CHOSE)
        results[walked.main].losses.extend(fresh)


def _doubt(walked: Walked, results: Mapping[str, FunctionResult]) -> None:
    seen = {_made(loss) for loss in walked.losses} | walked.unsure
    for name in walked.entered & results.keys():
        for loss in results[name].losses:
            if _made(loss) not in seen:
                loss.doubts.add(Doubt.NOT_ON_ANY_WAY)


def _chosen_by_callee(loss: Loss) -> bool:
    """Whether a function that was called with the memory went on by something that nobody knows:
    a tree that perhaps has such a node already."""
    site = loss.cell.site
    if site is None or site.place is None:
        return False
    made = max((n for n, s in enumerate(loss.steps) if s.place == site.place), default=-1)
    makers = {loss.function, site.place.function, *(place.function for place in site.calls)}
    return any(
        step.decision is not None and step.place is not None and step.place.function not in makers
        for step in loss.steps[made + 1 :]
    )


def _made(loss: Loss) -> object:
    return loss.cell.site and loss.cell.site.place


def _same(loss: Loss) -> set[object]:
    """Losses that share one of these are told once."""
    place = loss.place and (loss.kind, *loss.place[:2])
    site = loss.cell.site
    return {place, (loss.function, site and (site.place, site.calls))}
