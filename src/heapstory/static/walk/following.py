"""The walk beside the summaries: what each adds to the answers of the other."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from heapstory.static.findings import confidence
from heapstory.static.interpreter import Loss
from heapstory.static.ir.program import Function, Unit
from heapstory.static.program import Answer, Index, View
from heapstory.static.walk.frame import Globals
from heapstory.static.walk.library import LIBRARY
from heapstory.static.walk.machine import Walk


def follow(
    functions: Mapping[str, Function],
    index: Index,
    units: Sequence[Unit],
    answers: dict[str, Answer],
) -> None:
    """Follow every ``main``. Losses on its ways are added. Where all of its ways were followed to
    their end, a loss that summaries suppose and none of them shows is a guess."""
    mains = [function for function in functions.values() if function.place.function == "main"]
    variables = Globals(units)
    for main in mains:
        walk = Walk(main, View(index, {}), functions, index.aliases, variables, LIBRARY)
        try:
            walk.walk()
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
            # As in program.py: a mistake of ours must not cost the other answers.
            if os.environ.get("HEAPSTORY_STRICT"):
                raise
            walk.limited = True
        if walk.complete and len(mains) == 1:
            _doubt(walk, answers)
        _add(walk, answers[main.name], answers)


def _doubt(walk: Walk, answers: Mapping[str, Answer]) -> None:
    seen = {_made(loss) for loss in walk.losses.values()} | walk.unsure
    for name in walk.entered & answers.keys():
        for loss in answers[name].losses:
            loss.guessed = loss.guessed or _made(loss) not in seen


def _made(loss: Loss) -> object:
    return loss.cell.site and loss.cell.site.place


def _add(walk: Walk, answer: Answer, answers: Mapping[str, Answer]) -> None:
    known = {
        key
        for each in answers.values()
        for loss in each.losses
        if confidence(loss) != "low"
        for key in _same(loss)
    }
    answer.losses.extend(loss for loss in walk.losses.values() if not known & _same(loss))


def _same(loss: Loss) -> set[object]:
    """Losses that share one of these are told once."""
    place = loss.place and (loss.kind, *loss.place[:2])
    site = loss.cell.site
    return {place, (loss.function, site and (site.place, site.calls))}
