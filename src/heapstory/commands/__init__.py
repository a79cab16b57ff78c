"""The command line: one file per verb, gathered here.

A verb is a module with ``HELP`` (one line), ``add_arguments(parser)`` and ``run(args) -> int``.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from heapstory.errors import HeapstoryError

# In the order of the manual. Verbs are imported only when named, so that start-up stays quick.
VERBS: dict[str, str] = {
    "leaks": "static leak analysis of C",
}


def _load(verb: str) -> ModuleType:
    return importlib.import_module(f"heapstory.commands.{verb}")


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="heapstory", description="A debugger and verifier for data structures in native programs."
    )
    subparsers = parser.add_subparsers(dest="verb", metavar="COMMAND", required=True)
    for verb, summary in VERBS.items():
        sub = subparsers.add_parser(verb, help=summary, description=summary)
        if only in (None, verb):
            module = _load(verb)
            module.add_arguments(sub)
            sub.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    verb = next((word for word in words if word in VERBS), None)
    try:
        args = build_parser(only=verb).parse_args(words)
        status: int = args.run(args)
        return status
    except HeapstoryError as error:
        print(f"heapstory: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
