"""heapstory infer: a constraint specification learnt from good runs."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from heapstory.commands.options import add_format, add_output
from heapstory.commands.output import finish, write
from heapstory.commands.progress import progress

EPILOG = """\
examples:
  heapstory infer good.story -o list.spec
  heapstory infer one.story two.story --type node
  heapstory locate bad.story --spec list.spec

What is written held at every C-point of every run given. More and longer runs make it better; read
it before you rely on it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("traces", metavar="TRACE", nargs="+", help="traces of good runs")
    parser.add_argument(
        "--type",
        action="append",
        default=[],
        metavar="NAME",
        help="look at this type only (repeatable; default: all that are linked)",
    )
    add_format(parser, ("text", "json"))
    add_output(parser, "write the specification there")


def run(args: argparse.Namespace) -> int:
    import heapstory
    from heapstory.reporters import infer, json

    with ExitStack() as stack:
        traces = [stack.enter_context(heapstory.open(path)) for path in args.traces]
        with progress("trying constraints"):
            inferred = heapstory.infer(*traces, types=args.type)
        if args.format == "json":
            write(json.dumps("infer", infer.body(inferred)), args.output)
        else:
            write(inferred.text, args.output)
        return max(finish(trace) for trace in traces)
