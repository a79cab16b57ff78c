"""heapstory check: memory errors and leaks while a program runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from heapstory.commands import TOOL_FAILED
from heapstory.commands.options import add_accepting, add_sarif, number, seconds
from heapstory.commands.output import write
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.checking.checked import Checked
    from heapstory.checking.errors import Error
    from heapstory.checks.finding import Finding, Stack

EPILOG = """\
examples:
  heapstory check -- ./parser broken.xml
  heapstory check --error-exitcode 99 --sarif check.sarif -- ./tests
  heapstory check --record parser.story -- ./parser broken.xml

Every access of the heap is looked at: reads and writes before, behind and between blocks and after
their end, by instructions, by functions such as memcpy and strlen and by system calls; frees that
are wrong; copies that overlap; decisions, addresses and system calls that depend on a value that
was never set; at the end, blocks that nothing refers to any more. Accesses outside of variables are
not looked for. The last lines of every answer say so.

Errors are told on stderr while the program runs, each once; it goes on, and its output and exit
status are its own (128+N if signal N ended it). 125 means that heapstory failed, 126 that the
program cannot be run, 127 that it was not found."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "heapstory check [OPTION]... -- PROG [ARG]...\n"
        "       heapstory check --scan PID [--json FILE] [--sarif FILE] [--xml FILE]"
    )
    parser.add_argument(
        "--light",
        action="store_true",
        help="addresses and leaks only, not whether values were ever set: faster",
    )
    parser.add_argument("--record", metavar="TRACE", help="record while checking, into TRACE")
    parser.add_argument(
        "--stream",
        action="store_true",
        help="record the instruction stream, too: pointers and losses are exact then",
    )
    parser.add_argument("--force", action="store_true", help="replace an existing trace")
    parser.add_argument(
        "--redzone",
        type=_redzone,
        default=32,
        metavar="N",
        help="bytes between blocks, 16 to 4096 (default: 32): how far an overrun is noticed",
    )
    parser.add_argument(
        "--delay",
        type=number,
        default=20_000_000,
        metavar="N",
        help="bytes of freed blocks that are not reused (default: 20000000): how long a use after "
        "free is noticed",
    )
    parser.add_argument(
        "--alloc-fn",
        action="append",
        default=[],
        metavar="NAME[:ARG[*ARG]]",
        help="an allocator of the program's own, and which argument is the size in bytes "
        "(repeatable): its blocks are checked, what it does inside is not",
    )
    parser.add_argument(
        "--free-fn",
        action="append",
        default=[],
        metavar="NAME[:ARG]",
        help="what gives such blocks back (repeatable)",
    )
    parser.add_argument(
        "--follow-children", action="store_true", help="forked children are checked, too"
    )
    parser.add_argument("--no-leaks", action="store_true", help="do not look for leaks")
    parser.add_argument("--json", metavar="FILE", help="write the answer as JSON to a file, too")
    add_sarif(parser)
    parser.add_argument(
        "--xml", metavar="FILE", help="write it as Valgrind's XML (protocol 4), too"
    )
    add_accepting(parser)
    parser.add_argument(
        "--suppressions",
        metavar="FILE",
        action="append",
        default=[],
        help="findings that a file of Valgrind's suppressions names do not count (repeatable)",
    )
    parser.add_argument(
        "--gen-suppressions",
        metavar="FILE",
        help="write suppressions for all present findings, as Valgrind reads them, too",
    )
    parser.add_argument(
        "--scan-every",
        type=seconds,
        metavar="SECONDS",
        help="look for leaks while the program runs, too: the first look that misses a block "
        "bounds when it was lost",
    )
    parser.add_argument(
        "--scan",
        type=number,
        metavar="PID",
        help="what a program that is being checked has lost so far, whether it runs or waits",
    )
    parser.add_argument(
        "--no-heuristics",
        action="store_true",
        help="pointers to elements of new[], to bases and to old strings are possible leaks",
    )
    parser.add_argument(
        "--hide-syscall",
        action="append",
        default=[],
        metavar="NAME",
        help="as if it were not known what this system call reads and writes (repeatable): to "
        "measure how well that is found out",
    )
    parser.add_argument("--without", action="append", default=[], help=argparse.SUPPRESS)
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="PROG ARG...")


def _redzone(text: str) -> int:
    value = int(text)
    if not 16 <= value <= 4096:
        raise argparse.ArgumentTypeError(f"{text} is not between 16 and 4096")
    return value


def run(args: argparse.Namespace) -> int:
    from heapstory.checking.run import Watch, check
    from heapstory.checks.baseline import Baseline, read_baseline
    from heapstory.checks.suppressions import read_suppressions
    from heapstory.recording.places import check_function
    from heapstory.recording.recorder import Checks
    from heapstory.reporters.style import Style

    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if args.scan is not None:
        return _scan(args, command)
    if not command:
        raise UsageError("no program to check (heapstory check -- PROG ARG...)")
    accepted = read_baseline(Path(args.baseline)) if args.baseline else Baseline()
    known = read_suppressions(map(Path, args.suppressions))
    style = Style.of(sys.stderr)
    told: set[tuple[str, ...]] = set()

    def why(finding: Finding, stack: Stack | None = None) -> str | None:
        return accepted.why(finding, args.suppress) or known.why(
            finding.kind, finding.size, finding.stack if stack is None else stack
        )

    def tell(finding: Error) -> None:
        from heapstory.reporters.check import text

        if why(finding) is None:
            sys.stderr.write(text.finding(finding, style))
            sys.stderr.flush()

    recorded = args.record is not None
    if args.stream and not recorded:
        raise UsageError("--stream records more of the program: where to? (--record TRACE)")
    for option, names in (("--alloc-fn", args.alloc_fn), ("--free-fn", args.free_fn)):
        for name in names:
            check_function(option, name)
    checks = Checks(
        args.redzone,
        args.delay,
        not args.no_leaks,
        recorded,
        args.stream,
        tuple(args.alloc_fn),
        tuple(args.free_fn),
        args.follow_children,
        not args.light,
        int(1000 * args.scan_every) if args.scan_every else 0,
        tuple(args.hide_syscall),
        tuple(args.without),
        not args.no_heuristics,
    )
    trace = Path(args.record) if args.record else None
    found = check(
        command, checks, trace, args.force, lambda path: Watch(path, tell, told, recorded)
    )
    from heapstory.reporters.check import text  # not earlier: the program would wait for it

    for finding in found.findings:
        finding.suppressed = why(finding)
    for leak in found.leaks:
        leak.suppressed = leak.suppressed or why(leak.finding, leak.stack)
    found.unused = [str(entry) for entry in known.unused]
    sys.stderr.write(text.render(found, style, told))
    _write(args, found)
    if found.failure is not None:
        return TOOL_FAILED
    if args.error_exitcode is not None and (found.open or found.open_leaks):
        return int(args.error_exitcode)
    return found.status


def _scan(args: argparse.Namespace, command: list[str]) -> int:
    if command:
        raise UsageError("--scan asks a program that runs already: there is none to start")
    from heapstory.checking.reading import read_scan
    from heapstory.recording.nudge import ask_for_scan
    from heapstory.reporters.check import text
    from heapstory.reporters.style import Style

    found = read_scan(ask_for_scan(args.scan))
    sys.stderr.write(text.render(found, Style.of(sys.stderr), set()))
    _write(args, found)
    return 0


def _write(args: argparse.Namespace, found: Checked) -> None:
    from heapstory.checking.leaks import MISTAKES
    from heapstory.checks.baseline import write_baseline
    from heapstory.reporters.check import json as as_json
    from heapstory.reporters.check import sarif, xml
    from heapstory.reporters.json import dumps
    from heapstory.reporters.sarif import dumps as sarif_dumps

    if args.json:
        write(dumps("check", as_json.body(found)), args.json)
    if args.sarif:
        write(sarif_dumps(sarif.results(found), sarif.rules()), args.sarif)
    if args.xml:
        write(xml.dumps(found), args.xml)
    if args.gen_suppressions:
        write("".join(dict.fromkeys(_suppressions(found))), args.gen_suppressions)
    if args.write_baseline:
        mistakes = [leak.finding for leak in found.leaks if leak.kind in MISTAKES]
        write_baseline(Path(args.write_baseline), "check", [*found.findings, *mistakes])


def _suppressions(found: Checked) -> Iterator[str]:
    from heapstory.checks.suppressions import suppression_for

    for error in found.open:
        yield suppression_for(error.fingerprint, error.kind, error.size, error.stack)
    for leak in found.open_leaks:
        yield suppression_for(leak.fingerprint, leak.kind, 0, leak.stack)
