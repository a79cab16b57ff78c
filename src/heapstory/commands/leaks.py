"""heapstory leaks: static leak analysis of C."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heapstory.commands.options import add_format, add_sarif, number
from heapstory.commands.output import FOUND, INCOMPLETE, say, talk, write
from heapstory.commands.progress import Stage, progress
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.cfront.capture import Job
    from heapstory.static import Finding, Outcome, Sources

EPILOG = """\
examples:
  heapstory leaks list.c table.c        plain files, analysed as one program
  heapstory leaks -p compile_commands.json
  heapstory leaks -- make -j4           any build; its compilers are watched
  heapstory leaks -p compile_commands.json --confirm -- ./prog ARG…
                                        run ./prog and see which findings really leak"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    _split_build(parser)
    parser.usage = (
        "heapstory leaks [OPTION]… (PATH… | -p compile_commands.json | -- BUILD COMMAND…)\n"
        "       heapstory leaks [OPTION]… (PATH… | -p compile_commands.json) --confirm -- PROG ARG…"
    )
    add = parser.add_argument
    add("words", nargs="*", metavar="PATH", help="C files, directories, or LLVM IR (.ll, .bc)")
    add("-p", dest="database", metavar="FILE", help="a compilation database")
    add("--all", action="store_true", help="also double frees, uses after free, bad frees")
    add_format(parser, ("text", "json"))
    add_sarif(parser)
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
    add("--jobs", "-j", type=number, default=0, metavar="N", help="processes (default: all cores)")
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
    models = load_models([Path(text) for text in args.models])
    baseline = read_baseline(Path(args.baseline)) if args.baseline else set()
    jobs, build_status = _jobs(args)
    if not jobs:
        raise UsageError("there is no C file to analyse")
    stage = Stage("reading the program")
    options = Options(
        models,
        args.jobs,
        args.engine,
        args.scheduler,
        None if args.no_cache or args.no_summaries else str(cache_folder()),
        not args.no_summaries,
        stage.tell,
        args.show_states,
    )
    with progress(stage):
        outcome = analyse(jobs, options)
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
    _remark(outcome, build_status, hidden)
    _write(args, findings, outcome, sources, seconds)
    counted = [f for f in findings if f.suppressed is None and not f.contradicted]
    if counted and not args.write_baseline:
        return FOUND
    return INCOMPLETE if outcome.skipped or build_status else 0


def _show_states(function: str, outcome: Outcome) -> int:
    if not outcome.shown:
        raise UsageError(f"{function}: no such function in what was analysed")
    write("\n".join(outcome.shown) + "\n")
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
    plan = Plan(args.build, trace, args.force, args.fail_allocations, outcome.pointers, talk, say)
    label(findings, confirm(findings, plan))


def _remark(outcome: Outcome, build_status: int, hidden: int) -> None:
    for source, reason in outcome.skipped:
        say(f"{source}: skipped: {reason}")
    if build_status:
        say(f"the build failed with status {build_status}; what it compiled was analysed")
    if hidden:
        say(f"{hidden} less certain findings left out; --min-confidence low shows them")
    if outcome.limited:
        say(f"{len(outcome.limited)} functions too large to follow in full")


def _write(
    args: argparse.Namespace,
    findings: list[Finding],
    outcome: Outcome,
    sources: Sources,
    seconds: float,
) -> None:
    import heapstory.reporters.json
    import heapstory.reporters.sarif
    from heapstory.reporters.leaks import html, json, sarif, text
    from heapstory.reporters.style import Style

    shown = [f for f in findings if f.suppressed is None or args.show_suppressed]
    summary = text.summary(findings, outcome, seconds)
    if args.sarif:
        log = heapstory.reporters.sarif.dumps(sarif.results(findings), sarif.RULES)
        write(log, args.sarif)
    if args.html:
        write(html.page(shown, sources, summary), args.html)
    if args.format == "json":
        write(heapstory.reporters.json.dumps("leaks", json.body(shown, outcome, seconds)))
    else:
        write(text.report(shown, sources, summary, Style.of(sys.stdout)))
