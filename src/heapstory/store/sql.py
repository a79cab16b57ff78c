"""SQL over a trace: DuckDB reads the core's columns as tables, with no copy.

A query sees the tables of the trace and nothing else: no files but those that were named for it, no
other databases, no extensions, no network, no variables of the Python program around it.
"""

from __future__ import annotations

import html
import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from heapstory.errors import HeapstoryError, TraceError, UsageError

if TYPE_CHECKING:
    import duckdb

    from heapstory.store.open_trace import OpenTrace

Answer = TypeVar("Answer")

TABLES = (
    "nodes",
    "edges",
    "events",
    "sites",
    "frees",
    "cpoints",
    "errors",
    "held",
    "mappings",
    "modules",
    "stacks",
)

# What is asked all the time: an address as text, and the statement of a site. No column in the
# macro has a name that its argument could have: SQL would take the nearest.
_ADDR = "CREATE TEMP MACRO addr(value) AS '0x' || lower(to_hex(value))"
_PLACE = """
CREATE TEMP VIEW places_of_sites AS
    SELECT site AS site_of_place, coalesce(file || ':' || line, module || '+' || addr("offset"))
    AS text_of_place FROM sites;
CREATE TEMP MACRO place(id) AS (
    SELECT text_of_place FROM places_of_sites WHERE site_of_place = id);
"""
# Of many traces: the numbers of sites are each trace's own.
_PLACE_OF_TRACE = """
CREATE TEMP TABLE places_of_sites AS
    SELECT trace AS trace_of_place, site AS site_of_place,
    coalesce(file || ':' || line, module || '+' || addr("offset")) AS text_of_place FROM sites;
CREATE TEMP MACRO place(run, id) AS (
    SELECT text_of_place FROM places_of_sites WHERE trace_of_place = run AND site_of_place = id);
"""
# Statements that ask what there is.
_ABOUT_TABLES = r"show|describe|desc|summarize|information_schema|duckdb_\w+|pragma\w*"
# Types of times with a zone, also inside of a list or a structure.
_ZONED = re.compile("TIME ZONE|TIMESTAMPTZ")
# Texts, names and comments, which stay as they are, and hexadecimal numbers, which DuckDB does not
# know: it reads 0x10 as a 0 called x10.
_TOKEN = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\$\w*\$.*?\$\w*\$|\b0[xX]([0-9a-fA-F]+)\b""",
    re.DOTALL,
)


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


def quoted(text: str | os.PathLike[str]) -> str:
    """A text as SQL writes it."""
    return "'" + os.fspath(text).replace("'", "''") + "'"


def query(trace: OpenTrace, sql: str, files: Sequence[str | os.PathLike[str]] = ()) -> Rows:
    """Runs a statement, which may read and write ``files``; only tables it names are opened."""
    return _ask(lambda connection: _open_tables(connection, trace, sql), sql, files, _answer)


def query_all(
    traces: Sequence[OpenTrace], sql: str, files: Sequence[str | os.PathLike[str]] = ()
) -> Rows:
    """The same over the tables of many traces, whose first column is ``trace``."""
    return _ask(lambda connection: _open_all_tables(connection, traces, sql), sql, files, _answer)


def export(
    traces: Sequence[OpenTrace],
    sql: str,
    form: str,
    output: str,
    files: Sequence[str | os.PathLike[str]] = (),
    many: bool = False,
) -> None:
    """Writes the answer to a file, as 'parquet' or 'arrow' (Arrow IPC)."""

    def open_them(connection: duckdb.DuckDBPyConnection) -> None:
        if many:
            _open_all_tables(connection, traces, sql)
        else:
            _open_tables(connection, traces[0], sql)

    write = _parquet(output) if form == "parquet" else _arrow(output)
    _ask(open_them, sql, [*files, output], write)


def _parquet(output: str) -> Callable[[duckdb.DuckDBPyConnection, str], None]:
    def write(connection: duckdb.DuckDBPyConnection, statement: str) -> None:
        connection.execute(f"COPY {_nested(statement)} TO {quoted(output)} (FORMAT parquet)")

    return write


def _arrow(output: str) -> Callable[[duckdb.DuckDBPyConnection, str], None]:
    try:
        import pyarrow.ipc as ipc
    except ImportError:
        raise HeapstoryError(
            "the Python package pyarrow is not installed (pip install 'heapstory[arrow]'; or use "
            "--format parquet)"
        ) from None

    def write(connection: duckdb.DuckDBPyConnection, statement: str) -> None:
        with warnings.catch_warnings(action="ignore"):  # of a copy: see _answer for why it is made
            batches = connection.execute(statement).to_arrow_reader()
        with ipc.new_file(output, batches.schema) as file:
            for batch in batches:
                file.write_batch(batch)

    return write


def _ask(
    open_tables: Callable[[duckdb.DuckDBPyConnection], None],
    sql: str,
    files: Sequence[str | os.PathLike[str]],
    take: Callable[[duckdb.DuckDBPyConnection, str], Answer],
) -> Answer:
    """Runs a statement over tables, with what goes wrong as an error that says what to do."""
    import duckdb

    connection = duckdb.connect(":memory:")
    try:
        _confine(connection, files)
        open_tables(connection)
        connection.execute("SET lock_configuration = true")
        statement = _TOKEN.sub(_decimal, sql)
        if not connection.extract_statements(statement):
            raise UsageError("SQL: there is no statement (see: query --help)")
        return take(connection, statement)
    except (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.InternalException) as error:
        raise HeapstoryError(f"query failed: {_one_line(error)}") from error
    except duckdb.PermissionException as error:
        raise UsageError(
            f"SQL: {_one_line(error)} (a query sees its trace only; to read or write a file, name "
            "it: --allow-files FILE)"
        ) from error
    except duckdb.Error as error:
        if re.search(r"checksum|damaged", str(error)):
            raise TraceError(_one_line(error)) from error
        tables = ", ".join(TABLES)
        raise UsageError(
            f"SQL: {_one_line(error)} (tables: {tables}; see: query --help)"
        ) from error
    finally:
        connection.close()


def _confine(
    connection: duckdb.DuckDBPyConnection, files: Sequence[str | os.PathLike[str]]
) -> None:
    allowed = ", ".join(map(quoted, files))
    connection.execute(f"SET allowed_paths = [{allowed}]")
    for setting in (
        "enable_external_access",
        "autoinstall_known_extensions",
        "autoload_known_extensions",
        "python_enable_replacements",
    ):
        connection.execute(f"SET {setting} = false")


def _open_tables(connection: duckdb.DuckDBPyConnection, trace: OpenTrace, sql: str) -> None:
    for name in _named_tables(sql):
        connection.register(name, trace.core.table(name))
    connection.execute(_ADDR)
    if _names(sql, "place"):
        connection.execute(_PLACE)


def _open_all_tables(
    connection: duckdb.DuckDBPyConnection, traces: Sequence[OpenTrace], sql: str
) -> None:
    """Each table is all of that name, with the path of the trace in front."""
    for name in _named_tables(sql):
        parts = []
        for number, trace in enumerate(traces):
            connection.register(f"{name}_{number}", trace.core.table(name))
            parts.append(f"SELECT {quoted(trace.path)} AS trace, * FROM {name}_{number}")
        connection.execute(f"CREATE TEMP VIEW {name} AS {' UNION ALL '.join(parts)}")
    connection.execute(_ADDR)
    if _names(sql, "place"):
        connection.execute(_PLACE_OF_TRACE)


def _named_tables(sql: str) -> list[str]:
    all_of_them = _names(sql, _ABOUT_TABLES)
    return [
        name
        for name in TABLES
        if all_of_them or _names(sql, name) or (name == "sites" and _names(sql, "place"))
    ]


def _answer(connection: duckdb.DuckDBPyConnection, statement: str) -> Rows:
    """Executed, not asked as a relation: that would take a damaged table for an empty one."""
    *before, last = connection.extract_statements(statement)
    for each in before:
        connection.execute(each)
    result = connection.execute(last)
    described = [(name, str(kind)) for name, kind, *_ in result.description or []]
    if any(_ZONED.search(kind) for _, kind in described):
        result = _with_plain_times(connection, last.query, described)
    return Rows([name for name, _ in described], result.fetchall() if described else [])


def _with_plain_times(
    connection: duckdb.DuckDBPyConnection, statement: str, described: list[tuple[str, str]]
) -> duckdb.DuckDBPyConnection:
    """Times with a zone as text: Python would need a library of zones for them."""
    import duckdb

    names = [f"column_{number}" for number in range(len(described))]
    columns = (
        f"CAST({name} AS VARCHAR)" if _ZONED.search(kind) else name
        for name, (_, kind) in zip(names, described, strict=True)
    )
    nested = f"SELECT {', '.join(columns)} FROM {_nested(statement)} AS answer({', '.join(names)})"
    try:
        return connection.execute(nested)
    except duckdb.ParserException:
        raise UsageError(
            "SQL: this kind of statement cannot show times with a time zone (select from it and "
            "CAST them AS VARCHAR)"
        ) from None


def _nested(statement: str) -> str:
    """As part of another one; what ends it may be a comment, which would take the bracket."""
    return f"({statement.rstrip().rstrip(';')}\n)"


def _decimal(token: re.Match[str]) -> str:
    return str(int(token[1], 16)) if token[1] else token[0]


def _names(sql: str, word: str) -> bool:
    return re.search(rf"\b(?:{word})\b", sql, re.IGNORECASE) is not None


def _one_line(error: Exception) -> str:
    """DuckDB's message and the caret's place, folded into one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return "; ".join(line for line in lines if not set(line) <= {"^", " "})
