"""heapstory history: every version of a node or field, with the statement behind each."""

from __future__ import annotations

import argparse
import sys

from heapstory.commands.options import add_format, add_trace, number
from heapstory.commands.output import finish, write
from heapstory.commands.progress import progress

EPILOG = """\
examples:
  heapstory history list.story --node 12
  heapstory history list.story --node 12 --field next
  heapstory history list.story --address 0x4a3b048
  heapstory history list.story --pointing-to 12"""

_LIMIT = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--node", type=number, metavar="N", help="a node, by its number")
    what.add_argument("--address", type=number, metavar="A", help="an address, as 0x4a3b048")
    what.add_argument(
        "--pointing-to", type=number, metavar="N", help="every pointer that ever led to this node"
    )
    parser.add_argument("--field", metavar="NAME|OFFSET", help="only this field of the node")
    parser.add_argument("--size", type=number, metavar="BYTES", help="default: the field's own")
    parser.add_argument(
        "--limit",
        type=number,
        default=_LIMIT,
        metavar="N",
        help=f"most versions to print as text, the last ones (default: {_LIMIT}; 0: all)",
    )
    add_format(parser, ("text", "json"))


def run(args: argparse.Namespace) -> int:
    import heapstory
    from heapstory.reporters.json import dumps
    from heapstory.reporters.style import Style
    from heapstory.reporters.trace import json, text

    if args.field is not None and args.node is None:
        raise heapstory.UsageError("--field goes with --node")
    if args.size is not None and args.pointing_to is not None:
        raise heapstory.UsageError("--size goes with --node or --address")
    with heapstory.open(args.trace) as trace:
        with progress("reading the history"):
            answer = (
                trace.history(
                    node=args.node, address=args.address, field=args.field, size=args.size
                )
                if args.pointing_to is None
                else trace.pointing_to(args.pointing_to)
            )
        if args.format == "json":
            write(dumps("history", json.history(answer)))
        else:
            write(text.history(answer, Style.of(sys.stdout), args.limit))
        return finish(trace)
