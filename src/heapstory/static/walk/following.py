"""The walk beside the summaries: what each adds to the answers of the other."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heapstory.cfront.program import Function, Unit
from heapstory.static.findings import confidence
from heapstory.static.interpreter import Loss
from heapstory.static.program import Answer, Index, View
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
        try:
            walk.walk()
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
            # As in program.py: a mistake of ours must not cost the other answers.
            if os.environ.get("HEAPSTORY_STRICT"):
                raise
            walk.limited = True
        losses = list(walk.losses.values())
        found.append(Walked(name, losses, walk.entered, walk.unsure, not walk.limited))
    return found


def merge(walks: Sequence[Walked], answers: Mapping[str, Answer]) -> None:
    """Losses on the ways are added to the answers. Where all ways of the program were followed to
    their end, a loss that summaries suppose and no way shows is a guess."""
    for walked in walks:
        if walked.complete and len(walks) == 1:
            _doubt(walked, answers)
        known = {
            key
            for answer in answers.values()
            for loss in answer.losses
            if confidence(loss) != "low"
            for key in _same(loss)
        }
        fresh = [loss for loss in walked.losses if not known & _same(loss)]
        answers[walked.main].losses.extend(fresh)


def _doubt(walked: Walked, answers: Mapping[str, Answer]) -> None:
    seen = {_made(loss) for loss in walked.losses} | walked.unsure
    for name in walked.entered & answers.keys():
        for loss in answers[name].losses:
            loss.guessed = loss.guessed or _made(loss) not in seen


def _made(loss: Loss) -> object:
    return loss.cell.site and loss.cell.site.place


def _same(loss: Loss) -> set[object]:
    """Losses that share one of these are told once."""
    place = loss.place and (loss.kind, *loss.place[:2])
    site = loss.cell.site
    return {place, (loss.function, site and (site.place, site.calls))}
