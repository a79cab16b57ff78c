"""Loads of a part of memory that depend on each other, as persistent memory needs them: where a
load needs what another brought, a write between the two must not be torn.

Which memory: an address range, a global variable or named root, or all nodes of a type. Which pages
a file was mapped to is not in a trace: give the range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapstory.errors import UsageError
from heapstory.slicing.criteria import parse_memory
from heapstory.slicing.loop_names import LoopNames
from heapstory.store.places import Place
from heapstory.store.sql import quoted

if TYPE_CHECKING:
    from heapstory._core import Slicer
    from heapstory.trace import Trace


@dataclass(frozen=True, slots=True)
class LoadPair:
    """Two statements that load, the second depending on what the first loaded."""

    first: Place
    second: Place
    kind: str  # address: where the second loads from; control: whether it runs
    count: int  # executions of the second


@dataclass(frozen=True, slots=True)
class LoadPairs:
    memory: str
    loads: int  # executed, from that memory
    complete: bool  # False: some value came from more loads than are kept
    pairs: list[LoadPair]


def find_pairs(trace: Trace, slicer: Slicer, memory: str) -> LoadPairs:
    """UsageError where there is no such memory."""
    table, totals = slicer.load_pairs(_ranges(trace, memory))
    names = LoopNames(trace, slicer)
    found: dict[tuple[Place, Place, str], int] = {}
    columns = (table.column(name) for name in ("from", "to", "kind", "count"))
    for first, second, kind, count in zip(*columns, strict=True):
        key = (names.place(first), names.place(second), kind)
        found[key] = found.get(key, 0) + count
    pairs = [LoadPair(*key, count) for key, count in found.items()]
    return LoadPairs(memory, totals["loads"], not totals["cut"], sorted(pairs, key=_order))


def _ranges(trace: Trace, memory: str) -> list[tuple[int, int]]:
    given = parse_memory(memory)
    if given is not None:
        return [given]
    rows = trace.query(
        f"SELECT DISTINCT address, size FROM nodes WHERE {quoted(memory)} IN (name, label, type)"
    ).rows
    if not rows:
        raise UsageError(
            f"{memory}: no variable, named root or type of nodes has this name "
            "(or give 0xADDRESS+BYTES)"
        )
    return [(address, size) for address, size in rows]


def _order(pair: LoadPair) -> tuple[str, int, str, int, str]:
    first, second = pair.first, pair.second
    return first.path or "", first.line or 0, second.path or "", second.line or 0, pair.kind
