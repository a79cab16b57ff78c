"""An HTML page of findings: the path on the left, the source on the right. No scripts needed."""

from __future__ import annotations

from html import escape
from pathlib import Path

from heapstory.cfront.program import Place
from heapstory.reporters.leaks.words import describe, headline
from heapstory.reporters.page import page, view_command
from heapstory.reporters.text import printable
from heapstory.static.findings.findings import Finding, Sources

_AROUND = 3


def leaks_page(
    findings: list[Finding], sources: Sources, summary: str, trace: Path | None = None
) -> str:
    """The whole page; ``trace``: the recording by which they were confirmed."""
    parts = [f"<h1>Leaks</h1><p>{escape(summary)}</p>"]
    parts.extend(_section(n, finding, sources, trace) for n, finding in enumerate(findings, 1))
    return page("heapstory leaks", parts)


def _section(number: int, finding: Finding, sources: Sources, trace: Path | None) -> str:
    place = _place(finding.place)
    steps = [
        f"<li><a href='#f{number}-{s.place.line}'>{_place(s.place)}</a> {escape(describe(s))}</li>"
        for s in finding.path
        if s.place is not None
    ]
    steps.append(f"<li><a href='#f{number}-{finding.place.line}'>{place}</a> <b>lost here</b></li>")
    note = f" (suppressed: {escape(finding.suppressed)})" if finding.suppressed else ""
    return (
        f"<details id=f{number}{' open' if number <= 3 else ''}><summary><span class=kind>{place} "
        f"{finding.kind}</span> <span class={finding.confidence}>{finding.confidence}</span>{note} "
        f"{escape(headline(finding))}</summary><div class=pair><ol>{''.join(steps)}</ol>"
        f"<pre>{_listing(number, finding, sources)}</pre></div>"
        f"{_confirmed(finding, trace)}"
        f"<p>fingerprint <code>{finding.fingerprint}</code></p></details>"
    )


def _place(place: Place) -> str:
    return f"{escape(printable(Path(place.path).name))}:{place.line}"


def _confirmed(finding: Finding, trace: Path | None) -> str:
    """What a run said, and how to look at its moment."""
    seen = finding.confirmation
    if seen is None:
        return ""
    said = f"<p>{escape(seen.text())}</p>"
    if trace is None or seen.moment is None or seen.failed:
        return said
    return said + view_command(trace, "--at", str(seen.moment.timestamp))


def _listing(number: int, finding: Finding, sources: Sources) -> str:
    path = finding.place.path
    notes: dict[int, str] = {}
    for step in finding.path:
        if step.place is not None and step.place.path == path:
            notes[step.place.line] = describe(step)
    wanted = {n + d for n in (*notes, finding.place.line) for d in range(-_AROUND, _AROUND + 1)}
    lines = sources.lines(path)
    rows = []
    before = 0
    for line in sorted(w for w in wanted if 0 < w <= len(lines)):
        if before and line > before + 1:
            rows.append("<span class=no>…</span>")
        before = line
        mark = "lost" if line == finding.place.line else "on" if line in notes else ""
        note = f"<i class=note>{escape(notes[line])}</i>" if line in notes else ""
        rows.append(
            f"<span class='{mark}' id='f{number}-{line}'><b class=no>{line}</b>"
            f"{escape(lines[line - 1])}{note}</span>"
        )
    return "".join(rows)
