"""An HTML page of findings: the path on the left, the source on the right. No scripts needed."""

from __future__ import annotations

from html import escape
from pathlib import Path

from heapstory.reporters.leaks.words import describe, headline
from heapstory.static.findings.findings import Finding, Sources

_STYLE = """
body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1200px;color:#222}
h1{font-size:1.4em} details{border:1px solid #ccc;border-radius:6px;margin:.6em 0;padding:.4em .8em}
summary{cursor:pointer} .kind{font-weight:600}
.high{color:#a00} .medium{color:#a60} .low{color:#666}
.pair{display:grid;grid-template-columns:minmax(14em,1fr) 3fr;gap:1em;margin-top:.6em}
ol{padding-left:1.4em;margin:0} li a{color:#06c;text-decoration:none}
pre{margin:0;overflow:auto;background:#f7f7f7;padding:.5em;font-size:12px}
pre span{display:block} pre .on{background:#fff3c4} pre .lost{background:#ffd6d6}
.no{color:#999;user-select:none;display:inline-block;width:5em;text-align:right;margin-right:1em}
.note{color:#06c;margin-left:1em}
@media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#ddd}pre{background:#252525}
pre .on{background:#4a4010}pre .lost{background:#5a1c1c}details{border-color:#444}}
"""
_AROUND = 3


def page(findings: list[Finding], sources: Sources, summary: str) -> str:
    """The whole page."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><title>heapstory leaks</title>",
        f"<style>{_STYLE}</style><h1>Leaks</h1><p>{escape(summary)}</p>",
    ]
    parts.extend(_section(n, finding, sources) for n, finding in enumerate(findings, 1))
    return "\n".join(parts) + "</html>\n"


def _section(number: int, finding: Finding, sources: Sources) -> str:
    place = f"{Path(finding.place.path).name}:{finding.place.line}"
    steps = [
        f"<li><a href='#f{number}-{s.place.line}'>{Path(s.place.path).name}:{s.place.line}</a> "
        f"{escape(describe(s))}</li>"
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
        f"<p>fingerprint <code>{finding.fingerprint}</code></p></details>"
    )


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
