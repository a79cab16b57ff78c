"""Allocation sites: the blocks of FILE:LINE, and their fields where nothing else tells them."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from heapstory.constraints.binding.layout import WORD, Scalar
from heapstory.constraints.plan import Kind
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.trace import Trace

LOOKED_AT = 1000  # blocks of a site
_LINE = re.compile(r"(.+):(\d+)")
_OFFSET = re.compile(r".+\+0x[0-9a-fA-F]+")


def is_site(text: str) -> bool:
    """Whether a text is FILE:LINE or MODULE+OFFSET."""
    return _LINE.fullmatch(text) is not None or _OFFSET.fullmatch(text) is not None


def find_stacks(trace: Trace, site: str) -> list[int]:
    """The call stacks of allocations that pass through FILE:LINE or MODULE+OFFSET."""
    if not is_site(site):
        raise UsageError(f"--site wants TYPE=FILE:LINE or TYPE=MODULE+OFFSET, not {site!r}")
    rows = trace.query(
        "SELECT DISTINCT created_stack FROM nodes WHERE created_stack IS NOT NULL ORDER BY 1"
    ).rows
    return [int(row[0]) for row in rows if _passes(trace, int(row[0]), site)]


def _passes(trace: Trace, stack: int, site: str) -> bool:
    if line := _LINE.fullmatch(site):
        file, number = line[1], int(line[2])
        return any(
            place.line == number and place.path and PurePath(place.path).match(file)
            for place in trace.stack(stack)
        )
    module, _, offset = site.rpartition("+")
    return any(
        place.offset == int(offset, 16) and place.module and PurePath(place.module).match(module)
        for place in trace.stack(stack)
    )


def blocks_of(trace: Trace, stacks: list[int]) -> list[tuple[int, int, int | None]]:
    """Some blocks allocated with some call stacks: node, size, type id."""
    wanted = ", ".join(map(str, stacks))
    rows = trace.query(
        f"SELECT node, size FROM nodes WHERE created_stack IN ({wanted}) LIMIT {LOOKED_AT}"
    ).rows
    found = []
    for node, size in rows:
        described = trace.core.node(int(node))
        found.append((int(node), int(size), described["type"] if described else None))
    return found


def accessed_fields(trace: Trace, nodes: list[int]) -> tuple[Scalar, ...]:
    """The distinct offsets written in some nodes, with the sizes seen there."""
    sizes: dict[int, int] = {}
    for node in nodes:
        described = trace.core.node(node)
        if described is None:
            continue
        address, size = described["address"], described["size"]
        history = trace.core.history(address, size, 0, trace.last)
        born, freed = described["created"] or 0, described["freed"]
        columns = (history.column(c) for c in ("timestamp", "address", "size", "kind"))
        for timestamp, where, width, kind in zip(*columns, strict=True):
            alive = timestamp >= born and (freed is None or timestamp <= freed)
            if alive and kind == "store" and width in (1, 2, 4, 8):
                offset = where - address
                sizes[offset] = max(width, sizes.get(offset, 0))
    return tuple(
        Scalar(f"[{n}]", offset, size, Kind.WORD if size == WORD else Kind.INT)
        for n, (offset, size) in enumerate(sorted(sizes.items()), 1)
    )
