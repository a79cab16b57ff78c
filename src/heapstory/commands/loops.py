"""heapstory loops: which loops have independent iterations, and what the others carry."""

from __future__ import annotations

import argparse
import sys

from heapstory.commands.options import add_format, add_trace
from heapstory.commands.output import INCOMPLETE, finish, say, write
from heapstory.commands.progress import progress

EPILOG = """\
examples:
  heapstory record --stream -- ./prog
  heapstory loops prog.story
  heapstory loops prog.story --function solve --json
  heapstory loops prog.story --pairs 0x4a3b000+4096

A loop is judged by what it did in this run: with other input its iterations may depend on each
other where they did not."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.add_argument(
        "--function",
        action="append",
        default=[],
        metavar="NAME",
        help="only loops of this function (repeatable)",
    )
    parser.add_argument(
        "--no-forward",
        action="store_false",
        dest="forward",
        help="leave out the forward slice of the first iteration",
    )
    parser.add_argument(
        "--pairs",
        metavar="MEMORY",
        help="also the loads of this memory that depend on each other: a variable, a named root, a "
        "type of nodes, a mapped file, or 0xADDRESS+BYTES",
    )
    add_format(parser, ("text", "json"))


def run(args: argparse.Namespace) -> int:
    import heapstory
    from heapstory.reporters import json
    from heapstory.reporters.slice import loops
    from heapstory.reporters.style import Style
    from heapstory.slicing.beyond import after_it, before_it, begins_inside, ends_early
    from heapstory.slicing.loops import find_loops

    with heapstory.open(args.trace) as trace:
        with progress("following loops"):
            answer = find_loops(
                trace, forward=args.forward, functions=args.function, pairs=args.pairs
            )
        if args.format == "json":
            write(json.dumps("loops", loops.body(answer)))
        else:
            write(loops.text(answer, Style.of(sys.stdout)))
        status = finish(trace)
        late, early = begins_inside(trace), ends_early(trace)
        if late or early:
            say(
                "the stream is a part of the run: of a loop that was running when it began or "
                f"ended, the other iterations are unknown "
                f"({before_it(trace) if late else after_it()})"
            )
            return status or INCOMPLETE
        return status
