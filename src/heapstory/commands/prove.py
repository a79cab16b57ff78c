"""``heapstory prove``: linearizability of specifications, C sources and recorded histories."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from heapstory.commands.progress import progress
from heapstory.errors import UsageError

HELP = "linearizability of a concurrent data structure"
REFUTED, UNKNOWN, BOUNDED = "not-linearizable", "unknown", "bounded-ok"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument("specifications", nargs="*", metavar="SPEC", help="specification files")
    parser.add_argument(
        "--timeout",
        type=_positive,
        default=60.0,
        metavar="SECONDS",
        help="time limit for each input (default: 60)",
    )
    parser.add_argument(
        "--bound",
        type=_count,
        metavar="N",
        help="enumerate states of N operations (default: 3, or 4 where cheap)",
    )
    parser.add_argument(
        "--keys",
        type=_count,
        default=2,
        metavar="K",
        help="size of the domain for arguments that are compared (default: 2)",
    )
    parser.add_argument(
        "--exhaustive", type=_count, metavar="N", help="only try all interleavings of N operations"
    )
    parser.add_argument(
        "--reuse",
        action="store_true",
        help="freed memory may be handed out again at once (shows ABA)",
    )
    parser.add_argument("--operations", metavar="NAME,…", help="look at these operations only")
    parser.add_argument("--bounded", action="store_true", help="do not attempt an unbounded proof")
    parser.add_argument(
        "--require-proof", action="store_true", help="exit 4 for anything but a proof"
    )
    parser.add_argument(
        "--relations", action="store_true", help="show the derived ordering and reversibility"
    )
    parser.add_argument(
        "--prove-relations",
        action="store_true",
        help="show also what of them holds for any number of operations (z3)",
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
        help="queue, stack, set, register, snapshot, counter, or a file with a model",
    )
    parser.add_argument("--c", dest="c_source", metavar="FILE", help="extract from C source")
    parser.add_argument("--struct", metavar="NAME", help="with --c: the structure's type")
    parser.add_argument(
        "--functions",
        metavar="NAME=METHOD,…",
        help="with --c: which functions are operations (default: by name)",
    )
    parser.add_argument("--implements", metavar="TYPE", help="with --c: the abstract type")
    parser.add_argument(
        "--show-spec", action="store_true", help="print the specification that --c extracts"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format")
    parser.add_argument(
        "--json", action="store_const", const="json", dest="format", help="short for --format json"
    )
    parser.add_argument("--svg", metavar="FILE", help="write the counterexample as a picture")
    parser.add_argument("--html", metavar="FILE", help="write the counterexample as a page")
    parser.add_argument("--sarif", metavar="FILE", help="write what was found as SARIF")


def _positive(text: str) -> float:
    value = float(text)
    if value <= 0:
        raise argparse.ArgumentTypeError("must be more than 0")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def run(args: argparse.Namespace) -> int:
    """Judge every input, print the results, and say by the exit status what they mean."""
    from heapstory.reporters.prove import present

    if not (args.specifications or args.history or args.c_source):
        raise UsageError("prove: give a SPEC, --history FILE --model TYPE, or --c FILE")
    results = [*_specifications(args), *_sources(args), *_histories(args)]
    if args.format == "json":
        print(json.dumps({"schema": "heapstory.prove/1", "results": [r.data for r in results]}))
    else:
        for result in results:
            print(result.text)
    _pictures(args, results)
    if args.sarif:
        Path(args.sarif).write_text(json.dumps(present.sarif(results), indent=1), encoding="utf-8")
    return _status(args, results)


def _specifications(args: argparse.Namespace) -> list[Any]:
    from heapstory.linear.lint import lint
    from heapstory.linear.resolve import load
    from heapstory.reporters.prove import present

    found = []
    for path in args.specifications:
        spec = _restricted(load(path), args)
        for remark in lint(spec):
            print(f"heapstory: {remark}", file=sys.stderr)
        report = _judged(spec, args)
        for remark in report.warnings:
            print(f"heapstory: {remark}", file=sys.stderr)
        found.append(present.result(spec, report, args.reuse, args.relations))
    return found


def _restricted(spec: Any, args: argparse.Namespace) -> Any:
    from dataclasses import replace

    if not args.operations:
        return spec
    wanted = args.operations.split(",")
    known = [o.name for o in spec.operations]
    for name in wanted:
        if name not in known:
            raise UsageError(f"{spec.path}: no operation '{name}' (has: {', '.join(known)})")
    return replace(spec, operations=tuple(o for o in spec.operations if o.name in wanted))


def _judged(spec: Any, args: argparse.Namespace) -> Any:
    from heapstory.linear.explore import Budget
    from heapstory.linear.verdict import Options, judge

    options = Options(
        bound=args.bound,
        keys=args.keys,
        timeout=args.timeout,
        reuse=args.reuse,
        exhaustive=args.exhaustive,
        proof=not args.bounded,
        tables=args.prove_relations,
    )
    budget = Budget(options.timeout, options.states)
    with progress(lambda: f"{spec.name}: {budget.doing}"):
        return judge(spec, options, budget)


def _sources(args: argparse.Namespace) -> list[Any]:
    if not args.c_source:
        return []
    from heapstory.linear.csource import extract
    from heapstory.reporters.prove import present

    with progress("reading C"):
        extracted = extract(args.c_source, args.struct, args.functions, args.implements)
    if args.show_spec:
        print(extracted.text)
    if extracted.spec is None:
        return [present.unknown(args.c_source, extracted.reason)]
    report = _judged(extracted.spec, args)
    return [present.result(extracted.spec, report, args.reuse, args.relations, extracted.text)]


def _histories(args: argparse.Namespace) -> list[Any]:
    if not args.history:
        return []
    from heapstory.linear.history import judge_file
    from heapstory.reporters.prove import present

    if not args.model:
        raise UsageError("prove: --history needs --model (queue, stack, set, register, …)")
    found = []
    for path in args.history:
        with progress(f"judging {path}"):
            found.append(present.history(judge_file(path, args.model, args.timeout)))
    return found


def _pictures(args: argparse.Namespace, results: list[Any]) -> None:
    from heapstory.reporters.prove import draw

    shown = next((r for r in results if r.counterexample is not None), None)
    for path, form in ((args.svg, "svg"), (args.html, "html")):
        if not path:
            continue
        if shown is None:
            print(f"heapstory: no counterexample, {path} not written", file=sys.stderr)
            continue
        found = shown.counterexample
        page = draw.svg(found) if form == "svg" else draw.html(shown.data["name"], found)
        Path(path).write_text(page, encoding="utf-8")


def _status(args: argparse.Namespace, results: list[Any]) -> int:
    verdicts = [r.data["verdict"] for r in results]
    if any(r.sequential for r in results):
        return 2
    if REFUTED in verdicts:
        return 1
    if UNKNOWN in verdicts or (args.require_proof and BOUNDED in verdicts):
        return 4
    return 0
