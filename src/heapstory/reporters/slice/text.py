"""The answer of ``slice`` for people: the statements, and a tree that says why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from heapstory.reporters.slice.words import flow
from heapstory.reporters.style import PLAIN, Style
from heapstory.reporters.text import count

if TYPE_CHECKING:
    from heapstory.slicing.model import Branch, Moment, Slice
    from heapstory.store.places import Place
    from heapstory.trace import Trace

MOST_MOMENTS = 60
MOST_BRANCHES = 60
ORDERS = ("source", "time", "why")


def reports(
    trace: Trace, answers: list[Slice], orders: tuple[str, ...], style: Style
) -> Iterator[str]:
    """Of several criteria, one after the other."""
    for number, answer in enumerate(answers):
        yield "\n" if number else ""
        yield from report(trace, answer, orders, style)


def report(
    trace: Trace, answer: Slice, orders: tuple[str, ...] = ("source", "why"), style: Style = PLAIN
) -> Iterator[str]:
    """The whole report in pieces."""
    yield style.bold(f"{trace.path}: {answer.criterion}: {answer.words}\n")
    yield from (f"{line}\n" for line in answer.about)
    yield (
        f"{count(len(answer.statements), 'statement')}, {answer.instructions:,} of "
        f"{count(answer.trace_instructions, 'instruction')}\n"
    )
    shown = {"source": _by_source, "time": _by_time, "why": _why}
    for order in orders:
        yield "\n"
        yield from shown[order](_Sources(trace), answer, style)
    for text in _left_out(answer):
        yield f"\n{text}\n"
    yield style.dim(f"\nsliced in {answer.seconds:.3g} s\n")


def tree(trace: Trace, answer: Slice, style: Style, most: int) -> Iterator[str]:
    """Why, for another report."""
    yield from _why(_Sources(trace), answer, style, most)


class _Sources:
    """Lines of the recorded source files."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._lines: dict[str, list[str]] = {}

    def line(self, place: Place | None) -> str:
        """The text of a statement; empty where it was not recorded."""
        if place is None or not place.path or not place.line:
            return ""
        if place.path not in self._lines:
            self._lines[place.path] = (self._trace.source(place.path) or "").splitlines()
        lines = self._lines[place.path]
        return lines[place.line - 1].strip() if place.line <= len(lines) else ""


def _left_out(answer: Slice) -> Iterator[str]:
    if answer.cut:
        yield f"{count(answer.cut, 'more statement')} further from the criterion (--max-statements)"
    if answer.beyond:
        yield "not in the stream, which begins later: " + ", ".join(answer.beyond)
    yield from answer.notes


def _by_source(sources: _Sources, answer: Slice, style: Style) -> Iterator[str]:
    times = Counter(moment.statement for moment in answer.moments)
    path = None
    width = len(str(max((place.line or 0 for place in answer.statements), default=0)))
    for number, place in enumerate(answer.statements):
        if place.path != path:
            path = place.path
            yield style.bold(f"{place.file}\n")
        often = style.dim(f"  ({times[number]:,} times)") if times[number] > 1 else ""
        here = ">" if place == answer.place else " "
        yield f" {here} {place.line:>{width}} | {sources.line(place)}{often}\n"


def _by_time(sources: _Sources, answer: Slice, style: Style) -> Iterator[str]:
    wrote: dict[int, list[str]] = {}
    for one in answer.dependences:
        if one.kind in ("memory", "register") and one.name:
            wrote.setdefault(one.definer, []).append(flow(one))
    moments = [moment for moment in answer.moments if moment.statement is not None]
    left = len(moments) - MOST_MOMENTS
    if left > 0:
        yield style.dim(f"   ... {left:,} earlier ones (--json)\n")
    for moment in moments[-MOST_MOMENTS:]:
        values = ", ".join(dict.fromkeys(wrote.get(moment.number, [])))
        thread = f" thread {moment.thread}" if _threads(answer) > 1 else ""
        earlier = " and earlier" if moment.many else ""
        yield f"   step {moment.step:,}{earlier}{thread}: {_place(sources, answer, moment)}"
        yield style.dim(f"   {values}\n") if values else "\n"


def _threads(answer: Slice) -> int:
    return len({moment.thread for moment in answer.moments if moment.number})


def _why(
    sources: _Sources, answer: Slice, style: Style, most: int = MOST_BRANCHES
) -> Iterator[str]:
    shown = 0
    for branch in answer.tree():
        if shown == most:
            yield style.dim("   ... and more (--json)\n")
            return
        if branch.again and branch.dependence.kind in ("control", "call"):
            continue  # a loop's condition decides over all of its statements
        yield _branch(sources, answer, branch, style)
        shown += 1


def _branch(sources: _Sources, answer: Slice, branch: Branch, style: Style) -> str:
    text = _place(sources, answer, branch.moment)
    why = flow(branch.dependence)
    above = " (see above)" if branch.again else ""
    return f"   {'   ' * branch.depth}{text}{style.dim(f'   {why}' if why else '')}{above}\n"


def _place(sources: _Sources, answer: Slice, moment: Moment) -> str:
    place = answer.place_of(moment)
    if place is None:
        return "outside of the program's own code"
    text = sources.line(place)
    return f"{place}  {text}" if text else str(place)
