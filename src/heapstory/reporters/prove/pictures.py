"""Counterexamples as SVG and HTML: one lane per operation instance."""

from __future__ import annotations

from html import escape

from heapstory.linear.verdict.counterexample import Counterexample, Lane, Shown, show_value
from heapstory.reporters.prove.words import answer_of, changes_of, conflict_of, name_of, order_of

LEFT, LANE, STEP, TOP = 190, 44, 74, 40
STYLE = """
text { font: 12px ui-monospace, monospace; fill: #222 }
.lane { fill: #e8eef7; stroke: #6b87b0 } .conflict { fill: #fbe3e0; stroke: #c0392b }
.step { fill: #33527d } .answer { fill: #1e7d34; font-weight: bold } .change { fill: #8a5a00 }
@media (prefers-color-scheme: dark) { svg { background: #fff } }
"""


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
    conflict = conflict_of(found)
    most = f"<p>The most in order, and the abstract state: {escape(order_of(found))}</p>"
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>
<style>body {{ font: 14px system-ui, sans-serif; margin: 2em }} td, th {{ padding: 2px 10px;
text-align: left; border-bottom: 1px solid #ddd }} .scroll {{ overflow-x: auto }}</style>
<h1>{escape(title)}: not linearizable</h1>
<p>{escape(conflict[0].upper() + conflict[1:])} (red).</p>
<div class="scroll">{svg(found)}</div>
<table><tr><th>step</th><th>instance</th><th>label</th><th>sub-operation</th><th>changes</th>
<th>answer</th></tr>
{rows}
</table>
{most if found.order else ""}</html>
"""
