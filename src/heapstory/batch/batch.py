"""All runs of a batch: which are left, where they run, and the table of their answers."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from heapstory.batch.run import Job, run
from heapstory.errors import HeapstoryError, UsageError
from heapstory.store.sql import quoted

TABLE = "answers.parquet"
Engine = Callable[[list[Job]], Iterable[dict[str, Any]]]


def read_commands(path: str, text: str) -> list[tuple[str, ...]]:
    """One command per line, as a shell would split it; # begins a comment."""
    commands = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise UsageError(f"{path}:{number}: {error}") from error
        if words:
            commands.append(tuple(words))
    if not commands:
        raise UsageError(f"{path}: there is no command in it (one per line)")
    return commands


def on_this_machine(jobs: int) -> Engine:
    """So many runs at a time."""

    def engine(todo: list[Job]) -> Iterator[dict[str, Any]]:
        with ThreadPoolExecutor(jobs) as pool:
            for future in as_completed([pool.submit(run, job) for job in todo]):
                yield future.result()

    return engine


def on_dask(address: str) -> Engine:
    """On a cluster that sees the same folders."""
    try:
        from dask.distributed import Client, as_completed
    except ImportError:
        raise HeapstoryError(
            "the Python package dask is not installed (pip install 'heapstory[dask]')"
        ) from None

    def engine(todo: list[Job]) -> Iterator[dict[str, Any]]:
        with Client(address) as client:
            futures = client.map(run, todo, pure=False)
            for future in as_completed(futures):
                yield future.result()

    return engine


def results(jobs: list[Job], engine: Engine) -> Iterator[dict[str, Any]]:
    """Those that are known already, then the others as they end."""
    todo = []
    for job in jobs:
        known = job.done()
        if known is None:
            todo.append(job)
        else:
            yield known
    if todo:
        yield from engine(todo)


def write_table(found: list[dict[str, Any]], path: Path) -> None:
    """A row per run and question: number, command, trace, status, seconds, question,
    question_status, answer (JSON), said."""
    import duckdb

    rows = [row for one in sorted(found, key=lambda one: one["number"]) for row in _rows(one)]
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "rows.json"
        lines.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        types = ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS.items())
        source = f"read_json({quoted(lines)}, format = 'newline_delimited', columns = {{{types}}})"
        with duckdb.connect(":memory:") as connection:
            connection.execute(f"COPY (SELECT * FROM {source}) TO {quoted(path)} (FORMAT parquet)")


COLUMNS = {
    "number": "BIGINT",
    "command": "VARCHAR",
    "trace": "VARCHAR",
    "status": "INTEGER",
    "seconds": "DOUBLE",
    "question": "VARCHAR",
    "question_status": "INTEGER",
    "answer": "VARCHAR",
    "said": "VARCHAR",
}


def _rows(one: dict[str, Any]) -> Iterator[dict[str, Any]]:
    run_columns = {
        "number": one["number"],
        "command": shlex.join(one["command"]),
        "trace": one["trace"],
        "status": one["status"],
        "seconds": one["seconds"],
    }
    nothing = {"question": None, "status": None, "answer": None, "said": one["said"]}
    for asked in one["answers"] or [nothing]:
        answer = asked["answer"]
        yield {
            **run_columns,
            "question": asked["question"],
            "question_status": asked["status"],
            "answer": None if answer is None else json.dumps(answer),
            "said": asked["said"],
        }
