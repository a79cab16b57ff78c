"""What of a summary must stay the same: for a recursive one to be final, and for kept answers about
callers to hold."""

from __future__ import annotations

from hashlib import sha256

from heapstory.static.heap.canonical import canonical_key
from heapstory.static.heap.names import Named
from heapstory.static.heap.state import Cell, State
from heapstory.static.heap.values import CellId, Pointer, Value
from heapstory.static.summaries.making import RESULT
from heapstory.static.summaries.summary import Summary


def shape(summary: Summary) -> object:
    """What must stay the same for a recursive summary to be final. New cells are named in the
    order in which they are met, not as this analysis happened to name them."""
    rows = []
    for row in summary.rows:
        state = State()
        state.cells = row.cells
        state.env = {} if row.result is None else {RESULT: row.result}
        key, order = canonical_key(state)
        names = {identity: number for number, identity in enumerate(order)}
        outer = [
            (identity, cell.freed is not None, cell.escaped, cell.deep, cell.null,
             sorted(map(str, cell.same)), sorted(cell.filled), _members(cell, names))
            for identity, cell in sorted(row.cells.items(), key=lambda item: str(item[0]))
            if isinstance(identity, Named)
        ]  # fmt: skip
        new = [_members(row.cells[identity], names) for identity in order]
        rows.append(str((key, outer, new, _kind_of(row.result, names))))
    return summary.unknown, sorted(rows)


def _members(cell: Cell, names: dict[CellId, int]) -> list[tuple[int, str]]:
    return sorted((o, _kind_of(v, names)) for o, v in cell.fields.items() if isinstance(o, int))


def _kind_of(value: Value | None, names: dict[CellId, int]) -> str:
    if not isinstance(value, Pointer):
        return type(value).__name__
    return str(names.get(value.cell, value.cell)) + str(
        value.offset if isinstance(value.offset, int) else "x"
    )


def fingerprint(summary: Summary) -> str:
    """A digest of everything in a summary that can show in an answer about a caller."""
    places = []
    for row in summary.rows:
        for cell in row.cells.values():
            writes = sorted((o, w) for o, w in cell.writes.items() if isinstance(o, int))
            places.append(repr((cell.site, cell.freed, writes)))
        places.append(str(sorted(repr(fact) for fact in row.facts.values())))
    counted = sorted(name.text for name in summary.counted)
    said = (sorted(summary.touched), sorted(summary.frees), counted, summary.returns_new)
    text = repr((shape(summary), sorted(places), said))
    return sha256(text.encode(errors="surrogateescape")).hexdigest()[:32]
