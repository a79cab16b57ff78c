"""The answer of ``locate`` in pictures: Graphviz, and one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from heapstory.errors import HeapstoryError
from heapstory.locating.pictures import pictures
from heapstory.reporters import dot as drawing_dot
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
        for number, fault in enumerate(_shown(answer), 1):
            parts.append(_statement(trace, number, fault))
            parts.append(view_command(trace.path, "--at", str(fault.timestamp), *view))
            if sliced := slices.get(fault.timestamp):
                parts.append(_slice(trace, sliced))
        if more := len(_firsts(answer)) - len(_shown(answer)):
            parts.append(f"<p class=dim>and {more:,} more statements (--json)</p>")
    return page(f"heapstory locate: {trace.path}", parts)


def _firsts(answer: Diagnosis) -> list[Fault]:
    """The first fault of each statement."""
    seen: dict[tuple[str | None, int | None, str], Fault] = {}
    for fault in answer.faults:
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
    pair = "".join(
        f"<div><p class=dim>{moment} (timestamp {drawing.at})</p>{_svg(drawing)}</div>"
        for moment, drawing in (("before", shown.before), ("after", shown.after))
    )
    source = _source(trace, fault.place) if fault.place else ""
    return (
        f"<h2>{escape(heading)}</h2>{source}"
        f"<p>timestamp {fault.timestamp}: <span class=did>{escape(fault.operation)}</span></p>"
        f"<div class=pair>{pair}</div>"
    )


def _slice(trace: Trace, sliced: Slice) -> str:
    causes = escape("".join(tree(trace, sliced, PLAIN, MOST_CAUSES)))
    number = count(len(sliced.statements), "statement")
    return f"<details open><summary>led to by {number}</summary><pre>{causes}</pre></details>"


def _svg(drawing: Drawing) -> str:
    try:
        picture = svg(drawing_dot.render(drawing))
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
