"""Operations: what the change at a timestamp did to the structure, and which statement did it."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from heapstory._core import FieldPlace, HeldValue, Operation, OperationKind
from heapstory.constraints.plan import Kind, PlanField
from heapstory.locating.births import Births
from heapstory.locating.diagnosis import Fault, Inconsistency, Slot
from heapstory.locating.frees import Frees
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.constraints.plan import Plan
    from heapstory.trace import Trace

MOST_SLOTS = 64


class Operations:
    """Describes operations from the core's rows."""

    def __init__(self, trace: Trace, plan: Plan, rows: list[Operation]) -> None:
        self.trace = trace
        self.plan = plan
        self.frees = Frees(trace)
        self.births = Births(trace)
        self.rows: dict[int, list[Operation]] = {}
        for row in rows:
            self.rows.setdefault(row.time, []).append(row)

    def field_name(self, cell: FieldPlace) -> str:
        """A field as it is shown."""
        name, offset, _ = self._field(cell.type, cell.cell)
        return Slot(cell.node, cell.base + offset, name, "", "").name

    def fault(self, time: int, relation: str, contributed_to: tuple[Inconsistency, ...]) -> Fault:
        """The operation at a timestamp."""
        rows = self.rows.get(time, [])
        lives = [row for row in rows if row.kind is not OperationKind.STORE]
        stores = [row for row in rows if row.kind is OperationKind.STORE and row.site]
        if lives:
            row = lives[-1]
            kind = row.kind.name.lower()
            freed = row.kind is OperationKind.DEATH
            place = (self.frees if freed else self.births).place(row.stack)
            stack = tuple(self.trace.places.stack(row.stack)) if freed else ()
            return Fault(
                time, relation, kind, place, row.object[0], (), contributed_to, stack=stack
            )
        slots = tuple(self._slot(row) for row in stores[:MOST_SLOTS])
        place = self.trace.places.place(stores[0].site) if stores else self._writer(time)
        node = slots[0].node if slots else None
        return Fault(time, relation, "store", place, node, slots, contributed_to)

    def repeated(
        self,
        cell: FieldPlace,
        since: int,
        until: int,
        contributed_to: tuple[Inconsistency, ...],
    ) -> Fault | None:
        """The last store that left a field as it was: it changed nothing and is no operation, but
        it stored what should not be there."""
        name, offset, field = self._field(cell.type, cell.cell)
        address = self.trace.node(cell.node).address + cell.base + offset
        last = self.trace.core.last_silent(address, since, until)
        if last is None:
            return None
        timestamp, site = last
        data = self.trace.value(address, field.size, timestamp) or b""
        value = int.from_bytes(data, "little")
        if field.bit_size:
            value = value >> field.bit_offset & (1 << field.bit_size) - 1
        text = _number(field, value)
        slot = Slot(cell.node, cell.base + offset, name, text, text)
        place = self.trace.places.place(site)
        return Fault(timestamp, "decisive", "store", place, cell.node, (slot,), contributed_to)

    def _slot(self, row: Operation) -> Slot:
        node, base = row.object
        name, offset, field = self._field(row.type, row.cell)
        return Slot(node, base + offset, name, _text(field, row.before), _text(field, row.after))

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
                return run.field.name.replace("[]", f"[{cell}]", 1), offset, run.field
            cell -= run.count
        raise AssertionError("a cell outside its type")

    def _writer(self, time: int) -> Place | None:
        """The statement of a change that touches no field of the plan (a text, for one)."""
        rows = self.trace.query(
            f"SELECT site FROM events WHERE timestamp = {time} AND NOT silent AND site IS NOT NULL"
        ).rows
        return self.trace.places.place(rows[0][0]) if rows else None


def _text(field: PlanField, held: HeldValue | None) -> str:
    """A value as a person would write it."""
    if held is None:
        return "never written"
    if held.node is None:
        return _number(field, held.value)
    inside = f"+{held.offset}" if held.offset else ""
    return f"node {held.node}{inside}" + (" (freed)" if held.stale else "")


def _number(field: PlanField, value: int) -> str:
    if field.kind in (Kind.POINTER, Kind.WORD):
        return "NULL" if value == 0 else f"{value:#x}"
    if field.kind is Kind.FLOAT and field.size in (4, 8):
        packed = value.to_bytes(field.size, "little")
        return f"{struct.unpack('<f' if field.size == 4 else '<d', packed)[0]:g}"
    if field.kind is Kind.INT:
        bits = field.bit_size or 8 * field.size
        value -= (value >> (bits - 1)) << bits
    return str(value)
