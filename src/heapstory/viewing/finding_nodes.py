"""Nodes by what a person knows of them: a number, an address, a type, a name, a statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.errors import UsageError
from heapstory.store.sql import quoted

if TYPE_CHECKING:
    from heapstory.trace import Trace

MOST_STARTS = 2000


def find_nodes(trace: Trace, text: str, most: int) -> list[int]:
    """Nodes that a text may mean, in order of birth."""
    words = text.strip()
    if not words:
        return []
    conditions = [
        f"name = {quoted(words)}",
        f"label = {quoted(words)}",
        f"type = {quoted(words)}",
        f"type LIKE {quoted('% ' + words)}",
        f"created_site IN (SELECT site FROM sites WHERE file || ':' || line = {quoted(words)}"
        f' OR "function" = {quoted(words)})',
    ]
    number = _number(words)
    if number is not None:
        conditions += [f"node = {number}", f"address <= {number} AND {number} < address + size"]
    either = " OR ".join(f"({condition})" for condition in conditions)
    rows = trace.query(f"SELECT node FROM nodes WHERE {either} ORDER BY node LIMIT {most}")
    return [row[0] for row in rows]


def nodes_of(
    trace: Trace, first: int, last: int, name: str | None, type: str | None, site: int | None
) -> list[int]:
    """Nodes of a stretch of time with some name, type and allocation site."""
    conditions = [f"coalesce(created, 0) <= {last}", f"coalesce(freed, {first} + 1) > {first}"]
    if name is not None:
        conditions.append(f"(name = {quoted(name)} OR label = {quoted(name)})")
    if type is not None:
        conditions.append(f"(type = {quoted(type)} OR type LIKE {quoted('% ' + type)})")
    if site is not None:
        conditions.append(f"created_site = {int(site)}")
    rows = trace.query(
        f"SELECT node FROM nodes WHERE {' AND '.join(conditions)} ORDER BY node LIMIT {MOST_STARTS}"
    )
    if not rows.rows:
        asked = [text for text in (name, type, None if site is None else f"site {site}") if text]
        raise UsageError(f"no node of {' and '.join(asked)} from timestamp {first} to {last}")
    return [row[0] for row in rows]


def roots(trace: Trace, at: int) -> list[int]:
    """Where to begin: variables that lead to the heap, else the oldest nodes that are there."""
    variables = trace.query(
        f"""SELECT node FROM nodes WHERE kind = 'global' AND name IS NOT NULL
            AND coalesce(created, 0) <= {at} AND coalesce(freed, {at} + 1) > {at} ORDER BY node"""
    )
    heap = trace.query("SELECT min(node), max(node) FROM nodes WHERE kind = 'heap'")
    if heap[0][0] is None:
        return [row[0] for row in variables.rows[:MOST_STARTS]]
    leading = _leading(trace, [row[0] for row in variables], at)
    if leading:
        return leading
    rows = trace.query(
        f"""SELECT node FROM nodes WHERE kind = 'heap' AND coalesce(created, 0) <= {at}
            AND coalesce(freed, {at} + 1) > {at} ORDER BY node LIMIT 20"""
    )
    return [row[0] for row in rows]


def _leading(trace: Trace, variables: list[int], at: int) -> list[int]:
    """Those variables that hold a pointer to a heap node at some moment up to ``at``."""
    from heapstory import _core

    everything = (1 << 64) - 1
    window = _core.window(trace.core, at, at, variables, None, everything, everything, 0, 0)
    tables = dict(window.tables())
    fields = tables["fields"].column("node")
    firsts = tables["field_versions"].column("first")
    targets = tables["versions"].column("target")
    ids = tables["nodes"].column("id")
    kinds: dict[int, str] = {}
    leading: dict[int, None] = {}
    for field, row in enumerate(fields):
        for target in targets[firsts[field] : firsts[field + 1]]:
            if target is not None and target not in kinds:
                kinds[target] = trace.node(target).kind
            if kinds.get(target) == "heap":
                leading[ids[row]] = None
    return list(leading)[:MOST_STARTS]


def _number(text: str) -> int | None:
    try:
        number = int(text, 0)
    except ValueError:
        return None
    return number if 0 <= number < 1 << 63 else None
