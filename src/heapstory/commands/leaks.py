"""``heapstory leaks``: static leak analysis of C."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.cfront.capture import Job
    from heapstory.static import Finding, Outcome, Sources

HELP = "static leak analysis of C"

EPILOG = """\
examples:
  heapstory leaks list.c table.c        plain files, analysed as one program
  heapstory leaks -p compile_commands.json
  heapstory leaks -- make -j4           any build; its compilers are watched
  heapstory leaks -p compile_commands.json --confirm -- ./prog ARG…
                                        run ./prog and see which findings really leak
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    _split_build(parser)
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.usage = (
        "heapstory leaks [OPTION]… (PATH… | -p compile_commands.json | -- BUILD COMMAND…)\n"
        "       heapstory leaks [OPTION]… (PATH… | -p compile_commands.json) --confirm -- PROG ARG…"
    )
    add = parser.add_argument
    add("words", nargs="*", metavar="PATH", help="C files, directories, or LLVM IR (.ll, .bc)")
    add("-p", dest="database", metavar="FILE", help="a compilation database")
    add("--all", action="store_true", help="also double frees, uses after free, bad frees")
    add("--json", action="store_true", help="one JSON object on stdout")
    add("--format", choices=("text", "json"), default="text", help="the form of the result")
    add("--sarif", metavar="FILE", help="write SARIF 2.1.0 with code flows")
    add("--html", metavar="FILE", help="write a page with every path beside its source")
    add("--models", metavar="FILE", action="append", default=[], help="more library models (TOML)")
    add("--baseline", metavar="FILE", help="only findings that are not in it count")
    add("--write-baseline", metavar="FILE", help="accept all present findings")
    add("--suppress", metavar="FINGERPRINT", action="append", default=[], help="accept a finding")
    add("--show-suppressed", action="store_true", help="list accepted findings too")
    add(
        "--min-confidence",
        choices=("low", "medium", "high"),
        default="medium",
        help="leave out others",
    )
    add("--jobs", "-j", type=int, default=0, metavar="N", help="processes (default: all cores)")
    add("--engine", choices=("local", "dask"), default="local", help="where the work is done")
    add("--scheduler", metavar="ADDRESS", help="of an existing Dask cluster")
    runs = parser.add_argument_group("confirming by running")
    run = runs.add_argument
    run("--confirm", action="store_true", help="run PROG under the recorder, label each finding")
    run(
        "--fail-allocations",
        action="store_true",
        help="run it again for each allocation on a finding's path, and let that one fail",
    )
    run("--trace", metavar="TRACE", help="keep the recording of the first run")
    run("--force", action="store_true", help="replace an existing trace")
    add("--no-cache", action="store_true", help="keep no answers for the next run")
    add("--show-states", metavar="FUNCTION", help="print its abstract heap states, line by line")
    add("--no-summaries", action="store_true", help="analyse callees anew at every call (slow)")


def _split_build(parser: argparse.ArgumentParser) -> None:
    """Take what follows ``--`` out before argparse, which does not tell it from other words."""
    original = parser.parse_known_args

    def parse(
        args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        words = list(args or ())
        build = None
        if "--" in words:
            position = words.index("--")
            words, build = words[:position], words[position + 1 :]
        parsed, rest = original(words, namespace)
        parsed.build = build
        return parsed, rest

    parser.parse_known_args = parse  # type: ignore[method-assign,assignment]


def run(args: argparse.Namespace) -> int:
    """Analyse, report, and say by the exit status what was found."""
    from heapstory.cfront.capture import cache_folder
    from heapstory.static import Options, Sources, analyse, collect_findings, load_models
    from heapstory.static.baseline import read_baseline, write_baseline
    from heapstory.static.findings import suppress

    started = time.monotonic()
    _check_confirm(args)
    if args.jobs < 0:
        raise UsageError("--jobs must be a positive number")
    models = load_models([Path(text) for text in args.models])
    baseline = read_baseline(Path(args.baseline)) if args.baseline else set()
    jobs, build_status = _jobs(args)
    if not jobs:
        raise UsageError("there is no C file to analyse")
    options = Options(
        models,
        args.jobs,
        args.engine,
        args.scheduler,
        None if args.no_cache or args.no_summaries else str(cache_folder()),
        not args.no_summaries,
        _progress,
        args.show_states,
    )
    outcome = analyse(jobs, options)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    if args.show_states:
        return _show_states(args.show_states, outcome)
    sources = Sources()
    findings = collect_findings(outcome.answers, args.all, sources)
    order = ("low", "medium", "high")
    least = order.index(args.min_confidence)
    hidden = sum(order.index(f.confidence) < least for f in findings)
    findings = [f for f in findings if order.index(f.confidence) >= least]
    suppress(findings, set(args.suppress), baseline)
    if args.confirm:
        _confirm(args, findings, outcome)
    if args.write_baseline:
        write_baseline(Path(args.write_baseline), findings)
    seconds = round(time.monotonic() - started, 3)
    _talk(outcome, build_status, hidden)
    _write(args, findings, outcome, sources, seconds)
    counted = [f for f in findings if f.suppressed is None and not f.contradicted]
    if counted and not args.write_baseline:
        return 1
    return 4 if outcome.skipped or build_status else 0


def _show_states(function: str, outcome: Outcome) -> int:
    if not outcome.shown:
        raise UsageError(f"{function}: no such function in what was analysed")
    print("\n".join(outcome.shown))
    return 0


def _jobs(args: argparse.Namespace) -> tuple[list[Job], int]:
    from heapstory.cfront import capture

    words, build = list(args.words), None if args.confirm else args.build
    if build is not None:
        if words or args.database:
            raise UsageError("give files, -p FILE or -- BUILD COMMAND, only one of them")
        if not build:
            raise UsageError("there is no build command after --")
        return capture.from_build(build)
    if args.database:
        if words:
            raise UsageError("give files, -p FILE or -- BUILD COMMAND, only one of them")
        return capture.from_database(Path(args.database)), 0
    if not words:
        raise UsageError("nothing to analyse: give C files, -p compile_commands.json or -- make")
    return capture.distinct(capture.from_paths(words)), 0


def _check_confirm(args: argparse.Namespace) -> None:
    if not args.confirm:
        if args.fail_allocations or args.trace:
            raise UsageError("--fail-allocations and --trace belong to --confirm -- PROG ARG…")
    elif not args.build:
        raise UsageError("--confirm needs a program to run: --confirm -- PROG ARG…")
    else:
        from heapstory.errors import ProgramError
        from heapstory.recording.program import resolve

        try:
            resolve(args.build)  # before the analysis, which can take long
        except ProgramError as error:
            raise UsageError(str(error)) from error


def _confirm(args: argparse.Namespace, findings: list[Finding], outcome: Outcome) -> None:
    from heapstory.confirm import Plan, confirm
    from heapstory.static.findings import label

    if not findings:
        return
    trace = Path(args.trace) if args.trace else None
    plan = Plan(
        args.build, trace, args.force, args.fail_allocations, outcome.pointers, _progress, _say
    )
    label(findings, confirm(findings, plan))


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text} …", end="", file=sys.stderr, flush=True)


def _say(text: str) -> None:
    print(f"heapstory: {text}", file=sys.stderr)


def _talk(outcome: Outcome, build_status: int, hidden: int) -> None:
    for source, reason in outcome.skipped:
        _say(f"{source}: skipped: {reason}")
    if build_status:
        _say(f"the build failed with status {build_status}; what it compiled was analysed")
    if hidden:
        _say(f"{hidden} less certain findings left out; --min-confidence low shows them")
    if outcome.limited:
        _say(f"{len(outcome.limited)} functions too large to follow in full")


def _write(
    args: argparse.Namespace,
    findings: list[Finding],
    outcome: Outcome,
    sources: Sources,
    seconds: float,
) -> None:
    from heapstory.reporters.leaks.html import html_report
    from heapstory.reporters.leaks.report import RULES, finding_json, sarif_result, text_report
    from heapstory.reporters.sarif import write_sarif

    shown = [f for f in findings if f.suppressed is None or args.show_suppressed]
    accepted = sum(f.suppressed is not None for f in findings)
    summary = (
        f"{len(findings) - accepted} findings ({accepted} accepted) "
        f"in {outcome.functions} functions, {outcome.lines} lines, {seconds:.1f} s"
    )
    if args.sarif:
        write_sarif(Path(args.sarif), [sarif_result(f) for f in findings], RULES, _version())
    if args.html:
        try:
            Path(args.html).write_text(html_report(shown, sources, summary), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{args.html}: cannot write the page: {error.strerror}") from error
    if args.json or args.format == "json":
        print(
            json.dumps(
                {
                    "schema": "heapstory.leaks/1",
                    "leaks": [finding_json(f) for f in shown if f.is_leak],
                    "misuses": [finding_json(f) for f in shown if not f.is_leak],
                    "functions": outcome.functions,
                    "lines": outcome.lines,
                    "seconds": seconds,
                    "skipped": [{"unit": s, "reason": r} for s, r in outcome.skipped],
                    "limited": outcome.limited,
                    "reused": outcome.reused,
                },
                indent=2,
            )
        )
        return
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for finding in shown:
        print(text_report(finding, sources, *(("\033[1m", "\033[0m") if colour else ("", ""))))
        print()
    print(summary)


def _version() -> str:
    try:
        return version("heapstory")
    except PackageNotFoundError:
        return "0"
