"""SQL over a trace: DuckDB reads the core's columns as tables, with no copy."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heapstory.errors import HeapstoryError, TraceError, UsageError

if TYPE_CHECKING:
    from heapstory.store.open_trace import OpenTrace

TABLES = ("nodes", "edges", "events", "sites", "frees", "cpoints", "modules", "stacks")

# What is asked all the time: an address as text, and the statement of a site.
_ADDR = "CREATE TEMP MACRO addr(value) AS '0x' || lower(to_hex(value))"
_PLACE = """
CREATE TEMP MACRO place(id) AS (
    SELECT coalesce(of_place.file || ':' || of_place.line,
                    of_place.module || '+' || addr(of_place."offset"))
    FROM sites AS of_place WHERE of_place.site = id);
"""


@dataclass(frozen=True, slots=True)
class Rows:
    """The answer to a query."""

    columns: list[str]
    rows: list[tuple[Any, ...]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return self.rows[index]

    def as_dicts(self) -> list[dict[str, Any]]:
        """One dictionary per row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def query(trace: OpenTrace, sql: str) -> Rows:
    """Runs one statement; only the tables it names are opened."""
    import duckdb

    connection = duckdb.connect(":memory:")
    try:
        for name in TABLES:
            if _names(sql, name) or (name == "sites" and _names(sql, "place")):
                connection.register(name, trace.core.table(name))
        connection.execute(_ADDR)
        if _names(sql, "place"):
            connection.execute(_PLACE)
        result = connection.execute(sql)
        columns = [entry[0] for entry in result.description or []]
        return Rows(columns, result.fetchall() if columns else [])
    except (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.InternalException) as error:
        raise HeapstoryError(f"query failed: {_one_line(error)}") from error
    except duckdb.Error as error:
        if re.search(r"checksum|damaged", str(error)):
            raise TraceError(_one_line(error)) from error
        tables = ", ".join(TABLES)
        raise UsageError(
            f"SQL: {_one_line(error)} (tables: {tables}; see: query --help)"
        ) from error
    finally:
        connection.close()


def _names(sql: str, word: str) -> bool:
    return re.search(rf"\b{word}\b", sql, re.IGNORECASE) is not None


def _one_line(error: Exception) -> str:
    """DuckDB's message and the caret's place, folded into one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return "; ".join(line for line in lines if not set(line) <= {"^", " "})
