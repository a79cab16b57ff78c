"""Findings of ``leaks`` for a terminal, with the source lines of their paths."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from heapstory.cfront.program import Place
from heapstory.reporters.leaks.words import describe, headline
from heapstory.reporters.style import PLAIN, Style
from heapstory.reporters.text import count, printable
from heapstory.static import ProgramResult
from heapstory.static.findings.findings import Finding, Sources

MOST_PLACES = 8
WIDTH = 72


def report(
    findings: list[Finding], sources: Sources, summary: str, style: Style = PLAIN
) -> Iterator[str]:
    """The whole report in pieces."""
    for finding in findings:
        yield "\n".join(_finding(finding, sources, style)) + "\n\n"
    yield f"{summary}\n"


def summary(findings: list[Finding], result: ProgramResult, seconds: float) -> str:
    """One line on what was found in how much code."""
    accepted = sum(finding.suppressed is not None for finding in findings)
    return (
        f"{count(len(findings) - accepted, 'finding')} ({accepted} accepted) "
        f"in {count(result.functions, 'function')}, {count(result.lines, 'line')}, {seconds:.1f} s"
    )


def _finding(finding: Finding, sources: Sources, style: Style) -> Iterator[str]:
    where = style.bold(f"{_short(finding.place)}: {finding.kind}")
    yield f"{where} in {finding.function} [{finding.confidence}] {headline(finding)}"
    yield from _path(finding, sources)
    if finding.confirmation:
        yield f"      {finding.confirmation.text()}"
    for doubt in finding.doubts:
        yield f"      doubt: {doubt.text}"
    if finding.chain:
        chain = " → ".join(map(_short, [finding.allocated, *finding.chain]))
        yield f"      allocated through {chain}"
    if finding.also:
        yield f"      lost there too: what is got at {_places(finding.also)}"
    if finding.others:
        yield f"      lost too at {_places(finding.others)}"
    if finding.callers:
        yield f"      met by {', '.join(finding.callers[:MOST_PLACES])}"
    release = f"; {finding.release} releases it" if finding.release else ""
    yield f"      fingerprint {finding.fingerprint}{release}"


def _path(finding: Finding, sources: Sources) -> Iterator[str]:
    """The steps; a line with its name wherever the file is another one than before."""
    steps = [(" ", step.place, describe(step)) for step in finding.path if step.place is not None]
    file = finding.place.path
    for mark, place, note in [*steps, ("✗", finding.place, "lost here")]:
        if place.path != file:
            file = place.path
            yield f"      {_path_of(place)}:"
        yield _source_line(mark, place, note, sources)


def _places(places: list[Place]) -> str:
    return ", ".join(map(_short, places[:MOST_PLACES]))


def _short(place: Place) -> str:
    return f"{_path_of(place)}:{place.line}"


def _path_of(place: Place) -> str:
    with contextlib.suppress(ValueError):
        return printable(str(Path(place.path).relative_to(Path.cwd())))
    return printable(place.path)


def _source_line(mark: str, place: Place, note: str, sources: Sources) -> str:
    text = printable(sources.line(place.path, place.line).strip().replace("\t", " "))[:WIDTH]
    return f"    {mark} {place.line:>6} | {text:<{WIDTH}} {note}"
