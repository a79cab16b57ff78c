"""heapstory leaks: static leak analysis of C."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heapstory.commands.options import add_format, add_sarif, add_suppress, number
from heapstory.commands.output import FOUND, INCOMPLETE, say, talk, write
from heapstory.commands.progress import Stage, progress
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.api.leaks import Leaks
    from heapstory.confirm import Execution

NAMED = 5  # functions without source that are named on stderr
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
    for option, what in (("-I", "DIR"), ("-D", "NAME[=VALUE]"), ("-U", "NAME")):
        add(
            option,
            dest="compiler_options",
            metavar=what,
            action="append",
            default=[],
            type=option.__add__,
            help="as the compiler has it, for plain files",
        )
    add("--all", action="store_true", help="also double frees, uses after free, bad frees")
    add_format(parser, ("text", "json"))
    add_sarif(parser)
    add("--html", metavar="FILE", help="write a page with every path beside its source")
    add("--models", metavar="FILE", action="append", default=[], help="more library models (TOML)")
    add("--baseline", metavar="FILE", help="only findings that are not in it count")
    add("--write-baseline", metavar="FILE", help="accept all present findings")
    add_suppress(parser)
    add("--show-suppressed", action="store_true", help="also list accepted findings")
    add(
        "--min-confidence",
        choices=("low", "medium", "high"),
        default="medium",
        help="leave out findings of less confidence (default: medium)",
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
    import heapstory
    from heapstory.checks.baseline import write_baseline

    _check_confirm(args)
    stage = Stage("reading the program")
    with progress(stage):
        found = heapstory.leaks(
            *args.words,
            database=args.database,
            build=None if args.confirm else args.build,
            compiler_options=args.compiler_options,
            misuses=args.all,
            min_confidence=args.min_confidence,
            models=args.models,
            baseline=args.baseline,
            suppressed=args.suppress,
            jobs=args.jobs,
            engine=args.engine,
            scheduler=args.scheduler,
            cache=not args.no_cache,
            summaries=not args.no_summaries,
            states_of=args.show_states,
            progress=stage.tell,
        )
    if args.show_states:
        return _show_states(args.show_states, found)
    if args.confirm:
        found.confirm(_execution(args))
    if args.write_baseline:
        write_baseline(Path(args.write_baseline), "leaks", found.findings)
    _remark(found)
    _write(args, found)
    if found.open and not args.write_baseline:
        return FOUND
    return 0 if found.complete else INCOMPLETE


def _show_states(function: str, found: Leaks) -> int:
    if not found.result.shown:
        raise UsageError(f"{function}: no such function in what was analysed")
    write("\n".join(found.result.shown) + "\n")
    return 0


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


def _execution(args: argparse.Namespace) -> Execution:
    from heapstory.confirm import Execution

    trace = Path(args.trace) if args.trace else None
    return Execution(args.build, trace, args.force, args.fail_allocations, talk, say)


def _remark(found: Leaks) -> None:
    for source, reason in found.result.skipped:
        say(f"{source}: skipped: {reason}")
    if found.build_status:
        say(f"the build failed with status {found.build_status}; what it compiled was analysed")
    if found.hidden:
        say(f"{found.hidden} less certain findings left out; --min-confidence low shows them")
    if found.result.limited:
        say(f"{len(found.result.limited)} functions too large to follow in full")
    if found.result.unknown:
        say(_not_followed(found.result.unknown))


def _not_followed(unknown: list[tuple[str, int]]) -> str:
    named = ", ".join(f"{name} ({blocks})" for name, blocks in unknown[:NAMED])
    more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
    return f"not followed into functions without source: blocks given to {named}{more}; --models"


def _about(trace: Path | None) -> dict[str, Any]:
    """What the moments of an answer are of: the recording that was kept, if there is one."""
    import heapstory
    from heapstory.reporters.json import about

    if trace is None or not trace.exists():
        return {}
    with heapstory.open(trace) as story:
        return about(story)


def _write(args: argparse.Namespace, found: Leaks) -> None:
    import heapstory.reporters.json
    import heapstory.reporters.sarif
    from heapstory.reporters.leaks import html, json, sarif, text
    from heapstory.reporters.style import Style

    findings, result, seconds = found.findings, found.result, found.seconds
    shown = [f for f in findings if f.suppressed is None or args.show_suppressed]
    summary = text.summary(findings, result, seconds)
    if args.sarif:
        log = heapstory.reporters.sarif.dumps(sarif.results(findings), sarif.RULES)
        write(log, args.sarif)
    trace = Path(args.trace) if args.confirm and args.trace else None
    if args.html:
        write(html.leaks_page(shown, found.sources, summary, trace), args.html)
    if args.format == "json":
        body = json.body(shown, result, seconds)
        write(heapstory.reporters.json.dumps("leaks", _about(trace) | body))
    else:
        write(text.report(shown, found.sources, summary, Style.of(sys.stdout)))
