"""Options that several verbs share, and what their values must be."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from heapstory.errors import UsageError


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


def add_output(parser: argparse.ArgumentParser, help: str) -> None:
    """``-o FILE``."""
    parser.add_argument("-o", "--output", metavar="FILE", help=help)


def add_at(parser: argparse.ArgumentParser, help: str) -> None:
    """``--at``: a moment of the run."""
    forms = "timestamp, FILE:LINE[#K], FUNC[:entry][#K], peak, crash, begin or end"
    parser.add_argument("--at", metavar="MOMENT", help=f"{help}: {forms}")


def add_sarif(parser: argparse.ArgumentParser) -> None:
    """``--sarif FILE``, for verbs that have findings."""
    parser.add_argument("--sarif", metavar="FILE", help="also write the findings as SARIF 2.1.0")


def add_accepting(parser: argparse.ArgumentParser) -> None:
    """What counts as a finding, and the status for one, of verbs that run a program."""
    parser.add_argument(
        "--error-exitcode", type=status, metavar="N", help="exit with N if there were findings"
    )
    parser.add_argument("--baseline", metavar="FILE", help="ignore the findings in this file")
    parser.add_argument(
        "--write-baseline",
        metavar="FILE",
        help="write all present findings to a file for --baseline",
    )
    add_suppress(parser)


def add_suppress(parser: argparse.ArgumentParser) -> None:
    """``--suppress FINGERPRINT``."""
    parser.add_argument(
        "--suppress",
        type=_fingerprint,
        metavar="FINGERPRINT",
        action="append",
        default=[],
        help="accept a finding (repeatable)",
    )


def chosen_format(args: argparse.Namespace, formats: Sequence[str]) -> str:
    """``--format``, else what the ending of ``-o FILE`` says, else the first; an ending that is no
    format is a mistake rather than a reason to write text into a picture."""
    if args.format:
        return str(args.format)
    ending = Path(args.output or "").suffix.lstrip(".")
    if ending in ("", "txt"):
        return formats[0]
    if ending not in formats:
        known = ", ".join(f".{one}" for one in formats[1:])
        raise UsageError(
            f"{args.output}: .{ending} is no format (known: .txt, {known}; or say --format)"
        )
    return ending


def number(text: str) -> int:
    """An argument that is 0 or more."""
    value = int(text, 0)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is less than 0")
    return value


def count(text: str) -> int:
    """An argument that is 1 or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def seconds(text: str) -> float:
    """A time limit."""
    value = float(text)
    if value <= 0:
        raise argparse.ArgumentTypeError("must be more than 0")
    return value


def _fingerprint(text: str) -> str:
    from heapstory.checks.fingerprint import LENGTH

    # Those of leaks may have a number behind: the second loss of the same kind in a function.
    if not re.fullmatch(f"[0-9a-f]{{{LENGTH}}}(-[0-9]+)?", text):
        raise argparse.ArgumentTypeError(
            f"{text} is no fingerprint ({LENGTH} of 0-9a-f, as the last line of a finding and "
            "--json show it)"
        )
    return text


def status(text: str) -> int:
    """An exit status."""
    value = int(text)
    if not 0 <= value <= 255:
        raise argparse.ArgumentTypeError(f"{text} is no exit status (0 to 255)")
    return value
