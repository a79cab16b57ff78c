"""Who held a pointer when an error happened, by the instruction stream: all words of memory, and
which of them the error came from."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from heapstory.checks.pointer import Holder, When
from heapstory.slicing.registers import register_bytes
from heapstory.slicing.variables import Scope

if TYPE_CHECKING:
    from heapstory.checking.errors import Error
    from heapstory.slicing import Slicing
    from heapstory.slicing.points import StreamPlace
    from heapstory.store.places import Place

MEMORY = 1  # a kind of dependence, as `_core.Slicer.explain` has them


class Streamed:
    """Asks the stream of one trace."""

    def __init__(self, slicing: Slicing) -> None:
        self._slicing, self._slicer = slicing, slicing.slicer

    def holders(self, error: Error, values: tuple[int, int]) -> list[Holder] | None:
        """None where the error, or the birth of its block, lies outside of the stream."""
        at = self._place(error)
        trace = self._slicing.trace
        created = trace.node(error.node or 0).created.timestamp
        made = self._slicing.points.step(created) if created else None
        if at is None or made is None:
            return None
        used = self._used(error, at, values)
        table = self._slicer.holds((values[0], values[1] - values[0] + 1), made, at[0])
        names = ("address", "begin", "end", "instruction")
        found: dict[int | None, Holder] = {}
        for address, begin, end, instruction in table.rows(names):
            if (begin, 0) <= at and (end is None or (end, instruction) >= at):
                found[address] = self._holder(address, begin, used)
        return [found[key] for key in sorted(found, key=lambda address: (address is None, address))]

    def _place(self, error: Error) -> StreamPlace | None:
        """Where it happened: of a free, the step that it was; of an access, its instruction."""
        step = 0 if error.event is None else self._slicer.step_of(error.event)
        if step is None:
            return None
        if error.is_free:
            return step, 0
        code = self._code.get(error.site or 0)
        return None if code is None else self._slicer.since(code, step)

    @cached_property
    def _code(self) -> dict[int, int]:
        """The addresses of instructions, by site."""
        rows = self._slicing.trace.query(
            'SELECT s.site, m.address + s."offset" FROM sites s JOIN modules m ON m.path = s.module'
        ).rows
        return dict(rows)

    def _used(self, error: Error, at: StreamPlace, values: tuple[int, int]) -> dict[int, int]:
        """The words through which the pointer came to the error, with what they held."""
        if error.is_free:
            found = self._slicer.explain(at, registers=[register_bytes("$rdi")], control=False)
        else:
            found = self._slicer.explain((at[0], at[1] + 1), instructions=[at], control=False)
        edges = found["edges"]
        rows = edges.rows(("kind", "where", "value"))
        return {
            where: value
            for kind, where, value in rows
            if kind == MEMORY and value is not None and values[0] <= value <= values[1]
        }

    def _holder(self, address: int | None, begin: int, used: dict[int, int]) -> Holder:
        trace = self._slicing.trace
        timestamp = self._slicer.timestamp(begin)
        if address is None:
            return Holder("a register", stored=When(timestamp, None))
        place, scopes = self._writer(begin, address)
        name = self._slicing.naming.memory(address, 8, None, begin, *scopes).name
        node = trace.core.node_at(address, timestamp)
        return Holder(
            name or "a stack",
            used.get(address),
            address,
            node,
            When(timestamp, place),
            used=address in used,
        )

    def _writer(self, step: int, address: int) -> tuple[Place | None, list[Scope]]:
        """The statement that stored to an address in a step, and where its variables are."""
        writer = self._slicer.writer(step, address)
        if writer is None:
            return None, []
        moments = self._slicer.explain(
            (writer[0], writer[1] + 1), instructions=[writer], data=False, control=False
        )["moments"]
        statement = moments.column("statement")[-1]
        at = self._slicing.lines.scope(statement)
        scopes = [] if at is None else [Scope(at, moments.column("stack")[-1])]
        return self._slicing.lines.place(statement), scopes
