"""Forward slices and chops: what a value had influence on, and how it came to another."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from heapstory.slicing.beyond import ends_early
from heapstory.slicing.criteria import parse
from heapstory.slicing.model import Slice
from heapstory.slicing.options import Options
from heapstory.slicing.points import Asked, Handed, StreamPlace
from heapstory.slicing.search import Slicing

if TYPE_CHECKING:
    from heapstory.trace import Trace

_Bytes = tuple[tuple[int, int], ...]
_StreamAsked = tuple[
    StreamPlace,
    tuple[StreamPlace, ...],
    _Bytes,
    _Bytes,
    tuple[Handed, ...],
]


def influence(trace: Trace, criterion: str, options: Options, target: str | None = None) -> Slice:
    """The statements that a criterion had influence on or, with a target, those that passed it on
    to there. Without moments and dependences."""
    slicing = trace.once(Slicing)
    slicer, lines = slicing.slicer, slicing.lines
    first = slicing.points.find(parse(criterion))
    started = time.monotonic()
    kinds = (
        options.data,
        options.control and not options.thin,
        True,
        not options.thin,
    )
    words = f"what {first.words.removeprefix('what ')} had influence on"
    notes = []
    if target is None:
        hits, totals = slicer.forward(_core_form(first), *kinds)
    else:
        last = slicing.points.find(parse(target))
        hits, totals = slicer.chop(_core_form(first), _core_form(last), *kinds)
        words += f", on the way to {target}"
        if not totals["instructions"]:
            notes.append(_no_way(first, last))
    addresses = hits.column("address")
    numbers = sorted({lines.number_of.get(address, 0) for address in addresses} - {0})
    return Slice(
        criterion=criterion,
        words=words,
        place=first.place,
        statements=[lines.places[number - 1] for number in numbers],
        moments=[],
        dependences=[],
        instructions=totals["instructions"],
        trace_instructions=slicer.counts["instructions"],
        seconds=round(time.monotonic() - started, 6),
        signals=totals["signals"],
        notes=notes + _about_signals(totals["signals"]),
        open_end=target is None and ends_early(trace),
        inlined=lines.inlined(numbers, addresses),
    )


def _no_way(first: Asked, last: Asked) -> str:
    begin, end = (each.words.removeprefix("what ").removesuffix(" used") for each in (first, last))
    if last.point < first.point:
        return f"{end} ran before {begin} and was not influenced (#K names another execution)"
    return f"{begin} had no influence on {end}"


def _about_signals(signals: int) -> list[str]:
    if not signals:
        return []
    return [
        f"signals whose coming may depend on the criterion: {signals:,}. Whether it does, and so "
        "whether what their handlers did is influenced, is not followed"
    ]


def _core_form(asked: Asked) -> _StreamAsked:
    return asked.point, asked.instructions, asked.memory, asked.registers, asked.handed
