"""The answer of ``diff``: text, JSON and HTML."""

from __future__ import annotations

import html as escaping
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from heapstory.reporters.text import count, size, table

if TYPE_CHECKING:
    from heapstory.comparing.compare import Change, Comparison

MOST = 20


def text(answer: Comparison, limit: int = MOST) -> str:
    """Where they part, then what grew and which statements differ."""
    return "".join(_text(answer, limit))


def _text(answer: Comparison, limit: int) -> Iterator[str]:
    if answer.same:
        yield f"no difference: {count(answer.changes[0], 'pointer')} stored alike\n"
        return
    yield f"A  {answer.a}\nB  {answer.b}\n"
    yield f"\n{parting(answer)}\n"
    for title, (heads, rows) in _tables(answer).items():
        if rows:
            yield f"\n{title}\n{table(heads, rows[:limit] if limit else rows)}"
            if limit and len(rows) > limit:
                yield f"... {count(len(rows) - limit, 'more row')} (all: --limit 0)\n"


def parting(answer: Comparison) -> str:
    """The first difference in words."""
    if answer.parting is None:
        return f"all {answer.changes[0]:,} pointers were stored alike"
    agree = f"after {count(answer.parting.number, 'change')} that agree"
    return f"they part {agree}:\n  A: {change(answer.parting.a)}\n  B: {change(answer.parting.b)}"


def change(one: Change | None) -> str:
    """Who stored what where."""
    if one is None:
        return "stores no more pointers"
    inside = f" in {one.function}" if one.function else ""
    kind = f" ({one.type})" if one.type else ""
    where = f"({one.timestamp}):{one.place or '?'}{inside}"
    return f"{where}: [{one.node}]{kind} +{one.offset} = {one.held}"


def _tables(answer: Comparison) -> dict[str, tuple[list[str], list[tuple[Any, ...]]]]:
    grown = [
        (one.type, one.made, *one.nodes, *map(size, one.bytes), _signed(one.bytes))
        for one in answer.growth
    ]
    written = [
        (one.place, one.function, *one.writes, _signed(one.writes)) for one in answer.statements
    ]
    heads = ["type", "made at", "nodes A", "nodes B", "bytes A", "bytes B", "bytes"]
    return {
        "alive at the end": (heads, grown),
        "statements that wrote more or less": (
            ["statement", "function", "writes A", "writes B", "difference"],
            written,
        ),
    }


def _signed(pair: tuple[int, int]) -> str:
    return f"{pair[1] - pair[0]:+,}"


def body(answer: Comparison) -> dict[str, Any]:
    """The body of ``diff --json``."""
    return {"same": answer.same, **asdict(answer)}


def page(answer: Comparison) -> str:
    """One HTML file that needs nothing else."""
    parts = [f"<h1>{_escape(answer.a)} and {_escape(answer.b)}</h1>"]
    parts.append(f"<pre>{_escape(parting(answer))}</pre>")
    for title, (heads, rows) in _tables(answer).items():
        if rows:
            head = "".join(f"<th>{_escape(one)}</th>" for one in heads)
            cells = ("".join(f"<td>{_escape(str(one))}</td>" for one in row) for row in rows)
            lines = "".join(f"<tr>{line}</tr>" for line in cells)
            parts.append(f"<h2>{_escape(title)}</h2><table><tr>{head}</tr>{lines}</table>")
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>heapstory diff</title>'
        "<style>body{font:14px system-ui;margin:2em}td,th{padding:2px 12px;text-align:left}"
        f"pre{{background:#8882;padding:8px}}</style>{''.join(parts)}</html>\n"
    )


def _escape(text: str) -> str:
    return escaping.escape(text)
