"""The answer of ``locate`` for people: the source, what was done, the nodes before and after."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING

from heapstory.reporters.locate.words import handed_on_by, why
from heapstory.reporters.slice.text import tree
from heapstory.reporters.style import PLAIN, Style
from heapstory.reporters.text import count

if TYPE_CHECKING:
    from heapstory.graph.drawing import Box, Drawing
    from heapstory.locating.diagnosis import Diagnosis, Fault, Inconsistency
    from heapstory.locating.pictures import Pictures
    from heapstory.slicing import Slice
    from heapstory.store.places import Place
    from heapstory.trace import Trace

MOST_INCONSISTENCIES = 10
MOST_STATEMENTS = 20
MOST_CAUSES = 12
MOST_FUNCTIONS = 8
AROUND = 2
# Said of what there is evidence for; of the rest the constraint tells enough.
TOLD = ("decisive", "omission", "derived", "followed", "wild")


def report(
    trace: Trace,
    answer: Diagnosis,
    style: Style = PLAIN,
    slices: Mapping[int, Slice] | None = None,
) -> Iterator[str]:
    """The whole report in pieces; `slices` are those of faults, by timestamp."""
    if answer.bad is None:
        moments = len({point.timestamp for point in answer.cpoints})
        where = f"{count(answer.objects, 'node')} at {count(moments, 'C-point')}"
        if not moments or not answer.objects:
            yield f"{trace.path}: unknown: nothing was checked ({where})\n"
        elif answer.is_unknown:
            yield f"{trace.path}: not everything could be checked; nothing is wrong with {where}\n"
        else:
            constraints = count(len(answer.plan.constraints), "constraint")
            yield f"{trace.path}: {constraints} held for {where}\n"
        yield from _looked_at(answer, style)
        return
    yield from _headline(trace, answer, style)
    yield from _looked_at(answer, style)
    yield from _inconsistencies(answer, style)
    yield from _statements(trace, answer, style, slices or {})
    seconds = answer.seconds
    yield style.dim(
        f"loaded in {seconds['load']:.3g} s, checked in {seconds['check']:.3g} s, "
        f"located in {seconds['locate']:.3g} s\n"
    )


def _looked_at(answer: Diagnosis, style: Style) -> Iterator[str]:
    """What the answer is about, and what it may have missed."""
    nodes = ", ".join(f"{number:,} {name}" for name, number in answer.types.items())
    checked = count(len({point.timestamp for point in answer.checked}), "C-point")
    functions = ""
    if answer.functions:
        more = len(answer.functions) - MOST_FUNCTIONS
        named = ", ".join(answer.functions[:MOST_FUNCTIONS]) + (
            f" and {more} more" if more > 0 else ""
        )
        functions = f"; taken for the structure's: {named}"
    yield style.dim(f"looked at: {nodes} at {checked}{functions}\n")
    yield style.dim(f"reading: {answer.reading}\n")
    if answer.untyped:
        blocks = count(answer.untyped, "block")
        yield f"{blocks} of that size have no known type and may belong (bind them: --site)\n"


def _headline(trace: Trace, answer: Diagnosis, style: Style) -> Iterator[str]:
    assert answer.bad is not None
    yield style.bold(
        f"{trace.path}: broken {answer.bad}, timestamp {answer.bad.timestamp} of {trace.last}\n"
    )
    if answer.clean is not None:
        yield f"all was well {answer.clean}, timestamp {answer.clean.timestamp}\n"
    else:
        yield "this is the first C-point: nothing is known to have been well before\n"


def _inconsistencies(answer: Diagnosis, style: Style) -> Iterator[str]:
    yield f"\n{count(len(answer.inconsistencies), 'inconsistency', 'inconsistencies')}:\n"
    by_constraint: dict[str, list[Inconsistency]] = {}
    for found in answer.inconsistencies:
        by_constraint.setdefault(found.constraint.name, []).append(found)
    for name, group in by_constraint.items():
        yield f"  {style.bold(name)}  {group[0].constraint.words}\n"
        for found in group[:MOST_INCONSISTENCIES]:
            yield f"      not so for {found}\n"
        if len(group) > MOST_INCONSISTENCIES:
            yield style.dim(f"      ... and {len(group) - MOST_INCONSISTENCIES:,} more (--json)\n")


def _statements(
    trace: Trace, answer: Diagnosis, style: Style, slices: Mapping[int, Slice]
) -> Iterator[str]:
    groups = _by_statement(answer.near)
    near = list(groups.values())
    others = [fault for fault in answer.faults if fault not in answer.near]
    far = [group for key, group in _by_statement(others).items() if key not in groups]
    yield f"\n{count(len(near), 'statement')} to look at, in this order:\n"
    shown = answer.most or MOST_STATEMENTS
    for number, faults in enumerate(near[:shown], 1):
        yield from _statement(trace, number, faults, style)
        if number == 1:
            yield from _wrong_before(answer)
        if sliced := slices.get(faults[0].timestamp):
            yield from _slice(trace, sliced, style)
    yield from _more(len(near) - shown, f"--statements {len(near)}", style)
    if far:
        yield "\nand, if it is none of these, what led there:\n\n"
    for faults in far[:MOST_STATEMENTS]:
        fault = faults[0]
        yield f"   {fault.place or '?'}  {style.dim(f'({fault.timestamp}): {fault.operation}')}\n"
    yield from _more(len(far) - MOST_STATEMENTS, "--json", style)
    if not near:
        yield "  (the trace does not reach back to where it began)\n"
    yield "\n"


def _by_statement(faults: list[Fault]) -> dict[tuple[str | None, int | None, str], list[Fault]]:
    groups: dict[tuple[str | None, int | None, str], list[Fault]] = {}
    for fault in faults:
        key = (fault.place.path, fault.place.line) if fault.place else (None, None)
        groups.setdefault((*key, str(fault.place)), []).append(fault)
    return groups


def _more(left: int, option: str, style: Style) -> Iterator[str]:
    """How many were left out, and what shows them."""
    if left > 0:
        yield style.dim(f"   ... and {left:,} more ({option})\n")


def _wrong_before(answer: Diagnosis) -> Iterator[str]:
    """Where the structure is only taken apart, what was wrong with it by then."""
    for found in answer.wrong_before[:MOST_INCONSISTENCIES]:
        yield f"   wrong just before it: {found.constraint.name} for {found}\n"


def _statement(trace: Trace, number: int, faults: list[Fault], style: Style) -> Iterator[str]:
    fault = faults[0]
    function = f" in {fault.place.function}" if fault.place and fault.place.function else ""
    heading = f"{number}. {fault.place or '?'}{function}"
    yield f"\n{style.bold(heading)}\n"
    if fault.place is not None:
        yield from _source(trace, fault.place, style)
    yield f"   timestamp {fault.timestamp}: {style.red(fault.operation)}\n"
    if through := handed_on_by(fault):
        yield f"   {through}\n"
    if fault.relation in TOLD:
        yield f"   {why(fault)}\n"
    how = "read by" if fault.relation == "fed" else "against"
    for found in fault.contributed_to[:3]:
        yield f"   {how} {found.constraint.name} for {found}\n"
    if len(faults) > 1:
        yield style.dim(f"   and {count(len(faults) - 1, 'more time')}, up to timestamp ")
        yield style.dim(f"{faults[-1].timestamp}\n")
    from heapstory.locating.pictures import pictures

    yield from side_by_side(pictures(trace, fault), style)
    yield style.dim(f"   next: {_next(trace, fault)}\n")


def _slice(trace: Trace, sliced: Slice, style: Style) -> Iterator[str]:
    yield f"   led to by {count(len(sliced.statements), 'statement')}:\n"
    yield from (f"   {line}" for line in tree(trace, sliced, style, MOST_CAUSES))
    words = ["slice", str(trace.path), "--criterion", sliced.criterion]
    yield style.dim(f"   next: {shlex.join(['heapstory', *words])}\n")


def _source(trace: Trace, place: Place, style: Style) -> Iterator[str]:
    text = trace.source(place.path) if place.path else None
    if text is None or not place.line:
        return
    lines = text.splitlines()
    first, last = max(place.line - AROUND, 1), min(place.line + AROUND, len(lines))
    width = len(str(last))
    for number in range(first, last + 1):
        here = number == place.line
        line = f"   {'>' if here else ' '} {number:>{width}} | {lines[number - 1]}".rstrip()
        yield (style.bold(line) if here else style.dim(line)) + "\n"


def _next(trace: Trace, fault: Fault) -> str:
    """The command that shows more."""
    if fault.slots:
        words = ["history", str(trace.path), "--node", str(fault.slots[0].node)]
        words += ["--field", str(fault.slots[0].offset)]
    elif fault.node is not None:
        words = ["history", str(trace.path), "--node", str(fault.node)]
    else:
        words = ["graph", str(trace.path), "--at", str(fault.timestamp)]
    return shlex.join(["heapstory", *words])


def side_by_side(shown: Pictures, style: Style) -> Iterator[str]:
    """The nodes before on the left, after on the right."""
    left = _column(f"before (timestamp {shown.before.at})", shown.before, frozenset())
    right = _column(f"after (timestamp {shown.after.at})", shown.after, shown.changed)
    width = max((len(line) for line in left), default=0)
    for before, after in zip_longest(left, right, fillvalue=""):
        line = f"   {before:<{width}}   {after}".rstrip()
        yield (style.red(line) if after.endswith("◀") else line) + "\n"


def _column(title: str, drawing: Drawing, changed: frozenset[tuple[int, int]]) -> list[str]:
    lines = [title]
    for box in drawing.boxes:
        lines += _box(box, changed)
    return lines


def _box(box: Box, changed: frozenset[tuple[int, int]]) -> list[str]:
    title = f" {box.title}  {box.detail} " if box.detail else f" {box.title} "
    if box.node.freed is not None:
        title += "(freed) "
    name = max((len(row.name) for row in box.rows), default=0)
    rows = [(row, f" {row.name:<{name}}  {row.marks[-1].text} ") for row in box.rows]
    width = max(len(title) + 1, *(len(text) for _, text in rows)) if rows else len(title) + 1
    lines = [f"┌{title:─<{width}}┐"]
    for row, text in rows:
        mark = " ◀" if (box.node.id, row.offset) in changed else ""
        lines.append(f"│{text:<{width}}│{mark}")
    return [*lines, f"└{'':─<{width}}┘"]
