"""From a criterion to what the slicer is asked: instructions, memory and registers at a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapstory.errors import LimitError, UsageError
from heapstory.slicing.beyond import after_it, ends_early, is_window
from heapstory.slicing.criteria import Criterion, parse_memory
from heapstory.slicing.registers import register_bytes
from heapstory.slicing.variables import Scope, Variables
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory._core import Slicer
    from heapstory.slicing.lines import Lines
    from heapstory.trace import Trace

StreamPlace = tuple[int, int]  # step, instruction
_Bytes = Sequence[tuple[int, int]]
Handed = tuple[StreamPlace, _Bytes, _Bytes]  # a place; registers and memory before it
# What the functions of the allocator are given, when they are called.
ARGUMENTS = {"alloc": ("$rdi",), "free": ("$rdi",), "realloc": ("$rdi", "$rsi")}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for before ``point``, in the slicer's terms and in words."""

    point: StreamPlace
    words: str
    place: Place | None = None
    instructions: tuple[StreamPlace, ...] = ()
    memory: tuple[tuple[int, int], ...] = ()
    registers: tuple[tuple[int, int], ...] = ()
    handed: tuple[Handed, ...] = ()  # in order


@dataclass(frozen=True, slots=True)
class _Where:
    """A point at which something may be asked for, and what is there."""

    point: StreamPlace
    words: str
    place: Place | None
    instructions: tuple[StreamPlace, ...]
    scope: Scope | None = None  # that of variables
    registers: tuple[tuple[int, int], ...] = ()
    handed: tuple[Handed, ...] = ()


class Points:
    """Finds criteria in the stream of a trace."""

    def __init__(self, trace: Trace, slicer: Slicer, lines: Lines) -> None:
        self.trace, self.slicer, self.lines = trace, slicer, lines
        self.variables = Variables(trace, slicer)

    def find(self, criterion: Criterion) -> Asked:
        """UsageError or LimitError where it is not there."""
        where = getattr(self, f"_{criterion.kind}")(criterion)
        if criterion.what is None:
            return Asked(
                max([where.point, *(place for place, _, _ in where.handed)]),
                where.words,
                where.place,
                where.instructions,
                registers=where.registers,
                handed=where.handed,
            )
        return self._value(criterion.what, where)

    def instruction(self, place: StreamPlace, words: str) -> Asked:
        """One instruction with all that it uses."""
        return Asked(_behind(place), words, self._place(place), (place,))

    def step(self, timestamp: int) -> int | None:
        """The step of the change at a timestamp; None: outside of the stream."""
        rows = self.trace.query(f"SELECT max(event) FROM events WHERE timestamp = {timestamp}").rows
        return None if rows[0][0] is None else self.slicer.step_of(rows[0][0])

    def _value(self, what: str, where: _Where) -> Asked:
        words = f"{what} {where.words.replace('what ', 'after ', 1).removesuffix(' used')}"
        if what.startswith("$"):
            registers = (register_bytes(what),)
            return Asked(where.point, words, where.place, registers=registers)
        memory = parse_memory(what)
        if memory is not None:
            return Asked(where.point, words, where.place, memory=(memory,))
        found = self.variables.find(what, where.scope)
        return Asked(
            where.point, words, where.place, memory=found.memory, registers=found.registers
        )

    def _line(self, criterion: Criterion) -> _Where:
        try:
            place, addresses = self.lines.find(criterion.file, criterion.line)
        except UsageError as error:
            if not is_window(self.trace):
                raise
            raise UsageError(
                f"{error}; the stream is a part of the run (record again with another "
                "--stream-from or --stream-until, or none)"
            ) from None
        run = self.slicer.run(addresses, criterion.number)
        count = run["count"]
        if not run["instructions"]:
            often = "once" if count == 1 else f"{count:,} times"
            raise UsageError(
                f"{criterion.text}: the line ran {often} in the stream "
                f"(#1 is the first, #{count} or #-1 the last)"
            )
        number = criterion.number if criterion.number > 0 else count + criterion.number + 1
        last = run["next"] or self.slicer.address(run["instructions"][-1])
        return _Where(
            run["after"],
            f"what {place} (execution {number:,} of {count:,}) used",
            place,
            tuple(sorted({*run["instructions"], *run["arguments"]})),
            None if last is None else Scope(last, run["stack"]),
            handed=tuple(run["handed"]),
        )

    def _timestamp(self, criterion: Criterion) -> _Where:
        timestamp = self.trace.moment(criterion.timestamp)
        rows = self.trace.query(
            f"SELECT event, address, kind FROM events WHERE timestamp = {timestamp} AND NOT silent "
            "ORDER BY event"
        ).rows
        if not rows:
            raise UsageError(
                f"@{timestamp}: no change of the graph has this timestamp (1 to {self.trace.last})"
            )
        event, address, kind = rows[0]
        step = self.slicer.step_of(event)
        if step is None:
            raise LimitError(
                f"@{timestamp}: that change lies outside of the recorded stream "
                "(record again with a stream that holds it: --stream-from, --stream-until)"
            )
        place = self.slicer.writer(step, address) or (step, 0)
        words = f"what the change at timestamp {timestamp} used"
        arguments = tuple(register_bytes(name) for name in ARGUMENTS.get(kind, ()))
        stated = self._place(place) or self._stated(event)
        return _Where(_behind(place), words, stated, (place,), registers=arguments)

    def _stated(self, event: int) -> Place | None:
        """The statement that an event is put down to."""
        rows = self.trace.query(f"SELECT site FROM events WHERE event = {event}").rows
        return self.trace.places.place(rows[0][0])

    def _read(self, criterion: Criterion) -> _Where:
        place = self.slicer.read(criterion.number)
        if place is None:
            raise UsageError(f"{criterion.text}: the stream has fewer memory reads")
        words = f"what memory read {criterion.number} used"
        return _Where(_behind(place), words, self._place(place), (place,))

    def _end(self, criterion: Criterion) -> _Where:
        return _Where(self.slicer.end, "what the end of the stream used", None, ())

    def _crash(self, criterion: Criterion) -> _Where:
        if ends_early(self.trace):
            raise LimitError(f"crash: the stream ended before the program did ({after_it()})")
        place = self.slicer.fault()
        if place is None:
            raise UsageError(
                "crash: no instruction of the stream faulted (how it ended: heapstory info)"
            )
        words = "what the faulting instruction used"
        return _Where(_behind(place), words, self._place(place), (place,))

    def _place(self, place: StreamPlace) -> Place | None:
        return self.lines.at(self.slicer.address(place))


def _behind(place: StreamPlace) -> StreamPlace:
    return place[0], place[1] + 1
