"""Cells that were lost, and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from heapstory.cfront.program import Place
from heapstory.static.heap.doubt import Doubt
from heapstory.static.heap.state import Cell, Site, Step
from heapstory.static.heap.values import CellId

OVERWRITTEN: Final = "last-reference-overwritten"
FIELD_OVERWRITTEN: Final = "field-overwritten"
FIELD_LOST: Final = "field-lost-at-free"
LOCAL_LOST: Final = "local-lost-at-return"
LEAK_KINDS: Final = (OVERWRITTEN, FIELD_OVERWRITTEN, FIELD_LOST, LOCAL_LOST)

Container = Site | CellId | None  # what holds elements: by its allocation, or as a cell
Suspects = dict[CellId, tuple[str, Place | None, str]]  # kind, place and label of a possible loss
LossKey = tuple[str, Site | None, tuple[str, int] | None]


@dataclass(slots=True)
class Loss:
    """A cell that was lost (or misused), as the analysis of a function saw it."""

    kind: str
    function: str
    place: Place | None
    label: str
    cell: Cell
    steps: list[Step]
    identity: CellId  # the cell's, in the function
    container: Container = None
    doubts: set[Doubt] = field(default_factory=set)
    looped: bool = False  # it happens in a loop, where rounds are alike
    block: str = ""  # the block of the loss
    blindly: bool = False  # a callee overwrote the reference without having looked at it


def loss_key(kind: str, cell: Cell, place: Place | None) -> LossKey:
    """Losses with the same key are one."""
    return kind, cell.site, None if place is None else place[:2]
