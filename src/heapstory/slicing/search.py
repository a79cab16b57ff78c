"""Slices of a trace: one walk of the core, told in terms of the source."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from heapstory.errors import HeapstoryError, LimitError, UsageError
from heapstory.slicing.beyond import beyond, has_option
from heapstory.slicing.criteria import parse
from heapstory.slicing.empty import why_empty
from heapstory.slicing.lines import Lines
from heapstory.slicing.mapped import twice_mapped
from heapstory.slicing.model import CRITERION, KINDS, Dependence, Moment, Slice
from heapstory.slicing.naming import Naming
from heapstory.slicing.narrowing import leading_through, nearest, reach
from heapstory.slicing.options import Options
from heapstory.slicing.points import Asked, Points, StreamPlace
from heapstory.slicing.variables import Scope

if TYPE_CHECKING:
    from heapstory._core import Explanation, Slicer
    from heapstory.store.places import Place
    from heapstory.trace import Trace

DEFAULT = Options()


def slice_trace(trace: Trace, criterion: str, options: Options = DEFAULT) -> Slice:
    """The backward slice of one criterion."""
    return trace.once(Slicing).slice(criterion, options)


class Slicing:
    """The stream of a trace made ready, for one criterion or many."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.slicer = open_slicer(trace)
        self.lines = Lines(self.slicer)
        self.points = Points(trace, self.slicer, self.lines)
        self.naming = Naming(trace, self.slicer, self.points.variables)
        self.scope = cache(self._find_scope)

    def slice(self, criterion: str, options: Options = DEFAULT) -> Slice:
        """What led to it."""
        return self.slice_of(criterion, self.points.find(parse(criterion)), options)

    def slice_of(self, text: str, asked: Asked, options: Options = DEFAULT) -> Slice:
        """The same of a criterion that has been found."""
        started = time.monotonic()
        found = self._explain(asked, options)
        telling = _Telling(self, found, options)
        statements = telling.statements()
        notes = telling.notes()
        twice = twice_mapped(self.trace, found)
        if twice:
            notes.append(
                f"mapped in two places at once: {', '.join(twice)}. What was written through the "
                "one address is not looked for at the other"
            )
        undecided = text == "crash" and telling.is_undecided()
        if undecided:
            notes.append("what decided that the statement that crashed ran was not found")
        if not statements:
            notes.append(why_empty(self.trace, self.slicer, self.naming, found, options))
        return Slice(
            criterion=text,
            words=asked.words,
            place=asked.place,
            statements=[self.lines.places[number - 1] for number in statements],
            moments=telling.moments(statements),
            dependences=telling.dependences(),
            instructions=found["instructions"],
            trace_instructions=self.slicer.counts["instructions"],
            seconds=round(time.monotonic() - started, 6),
            cut=telling.cut,
            beyond=beyond(self.trace, self.slicer, self.naming, found, telling.follows_calls),
            signals=found["signals"],
            aliased=bool(twice),
            undecided=undecided,
            notes=notes,
            inlined=self.lines.inlined(statements, found["hits"].column("address")),
        )

    def statement_at(self, place: StreamPlace) -> Place | None:
        """The statement of what ran there; of others' code, the one that called it."""
        row = self.slicer.explain(
            (place[0], place[1] + 1), instructions=[place], data=False, control=False
        )["moments"]
        return self.lines.place(row.column("statement")[-1])

    def _find_scope(self, statement: int, stack: int | None) -> Scope | None:
        """Where the local variables of an execution of a statement are."""
        address = self.lines.scope(statement)
        return None if address is None else Scope(address, stack)

    def _explain(self, asked: Asked, options: Options) -> Explanation:
        stops = [number for text in options.stop_at for number in self.lines.named(text)]
        return self.slicer.explain(
            asked.point,
            instructions=asked.instructions,
            memory=asked.memory,
            registers=asked.registers,
            handed=asked.handed,
            data=options.data,
            control=options.control and not options.thin,
            addresses=not options.thin,
            stops=stops,
            most=options.most_moments,
        )


def open_slicer(trace: Trace) -> Slicer:
    """UsageError where the trace has no stream."""
    from heapstory import _core

    try:
        return _core.Slicer(trace.core)
    except _core.CoreError as error:
        if "no instruction stream" not in str(error):
            raise
        raise _no_stream(trace) from None


def _no_stream(trace: Trace) -> HeapstoryError:
    if not has_option(trace, "--stream=yes"):
        return UsageError(
            f"{trace.path}: has no instruction stream (record it: heapstory record --stream ...)"
        )
    if not trace.complete:
        return LimitError(
            f"{trace.path}: was cut off before the first part of its instruction stream was "
            "written (record it again)"
        )
    return UsageError(
        f"{trace.path}: its instruction stream is empty, since the program never reached the place "
        "where it begins (record again with another --stream-from or --from, or none)"
    )


_EDGE = ("user", "definer", "kind", "where", "size", "value", "count")


class _Row(NamedTuple):
    statement: int
    thread: int
    activation: int
    stack: int | None
    first: int
    last: int
    many: int


class _Telling:
    """One explanation of the core, narrowed to what was asked for."""

    def __init__(self, slicing: Slicing, found: Explanation, options: Options) -> None:
        self.slicing, self.found = slicing, found
        self.rows = list(map(_Row._make, found["moments"].rows(_Row._fields)))
        self.edges = found["edges"].rows(_EDGE)
        self.narrowed = bool(options.through) or options.max_statements is not None
        self.follows_calls = options.control and not options.thin
        self.cut = 0
        self.kept = set(range(len(self.rows)))
        if self.narrowed:
            self._narrow(options)

    def _narrow(self, options: Options) -> None:
        graph: dict[int, list[int]] = {}
        for user, definer, *_ in self.edges:
            graph.setdefault(user, []).append(definer)
        kept = self.kept
        for text in options.through:
            numbers = set(self.slicing.lines.named(text))
            chosen = {m for m, row in enumerate(self.rows) if row.statement in numbers}
            kept &= leading_through(graph, chosen) | {CRITERION}
        if options.max_statements is not None:
            inside = {m: [d for d in graph.get(m, ()) if d in kept] for m in kept}
            near, self.cut = nearest(
                reach(inside, [CRITERION]), self._statement, options.max_statements
            )
            kept &= near
        self.edges = [edge for edge in self.edges if edge[0] in kept and edge[1] in kept]

    def _statement(self, moment: int) -> int | None:
        return self.rows[moment].statement or None

    def statements(self) -> list[int]:
        """Numbers, in the order of the source."""
        found = {self.rows[moment].statement for moment in self.kept}
        if not self.narrowed:
            lines, addresses = self.slicing.lines, self.found["hits"].column("address")
            found |= {lines.number_of.get(at, 0) for at in addresses}
            if self.follows_calls:
                found |= lines.calls(addresses)
        return sorted(found - {0})

    def moments(self, statements: list[int]) -> list[Moment]:
        """In the order of time."""
        index = {number: at for at, number in enumerate(statements)}
        made = [
            Moment(number, index.get(row.statement), row.thread, row.last, bool(row.many))
            for number, row in enumerate(self.rows)
            if number in self.kept
        ]
        return sorted(made, key=lambda moment: (moment.number == CRITERION, moment.step))

    def dependences(self) -> list[Dependence]:
        """Those nearest to the criterion first."""
        naming, scopes = self.slicing.naming, self._scopes()
        made = []
        for user, definer, number, where, size, value, times in self.edges:
            kind = KINDS[number]
            address, name, text = None, None, None
            if kind == "register":
                name = naming.register(where)
            elif kind == "memory":
                address, last = where, self.rows[definer].last
                named = naming.memory(where, size, value, last, scopes[definer], scopes[user])
                name, text = named.name, named.text
            made.append(Dependence(user, definer, kind, name, address, value, text, times))
        return made

    def _scopes(self) -> list[Scope | None]:
        """Where the local variables of each moment are."""
        return [self.slicing.scope(row.statement, row.stack) for row in self.rows]

    def is_undecided(self) -> bool:
        """Whether nothing decided over what was asked for: even main is called by something."""
        edges = self.found["edges"].rows(_EDGE)
        asked = {definer for user, definer, *_ in edges if user == CRITERION}
        kinds = {KINDS[number] for user, _, number, *_ in edges if user in asked}
        return self.follows_calls and not kinds & {"control", "call"}

    def notes(self) -> list[str]:
        """What is unusual about the answer."""
        found = []
        if self.found["signals"]:
            found.append(
                f"signals that ran handlers of the slice: {self.found['signals']:,}. Where they "
                "came is in it, but not who set the handlers, who sent the signals from elsewhere, "
                "nor why an instruction faulted (ask for that with --criterion FILE:LINE)"
            )
        if not self.found["exact"]:
            found.append(
                f"the slice has more than {len(self.rows):,} executions of statements: of each "
                "statement, the earlier ones are shown as one"
            )
        if self.found["changed"]:
            found.append(
                f"{self.found['changed']:,} instructions of the slice lie where other code lay as "
                "well (a library unloaded, another loaded): their lines may be those of the other"
            )
        return found
