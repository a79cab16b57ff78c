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
    from heapstory.inference.infer import infer
    from heapstory.inference.text import to_json, write_specification
    from heapstory.reporters import json

    with ExitStack() as stack:
        traces = [stack.enter_context(heapstory.open(path)) for path in args.traces]
        with progress("trying constraints"):
            inferred = infer(traces, args.type)
        text = write_specification(inferred, [trace.path.name for trace in traces])
        if args.format == "json":
            text = json.dumps("infer", to_json(inferred, text))
        write(text, args.output)
        return max(finish(trace) for trace in traces)
