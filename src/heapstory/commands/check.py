"""heapstory check: memory errors and leaks while a program runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from heapstory.commands import TOOL_FAILED
from heapstory.commands.options import add_accepting, add_sarif, number, seconds
from heapstory.commands.output import write
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.checking.checked import Checked
    from heapstory.checking.errors import Error
    from heapstory.checking.leaks import Leak
    from heapstory.checks.finding import Finding, Stack
    from heapstory.checks.suppressions import Suppressions

EPILOG = """\
examples:
  heapstory check -- ./parser broken.xml
  heapstory check --error-exitcode 99 --sarif check.sarif -- ./tests
  heapstory check --record parser.story -- ./parser broken.xml

Checked are reads and writes outside of blocks and in freed blocks, by instructions, by functions
such as memcpy and strlen and by system calls; bad frees; overlapping copies; decisions, addresses
and system calls that depend on a value that was never set; and at the end, blocks that nothing
refers to any more. Accesses beyond the bounds of variables are not checked. The last lines of every
answer say so.

Errors are reported on stderr, each once, while the program runs. It continues, and keeps its output
and exit status (128+N if signal N ended it). 125 means that heapstory failed, 126 that the program
cannot be run, 127 that it was not found."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "heapstory check [OPTION]... -- PROG [ARG]...\n"
        "       heapstory check --scan PID [--json FILE] [--sarif FILE] [--xml FILE]"
    )
    parser.add_argument(
        "--light",
        action="store_true",
        help="check addresses and leaks only, not whether values were set (faster)",
    )
    parser.add_argument("--record", metavar="TRACE", help="also record a trace")
    parser.add_argument(
        "--stream",
        action="store_true",
        help="with --record: also record every instruction, which makes the past of pointers exact",
    )
    parser.add_argument("--force", action="store_true", help="replace an existing trace")
    parser.add_argument(
        "--redzone",
        type=_redzone,
        default=32,
        metavar="N",
        help="bytes between blocks, 16 to 4096 (default: 32); more catch overruns that go further",
    )
    parser.add_argument(
        "--delay",
        type=number,
        default=20_000_000,
        metavar="N",
        help="bytes of freed blocks held back from reuse (default: 20000000); more catch later "
        "uses after free",
    )
    parser.add_argument(
        "--alloc-fn",
        action="append",
        default=[],
        metavar="NAME[:ARG[*ARG]]",
        help="an allocator of the program's own, with the number of the argument that is the size "
        "in bytes (repeatable): its blocks are checked, its own code is not",
    )
    parser.add_argument(
        "--free-fn",
        action="append",
        default=[],
        metavar="NAME[:ARG]",
        help="the function that frees such blocks (repeatable)",
    )
    parser.add_argument("--follow-children", action="store_true", help="also check forked children")
    parser.add_argument("--no-leaks", action="store_true", help="do not search for leaks")
    parser.add_argument("--json", metavar="FILE", help="also write the answer as JSON")
    add_sarif(parser)
    parser.add_argument(
        "--xml", metavar="FILE", help="also write it as Valgrind's XML (protocol 4)"
    )
    parser.add_argument(
        "--memcheck-log",
        metavar="FILE",
        help="also write it in the words of Memcheck's log, which CTest counts",
    )
    add_accepting(parser)
    parser.add_argument(
        "--suppressions",
        metavar="FILE",
        action="append",
        default=[],
        help="ignore findings that match a suppression file of Valgrind (repeatable)",
    )
    parser.add_argument(
        "--gen-suppressions",
        metavar="FILE",
        help="write Valgrind suppressions for all present findings",
    )
    parser.add_argument(
        "--scan-every",
        type=seconds,
        metavar="SECONDS",
        help="also search for leaks while the program runs, at most this often, to narrow down "
        "when a block was lost",
    )
    parser.add_argument(
        "--scan",
        type=number,
        metavar="PID",
        help="list the leaks so far of a program that is already being checked",
    )
    parser.add_argument(
        "--no-heuristics",
        action="store_true",
        help="treat blocks with only a pointer behind the count of new[], to a base or to a "
        "reference-counted string as possible leaks",
    )
    parser.add_argument(
        "--hide-syscall",
        action="append",
        default=[],
        metavar="NAME",
        help="treat this system call as unknown (repeatable); to measure how well effects of "
        "unknown calls are found",
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
    from heapstory.recording.recorder import Checks
    from heapstory.reporters.style import Style

    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if args.scan is not None:
        return _scan(args, command)
    if not command:
        raise UsageError("no program to check (heapstory check -- PROG ARG...)")
    accepted = read_baseline(Path(args.baseline)) if args.baseline else Baseline()
    known = _read_suppressions(args.suppressions)
    style = Style.of(sys.stderr)
    told: set[tuple[str, ...]] = set()

    def why(finding: Finding, stack: Stack | None = None) -> str | None:
        reason = accepted.why(finding, args.suppress)
        if reason is None and known is not None:
            called = finding.stack if stack is None else stack
            return known.why(finding.kind, finding.size, called)
        return reason

    def tell(finding: Error) -> None:
        from heapstory.reporters.check import text

        if why(finding) is None:
            sys.stderr.write(text.finding(finding, style))
            sys.stderr.flush()

    recorded = args.record is not None
    if args.stream and not recorded:
        raise UsageError("--stream records more of the program: where to? (--record TRACE)")
    _check_functions(args)
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
        command,
        checks,
        trace,
        args.force,
        lambda path: Watch(path, tell, told, recorded, checks.heuristics),
    )
    from heapstory.reporters.check import text  # not earlier: the program would wait for it

    for finding in found.findings:
        finding.suppressed = why(finding)
    for leak in found.leaks:
        leak.suppressed = leak.suppressed or why(leak.finding, leak.stack)
    found.unused = [str(entry) for entry in known.unused] if known else []
    sys.stderr.write(text.render(found, style, told))
    _write(args, found)
    if found.failure is not None:
        return TOOL_FAILED
    if args.error_exitcode is not None and (found.open or found.open_leaks):
        return int(args.error_exitcode)
    return found.status


def _read_suppressions(files: list[str]) -> Suppressions | None:
    if not files:
        return None
    from heapstory.checks.suppressions import read_suppressions

    return read_suppressions(map(Path, files))


def _check_functions(args: argparse.Namespace) -> None:
    named = [("--alloc-fn", name) for name in args.alloc_fn]
    named += [("--free-fn", name) for name in args.free_fn]
    if named:
        from heapstory.recording.places import check_function

        for option, name in named:
            check_function(option, name)


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
    """What was asked for; nothing else is loaded."""
    if args.json:
        from heapstory.reporters.check import json as as_json
        from heapstory.reporters.json import dumps

        write(dumps("check", as_json.body(found)), args.json)
    if args.sarif:
        from heapstory.reporters.check import sarif
        from heapstory.reporters.sarif import dumps as sarif_dumps

        write(sarif_dumps(sarif.results(found), sarif.rules()), args.sarif)
    if args.xml:
        from heapstory.reporters.check import xml

        write(xml.dumps(found), args.xml)
    if args.memcheck_log:
        from heapstory.reporters.check import memcheck

        write(memcheck.dumps(found), args.memcheck_log)
    if args.gen_suppressions:
        write("".join(_suppressions(found)), args.gen_suppressions)
    if args.write_baseline:
        from heapstory.checking.leaks import MISTAKES
        from heapstory.checks.baseline import write_baseline

        mistakes = [leak.finding for leak in found.leaks if leak.kind in MISTAKES]
        write_baseline(Path(args.write_baseline), "check", [*found.findings, *mistakes])


def _suppressions(found: Checked) -> Iterable[str]:
    """One entry for all findings that it fits, named after the first."""
    from heapstory.checks.suppressions import suppression_for

    sized: list[tuple[Error | Leak, int]] = [(error, error.size) for error in found.open]
    sized += [(leak, 0) for leak in found.open_leaks]
    entries: dict[str, str] = {}
    for one, size in sized:
        body = suppression_for("", one.kind, size, one.stack)
        if body not in entries:
            entries[body] = suppression_for(one.fingerprint, one.kind, size, one.stack)
    return entries.values()
