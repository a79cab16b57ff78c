"""heapstory info: what is in a trace."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from heapstory.commands.options import add_format, add_sarif, add_trace
from heapstory.commands.output import FOUND, finish, write
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.trace import Trace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.add_argument(
        "--suspicious",
        action="store_true",
        help="accesses that left the node they started from (mode portable); status 1 if any",
    )
    add_format(parser, ("text", "json"))
    add_sarif(parser)


def run(args: argparse.Namespace) -> int:
    import heapstory
    from heapstory.reporters.json import dumps
    from heapstory.reporters.trace import json, text

    if args.sarif and not args.suspicious:
        raise UsageError("--sarif goes with --suspicious: there are no other findings in a trace")
    with heapstory.open(args.trace) as trace:
        if args.suspicious:
            return _suspicious(trace, args)
        answer = trace.info()
        if args.format == "json":
            write(dumps("info", json.info(answer)))
        else:
            write(text.info(answer))
        return finish(trace)


def _suspicious(trace: Trace, args: argparse.Namespace) -> int:
    import heapstory.reporters.sarif
    from heapstory.reporters.json import dumps
    from heapstory.reporters.trace import json, sarif, text
    from heapstory.trace.suspicions import suspicions

    if trace.info().mode != "portable":
        raise UsageError(
            f"{trace.path}: was not recorded with --mode portable, which looks for suspicious "
            "accesses (record it again: heapstory record --mode portable -- PROG)"
        )
    found = suspicions(trace)
    if args.sarif:
        log = heapstory.reporters.sarif.dumps(sarif.results(found), sarif.RULES)
        write(log, args.sarif)
    if args.format == "json":
        write(dumps("info", json.suspicious(trace, found)))
    else:
        write(text.suspicious(found, str(trace.path)))
    return FOUND if found else finish(trace)
