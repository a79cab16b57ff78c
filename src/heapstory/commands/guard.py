"""heapstory guard: catch allocation errors while a program runs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from heapstory.commands.options import add_sarif, status
from heapstory.commands.output import write
from heapstory.errors import UsageError

EPILOG = """\
examples:
  heapstory guard -- ./server --port 8080
  heapstory guard --error-exitcode 99 --sarif guard.sarif -- ./tests
  heapstory guard --thorough -- ./parser broken.xml

What was found goes to stderr when the program has ended; its output and exit status are its own
(128+N if signal N ended it). 125 means that heapstory failed, 126 that the program cannot be run,
127 that it was not found."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "heapstory guard [OPTION]... -- PROG [ARG]..."
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--light",
        dest="mode",
        action="store_const",
        const="light",
        help="the cheapest checks: short patterns and quarantine, return addresses only",
    )
    mode.add_argument(
        "--thorough",
        dest="mode",
        action="store_const",
        const="thorough",
        help="whole blocks are filled and checked, a long quarantine, every realloc moves",
    )
    parser.set_defaults(mode="default")
    parser.add_argument("--json", metavar="FILE", help="write the answer as JSON to a file, too")
    add_sarif(parser)
    parser.add_argument(
        "--error-exitcode", type=status, metavar="N", help="exit with N if there were findings"
    )
    parser.add_argument("--baseline", metavar="FILE", help="findings in it do not count")
    parser.add_argument("--write-baseline", metavar="FILE", help="accept all present findings")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="PROG ARG...")


def run(args: argparse.Namespace) -> int:
    from heapstory.checks.baseline import read_baseline, write_baseline
    from heapstory.guarding.run import guard
    from heapstory.guarding.settings import MODES
    from heapstory.reporters.guard import json as as_json
    from heapstory.reporters.guard import sarif, text
    from heapstory.reporters.json import dumps
    from heapstory.reporters.sarif import dumps as sarif_dumps
    from heapstory.reporters.style import Style

    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not command:
        raise UsageError("no program to guard (heapstory guard -- PROG ARG...)")
    accepted = read_baseline(Path(args.baseline)) if args.baseline else set()
    found = guard(command, MODES[args.mode])
    for finding in found.findings:
        if finding.fingerprint in accepted:
            finding.suppressed = "baseline"
    sys.stderr.write(text.render(found, Style.of(sys.stderr)))
    if args.json:
        write(dumps("guard", as_json.body(found)), args.json)
    if args.sarif:
        write(sarif_dumps(sarif.results(found), sarif.rules()), args.sarif)
    if args.write_baseline:
        write_baseline(Path(args.write_baseline), "guard", found.findings)
    if args.error_exitcode is not None and found.open:
        return int(args.error_exitcode)
    return found.status
