"""heapstory doctor: what is installed, what is missing and the command that fixes it."""

from __future__ import annotations

import argparse
import sys

from heapstory.commands.options import add_format
from heapstory.commands.output import write

MISSING = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_format(parser, ("text", "json"))
    parser.add_argument(
        "--include",
        action="store_true",
        help='only print the folder of heapstory.h, as in: gcc -I"$(heapstory doctor --include)"',
    )


def run(args: argparse.Namespace) -> int:
    from heapstory.recording.checks import checks, include_folder
    from heapstory.reporters import doctor, json
    from heapstory.reporters.style import Style

    if args.include:
        write(f"{include_folder()}\n")
        return 0
    found = checks()
    healthy = all(check.ok for check in found if check.required)
    if args.format == "json":
        write(json.dumps("doctor", doctor.body(found, healthy)))
    else:
        write(doctor.text(found, Style.of(sys.stdout)))
    return 0 if healthy else MISSING
