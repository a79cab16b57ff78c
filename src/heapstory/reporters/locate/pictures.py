"""The answer of ``locate`` in pictures: Graphviz, and one HTML page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from heapstory.errors import HeapstoryError
from heapstory.locating.pictures import pictures
from heapstory.reporters import dot as drawing_dot
from heapstory.reporters.locate.words import handed_on_by, why
from heapstory.reporters.page import page, view_command
from heapstory.reporters.slice.text import tree
from heapstory.reporters.style import PLAIN
from heapstory.reporters.svg import svg
from heapstory.reporters.text import count

if TYPE_CHECKING:
    from heapstory.graph.drawing import Drawing
    from heapstory.locating.diagnosis import Diagnosis, Fault
    from heapstory.slicing import Slice
    from heapstory.store.places import Place
    from heapstory.trace import Trace

MOST = 20
MOST_CAUSES = 60
AROUND = 4


def dot(trace: Trace, answer: Diagnosis) -> str:
    """Two graphs per statement, before and after."""
    parts = []
    for fault in _shown(answer):
        shown = pictures(trace, fault)
        parts += [_titled(shown.before, "before", fault), _titled(shown.after, "after", fault)]
    return "".join(parts)


def html(
    trace: Trace, answer: Diagnosis, slices: Mapping[int, Slice], view: Sequence[str] = ()
) -> str:
    """A page of the statements to look at; ``view``: how the view is told of the same answer."""
    parts = [f"<h1>{escape(_headline(trace, answer))}</h1>"]
    if answer.bad is not None:
        parts.append(_inconsistencies(answer))
        parts += _sections(trace, answer, slices, view)
    return page(f"heapstory locate: {trace.path}", parts)


def _sections(
    trace: Trace, answer: Diagnosis, slices: Mapping[int, Slice], view: Sequence[str]
) -> Iterator[str]:
    """First the statements to look at, each with why it was chosen; then what led there."""
    near = {id(fault) for fault in answer.near}
    shown = _shown(answer)
    decisive = [fault for fault in shown if id(fault) in near]
    yield f"<h2>{count(len(decisive), 'statement')} to look at, in this order</h2>"
    for number, fault in enumerate(decisive, 1):
        yield _statement(trace, number, fault)
        yield view_command(trace.path, "--at", str(fault.timestamp), *view)
        if sliced := slices.get(fault.timestamp):
            yield _slice(trace, sliced)
    led = [fault for fault in shown if id(fault) not in near]
    if led:
        yield "<details><summary>If it is none of these: what led there</summary>"
        for number, fault in enumerate(led, len(decisive) + 1):
            yield _statement(trace, number, fault)
        yield "</details>"
    if more := len(_firsts(answer)) - len(shown):
        yield f"<p class=dim>and {more:,} more statements (--json)</p>"


def _firsts(answer: Diagnosis) -> list[Fault]:
    """The first fault of each statement."""
    seen: dict[tuple[str | None, int | None, str], Fault] = {}
    for fault in [*answer.near, *answer.faults]:
        key = (fault.place.path, fault.place.line) if fault.place else (None, None)
        seen.setdefault((*key, str(fault.place)), fault)
    return list(seen.values())


def _shown(answer: Diagnosis) -> list[Fault]:
    return _firsts(answer)[: answer.most or MOST]


def _titled(drawing: Drawing, moment: str, fault: Fault) -> str:
    text = f"{moment} {fault.place or '?'} (timestamp {drawing.at})"
    label = text.replace("\\", "\\\\").replace('"', '\\"')
    return drawing_dot.render(drawing).replace("{\n", f'{{\n  label="{label}";\n', 1)


def _headline(trace: Trace, answer: Diagnosis) -> str:
    if answer.is_unknown:
        return f"{trace.path}: unknown: not everything could be checked"
    if answer.bad is None:
        return f"{trace.path}: all constraints held"
    return f"{trace.path}: broken {answer.bad}, timestamp {answer.bad.timestamp}"


def _inconsistencies(answer: Diagnosis) -> str:
    rows = "".join(
        f"<tr><td>{escape(found.constraint.name)}</td><td>{escape(found.constraint.words)}</td>"
        f"<td>{escape(str(found))}</td></tr>"
        for found in answer.inconsistencies[:100]
    )
    more = len(answer.inconsistencies) - 100
    note = f"<p class=dim>and {more:,} more</p>" if more > 0 else ""
    clean = f"<p>All was well {escape(str(answer.clean))}.</p>" if answer.clean else ""
    head = "<tr><th>constraint</th><th>it says</th><th>not so for</th></tr>"
    return f"{clean}<table>{head}{rows}</table>{note}"


def _statement(trace: Trace, number: int, fault: Fault) -> str:
    function = f" in {fault.place.function}" if fault.place and fault.place.function else ""
    heading = f"{number}. {fault.place or '?'}{function}"
    shown = pictures(trace, fault)
    drawn = _one_scale([_svg(shown.before, frozenset()), _svg(shown.after, shown.changed)])
    moments = (("before", shown.before.at), ("after", shown.after.at))
    pair = "".join(
        f"<div><p class=dim>{moment} (timestamp {at})</p>{picture}</div>"
        for (moment, at), picture in zip(moments, drawn, strict=True)
    )
    source = _source(trace, fault.place) if fault.place else ""
    return (
        f"<h3>{escape(heading)}</h3>{source}"
        f"<p>timestamp {fault.timestamp}: <span class=did>{escape(fault.operation)}</span><br>"
        f"{escape(handed_on_by(fault))} {escape(why(fault))}</p>"
        f"<div class=pair>{pair}</div>"
    )


def _slice(trace: Trace, sliced: Slice) -> str:
    causes = escape("".join(tree(trace, sliced, PLAIN, MOST_CAUSES)))
    number = count(len(sliced.statements), "statement")
    return f"<details open><summary>led to by {number}</summary><pre>{causes}</pre></details>"


def _one_scale(pictures: list[str]) -> list[str]:
    """Pictures side by side, none larger than its half of the page and all at one scale."""
    sizes = [re.search(r'<svg width="([\d.]+)pt" height="[\d.]+pt"', one) for one in pictures]
    widest = max((float(size[1]) for size in sizes if size), default=0)
    out = []
    for picture, size in zip(pictures, sizes, strict=True):
        if size:
            width = f"min({100 * float(size[1]) / widest:.1f}%, {size[1]}pt)"
            picture = picture.replace(size[0], f'<svg style="width:{width}"', 1)
        out.append(picture)
    return out


def _svg(drawing: Drawing, changed: frozenset[tuple[int, int]]) -> str:
    try:
        picture = svg(drawing_dot.render(drawing, changed))
    except HeapstoryError as error:
        return f"<p class=dim>{escape(str(error))}</p>"
    return picture[picture.index("<svg") :]


def _source(trace: Trace, place: Place) -> str:
    text = trace.source(place.path) if place.path else None
    if text is None or not place.line:
        return ""
    lines = text.splitlines()
    shown = []
    for number in range(max(place.line - AROUND, 1), min(place.line + AROUND, len(lines)) + 1):
        line = f"{number:>5}  {escape(lines[number - 1])}"
        shown.append(f"<b>{line}</b>" if number == place.line else f"{line}\n")
    return f"<pre>{''.join(shown)}</pre>"
