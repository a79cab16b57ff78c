"""heapstory guard: catch allocation errors while a program runs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from heapstory.commands.options import add_accepting, add_sarif
from heapstory.commands.output import talk, write
from heapstory.errors import HeapstoryError, UsageError

if TYPE_CHECKING:
    from heapstory.guarding.guarded import Guarded
    from heapstory.guarding.settings import Settings

EPILOG = """\
examples:
  heapstory guard -- ./server --port 8080
  heapstory guard --error-exitcode 99 --sarif guard.sarif -- ./tests
  heapstory guard --thorough -- ./parser broken.xml
  heapstory guard --scan-every 60 --scan-budget 2 -- ./server
  heapstory guard --scan 4711
  heapstory guard --wait -- nginx

What was found goes to stderr when the program has ended; its output and exit status are its own
(128+N if signal N ended it). 125 means that heapstory failed, 126 that the program cannot be run,
127 that it was not found."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "heapstory guard [OPTION]... -- PROG [ARG]...\n"
        "       heapstory guard [OPTION]... --scan PID"
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--light",
        dest="mode",
        action="store_const",
        const="light",
        help="the cheapest checks: short fill patterns and quarantine, return addresses only",
    )
    mode.add_argument(
        "--thorough",
        dest="mode",
        action="store_const",
        const="thorough",
        help="fill and check whole blocks, long quarantine, move at every realloc, let some "
        "blocks end at a protected page",
    )
    parser.set_defaults(mode="default")
    parser.add_argument(
        "--page-guard",
        metavar="FUNCTION|FILE:LINE",
        action="append",
        default=[],
        help="let blocks allocated there, directly or through calls, end at a protected page: an "
        "overrun faults at the instruction (repeatable)",
    )
    parser.add_argument(
        "--wait",
        action="store_true",
        help="when the program has ended, wait for processes that it left running (a daemon)",
    )
    scans = parser.add_argument_group("leaks while the program runs")
    scans.add_argument(
        "--scan", type=_pid, metavar="PID", help="search now, in a process that is already guarded"
    )
    scans.add_argument("--scan-every", type=_seconds, metavar="SECONDS", help="search repeatedly")
    scans.add_argument(
        "--scan-budget",
        type=_percent,
        metavar="PERCENT",
        help="search as often as this share of a processor allows, at most every second or as "
        "often as --scan-every says",
    )
    parser.add_argument("--json", metavar="FILE", help="also write the answer as JSON")
    add_sarif(parser)
    add_accepting(parser)
    parser.add_argument(
        "--show-suppressed", action="store_true", help="also list accepted findings"
    )
    parser.add_argument(
        "--known",
        metavar="FILE",
        action="append",
        default=[],
        help="an answer of leaks, guard or check as JSON: mark findings that it contains "
        "(repeatable)",
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="PROG ARG...")


def _number(text: str) -> float:
    """Not a number, and so in no range, where text is none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _seconds(text: str) -> float:
    seconds = _number(text)
    if not 0.01 <= seconds <= 1e6:
        raise argparse.ArgumentTypeError(f"{text}: not a number of seconds (0.01 to a million)")
    return seconds


def _percent(text: str) -> float:
    percent = _number(text.removesuffix("%"))
    if not 0.1 <= percent <= 100:
        raise argparse.ArgumentTypeError(f"{text}: not a percentage (0.1 to 100)")
    return percent


def _pid(text: str) -> int:
    pid = int(text) if text.isdecimal() else 0
    if pid <= 0:
        raise argparse.ArgumentTypeError(f"{text}: not a process")
    return pid


def _settings(args: argparse.Namespace) -> Settings:
    from dataclasses import replace

    from heapstory.guarding.settings import MODES

    every = args.scan_every or (1.0 if args.scan_budget else 0.0)
    return replace(
        MODES[args.mode],
        scan_every=round(every * 1000),
        scan_budget=round((args.scan_budget or 0) * 10),
    )


def _guarded(args: argparse.Namespace) -> Guarded:
    from heapstory.guarding.request import scan
    from heapstory.guarding.run import guard

    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if args.scan is not None:
        if args.wait:
            raise UsageError("--wait is for a program to start: leave it out with --scan PID")
        if command:
            raise UsageError("--scan PID looks at a process that runs already: no program to start")
        return scan(args.scan)
    if not command:
        raise UsageError("no program to guard (heapstory guard -- PROG ARG...)")
    return guard(command, _settings(args), args.page_guard, _waiting if args.wait else None)


def _waiting(processes: list[int]) -> None:
    which = ", ".join(map(str, processes))
    talk(f"waiting for process {which} (Ctrl-C is passed on to it, a second one ends the wait)")


def run(args: argparse.Namespace) -> int:
    from heapstory.checks.baseline import Baseline, read_baseline, write_baseline
    from heapstory.checks.known import Known
    from heapstory.reporters.guard import json as as_json
    from heapstory.reporters.guard import sarif, text
    from heapstory.reporters.json import dumps
    from heapstory.reporters.sarif import dumps as sarif_dumps
    from heapstory.reporters.style import Style

    accepted = read_baseline(Path(args.baseline)) if args.baseline else Baseline()
    known = Known(Path(name) for name in args.known)
    found = _guarded(args)
    for finding in found.findings:
        finding.also = known.others(finding)
        finding.suppressed = finding.suppressed or accepted.why(finding, args.suppress)
    stream = sys.stderr if args.scan is None else sys.stdout
    stream.write(text.render(found, Style.of(stream), args.show_suppressed))
    if args.json:
        write(dumps("guard", as_json.body(found)), args.json)
    if args.sarif:
        write(sarif_dumps(sarif.results(found), sarif.rules()), args.sarif)
    if args.write_baseline:
        write_baseline(Path(args.write_baseline), "guard", found.findings)
    if args.error_exitcode is not None and found.open:
        return int(args.error_exitcode)
    if args.error_exitcode is not None and found.unwritten:
        raise HeapstoryError(
            "not every report could be written, so there may have been findings (make room where "
            "temporary files are, or set TMPDIR)"
        )
    return found.status
