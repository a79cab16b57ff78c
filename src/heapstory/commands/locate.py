"""heapstory locate: constraint violations and the statements that introduced them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from heapstory.commands import memory
from heapstory.commands.options import (
    add_format,
    add_output,
    add_sarif,
    chosen_format,
    count,
)
from heapstory.commands.output import FOUND, INCOMPLETE, finish, say, write
from heapstory.commands.progress import progress
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.locating import Diagnosis
    from heapstory.slicing import Slice
    from heapstory.trace import Trace

EPILOG = """\
examples:
  heapstory locate list.story --spec list.spec
  heapstory locate list.story --spec doubly_linked_list --site node=list.c:23
  heapstory locate list.story --spec list.spec --cpoint insert --cpoint remove:exit
  heapstory locate --explain list.spec

The constraints are checked at C-points: by default where the structure's own functions return to
other code, where the program says HEAPSTORY_CPOINT("type"), and at the crash or the end. A
specification is a file or the name of one that comes with heapstory."""

_FORMATS = ("text", "json", "sarif", "html", "dot")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", nargs="?", help="a recorded trace (NAME.story)")
    parser.add_argument("--spec", metavar="SPEC", help="the specification of the structure")
    parser.add_argument(
        "--site",
        action="append",
        default=[],
        metavar="TYPE=FILE:LINE",
        help="nodes of a type are those allocated there (default: by the type's name); may be "
        "given several times; MODULE+OFFSET in programs without debug information",
    )
    parser.add_argument(
        "--cpoint",
        action="append",
        default=[],
        metavar="C",
        help="where the constraints must hold: FUNC[:exit|:entry], FILE:LINE, end or crash",
    )
    parser.add_argument(
        "--statements",
        type=count,
        metavar="N",
        help="name this many statements (default: those for which there is evidence)",
    )
    parser.add_argument(
        "--slice",
        action="store_true",
        help="also show what led to each of these statements (needs a trace recorded with "
        "--stream)",
    )
    parser.add_argument(
        "--explain", metavar="SPEC", help="say what a specification means, in plain words"
    )
    parser.add_argument(
        "--memory",
        type=memory.size,
        metavar="SIZE",
        help="use no more memory than this, 800M or 4G (default: half of the machine's); where "
        "that is not enough the exit status is 4",
    )
    add_format(parser, _FORMATS)
    add_sarif(parser)
    add_output(parser, "its ending chooses the format")


def run(args: argparse.Namespace) -> int:
    from heapstory import constraints

    if args.explain is not None:
        write(constraints.explain(constraints.load(args.explain)).rstrip("\n") + "\n", args.output)
        return 0
    if args.trace is None:
        raise UsageError("locate wants a TRACE (see: heapstory locate --help)")
    if args.spec is None:
        names = ", ".join(constraints.library())
        known = f"; the library has {names}" if names else ""
        raise UsageError(f"locate wants a specification: --spec SPEC{known}")
    amount = args.memory or memory.half_of_the_machine()
    try:
        with memory.at_most(amount):
            return _locate(args)
    except MemoryError:
        say(
            f"{args.trace}: {amount >> 20:,} MiB were not enough to check it: nothing is known "
            "(give more with --memory, or record a part: record --from, --until)"
        )
        return INCOMPLETE


def _locate(args: argparse.Namespace) -> int:
    import heapstory
    from heapstory import constraints

    specification = constraints.load(args.spec)
    sites: dict[str, list[str]] = {}
    for name, site in map(_site, args.site):
        sites.setdefault(name, []).append(site)
    with heapstory.open(args.trace) as trace:
        with progress("checking the structure"):
            diagnosis = heapstory.locate(
                trace,
                specification,
                sites=sites,
                cpoints=args.cpoint,
                statements=args.statements,
            )
        slices: dict[int, Slice] = {}
        notes = [*diagnosis.notes, *(f"not checked: {text}" for text in diagnosis.unmatched)]
        if args.slice:
            from heapstory.api.slice import slice_faults

            with progress("slicing"):
                slices, missing = slice_faults(trace, diagnosis)
            notes += missing
        for note in notes:
            say(note)
        _write(trace, diagnosis, slices, args)
        status = finish(trace)
        if diagnosis.inconsistencies:
            return FOUND
        return status or (INCOMPLETE if diagnosis.is_unknown else 0)


def _site(text: str) -> tuple[str, str]:
    from heapstory.constraints.binding.sites import is_site

    name, _, site = text.partition("=")
    if not name or not is_site(site):
        raise UsageError(f"--site {text}: wants TYPE=FILE:LINE or TYPE=MODULE+OFFSET")
    return name, site


def _write(
    trace: Trace, diagnosis: Diagnosis, slices: dict[int, Slice], args: argparse.Namespace
) -> None:
    import heapstory.reporters.sarif
    from heapstory.reporters.json import dumps
    from heapstory.reporters.locate import json, pictures, sarif, text
    from heapstory.reporters.style import PLAIN, Style

    def log() -> str:
        results = sarif.results(diagnosis, slices)
        return heapstory.reporters.sarif.dumps(results, sarif.rules(diagnosis))

    form = chosen_format(args, _FORMATS)
    if args.sarif:
        write(log(), args.sarif)
    if form == "json":
        write(dumps("locate", json.body(trace, diagnosis, slices)), args.output)
    elif form == "sarif":
        write(log(), args.output)
    elif form == "html":
        asked_more = args.site or args.cpoint  # which the view has no options for
        view = () if asked_more else ("--spec", args.spec)
        write(pictures.html(trace, diagnosis, slices, view), args.output)
    elif form == "dot":
        write(pictures.dot(trace, diagnosis), args.output)
    else:
        style = PLAIN if args.output else Style.of(sys.stdout)
        write(text.report(trace, diagnosis, style, slices), args.output)
