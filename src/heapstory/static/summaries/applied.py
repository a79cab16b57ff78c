"""A row of a summary, applied to the state of a caller."""

from __future__ import annotations

from typing import NamedTuple

from heapstory.cfront.program import Place
from heapstory.static.heap.state import State
from heapstory.static.heap.values import CellId, Symbol, Value
from heapstory.static.summaries.summary import Row


class Applied(NamedTuple):
    """The state after a row, and what became of cells."""

    row: Row
    state: State
    result: Value | None
    suspects: dict[CellId, tuple[str, Place | None, str]]  # what may be lost: kind, place, label
    new: list[CellId]
    perhaps_lost: set[CellId]  # overwritten on some of the ways that the row stands for
    numbers: tuple[Symbol, ...]  # that nobody knows, which the row put into the caller's memory
    asked: tuple[Symbol, ...]  # numbers in the caller's memory that the row compared
    unasked: bool  # the row assumes that a pointer passed is null, and only the callee asked
