"""heapstory diff: two runs beside each other."""

from __future__ import annotations

import argparse

from heapstory.commands.options import add_format, add_output, chosen_format, number
from heapstory.commands.output import FOUND, finish, write
from heapstory.commands.progress import progress

EPILOG = """\
examples:
  heapstory diff good.story bad.story
  heapstory diff before.story after.story -o diff.html

Nodes are matched by the statement that made them and their number among those that it made. What
is compared is what the program's own statements did. Exit status 1 if anything differs."""

_FORMATS = ("text", "json", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A.story", help="a recorded trace")
    parser.add_argument("b", metavar="B.story", help="another, also of a changed program")
    parser.add_argument(
        "--limit", type=number, default=20, metavar="N", help="most rows of a table (0: all)"
    )
    add_format(parser, _FORMATS)
    add_output(parser, "its ending chooses the format")


def run(args: argparse.Namespace) -> int:
    import heapstory
    from heapstory.comparing.compare import compare
    from heapstory.reporters import diff
    from heapstory.reporters.json import dumps

    form = chosen_format(args, _FORMATS)
    with heapstory.open(args.a) as a, heapstory.open(args.b) as b:
        with progress("comparing"):
            answer = compare(a, b)
        if form == "json":
            write(dumps("diff", diff.body(answer)), args.output)
        elif form == "html":
            write(diff.page(answer), args.output)
        else:
            write(diff.text(answer, args.limit), args.output)
        incomplete = max(finish(a), finish(b))
        return incomplete if answer.same else FOUND
