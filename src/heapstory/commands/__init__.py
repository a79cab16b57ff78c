"""The command line: one file per verb, gathered here.

A verb is a module with ``add_arguments(parser)`` and ``run(args) -> int``; its line in ``VERBS`` is
its help. Modules are imported only when named, so that start-up stays quick.
"""

from __future__ import annotations

import argparse
import codecs
import importlib
import io
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

from heapstory.errors import HeapstoryError, ProgramError, TraceError, UsageError

# In the order of the manual.
VERBS: dict[str, str] = {
    "record": "run a program and record its heap history",
    "info": "what is in a trace: program, exit, counts, sizes",
    "graph": "the memory graph as of a timestamp, or its whole evolution",
    "history": "every version of a node or field, with the statement behind each",
    "query": "SQL over the tables of a trace",
    "diff": "compare two runs: where they begin to differ, what grew, which statements differ",
    "view": "explore the heap through time in a browser: one offline page, or served",
    "locate": "constraint violations and the statements that introduced them",
    "slice": "the statements that led to a value, and why",
    "loops": "which loops have independent iterations, and what the others carry",
    "infer": "write a constraint specification from good runs",
    "check": "memory errors and leaks: check every memory access while a program runs",
    "guard": "catch allocation errors and leaks while a program runs, without rebuilding it",
    "leaks": "static leak analysis of C, with the path to each loss",
    "prove": "linearizability of a concurrent data structure",
    "batch": "record many commands and ask questions of each, in parallel",
    "completion": "print a completion script for bash, zsh or fish",
    "doctor": "what is installed, what is missing and the command that fixes it",
}

# Verbs that run a program: their exit status is the program's own, so a failure of heapstory
# itself (a usage error included) is told apart by 125, and 126 or 127 if the program cannot be run.
RUNNERS = frozenset({"record", "check", "guard"})
TOOL_FAILED = 125


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line, raised as an error like any other."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see: {self.prog} --help)")


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from heapstory.version import version

        print(f"heapstory {version()}")
        parser.exit()


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser; with ``only``, the other verbs are named but not loaded."""
    parser = Parser(
        prog="heapstory",
        description="A debugger and verifier for data structures in native programs.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    subparsers = parser.add_subparsers(dest="verb", metavar="COMMAND", required=True)
    for verb, summary in VERBS.items():
        chosen = only in (None, verb)
        module = _load(verb) if chosen else None
        sub = subparsers.add_parser(
            verb,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=getattr(module, "EPILOG", None),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if module is not None:
            module.add_arguments(sub)
            sub.set_defaults(run=module.run)
    return parser


def _load(verb: str) -> ModuleType:
    return importlib.import_module(f"heapstory.commands.{verb}")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; every failure becomes one line on stderr and an exit status."""
    _write_anything()
    words = list(sys.argv[1:] if argv is None else argv)
    verb = next((word for word in words if word in VERBS), None)
    try:
        parser = build_parser(only=verb or "")
        args = parser.parse_args(_with_settings(parser, verb, words))
        status = _run(args)
        sys.stdout.flush()
        return status
    except HeapstoryError as error:
        return _complain(verb, str(error), error.exit_code)
    except BrokenPipeError:
        # Whoever read our output has had enough; Python must not try to flush it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(verb, f"{where}{error.strerror or error}", HeapstoryError.exit_code)
    except Exception as error:
        if os.environ.get("HEAPSTORY_DEBUG") == "1":
            raise
        what = f"internal error: {type(error).__name__}: {error}".splitlines()[0]
        remedy = "please report it, with the traceback that HEAPSTORY_DEBUG=1 shows"
        return _complain(verb, f"{what} ({remedy})", HeapstoryError.exit_code)


def _with_settings(
    parser: argparse.ArgumentParser, verb: str | None, words: list[str]
) -> list[str]:
    """The words with what the settings of the project add, right behind the verb."""
    if verb is None:
        return words
    from heapstory.commands import settings

    verbs = next(one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    behind = words.index(verb) + 1
    added = settings.words(verbs.choices, verb, words[behind:])
    return [*words[:behind], *added, *words[behind:]]


def _run(args: argparse.Namespace) -> int:
    """Runs a verb; where a trace turns out to be damaged, once more with what is whole of it."""
    try:
        return int(args.run(args))
    except TraceError as error:
        from heapstory.commands import output
        from heapstory.store.open_trace import is_damage, salvaging

        if not is_damage(error) or output.has_written():
            raise
    with salvaging():
        return int(args.run(args))


def _write_anything() -> None:
    """Names need not be text, and a locale may know no arrows: neither is a reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            ascii_only = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding="utf-8" if ascii_only else None, errors="backslashreplace")


def _complain(verb: str | None, message: str, exit_code: int) -> int:
    from heapstory.reporters.text import printable

    print(f"heapstory: {printable(message, lines=True)}", file=sys.stderr)
    of_program = (ProgramError.exit_code, 127)
    return TOOL_FAILED if verb in RUNNERS and exit_code not in of_program else exit_code
