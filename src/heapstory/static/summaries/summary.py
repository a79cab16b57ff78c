"""Procedural summaries: rows of (precondition, postcondition) over parameters, globals, result.

A row holds the cells a function found through its parameters and globals with what it assumed of
them (the precondition), and what it left behind (the postcondition): members written, cells freed,
cells allocated, the value returned. A function is analysed once, for callers in
general; a call keeps the rows whose precondition its own state allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from heapstory.static.heap.names import Named
from heapstory.static.heap.state import Cell, Site
from heapstory.static.heap.values import CellId, Fact, Pointer, Symbol, Value

# Members by which the new cells of a site lead to others of the same site: trees, lists.
Links = dict[Site | None, set[int]]


@dataclass(slots=True)
class Row:
    """One row: cells (``PRE``, ``GLOBAL`` and new ``HEAP`` ones), facts and the result."""

    cells: dict[CellId, Cell]
    facts: dict[Symbol, Fact]
    result: Value | None
    numbers: dict[int, Symbol]  # parameters that are numbers


@dataclass(slots=True)
class Summary:
    """What calling a function does."""

    name: str
    parameters: int
    variadic: bool = False
    rows: list[Row] = field(default_factory=list)
    unknown: bool = False  # a limit was met: it may do anything
    touched: frozenset[int] = frozenset()  # arguments that it frees, keeps or changes
    # … of these, arguments that every row frees, and does nothing else to.
    frees: frozenset[int] = frozenset()
    keeps_extra: bool = False
    counted: frozenset[Named] = frozenset()  # the caller's cells whose references it counts down
    returns_new: bool = False
    links: Links = field(default_factory=dict)  # of a recursive function
    fingerprint: str = ""


def put_somewhere(cells: Mapping[CellId, Cell], result: Value | None = None) -> set[CellId]:
    """The cells that a row stores in others, or returns."""
    found: set[CellId] = {result.cell} if isinstance(result, Pointer) else set()
    for cell in cells.values():
        for offset, value in cell.fields.items():
            if isinstance(value, Pointer) and cell.initial.get(offset) != value:
                found.add(value.cell)
        found |= cell.weak
    return found


def unknown_summary(name: str, parameters: int) -> Summary:
    """The summary of a function that could not be analysed."""
    return Summary(name, parameters, unknown=True, touched=frozenset(range(parameters)))
