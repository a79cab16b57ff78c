"""Counterexamples as text, SVG, HTML and JSON: one lane per operation instance."""

from __future__ import annotations

from html import escape
from typing import Any

from heapstory.linear.counterexample import Counterexample, Lane, Shown, show_value

LEFT, LANE, STEP, TOP = 190, 44, 74, 40
STYLE = """
text { font: 12px ui-monospace, monospace; fill: #222 }
.lane { fill: #e8eef7; stroke: #6b87b0 } .conflict { fill: #fbe3e0; stroke: #c0392b }
.step { fill: #33527d } .answer { fill: #1e7d34; font-weight: bold } .change { fill: #8a5a00 }
@media (prefers-color-scheme: dark) { svg { background: #fff } }
"""


def name_of(lane: Lane) -> str:
    """The call as text: ``#2 Pop_nonempty()``."""
    return f"#{lane.instance} {lane.operation}({', '.join(map(show_value, lane.arguments))})"


def answer_of(lane: Lane) -> str:
    """What the call answered, as text."""
    if lane.response is None:
        return "pending"
    return show_value(lane.answer) or "done"


def changes_of(step: Shown) -> str:
    """The cells a step changed, as text."""
    return ", ".join(f"{cell}: {old} → {new}" for cell, old, new in step.changes)


def text(found: Counterexample) -> str:
    """The history as columns of text, one per instance."""
    lines = []
    for lane in found.lanes:
        mark = " *" if lane.instance in found.conflict else ""
        lines.append(f"  {name_of(lane)} -> {answer_of(lane)}{mark}")
    lines.append("")
    head = " ".join(f"#{lane.instance}".ljust(3) for lane in found.lanes)
    lines.append(f"  {'':4} {head}")
    for number, step in enumerate(found.steps):
        cells = [_glyph(lane, number, step, found) for lane in found.lanes]
        changed = changes_of(step)
        told = f"   [{changed}]" if changed else ""
        answer = f"   = {show_value(step.answer) or 'done'}" if step.answers else ""
        lines.append(f"  {number:>4} {' '.join(cells)} {step.label}: {step.text}{told}{answer}")
    names = " and ".join(f"#{i}" for i in found.conflict)
    lines.append(f"  * no order of {names} that keeps to real time gives these answers")
    return "\n".join(lines)


def _glyph(lane: Lane, number: int, step: Shown, found: Counterexample) -> str:
    end = len(found.steps) if lane.response is None else lane.response
    if step.instance == lane.instance:
        return "●".ljust(3) if number < end or lane.response is None else "◆".ljust(3)
    if not lane.first < number < end:
        return "   "
    return ("┃" if lane.instance in found.conflict else "│").ljust(3)


def svg(found: Counterexample) -> str:
    """The history as a picture: time to the right, a lane per instance, state changes below."""
    width = LEFT + STEP * len(found.steps) + 30
    height = TOP + LANE * len(found.lanes) + 40 + 16 * _most_changes(found)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="history">',
        f"<style>{STYLE}</style>",
    ]
    for row, lane in enumerate(found.lanes):
        parts += _lane(found, lane, row)
    rows = {lane.instance: row for row, lane in enumerate(found.lanes)}
    for number, step in enumerate(found.steps):
        parts += _step(found, step, number, rows[step.instance])
    parts.append("</svg>")
    return "\n".join(parts)


def _most_changes(found: Counterexample) -> int:
    return max((len(s.changes) for s in found.steps), default=0)


def _lane(found: Counterexample, lane: Lane, row: int) -> list[str]:
    y = TOP + row * LANE
    end = len(found.steps) - 1 if lane.response is None else lane.response
    x = LEFT + lane.first * STEP
    kind = "conflict" if lane.instance in found.conflict else "lane"
    dash = ' stroke-dasharray="5 4"' if lane.response is None else ""
    return [
        f'<text x="8" y="{y + 18}">{escape(name_of(lane))}</text>',
        f'<text x="8" y="{y + 32}" class="answer">{escape(answer_of(lane))}</text>',
        f'<rect class="{kind}" x="{x + 4}" y="{y + 4}" width="{(end - lane.first + 1) * STEP - 8}" '
        f'height="{LANE - 10}" rx="6"{dash}/>',
    ]


def _step(found: Counterexample, step: Shown, number: int, row: int) -> list[str]:
    x, y = LEFT + number * STEP + STEP // 2, TOP + row * LANE + LANE // 2 - 2
    parts = [
        f'<circle class="step" cx="{x}" cy="{y}" r="4"><title>{escape(step.text)}</title></circle>',
        f'<text x="{x + 7}" y="{y - 3}">{escape(step.label)}</text>',
        f'<text x="{x - 4}" y="{TOP - 14}">{number}</text>',
    ]
    below = TOP + LANE * len(found.lanes) + 20
    for offset, (cell, old, new) in enumerate(step.changes):
        note = f"{cell}: {old}→{new}"
        parts.append(
            f'<text class="change" x="{x - STEP // 2}" y="{below + 16 * offset}" '
            f'textLength="{min(STEP - 4, 7 * len(note))}" lengthAdjust="spacingAndGlyphs">'
            f"{escape(note)}</text>"
        )
    return parts


def html(title: str, found: Counterexample) -> str:
    """One page: the picture and the steps as a table, no network needed."""
    rows = "\n".join(
        f"<tr><td>{n}</td><td>#{s.instance}</td><td>{escape(s.label)}</td>"
        f"<td><code>{escape(s.text)}</code></td><td>{escape(changes_of(s))}</td>"
        f"<td>{escape(show_value(s.answer) or 'done') if s.answers else ''}</td></tr>"
        for n, s in enumerate(found.steps)
    )
    names = ", ".join(f"#{i}" for i in found.conflict)
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>
<style>body {{ font: 14px system-ui, sans-serif; margin: 2em }} td, th {{ padding: 2px 10px;
text-align: left; border-bottom: 1px solid #ddd }} .scroll {{ overflow-x: auto }}</style>
<h1>{escape(title)}: not linearizable</h1>
<p>No order of {names} (red) that keeps to real time gives these answers.</p>
<div class="scroll">{svg(found)}</div>
<table><tr><th>step</th><th>instance</th><th>label</th><th>sub-operation</th><th>changes</th>
<th>answer</th></tr>
{rows}
</table></html>
"""


def as_json(found: Counterexample) -> dict[str, Any]:
    """The history as plain data."""
    return {
        "operations": [
            {
                "instance": lane.instance,
                "operation": lane.operation,
                "method": lane.method,
                "arguments": list(lane.arguments),
                "answer": None if lane.response is None else show_value(lane.answer),
                "pending": lane.response is None,
                "first": lane.first,
                "response": lane.response,
            }
            for lane in found.lanes
        ],
        "steps": [
            {
                "instance": s.instance,
                "label": s.label,
                "text": s.text,
                "line": s.line,
                "changes": [{"cell": c, "before": o, "after": n} for c, o, n in s.changes],
                "answer": show_value(s.answer) if s.answers else None,
            }
            for s in found.steps
        ],
        "conflict": found.conflict,
        "replays": found.replays,
        "confirmed": found.confirmed,
    }
