"""heapstory prove: linearizability of specifications, C sources and recorded histories."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from heapstory.commands.options import add_format, add_sarif, count, seconds
from heapstory.commands.output import FOUND, INCOMPLETE, say, write
from heapstory.commands.progress import progress
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.linear.c.extract import Extracted
    from heapstory.linear.language.syntax import Specification
    from heapstory.reporters.prove.results import Judged

NOT_SEQUENTIAL = 2  # the specification itself is wrong: already one operation after another is


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument("specifications", nargs="*", metavar="SPEC", help="specification files")
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=60.0,
        metavar="SECONDS",
        help="time limit for each input (default: 60)",
    )
    parser.add_argument(
        "--memory",
        type=count,
        metavar="MIB",
        help="end a search where the process holds more (default: a quarter of the machine's)",
    )
    parser.add_argument(
        "--bound",
        type=count,
        metavar="N",
        help="N operations, not more (default: more and more, until a limit)",
    )
    parser.add_argument(
        "--keys",
        type=count,
        default=2,
        metavar="K",
        help="size of the domain for arguments that are compared (default: 2)",
    )
    parser.add_argument(
        "--exhaustive", type=count, metavar="N", help="only try all interleavings of N operations"
    )
    parser.add_argument(
        "--reuse",
        action="store_true",
        help="freed memory may be handed out again at once (shows ABA)",
    )
    parser.add_argument("--operations", metavar="NAME,…", help="look at these operations only")
    parser.add_argument("--bounded", action="store_true", help="do not attempt an unbounded proof")
    parser.add_argument(
        "--require-proof",
        action="store_true",
        help="exit 4 also for bounded-ok, which covers what it says and no more",
    )
    parser.add_argument(
        "--relations", action="store_true", help="show the derived ordering and reversibility"
    )
    parser.add_argument(
        "--prove-relations",
        action="store_true",
        help="also show which of them hold for any number of operations (needs z3)",
    )
    parser.add_argument(
        "--history",
        action="append",
        default=[],
        metavar="FILE",
        help="judge a recorded history (needs --model)",
    )
    parser.add_argument(
        "--model",
        metavar="TYPE|SPEC",
        help="queue, stack, set, register, snapshot, counter, map, or a file with a model",
    )
    parser.add_argument(
        "--states",
        action="store_true",
        help="with --history: show an order, and the abstract state after each operation",
    )
    parser.add_argument("--c", dest="c_source", metavar="FILE", help="extract from C source")
    parser.add_argument("--struct", metavar="NAME", help="with --c: the structure's type")
    parser.add_argument(
        "-I", dest="include", action="append", default=[], metavar="DIR", help="with --c: as clang"
    )
    parser.add_argument(
        "-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]",
        help="with --c: as clang",
    )  # fmt: skip
    parser.add_argument(
        "-p", dest="database", metavar="FILE", help="with --c: a compilation database"
    )
    parser.add_argument(
        "--compiler-option",
        action="append",
        default=[],
        metavar="OPTION",
        help="with --c: another option for clang (--compiler-option=-std=c11)",
    )
    parser.add_argument(
        "--one-thread",
        action="append",
        default=[],
        metavar="NAME,…",
        help="with --c: functions that only one thread calls (a single producer); none: any does",
    )
    parser.add_argument(
        "--functions",
        metavar="NAME=METHOD,…",
        help="with --c: which functions are operations, or init (default: by name)",
    )
    parser.add_argument("--implements", metavar="TYPE", help="with --c: the abstract type")
    parser.add_argument(
        "--show-spec", action="store_true", help="print the specification that --c extracts"
    )
    parser.add_argument(
        "--run",
        dest="run_code",
        action="store_true",
        help="with --c: run the functions in threads with random delays, and judge the histories",
    )
    add_format(parser, ("text", "json"))
    parser.add_argument("--svg", metavar="FILE", help="write the counterexample as a picture")
    parser.add_argument("--html", metavar="FILE", help="write the counterexample as a page")
    add_sarif(parser)


def run(args: argparse.Namespace) -> int:
    """Judge every input, print the results, and say by the exit status what they mean."""
    import heapstory.reporters.sarif
    from heapstory.reporters import json
    from heapstory.reporters.prove import sarif

    if not (args.specifications or args.history or args.c_source):
        raise UsageError("prove: give a SPEC, --history FILE --model TYPE, or --c FILE")
    results = [*_specifications(args), *_sources(args), *_histories(args)]
    if args.format == "json":
        write(json.dumps("prove", {"results": [one.data for one in results]}))
    else:
        write(f"{one.text}\n" for one in results)
    _pictures(args, results)
    if args.sarif:
        write(heapstory.reporters.sarif.dumps(sarif.results(results), sarif.RULES), args.sarif)
    return _status(args, results)


def _specifications(args: argparse.Namespace) -> list[Judged]:
    from heapstory.api.prove import read
    from heapstory.linear.language.lint import lint

    found = []
    for path in args.specifications:
        spec = read(path, args.operations.split(",") if args.operations else ())
        for remark in lint(spec):
            say(remark)
        judged = _judged(spec, args)
        for remark in judged.data["warnings"]:
            say(remark)
        found.append(judged)
    return found


def _judged(
    spec: Specification, args: argparse.Namespace, extracted: Extracted | None = None
) -> Judged:
    from heapstory.api.prove import prove_one
    from heapstory.linear.budget import Budget
    from heapstory.linear.verdict.report import Options
    from heapstory.reporters.prove.results import specification

    options = Options(
        bound=args.bound,
        keys=args.keys,
        timeout=args.timeout,
        reuse=args.reuse,
        exhaustive=args.exhaustive,
        proof=not args.bounded,
        tables=args.prove_relations,
        c=extracted is not None,
        doubt=extracted.doubt if extracted else "",
    )
    budget = Budget.within(args.timeout, args.memory)
    with progress(lambda: f"{spec.name}: {budget.doing}"):
        result = prove_one(spec, options, budget)
    text = extracted.text if extracted else None
    return specification(result.report, result.counterexample, args.relations, text)


def _sources(args: argparse.Namespace) -> list[Judged]:
    if not args.c_source:
        return []
    from heapstory.commands.prove_source import judge_c

    return [judge_c(args, lambda spec, extracted: _judged(spec, args, extracted))]


def _histories(args: argparse.Namespace) -> list[Judged]:
    if not args.history:
        return []
    from heapstory.linear.history.judge import judge_file
    from heapstory.reporters.prove.results import history

    if not args.model:
        raise UsageError("prove: --history needs --model (queue, stack, set, register, …)")
    found = []
    for path in args.history:
        with progress(f"judging {path}"):
            found.append(history(judge_file(path, args.model, args.timeout, args.states)))
    return found


def _pictures(args: argparse.Namespace, results: list[Judged]) -> None:
    from heapstory.reporters.prove import history_picture, pictures

    for one in results:
        if one.counterexample is not None:
            svg = pictures.svg(one.counterexample)
            html = pictures.html(one.name, one.counterexample)
        elif one.drawn and (one.drawn.conflict or one.drawn.order):
            svg = history_picture.svg(one.drawn) if one.drawn.conflict else ""
            html = history_picture.html(one.drawn)
        else:
            continue
        for path, text in ((args.svg, svg), (args.html, html)):
            if path and text:
                write(text, path)
            elif path:
                say(f"no counterexample, {path} not written")
        return
    for path in filter(None, (args.svg, args.html)):
        say(f"no counterexample, {path} not written")


def _status(args: argparse.Namespace, results: list[Judged]) -> int:
    from heapstory.linear.verdict.report import BOUNDED, REFUTED, UNKNOWN

    verdicts = [one.verdict for one in results]
    if any(one.sequential for one in results):
        return NOT_SEQUENTIAL
    if REFUTED in verdicts:
        return FOUND
    bounded = any(one.verdict == BOUNDED and not one.recorded for one in results)
    if UNKNOWN in verdicts or (bounded and args.require_proof):
        return INCOMPLETE
    return 0
