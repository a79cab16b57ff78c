"""heapstory query: SQL over the tables of a trace."""

from __future__ import annotations

import argparse
import csv
import io
import sys

from heapstory.commands.options import add_format, add_trace
from heapstory.commands.output import finish, write
from heapstory.commands.progress import progress

EPILOG = """\
tables: nodes, edges, events, sites, frees, cpoints, modules, stacks (docs/reference/sql.md)
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
    COPY nodes TO 'nodes.csv'          (with --allow-files nodes.csv)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.add_argument("sql", metavar="SQL", help="one statement; - reads it from stdin")
    parser.add_argument(
        "--allow-files",
        action="append",
        default=[],
        metavar="FILE",
        help="a file that the statement may read or write, as in COPY ... TO 'FILE' (repeatable); "
        "it sees nothing else outside of the trace",
    )
    add_format(parser, ("table", "json", "csv"))


def run(args: argparse.Namespace) -> int:
    import heapstory
    from heapstory.reporters.json import dumps
    from heapstory.reporters.text import table
    from heapstory.reporters.trace import json

    sql = sys.stdin.read() if args.sql == "-" else args.sql
    with heapstory.open(args.trace) as trace:
        with progress("asking"):
            rows = trace.query(sql, args.allow_files)
        if args.format == "json":
            write(dumps("query", json.query(rows)))
        elif args.format == "csv":
            file = io.StringIO()
            csv.writer(file, lineterminator="\n").writerows([rows.columns, *rows.rows])
            write(file.getvalue())
        else:
            write(table(rows.columns, rows.rows) if rows.columns else "")
        return finish(trace)
