"""Who held the pointer behind an error, from the history of fields and what was scanned then.

With an instruction stream it is known of all of memory, and which word was used: ``streamed``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from heapstory.checking.streamed import Streamed
from heapstory.checks.pointer import Holder, Pointer, When
from heapstory.graph.model import Change, Node
from heapstory.store.types import part

if TYPE_CHECKING:
    from heapstory.checking.errors import Error
    from heapstory.slicing import Slicing
    from heapstory.trace import Trace

MOST = 100  # errors of one look that are explained


def find_pointers(trace: Trace, errors: Iterable[Error], slicing: Slicing | None) -> None:
    """Gives errors of a recording the pointers behind them."""
    chosen = [error for error in errors if error.node is not None][:MOST]
    if not chosen:
        return
    fields = _fields(trace, chosen)
    scanned = _scanned(trace, chosen)
    streamed = None if slicing is None else Streamed(slicing)
    for number, error in enumerate(chosen):
        exact = streamed.holders(error, _range(trace, error)) if streamed else None
        held = fields[number] + scanned[number] if exact is None else _joined(fields[number], exact)
        error.pointer = _pointer(trace, error, held, exact is not None)


def _range(trace: Trace, error: Error) -> tuple[int, int]:
    """First and last value that point to the block, right behind it included."""
    node = trace.node(error.node or 0)
    return node.address, node.address + node.size


class _Version(NamedTuple):
    """Of a field: what it held, since and until when."""

    timestamp: int
    node: int
    offset: int
    value: int
    target: int | None
    until: int | None
    site: int | None

    def stands(self, then: int) -> bool:
        return self.timestamp <= then and (self.until is None or self.until > then)


def _fields(trace: Trace, errors: Sequence[Error]) -> list[list[Holder]]:
    """Fields of blocks and variables of modules."""
    ranges = [_range(trace, error) for error in errors]
    versions = _versions(trace, ranges, sorted(error.timestamp for error in errors))
    return [
        [
            _holder(trace, version)
            for version in versions
            if low <= version.value <= high and version.stands(error.timestamp)
        ]
        for error, (low, high) in zip(errors, ranges, strict=True)
    ]


def _versions(
    trace: Trace, ranges: Sequence[tuple[int, int]], moments: Sequence[int]
) -> list[_Version]:
    """Those with a value in a range that stood at one of the moments, which are in order."""
    table = trace.core.pointers_into(ranges)
    found = []
    for version in map(_Version._make, table.rows(_Version._fields)):
        next_one = bisect_left(moments, version.timestamp)
        if next_one < len(moments) and version.stands(moments[next_one]):
            found.append(version)
    return sorted(found, key=lambda version: (version.timestamp, version.node))


def _holder(trace: Trace, version: _Version) -> Holder:
    node = trace.node(version.node)
    leaf = trace.types.leaf(node.type_id, node.size, version.offset)
    stored = When(version.timestamp, trace.places.place(version.site))
    name = node.title + part(leaf, version.offset)
    address = node.address + version.offset
    return Holder(name, version.value, address, version.node, stored, version.target)


def _scanned(trace: Trace, errors: Sequence[Error]) -> list[list[Holder]]:
    """Words of stacks and registers, which were looked at when it happened."""
    table = trace.core.table("held")
    names = ("error", "event", "name", "address", "value")
    rows = table.rows(names)
    found: list[list[Holder]] = []
    for error in errors:
        low, high = _range(trace, error)
        key = (error.number, error.event)
        found.append(
            [
                Holder(name, value, address)
                for number, event, name, address, value in rows
                if (number, event) == key and low <= value <= high
            ]
        )
    return found


def _joined(fields: list[Holder], exact: list[Holder]) -> list[Holder]:
    """Fields with what the stream knows of them, and what else it knows."""
    used = {holder.address: holder.used for holder in exact}
    known = {holder.address for holder in fields}
    return [
        *(replace(holder, used=used.get(holder.address)) for holder in fields),
        *(holder for holder in exact if holder.address not in known),
    ]


# --- the life of the block ------------------------------------------------------------------------


def _pointer(trace: Trace, error: Error, held: list[Holder], exact: bool) -> Pointer:
    node = _meant(trace, error, held)
    died = None
    if node.freed is not None and (node.freed.timestamp or 0) <= error.timestamp:
        died = node.freed
    return Pointer(
        exact=exact,
        born=_when(node.created),
        died=None if died is None else _when(died),
        reused=None if died is None else _reuse(trace, node, error.timestamp),
        held_by=held,
    )


def _meant(trace: Trace, error: Error, held: list[Holder]) -> Node:
    """The block that the pointer was meant for, where its memory was another's before: what the
    word that was used meant, else what all that hold an old pointer do."""
    used = [holder for holder in held if holder.used] or held
    older = {holder.meant for holder in used if holder.meant and holder.meant < (error.node or 0)}
    return trace.node(older.pop() if len(older) == 1 else error.node or 0)


def _reuse(trace: Trace, node: Node, until: int) -> When | None:
    """The first block after it that was given some of its memory."""
    after = node.freed.timestamp if node.freed else None
    end = node.address + max(node.size, 1)
    rows = trace.query(
        "SELECT created, created_site FROM nodes WHERE kind = 'heap' "
        f"AND address < {end} AND address + size > {node.address} "
        f"AND created > {after or 0} AND created <= {until} ORDER BY created LIMIT 1"
    ).rows
    return When(rows[0][0], trace.places.place(rows[0][1])) if rows else None


def _when(change: Change) -> When:
    return When(change.timestamp, change.place)
