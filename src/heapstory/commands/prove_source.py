"""heapstory prove --c: a proof from an extracted specification, and all interleavings of calls."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from heapstory.commands.output import write
from heapstory.commands.progress import progress
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.linear.c.extract import Extracted
    from heapstory.linear.ir.judge import Outcome
    from heapstory.linear.ir.verdict import Wanted
    from heapstory.linear.language.syntax import Specification
    from heapstory.reporters.prove.results import Judged

    Judge = Callable[[Specification, Extracted], Judged]

DATABASE = "compile_commands.json"
CHECK_CALLS = 3  # of a specification that was accepted, so many are tried in the code itself
CHECK_SECONDS = 10.0


def judge_c(args: argparse.Namespace, judge: Judge) -> Judged:
    """A specification is extracted where the source is simple enough: only that can be proved. All
    else is tried as it stands; so is, a little, what was accepted."""
    from heapstory.linear.ir.verdict import is_reserved
    from heapstory.linear.verdict.report import BOUNDED, PROVED, REFUTED, UNKNOWN
    from heapstory.reporters.prove.results import interleaved

    options = _options(args)
    if args.run_code:
        return _run(args, options)
    extracted = _extracted(args, options)
    if args.show_spec:
        write(f"{extracted.text}\n")
    if extracted.spec is None:
        outcome = _interleaved(args, options, args.timeout, args.bound)
        outcome.notes.append(f"no specification could be extracted: {extracted.reason}")
        return interleaved(args.c_source, outcome)
    judged = judge(extracted.spec, extracted)
    if judged.verdict == UNKNOWN or judged.sequential:  # what is empty may not be what it answers
        outcome = _interleaved(args, options, args.timeout, args.bound)
        kept = outcome.verdict == UNKNOWN and not judged.sequential
        return judged if kept else interleaved(args.c_source, outcome)
    if judged.verdict == REFUTED and is_reserved(_wanted(args, options, None)):
        return interleaved(args.c_source, _interleaved(args, options, args.timeout, args.bound))
    if judged.verdict in (PROVED, BOUNDED):
        outcome = _interleaved(args, options, min(args.timeout, CHECK_SECONDS), CHECK_CALLS)
        if outcome.verdict == REFUTED or outcome.history or outcome.other_type:
            return interleaved(args.c_source, outcome)
    return judged


def _run(args: argparse.Namespace, options: tuple[str, ...]) -> Judged:
    """Run the functions themselves, in threads."""
    from heapstory.linear.budget import Budget
    from heapstory.linear.run.judge import run_source
    from heapstory.reporters.prove.results import ran

    budget = Budget.within(args.timeout, args.memory)
    with progress(lambda: f"{args.c_source}: {budget.doing}"):
        found, reason = run_source(_wanted(args, options, None), budget)
    return ran(args.c_source, found, reason)


def database_above(source: str) -> Path | None:
    """The compilation database of the project that a file is in."""
    from heapstory.linear.ir.unit import project_of

    top = project_of(source)
    for folder in Path(source).resolve().parents if top else ():
        for each in (folder, folder / "build"):
            if (each / DATABASE).is_file():
                return each / DATABASE
        if folder == top:
            break
    return None


def _options(args: argparse.Namespace) -> tuple[str, ...]:
    """What clang is told."""
    from heapstory.cfront.capture import from_database

    found: list[str] = []
    database = args.database or database_above(args.c_source)
    if database:
        source = Path(args.c_source).resolve()
        try:
            jobs = [
                job
                for job in from_database(Path(database)).jobs
                if (Path(job.directory) / job.source).resolve() == source
            ]
        except UsageError:  # one that was not asked for may be of other files, or of no use
            if args.database:
                raise
            jobs = []
        if not jobs and args.database:
            raise UsageError(f"{args.database}: no entry for {args.c_source}")
        for job in jobs[:1]:
            found += [f"-working-directory={job.directory}", *job.options]
    found += [f"-I{folder}" for folder in args.include]
    found += [f"-D{name}" for name in args.define]
    return (*found, *args.compiler_option)


def _extracted(args: argparse.Namespace, options: tuple[str, ...]) -> Extracted:
    from heapstory.linear.c.extract import Extracted, extract

    if Path(args.c_source).suffix not in (".c", ".i"):
        return Extracted("", None, f"{args.c_source}: only C is")
    if args.one_thread or args.implements in ("deque", "lock"):
        return Extracted("", None, f"{args.c_source}: any thread may call any operation there")
    if args.functions and "=init" in args.functions:
        return Extracted("", None, f"{args.c_source}: the initialiser has a name of its own")
    with progress("reading C"):
        try:
            return extract(args.c_source, args.struct, args.functions, args.implements, options)
        except UsageError as reason:
            return _by_likely_names(args, options, reason)


def _by_likely_names(
    args: argparse.Namespace, options: tuple[str, ...], reason: UsageError
) -> Extracted:
    """Functions may have a prefix (``queue_enqueue``)."""
    from heapstory.linear.c.extract import Extracted, extract
    from heapstory.linear.ir.subject import operations_of

    chosen = operations_of(args.c_source, options, args.functions, args.implements)[1]
    if chosen.kind in ("deque", "lock"):
        return Extracted("", None, f"{args.c_source}: not of a {chosen.kind}")
    functions = ",".join(f"{f.name}={m}" for m, f in chosen.methods.items())
    try:
        return extract(args.c_source, args.struct, functions, chosen.kind, options)
    except UsageError:
        return Extracted("", None, str(reason))


def _interleaved(
    args: argparse.Namespace, options: tuple[str, ...], seconds: float, calls: int | None
) -> Outcome:
    from heapstory.linear.budget import Budget
    from heapstory.linear.ir.verdict import judge_source

    budget = Budget.within(seconds, args.memory)
    with progress(lambda: f"{args.c_source}: {budget.doing}"):
        outcome = judge_source(_wanted(args, options, calls), budget)
    if outcome.verdict == "unknown" and not outcome.history:
        command = shlex.join(["heapstory", "prove", "--run", "--c", args.c_source])
        outcome.notes.append(f"{command} executes the code, under many schedules")
    return outcome


def _wanted(args: argparse.Namespace, options: tuple[str, ...], calls: int | None) -> Wanted:
    from heapstory.linear.ir.verdict import Wanted

    return Wanted(
        args.c_source,
        options,
        args.struct,
        args.functions,
        args.implements,
        tuple(args.one_thread),
        args.keys,
        calls,
    )
