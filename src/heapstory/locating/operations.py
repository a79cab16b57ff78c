"""Operations: what the change at a timestamp did to the structure, and which statement did it."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from heapstory.constraints.plan import Kind, PlanField
from heapstory.locating.diagnosis import Fault, Inconsistency, Slot
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.constraints.plan import Plan
    from heapstory.trace import Trace

MOST_SLOTS = 64


class Operations:
    """Describes operations from the core's rows."""

    def __init__(self, trace: Trace, plan: Plan, rows: list[dict[str, Any]]) -> None:
        self.trace = trace
        self.plan = plan
        self.rows: dict[int, list[dict[str, Any]]] = {}
        for row in rows:
            self.rows.setdefault(row["time"], []).append(row)

    def fault(self, time: int, relation: str, contributed_to: tuple[Inconsistency, ...]) -> Fault:
        """The operation at a timestamp."""
        rows = self.rows.get(time, [])
        lives = [row for row in rows if row["kind"] != "store"]
        stores = [row for row in rows if row["kind"] == "store" and row["site"]]
        if lives:
            row = lives[-1]
            place = self.trace.places.statement(row["stack"])
            return Fault(time, relation, row["kind"], place, row["object"][0], (), contributed_to)
        slots = tuple(self._slot(row) for row in stores[:MOST_SLOTS])
        place = self.trace.places.place(stores[0]["site"]) if stores else self._writer(time)
        node = slots[0].node if slots else None
        return Fault(time, relation, "store", place, node, slots, contributed_to)

    def repeated(
        self,
        cell: tuple[int, int, int, int],
        since: int,
        until: int,
        contributed_to: tuple[Inconsistency, ...],
    ) -> Fault | None:
        """The last store that left a field (node, base, type, cell) as it was: it changed nothing
        and is no operation, but it stored what should not be there."""
        node, base, kind, number = cell
        name, offset, field = self._field(kind, number)
        address = self.trace.node(node).address + base + offset
        last = self.trace.core.last_silent(address, since, until)
        if last is None:
            return None
        timestamp, site = last
        data = self.trace.value(address, field.size, timestamp) or b""
        text = _text(field, (int.from_bytes(data, "little"), None, None, False))
        slot = Slot(node, base + offset, name, text, text)
        place = self.trace.places.place(site)
        return Fault(timestamp, "decisive", "store", place, node, (slot,), contributed_to)

    def _slot(self, row: dict[str, Any]) -> Slot:
        node, base = row["object"]
        name, offset, field = self._field(row["type"], row["cell"])
        return Slot(node, base + offset, name, _text(field, row["old"]), _text(field, row["new"]))

    def _field(self, type_number: int, cell: int) -> tuple[str, int, PlanField]:
        """Name and offset of a cell."""
        plan_type = self.plan.types[type_number]
        if cell < len(plan_type.fields):
            field = plan_type.fields[cell]
            return field.name, field.offset, field
        cell -= len(plan_type.fields)
        for run in plan_type.runs:
            if run.count is None or cell < run.count:
                offset = run.field.offset + cell * run.stride
                return f"{run.field.name.replace('[]', '')}[{cell}]", offset, run.field
            cell -= run.count
        raise AssertionError("a cell outside its type")

    def _writer(self, time: int) -> Place | None:
        """The statement of a change that touches no field of the plan (a text, for one)."""
        rows = self.trace.query(
            f"SELECT site FROM events WHERE timestamp = {time} AND NOT silent AND site IS NOT NULL"
        ).rows
        return self.trace.places.place(rows[0][0]) if rows else None


def _text(field: PlanField, held: tuple[int, int | None, int | None, bool] | None) -> str:
    """A value as a person would write it."""
    if held is None:
        return "never written"
    value, node, offset, stale = held
    if node is not None:
        inside = f"+{offset}" if offset else ""
        return f"node {node}{inside}" + (" (freed)" if stale else "")
    kind = field.kind
    if kind in (Kind.POINTER, Kind.WORD):
        return "NULL" if value == 0 else f"{value:#x}"
    if kind is Kind.FLOAT and field.size in (4, 8):
        packed = value.to_bytes(field.size, "little")
        return f"{struct.unpack('<f' if field.size == 4 else '<d', packed)[0]:g}"
    if kind is Kind.INT:
        bits = field.bit_size or 8 * field.size
        value -= (value >> (bits - 1)) << bits
    return str(value)
