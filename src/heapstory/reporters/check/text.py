"""What ``check`` found, for people."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from heapstory.checking.checked import Checked
from heapstory.checking.errors import Error
from heapstory.checking.leaks import KINDS, MISTAKES, Leak
from heapstory.checks.finding import Stack, identity
from heapstory.reporters.check.words import headline
from heapstory.reporters.findings import frame, stack_text
from heapstory.reporters.style import PLAIN, Style
from heapstory.reporters.text import count, size

if TYPE_CHECKING:
    from heapstory.checks.moment import Moment
    from heapstory.checks.pointer import Holder, Pointer, When

MOST_FRAMES = 12
MOST_HOLDERS = 6


def finding(found: Error, style: Style = PLAIN) -> str:
    """One error, as it is told while the program runs."""
    return "\n".join([*_finding(found, style), "", ""])


def render(run: Checked, style: Style = PLAIN, told: Collection[tuple[str, ...]] = ()) -> str:
    """All that was not told before, how often it happened, and what was looked for."""
    lines: list[str] = []
    for found in run.open:
        if identity(found) not in told:
            lines += [*_finding(found, style), ""]
        else:
            lines += _more(found)
    for lost in run.open_leaks:
        lines += [leak(lost, style), ""]
    lines += _scans(run)
    lines += _heap(run)
    lines += summary(run)
    return "\n".join(lines) + "\n"


def _more(found: Error) -> Iterator[str]:
    """What was not known yet when it was told."""
    exact = found.pointer is not None and found.pointer.exact
    if found.count > 1:
        yield f"{found.kind} at {found.place}: {found.count:,} times in all"
    elif exact:
        yield f"{found.kind} at {found.place}:"
    if exact and found.pointer:
        yield from _pointer(found.pointer)


def _finding(found: Error, style: Style) -> Iterator[str]:
    times = f", {found.count:,} times" if found.count > 1 else ""
    yield style.bold(f"{found.kind}: {headline(found.kind)}{times}")
    yield f"  {found.text}"
    yield from _stack("at", found.stack)
    if found.block:
        yield from _stack("allocated", found.block.allocated)
        yield from _stack("freed", found.block.freed or [])
    if found.pointer:
        yield from _pointer(found.pointer)


def _pointer(pointer: Pointer) -> Iterator[str]:
    """Who held it: what was used first, what has a statement before what was only found."""
    held = sorted(pointer.held_by, key=lambda one: (not one.used, one.stored is None))
    for number, holder in enumerate(held[:MOST_HOLDERS]):
        yield f"  {'' if number else 'held by':>9}  {_holder(holder)}"
    if len(held) > MOST_HOLDERS:
        yield f"  {'':>9}  and {len(held) - MOST_HOLDERS:,} more"
    if pointer.reused:
        yield f"  {'reused':>9}  {_when(pointer.reused)}; the pointer is of before"


def _holder(holder: Holder) -> str:
    used = " (used here)" if holder.used else ""
    stored = f", stored at {_when(holder.stored)}" if holder.stored else ""
    return f"{holder.name}{stored}{used}"


def _when(when: When) -> str:
    place = frame(when.place) if when.place else "a place that is not known"
    return place if when.timestamp is None else f"{place}, timestamp {when.timestamp:,}"


def leak(found: Leak, style: Style = PLAIN) -> str:
    """The blocks of one allocation that were lost."""
    return "\n".join(_leak(found, style))


def _leak(leak: Leak, style: Style) -> Iterator[str]:
    yield style.bold(f"{leak.kind}: {headline(leak.kind)}")
    yield f"  {size(leak.bytes)} in {count(leak.blocks, 'block')}"
    yield from _stack("allocated", leak.stack)
    if leak.lost:
        yield f"  {'lost':>9}  {_moment(leak.lost, leak.blocks)}"


def _moment(lost: Moment, blocks: int) -> str:
    first = "the first one " if blocks > 1 else ""
    place = f"at {frame(lost.place)}, " if lost.place else ""
    if lost.exact:
        return f"{first}{place}timestamp {lost.timestamp:,}"
    return f"{first}{place}between timestamps {lost.after:,} and {lost.before:,}"


def _stack(word: str, stack: Stack) -> Iterator[str]:
    return stack_text(word, stack, MOST_FRAMES)


def _scans(run: Checked) -> Iterator[str]:
    """What was lost while it ran: where it changed."""
    before = None
    for scan in run.scans:
        lost = [leak for leak in scan.leaks if leak.kind in MISTAKES and not leak.suppressed]
        held, blocks = sum(one.bytes for one in lost), sum(one.blocks for one in lost)
        if (held, blocks) != before:
            yield f"lost by timestamp {scan.timestamp:,}: {size(held)} in {count(blocks, 'block')}"
        before = (held, blocks)


def _heap(run: Checked) -> Iterator[str]:
    """Blocks at the end, by kind; nothing where none was left or nothing is known."""
    for kind in KINDS:
        of_kind = [leak for leak in run.leaks if leak.kind == kind]
        if of_kind:
            blocks, held = sum(one.blocks for one in of_kind), sum(one.bytes for one in of_kind)
            yield f"{kind + ':':<24}{size(held)} in {count(blocks, 'block')}"


def summary(run: Checked) -> Iterator[str]:
    """How many there are, what was looked for, and what was not."""
    if run.heuristics:
        kinds = ", ".join(f"{number:,} by {kind}" for kind, number in run.heuristics.items())
        yield f"reachable only by pointers into C++ objects: {kinds}"
    leaked = [leak for leak in run.leaks if leak.kind in MISTAKES]
    hidden = len(run.findings) - len(run.open) + len(leaked) - len(run.open_leaks)
    also = f" ({hidden} accepted)" if hidden else ""
    found = f"{count(len(run.open), 'error')}, {count(len(run.open_leaks), 'leaking allocation')}"
    yield f"check: {found}{also}; looked for: {', '.join(run.looked_for)}"
    if run.not_looked_for:
        yield f"check: not looked for: {', '.join(run.not_looked_for)}"
    if run.crash:
        yield f"check: the program was ended by {run.crash}"
    for name in run.unused:
        yield f"check: unused suppression: {name}"
    if run.failure:
        yield f"check: incomplete: {run.failure}"
