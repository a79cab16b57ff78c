"""How sure a loss is: all its doubts, and what they leave of the confidence."""

from __future__ import annotations

from collections.abc import Iterable

from heapstory.static.heap.doubt import Doubt
from heapstory.static.heap.state import ANY_MAKER
from heapstory.static.transfer.losses import FIELD_OVERWRITTEN, LOCAL_LOST, Loss

LONG_PATH = 30  # steps
_ORDER = ("high", "medium", "low")


def doubts_of(loss: Loss) -> list[Doubt]:
    """All reasons for doubt, the strongest first."""
    found = {*loss.doubts, *_of_the_cell(loss), *_of_the_path(loss)}
    return [doubt for doubt in Doubt if doubt in found]


def _of_the_cell(loss: Loss) -> Iterable[Doubt]:
    site = loss.cell.site
    if site is not None and site.allocator == ANY_MAKER and site.calls:
        yield Doubt.POINTER_TARGET
    if loss.cell.summary:
        yield Doubt.MANY_AT_RETURN if loss.kind == LOCAL_LOST else Doubt.MANY_BLOCKS
    if loss.function == "main" and loss.kind == LOCAL_LOST:
        yield Doubt.HELD_BY_MAIN


def _of_the_path(loss: Loss) -> Iterable[Doubt]:
    helper = loss.place is not None and loss.place.function != loss.function
    if helper and loss.kind == FIELD_OVERWRITTEN:
        guess = loss.looped and not loss.blindly
        yield Doubt.OVERWRITTEN_IN_LOOP if guess else Doubt.OVERWRITTEN_BY_HELPER
    if any(step.doubt is Doubt.REALLOC_FAILED for step in loss.steps):
        yield Doubt.REALLOC_FAILED
    if len(loss.steps) > LONG_PATH:
        yield Doubt.LONG_PATH


def confidence(doubts: Iterable[Doubt]) -> str:
    """What doubts leave: high, medium or low."""
    return max((doubt.confidence for doubt in doubts), key=_ORDER.index, default="high")
