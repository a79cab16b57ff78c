"""Loads of a part of memory that depend on each other, as persistent memory needs them: where a
load needs what another brought, a write between the two must not be torn.

Which memory: an address range, a global variable or named root, all nodes of a type, or a file that
was mapped, as long as it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from heapstory.errors import UsageError
from heapstory.slicing.criteria import parse_memory
from heapstory.slicing.loop_names import LoopNames
from heapstory.slicing.mapped import mappings
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


# Address, bytes, and the steps between which it counts; None: up to the end.
_Memory = tuple[int, int, int, int | None]


def _ranges(trace: Trace, memory: str) -> list[_Memory]:
    given = parse_memory(memory)
    if given is not None:
        return [(*given, 0, None)]
    rows = trace.query(
        f"SELECT DISTINCT address, size FROM nodes WHERE {quoted(memory)} IN (name, label, type)"
    ).rows
    found: list[_Memory] = [(address, size, 0, None) for address, size in rows]
    found = found or _of_file(trace, memory)
    if not found:
        raise UsageError(
            f"{memory}: no variable, named root, type of nodes or mapped file has this name "
            "(or give 0xADDRESS+BYTES)"
        )
    return found


def _of_file(trace: Trace, name: str) -> list[_Memory]:
    """Where a file was mapped: by its path, or its name where one file alone has it."""
    found = [one for one in mappings(trace) if name in (one.path, PurePath(one.path).name)]
    paths = sorted({one.path for one in found})
    if name not in paths and len(paths) > 1:
        raise UsageError(f"{name}: several mapped files have this name: {', '.join(paths)}")
    path = name if name in paths else "".join(paths)
    return [(*one[1:3], one.since, one.until) for one in found if one.path == path]


def _order(pair: LoadPair) -> tuple[str, int, str, int, str]:
    first, second = pair.first, pair.second
    return first.path or "", first.line or 0, second.path or "", second.line or 0, pair.kind
