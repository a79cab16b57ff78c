"""heapstory slice: the statements that led to a value, and why."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from heapstory.commands.options import (
    add_format,
    add_output,
    add_sarif,
    add_trace,
    chosen_format,
    count,
    number,
)
from heapstory.commands.output import INCOMPLETE, finish, say, write
from heapstory.commands.progress import progress
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.slicing import Slice
    from heapstory.trace import Trace

EPILOG = """\
examples:
  heapstory record --stream -- ./list 3
  heapstory slice list.story --criterion list.c:35
  heapstory slice list.story --criterion list.c:35:head#2
  heapstory slice list.story --criterion @120 --criterion @121 --order why
  heapstory slice list.story --criterion crash --data-only
  heapstory slice list.story --edge 12.next --spec list.spec
  heapstory slice list.story --lost 12
  heapstory slice list.story --criterion list.c:12:head --forward
  heapstory slice list.story --criterion list.c:12 --chop list.c:35

A criterion is a point of the run and what is asked for there:
  FILE:LINE              all that the line used, in its last execution
  FILE:LINE#K            in its K-th execution; #-2 is the last but one
  FILE:LINE:VARIABLE     what a variable held after it; also $REGISTER and 0xADDRESS[+BYTES]
  @TIMESTAMP             the value written by that change of the graph
  read#-K                the K-th last memory read of the stream
  end:VARIABLE           what it held at the end
  crash                  the instruction that faulted"""

_PICTURES = ("dot", "svg")
_FORMATS = ("text", "json", "sarif", *_PICTURES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--criterion",
        action="append",
        metavar="C",
        help="the value to explain, see below (repeatable, which is much faster than separate "
        "commands)",
    )
    what.add_argument(
        "--edge",
        metavar="NODE.FIELD[@T]",
        help="why a field has its value at moment T (default: the end)",
    )
    what.add_argument(
        "--lost",
        type=number,
        metavar="NODE",
        help="the instruction that lost the last reference to a block, and why it was executed",
    )
    parser.add_argument(
        "--spec",
        metavar="SPEC",
        help="with --edge: also name the constraints that the node violates",
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--forward", action="store_true", help="what the criterion influenced, instead"
    )
    way.add_argument(
        "--chop",
        metavar="C",
        help="how the criterion came to affect a second one",
    )
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument(
        "--data-only",
        action="store_true",
        help="follow values, not the decisions that made code run",
    )
    kinds.add_argument(
        "--control-only", action="store_true", help="follow only the decisions that made code run"
    )
    kinds.add_argument(
        "--thin",
        action="store_true",
        help="follow values only, and not how the pointers they were read through were computed",
    )
    parser.add_argument(
        "--through",
        action="append",
        default=[],
        metavar="FUNC|FILE:LINE",
        help="only what led to the criterion through there (repeatable)",
    )
    parser.add_argument(
        "--stop-at",
        action="append",
        default=[],
        metavar="FUNC|FILE:LINE",
        help="do not go back beyond there (repeatable)",
    )
    parser.add_argument(
        "--max-statements",
        type=count,
        metavar="N",
        help="keep the N statements nearest to the criterion",
    )
    parser.add_argument(
        "--order",
        choices=("source", "time", "why"),
        help="show only this: statements by line, executions by time, or the tree of causes "
        "(default: by line and the tree)",
    )
    add_format(parser, _FORMATS)
    add_sarif(parser)
    add_output(parser, "its ending chooses the format")


def run(args: argparse.Namespace) -> int:
    import heapstory
    from heapstory.slicing.beyond import after_it, before_it

    if args.spec and not args.edge:
        raise UsageError("--spec goes with --edge")
    if args.forward or args.chop:
        _check_forward(args)
    if len(args.criterion or []) > 1 and chosen_format(args, _FORMATS) in _PICTURES:
        raise UsageError("a picture is of one --criterion")
    with heapstory.open(args.trace) as trace:
        with progress("slicing"):
            answers = [_ask(trace, args, criterion) for criterion in args.criterion or [None]]
        _write(trace, answers, args)
        status = finish(trace)
        if any(answer.beyond for answer in answers):
            say(
                f"the slice reaches back to before the stream began ({before_it(trace)}; "
                "--data-only leaves out branches)"
            )
        if any(answer.open_end for answer in answers):
            say(
                "the stream ended before the program did, what was used later is unknown "
                f"({after_it()})"
            )
        return status or (0 if all(answer.complete for answer in answers) else INCOMPLETE)


def _check_forward(args: argparse.Namespace) -> None:
    name = "--forward" if args.forward else "--chop"
    if len(args.criterion or []) != 1:
        raise UsageError(f"{name} goes with one --criterion")
    wrong = [args.order, args.through, args.stop_at, args.max_statements, args.sarif]
    if any(wrong) or chosen_format(args, _FORMATS) not in ("text", "json"):
        raise UsageError(
            f"{name} gives the statements as text or JSON, without --order, --through, --stop-at, "
            "--max-statements and --sarif"
        )


def _ask(trace: Trace, args: argparse.Namespace, criterion: str | None) -> Slice:
    from heapstory.api.slice import slice_edge
    from heapstory.slicing import Options, Slicing, influence, slice_trace, why_lost

    options = Options(
        data=not args.control_only,
        control=not args.data_only,
        thin=args.thin,
        through=tuple(args.through),
        stop_at=tuple(args.stop_at),
        max_statements=args.max_statements,
    )
    if args.lost is not None:
        return why_lost(trace.once(Slicing), args.lost, options)
    if args.edge:
        return slice_edge(trace, args.edge, specification=args.spec, options=options)
    assert criterion is not None
    if args.forward or args.chop:
        return influence(trace, criterion, options, args.chop)
    return slice_trace(trace, criterion, options)


def _write(trace: Trace, answers: list[Slice], args: argparse.Namespace) -> None:
    import heapstory.reporters.sarif
    from heapstory.reporters.json import dumps
    from heapstory.reporters.slice import dot, json, sarif, text
    from heapstory.reporters.style import PLAIN, Style
    from heapstory.reporters.svg import svg

    def log() -> str:
        results = [result for answer in answers for result in sarif.results(answer)]
        return heapstory.reporters.sarif.dumps(results, sarif.rules())

    form = chosen_format(args, _FORMATS)
    if args.sarif:
        write(log(), args.sarif)
    if form == "json":
        write(dumps("slice", json.bodies(trace, answers)), args.output)
    elif form == "sarif":
        write(log(), args.output)
    elif form == "dot":
        write(dot.render(trace, answers[0]), args.output)
    elif form == "svg":
        write(svg(dot.render(trace, answers[0])), args.output)
    else:
        style = PLAIN if args.output else Style.of(sys.stdout)
        orders = (args.order,) if args.order else ("source", "why")
        if args.forward or args.chop:
            orders = ("source",)
        write(text.reports(trace, answers, orders, style), args.output)
