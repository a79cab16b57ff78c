"""heapstory query: SQL over the tables of a trace."""

from __future__ import annotations

import argparse
import csv
import glob
import io
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from heapstory.commands.options import add_format, add_output, chosen_format
from heapstory.commands.output import finish, write
from heapstory.commands.progress import progress
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.store.sql import Rows
    from heapstory.trace import Trace

EPILOG = """\
tables (docs/reference/sql.md): nodes, edges, events, sites, frees, errors, held, cpoints, mappings,
    modules, stacks
functions: addr(a) shows an address, place(s) the statement of a site

examples:
  who wrote this field last
    SELECT timestamp, place(site) FROM edges WHERE node = 7 AND "offset" = 8
    ORDER BY timestamp DESC LIMIT 1
  what grew
    SELECT type, place(created_site) AS made, count(*) AS alive, sum(size) AS bytes
    FROM nodes WHERE kind = 'heap' AND freed IS NULL GROUP BY ALL ORDER BY bytes DESC
  which site's blocks live longest
    SELECT place(created_site) AS made, avg(freed - created) AS life
    FROM nodes WHERE freed IS NOT NULL GROUP BY ALL ORDER BY life DESC
  a table for another program
    heapstory query list.story 'SELECT * FROM nodes' -o nodes.parquet
  which of many runs have nodes that point to themselves
    heapstory query 'runs/*.story' \\
        'SELECT trace, place(trace, site) FROM edges WHERE target = node'"""


_FORMATS = ("table", "json", "csv", "parquet", "arrow")
_FILES = ("parquet", "arrow")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "trace",
        metavar="TRACE",
        help="a recorded trace (NAME.story), or a pattern as 'runs/*.story': the tables of all of "
        "them then, with a column trace in front",
    )
    parser.add_argument("sql", metavar="SQL", help="one statement; - reads it from stdin")
    parser.add_argument(
        "--allow-files",
        action="append",
        default=[],
        metavar="FILE",
        help="a file that the statement may read or write, as in COPY ... TO 'FILE' (repeatable); "
        "it sees nothing else outside of the trace",
    )
    add_format(parser, _FORMATS)
    add_output(parser, "its ending chooses the format; parquet and arrow need one")


def run(args: argparse.Namespace) -> int:
    import heapstory

    form = chosen_format(args, _FORMATS)
    if form in _FILES and args.output is None:
        raise UsageError(f"--format {form} goes to a file (-o FILE.{form})")
    sql = sys.stdin.read() if args.sql == "-" else args.sql
    many = not Path(args.trace).exists() and any(sign in args.trace for sign in "*?[")
    with ExitStack() as opened:
        paths = _matching(args.trace) if many else [args.trace]
        traces = [opened.enter_context(heapstory.open(path)) for path in paths]
        with progress("asking"):
            _answer(traces, many, sql, form, args)
        return max(finish(trace) for trace in traces)


def _matching(pattern: str) -> list[str]:
    found = sorted(glob.glob(pattern))  # noqa: PTH207  Path.glob takes no absolute patterns
    if not found:
        raise UsageError(f"{pattern}: matches no trace (record some: heapstory batch)")
    return found


def _answer(traces: list[Trace], many: bool, sql: str, form: str, args: argparse.Namespace) -> None:
    from heapstory.store.sql import export, query_all

    if form in _FILES:
        export(traces, sql, form, args.output, args.allow_files, many)
        return
    if many:
        rows = query_all(traces, sql, args.allow_files)
    else:
        rows = traces[0].query(sql, args.allow_files)
    write(_text(rows, form), args.output)


def _text(rows: Rows, form: str) -> str:
    from heapstory.reporters.json import dumps
    from heapstory.reporters.text import table
    from heapstory.reporters.trace import json

    if form == "json":
        return dumps("query", json.query(rows))
    if form == "csv":
        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerows([rows.columns, *rows.rows])
        return file.getvalue()
    return table(rows.columns, rows.rows) if rows.columns else ""
