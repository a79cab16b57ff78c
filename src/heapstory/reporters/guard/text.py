"""What ``guard`` found, for people."""

from __future__ import annotations

import signal
from collections.abc import Iterator

from heapstory.checks.finding import Finding, Stack, statement
from heapstory.guarding.guarded import Crash, Guarded
from heapstory.reporters.findings import frame, stack_text
from heapstory.reporters.guard.words import explanation, headline, wanted
from heapstory.reporters.style import PLAIN, Style
from heapstory.reporters.text import count, size

MOST_SITES = 10
MOST_FRAMES = 8


def render(run: Guarded, style: Style = PLAIN, suppressed: bool = False) -> str:
    """All of it; with what is suppressed, if that is asked for."""
    lines: list[str] = [f"note: {text}" for text in run.remarks]
    for finding in run.findings if suppressed else run.open:
        lines += [*_finding(finding, run, style), ""]
    for crash in run.crashes:
        lines += [*_crash(crash), ""]
    lines += [*_live(run), *_scans(run)]
    lines.append(_summary(run))
    return "\n".join(lines) + "\n"


def _finding(finding: Finding, run: Guarded, style: Style) -> Iterator[str]:
    often = "in {:,} processes (the largest loss shown)" if finding.kind == "leak" else "{:,} times"
    times = f", {often.format(finding.count)}" if finding.count > 1 else ""
    accepted = f" (accepted: {finding.suppressed})" if finding.suppressed else ""
    yield style.bold(f"{finding.kind}: {headline(finding)}{times}{accepted}")
    yield f"  {finding.text or f'{finding.address:#x}'}"
    yield from _stack("noticed" if finding.kind == "broken-fence" else "at", finding.stack)
    if finding.block:
        block = finding.block
        state = "freed" if block.freed is not None else "live"
        yield f"  the block: {count(block.size, 'byte')} at {block.address:#x}, {state}"
        yield from _stack("allocated", block.allocated)
        yield from _stack("freed", block.freed or [])
    for other in finding.also:
        yield f"  also found by {other}"
    if finding.kind == "leak":
        yield style.dim(f"  {wanted(finding)}")
    yield style.dim(f"  how it came to this: {explanation(finding, run.command)}")
    yield style.dim(f"  fingerprint {finding.fingerprint}")


def _stack(word: str, stack: Stack) -> Iterator[str]:
    return stack_text(word, stack, MOST_FRAMES)


def _crash(crash: Crash) -> Iterator[str]:
    name = signal.Signals(crash.signal).name
    where = f", faulting address {crash.address:#x}" if crash.address is not None else ""
    yield f"crash: {name}{where}"
    yield from _stack("at", crash.stack)


def _live(run: Guarded) -> Iterator[str]:
    if not run.sites:
        return
    total = sum(site.blocks for site in run.sites)
    held = size(sum(site.bytes for site in run.sites))
    yield f"live at the end: {count(total, 'block')}, {held}"
    for site in run.sites[:MOST_SITES]:
        place = statement(site.stack)
        where = frame(place) if place else "?"
        yield f"  {size(site.bytes):>12} in {count(site.blocks, 'block')}  {where}"
    if len(run.sites) > MOST_SITES:
        yield f"  and {count(len(run.sites) - MOST_SITES, 'more site')} (--json has them all)"


def _scans(run: Guarded) -> Iterator[str]:
    """What they cost; the one at the end alone needs no words, unless it was not certain."""
    if not run.scans:
        return
    last = run.scans[-1]
    if last.suspected:
        yield f"{count(last.suspected, 'block')} not found, and not called lost: a thread ran on"
    if len(run.scans) < 2:
        return
    pause = max(scan.pause for scan in run.scans) / 1000
    cpu = sum(scan.cpu for scan in run.scans) / 1e6
    yield f"{count(len(run.scans), 'scan')}: {cpu:.2f} s of CPU, longest pause {pause:.1f} ms"
    if last.withdrawn:
        yield f"  {count(last.withdrawn, 'block')} called lost and found or freed later: our error"


def _summary(run: Guarded) -> str:
    text = count(len(run.open), "finding")
    hidden = len(run.findings) - len(run.open)
    also = f" ({hidden} accepted)" if hidden else ""
    others = f", {count(run.processes, 'process', 'processes')}" if run.processes > 1 else ""
    missing = count(len(run.unwritten), "report")
    unread = f", {missing} missing" if run.unwritten else ""
    return f"guard: {text}{also}{others}{unread}"
