"""Options that several verbs share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.trace import Trace

INCOMPLETE = 4


def add_trace(parser: argparse.ArgumentParser) -> None:
    """The trace to ask."""
    parser.add_argument("trace", metavar="TRACE", help="a recorded trace (NAME.story)")


def add_format(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """``--format``, the first one being the default, and ``--json``."""
    parser.add_argument(
        "--format", choices=formats, help=f"form of the answer (default: {formats[0]})"
    )
    parser.add_argument(
        "--json", action="store_const", const="json", dest="format", help="short for --format json"
    )


def number(text: str) -> int:
    """An argument that is 0 or more."""
    value = int(text, 0)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is less than 0")
    return value


def write(text: str | Iterable[str], output: str | None = None) -> None:
    """To a file, or to stdout; a long text comes in pieces."""
    pieces = [text] if isinstance(text, str) else text
    if output is None or output == "-":
        sys.stdout.writelines(pieces)
        return
    try:
        with Path(output).open("w", encoding="utf-8") as file:
            file.writelines(pieces)
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror} (choose another file: -o)") from error


def finish(trace: Trace) -> int:
    """The exit status of a command that answered; says so where the trace is incomplete."""
    if trace.complete:
        return 0
    print(
        f"heapstory: {trace.path} is incomplete, the answer covers what could be read: "
        f"{trace.damage}",
        file=sys.stderr,
    )
    return INCOMPLETE
