"""heapstory doctor: what is installed, what is missing and the command that mends it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

from heapstory.commands.options import add_format, write

MISSING = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_format(parser, ("text", "json"))


def run(args: argparse.Namespace) -> int:
    from heapstory.recording.checks import checks
    from heapstory.reporters import json, text
    from heapstory.reporters.style import Style

    found = checks()
    healthy = all(check.ok for check in found if check.required)
    if args.format == "json":
        body = {"healthy": healthy, "checks": [asdict(check) for check in found]}
        write(json.dumps("doctor", body))
    else:
        write(text.checks(found, Style.of(sys.stdout)))
    return 0 if healthy else MISSING
