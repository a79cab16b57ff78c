"""What a page knows before it has seen a table: the program, marks, findings, where to begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from heapstory.version import version
from heapstory.viewing.columns import SCHEMA
from heapstory.viewing.finding_nodes import roots

if TYPE_CHECKING:
    from heapstory.trace import Trace

MOST_MARKS = 10_000
MOST_SUMMARY = 200
MOST_JUDGED = 1_000_000  # nodes of a graph that is put together to see which are lost


@dataclass(frozen=True, slots=True)
class Opening:
    """What to show first, and what came with the trace."""

    at: int | None = None
    node: int | None = None
    findings: Sequence[dict[str, Any]] = ()
    slice: dict[str, Any] | None = None
    source: bool = True
    left_out: list[dict[str, Any]] = field(default_factory=list)


def make_head(trace: Trace, opening: Opening, *, serve: bool) -> dict[str, Any]:
    """All of it; ``first`` and ``to`` are those of the whole trace."""
    at = first_moment(trace, opening)
    summary = trace.core.summary()
    nodes = len(trace.core.table("nodes"))
    lost = _lost(trace, nodes)
    marks, left_out = _marks(trace)
    return {
        "schema": SCHEMA,
        "serve": serve,
        "heapstory": version(),
        "trace": trace.path.name,
        "path": str(trace.path.absolute()),
        "program": trace.meta.get("program") or [],
        "mode": trace.meta.get("mode") or "alloc",
        "stream": summary["stream"] is not None,
        "last": trace.last,
        "nodes": nodes,
        "events": summary["events"],
        "complete": trace.complete,
        "damage": trace.damage,
        "exit": trace.meta.get("exit"),
        "at": at,
        "node": opening.node,
        "first": 0,
        "to": trace.last,
        "start": [opening.node] if opening.node else roots(trace, at),
        "threads": list(range(1, summary["threads"] + 1)),
        "marks": marks,
        "scans": [] if lost is None else [trace.last],
        "lost": {} if lost is None else {str(trace.last): lost},
        "findings": list(opening.findings),
        "slice": opening.slice,
        "summary": _summary(trace, at),
        "sources": trace.core.sources() if opening.source else [],
        "left_out": [*opening.left_out, *left_out],
    }


def first_moment(trace: Trace, opening: Opening) -> int:
    """``--at``, else the moment of the first finding that has one, else the end."""
    if opening.at is not None:
        return trace.moment(opening.at)
    found = (one["ts"] for one in opening.findings if one["ts"] is not None)
    return next(found, trace.last)


def _marks(trace: Trace) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    rows = trace.query(
        """SELECT timestamp, kind, coalesce(name, ''), site, thread FROM cpoints
           WHERE kind NOT IN ('entry', 'return') ORDER BY timestamp"""
    ).rows
    step = len(rows) // MOST_MARKS + 1
    kept = [row for i, row in enumerate(rows) if i % step == 0 or row[1] != "cpoint"]
    marks = [dict(zip(("ts", "kind", "name", "site", "thread"), row, strict=True)) for row in kept]
    how = f"heapstory query {trace.path} 'SELECT * FROM cpoints'"
    missing = len(rows) - len(kept)
    return marks, [{"what": "C-points", "count": missing, "how": how}] if missing else []


def _lost(trace: Trace, nodes: int) -> list[int] | None:
    """The nodes that nothing leads to at the end; None where that is not known."""
    if nodes > MOST_JUDGED:
        return None
    table = trace.core.graph(trace.last).nodes()
    lost = table.column("lost")
    if all(flag is None for flag in lost):
        return None
    return [node for node, flag in zip(table.column("id"), lost, strict=True) if flag]


def _summary(trace: Trace, at: int) -> list[dict[str, Any]]:
    rows = trace.query(
        f"""SELECT type, created_site, count(*), sum(size)::BIGINT FROM nodes
            WHERE kind = 'heap' AND coalesce(created, 0) <= {at}
            AND coalesce(freed, {at} + 1) > {at}
            GROUP BY ALL ORDER BY 4 DESC, 3 DESC, 2 LIMIT {MOST_SUMMARY}"""
    )
    return [dict(zip(("type", "site", "nodes", "bytes"), row, strict=True)) for row in rows]
