"""Files mapped into the program: where, and since when.

Not covered: memory that has no file (``MAP_ANONYMOUS``, ``shmat``), and what other processes write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heapstory._core import Explanation
    from heapstory.trace import Trace


class Mapping(NamedTuple):
    path: str
    address: int
    size: int
    since: int  # step
    until: int | None


def mappings(trace: Trace) -> Iterator[Mapping]:
    """Each as long as it was mapped."""
    rows = trace.core.table("mappings").rows(("path", "address", "size", "step"))
    alive: list[Mapping] = []
    for path, address, size, step in rows:
        if path is not None:
            alive.append(Mapping(path, address, size, step, None))
            continue
        before, alive = alive, []
        for one in before:
            end = one.address + one.size
            if one.address >= address + size or address >= end:
                alive.append(one)
                continue
            yield one._replace(until=step)
            for left, right in ((one.address, address), (address + size, end)):
                if left < right:
                    alive.append(Mapping(one.path, left, right - left, step, None))
    yield from alive


def twice_mapped(trace: Trace, found: Explanation) -> list[str]:
    """Files that are in two places at once, of which a slice has memory: what was written through
    the one place is not looked for at the other. When the slice used it is not asked: other memory
    may have been at the address before."""
    modules = {path for (path,) in trace.core.table("modules").rows(("path",))}
    of_path: dict[str, list[Mapping]] = {}
    for one in mappings(trace):
        if one.path not in modules:
            of_path.setdefault(one.path, []).append(one)
    doubles = {path: all_of for path, all_of in of_path.items() if _at_once(all_of)}
    if not doubles:
        return []
    begin = min(one.address for all_of in doubles.values() for one in all_of)
    end = max(one.address + one.size for all_of in doubles.values() for one in all_of)
    edges = found["edges"].rows(("where", "size"))
    used = [
        (where, size)
        for rows in (edges, found["unresolved_memory"])
        for where, size in rows
        if where < end and begin < where + size
    ]
    return [
        path
        for path, all_of in doubles.items()
        if any(
            one.address < where + size and where < one.address + one.size
            for one in all_of
            for where, size in used
        )
    ]


def _at_once(all_of: list[Mapping]) -> bool:
    """Whether a file was in two places at the same time."""
    by_time = sorted(all_of, key=lambda one: one.since)
    return any(
        one.until is None or later.since < one.until
        for at, one in enumerate(by_time)
        for later in by_time[at + 1 :]
    )
