"""A recorded history that is not linearizable as SVG and HTML: the operations that show it."""

from __future__ import annotations

from html import escape

from heapstory.linear.history.judge import Judgement
from heapstory.linear.history.operations import Operation
from heapstory.reporters.prove.pictures import LANE, LEFT, STEP, STYLE, TOP

RIGHT = 30


def svg(judged: Judgement) -> str:
    """Time to the right, not to scale; a bar from each operation's begin to its end."""
    moments = sorted({t for o in judged.conflict for t in (o.begin, o.end) if t is not None})
    width = LEFT + STEP * (len(moments) + 1) + RIGHT
    height = TOP + LANE * len(judged.conflict) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="history">',
        f"<style>{STYLE}</style>",
    ]
    for row, operation in enumerate(judged.conflict):
        parts += _bar(operation, row, moments)
    return "\n".join([*parts, "</svg>"])


def _bar(operation: Operation, row: int, moments: list[float]) -> list[str]:
    y, begin = TOP + row * LANE, moments.index(operation.begin)
    end = len(moments) if operation.end is None else moments.index(operation.end)
    dash = ' stroke-dasharray="5 4"' if operation.end is None else ""
    x, width = LEFT + begin * STEP, max(end - begin, 0) * STEP + STEP // 2
    call, _, _ = operation.text().partition("  [")
    return [
        f'<text x="8" y="{y + 18}">{_where(operation).removesuffix(": ")}</text>',
        f'<rect class="conflict" x="{x}" y="{y + 4}" width="{width}" height="{LANE - 10}" '
        f'rx="6"{dash}/>',
        f'<text x="{x + 6}" y="{y + 22}">{escape(call)}</text>',
    ]


def _where(operation: Operation) -> str:
    """The line of a file, for operations that have one."""
    return f"line {operation.line}: " if operation.line else ""


def html(judged: Judgement) -> str:
    """One page: the picture and the operations as a list, no network needed."""
    rows = "\n".join(
        f"<li>{_where(o)}<code>{escape(o.text())}</code></li>" for o in judged.conflict
    )
    title = escape(judged.path)
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body {{ font: 14px system-ui, sans-serif; margin: 2em }} .scroll {{ overflow-x: auto }}
td, th {{ padding: 2px 10px; text-align: left; border-bottom: 1px solid #ddd }}</style>
<h1>{title}: {escape(judged.verdict)}</h1>
<p>{escape(judged.reason)}</p>
<div class="scroll">{svg(judged) if judged.conflict else ""}</div>
<ul>
{rows}
</ul>
{_order(judged)}</html>
"""


def _order(judged: Judgement) -> str:
    """An order, or the most operations that have one, with the abstract state after each."""
    if not judged.order:
        return ""
    rows = "\n".join(
        f"<tr><td>{o.line or ''}</td><td><code>{escape(o.call_text())}</code></td>"
        f"<td><code>{escape(state)}</code></td></tr>"
        for o, state in judged.order
    )
    what = "The most that can be put in order" if judged.conflict else "An order"
    return f"""<h2>{what}, and the abstract state</h2>
<table><tr><th>line</th><th>operation</th><th>state after it</th></tr>
{rows}
</table>
"""
