"""heapstory batch: many commands recorded and asked, in parallel."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from heapstory.commands import TOOL_FAILED
from heapstory.commands.options import count
from heapstory.commands.output import FOUND, say, write
from heapstory.errors import UsageError
from heapstory.reporters.text import count as many

EPILOG = """\
examples:
  heapstory batch commands.txt -o runs --ask 'locate --spec list.spec'
  heapstory batch commands.txt -o runs --ask info --ask "query 'SELECT count(*) FROM nodes'"
  heapstory query 'runs/*.story' 'SELECT trace, count(*) FROM nodes GROUP BY trace'

commands.txt has a command per line, as a shell would split it (no pipes, no variables). A question
is a verb with its options, without the trace. Interrupted, the same command goes on where it was.
The answers are in FOLDER/answers.parquet, a row per run and question; exit status 1 if a question
had findings."""

_QUESTIONS = ("info", "graph", "history", "query", "locate", "slice", "loops")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("commands", metavar="FILE", help="commands, one per line; - reads stdin")
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", required=True, help="where the traces go"
    )
    parser.add_argument(
        "--ask",
        action="append",
        default=[],
        metavar="QUESTION",
        help=f"asked of every trace (repeatable): {', '.join(_QUESTIONS)} with options",
    )
    parser.add_argument(
        "--record",
        default="",
        metavar="OPTIONS",
        help="options of record, as in --record='--stream --no-source'",
    )
    parser.add_argument(
        "--jobs", type=count, default=os.cpu_count() or 1, metavar="N", help="runs at a time"
    )
    parser.add_argument(
        "--engine", choices=("local", "dask"), default="local", help="where the work is done"
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="with --engine dask: the cluster's")


def run(args: argparse.Namespace) -> int:
    from heapstory.batch import batch
    from heapstory.batch.run import Job
    from heapstory.commands.progress import progress

    questions = _questions(args.ask)
    if (args.engine == "dask") != (args.scheduler is not None):
        raise UsageError("--engine dask and --scheduler ADDRESS go together")
    commands = batch.read_commands(args.commands, _read(args.commands))
    folder = Path(args.output).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    options = tuple(shlex.split(args.record))
    jobs = [
        Job(number, command, str(folder), questions, options)
        for number, command in enumerate(commands, 1)
    ]
    engine = batch.on_dask(args.scheduler) if args.scheduler else batch.on_this_machine(args.jobs)
    with progress(f"running {len(jobs)} commands"):
        found = list(batch.results(jobs, engine))
    batch.write_table(found, folder / batch.TABLE)
    # A shell that does not find a program ends with 127, too, but that is recorded.
    failed = [
        one
        for one in found
        if one["status"] == TOOL_FAILED
        or (one["status"] in (126, 127) and not Path(one["trace"]).exists())
    ]
    for one in failed[:3]:
        say(f"{shlex.join(one['command'])}: {one['said']}")
    answers = [answer for one in found for answer in one["answers"]]
    with_findings = sum(answer["status"] == FOUND for answer in answers)
    wrong = sum(answer["status"] in (2, 3) for answer in answers)
    write(
        f"{many(len(found), 'run')} ({len(failed)} not recorded), {many(len(answers), 'answer')} "
        f"({with_findings} with findings, {wrong} failed): {folder / batch.TABLE}\n"
    )
    if wrong:
        first = next(answer for answer in answers if answer["status"] in (2, 3))
        say(f"{first['question']}: {first['said']}")
    return 3 if failed or wrong else FOUND if with_findings else 0


def _questions(asked: list[str]) -> tuple[str, ...]:
    for question in asked:
        try:
            words = shlex.split(question)
        except ValueError as error:
            raise UsageError(f"--ask {question}: {error}") from error
        if not words or words[0] not in _QUESTIONS:
            raise UsageError(f"--ask {question}: wants one of {', '.join(_QUESTIONS)}")
    return tuple(asked)


def _read(path: str) -> str:
    if path == "-":
        return sys.stdin.read()
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
