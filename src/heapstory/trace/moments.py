"""Moments of a run by their names: a statement, a function, the peak, the crash, the ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from heapstory.errors import UsageError
from heapstory.store.sql import query, quoted

if TYPE_CHECKING:
    from heapstory.store.open_trace import OpenTrace

FORM = "a timestamp, FILE:LINE[#K], FUNC[:entry][#K], peak, crash, begin or end"
_STATEMENT = re.compile(r"(?P<file>.*[^:]):(?P<line>[0-9]+)")
_NUMBERED = re.compile(r"(?P<what>.+?)(?:#(?P<number>-?[0-9]+))?")
_PEAK = """
WITH changes AS (
    SELECT coalesce(created, 0) AS t, size AS bytes FROM nodes WHERE kind = 'heap'
    UNION ALL SELECT freed, -size FROM nodes WHERE kind = 'heap' AND freed IS NOT NULL),
sums AS (SELECT t, sum(bytes) AS bytes FROM changes GROUP BY t),
alive AS (SELECT t, sum(bytes) OVER (ORDER BY t) AS bytes FROM sums)
SELECT t FROM alive ORDER BY bytes DESC, t LIMIT 1"""


def find(trace: OpenTrace, text: str) -> int:
    """The timestamp that a text means; UsageError where it means none in this trace."""
    if re.fullmatch(r"-?[0-9]+", text):
        return trace.moment(int(text))
    if text in _NAMED:
        return _NAMED[text](trace)
    found = _NUMBERED.fullmatch(text)
    if found is None:
        raise UsageError(f"--at {text!r}: wants {FORM}")
    number = int(found["number"] or -1)
    if number == 0:
        raise UsageError(f"--at {text}: #1 is the first and #-1 the last, there is no #0")
    if statement := _STATEMENT.fullmatch(found["what"]):
        return _of_statement(trace, statement["file"], int(statement["line"]), number)
    return _of_function(trace, found["what"], number)


def _peak(trace: OpenTrace) -> int:
    """When the most bytes of the heap were alive, for the first time."""
    rows = query(trace, _PEAK).rows
    return int(rows[0][0]) if rows else 0


def _crash(trace: OpenTrace) -> int:
    rows = query(trace, "SELECT timestamp FROM cpoints WHERE kind = 'crash'").rows
    if not rows:
        raise UsageError(f"--at crash: the program of {trace.path} did not crash (use: --at end)")
    return int(rows[0][0])


_NAMED: dict[str, Callable[[OpenTrace], int]] = {
    "begin": lambda _: 0,
    "end": lambda trace: trace.last,
    "peak": _peak,
    "crash": _crash,
}


def _of_statement(trace: OpenTrace, file: str, line: int, number: int) -> int:
    """After the statement wrote to the heap or to a variable for the ``number``-th time."""
    whole = "path" if "/" in file else "file"
    # A path may be given from any folder on.
    suffix = f"(s.{whole} = {quoted(file)} OR ends_with(s.{whole}, {quoted('/' + file)}))"
    written = f"FROM events e JOIN sites s USING (site) WHERE {suffix}"
    rows = query(
        trace, f"SELECT e.timestamp {written} AND s.line = {line} ORDER BY e.event {_nth(number)}"
    ).rows
    if rows:
        return int(rows[0][0])
    where = f"{file}:{line}"
    times = int(query(trace, f"SELECT count(*) {written} AND s.line = {line}")[0][0])
    if times:
        raise UsageError(f"--at {where}#{number}: it wrote {times:,} times only")
    near = query(
        trace,
        f"SELECT DISTINCT s.line {written} AND s.line > 0 ORDER BY abs(s.line - {line}) LIMIT 3",
    )
    lines = ", ".join(str(row[0]) for row in near)
    hint = f"lines near it that did: {lines}" if lines else f"no line of {file} did"
    raise UsageError(f"--at {where}: nothing was written there ({hint})")


def _of_function(trace: OpenTrace, text: str, number: int) -> int:
    """When the function returned for the ``number``-th time, or was entered."""
    name = text.removesuffix(":entry").removesuffix(":exit")
    kind = "entry" if text.endswith(":entry") else "return"
    named = f"(name = {quoted(name)} OR starts_with(name, {quoted(name + '(')}))"
    calls = f"FROM cpoints WHERE {named} AND kind = "
    ordered = f"SELECT timestamp, row_number() OVER () AS n {calls}"
    rows = query(
        trace, f"SELECT timestamp FROM ({ordered} '{kind}') ORDER BY n {_nth(number)}"
    ).rows
    if rows:
        return int(rows[0][0])
    counts = {
        one: int(query(trace, f"SELECT count(*) {calls} '{one}'")[0][0])
        for one in ("entry", "return")
    }
    if counts[kind]:
        what = "was entered" if kind == "entry" else "returned"
        raise UsageError(f"--at {text}#{number}: {name} {what} {counts[kind]:,} times only")
    if counts["entry"]:
        raise UsageError(f"--at {text}: {name} never returned (use: --at {name}:entry)")
    raise UsageError(
        f"--at {text}: no call of {name} is in {trace.path}: it was never called, was inlined "
        f"everywhere, or nothing was written while it ran (wants {FORM})"
    )


def _nth(number: int) -> str:
    return f"LIMIT 1 OFFSET {number - 1}" if number > 0 else f"DESC LIMIT 1 OFFSET {-number - 1}"
