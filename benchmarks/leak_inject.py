"""Injected leaks: one release deleted, or one early return added after an allocation, at a time.

Places are drawn at random among the lines that the compiler sees and that ``main`` can lead to (in
a library: all of them). heapstory analyses the whole program, with the answers of the unchanged
one kept; its peers see the changed unit. A tool has found the leak if it reports a loss that it
did not report for the unchanged program. Not every change makes a leak (what is released may be
kept elsewhere, or be null there); that holds for all tools alike.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.leak_tools import CLANG_LEAK, CPPCHECK_LEAK, GCC_LEAK
from heapstory.cfront import program as op
from heapstory.cfront.capture import Job, from_database
from heapstory.cfront.clang import together
from heapstory.cfront.frontend import compile_jobs
from heapstory.static import Options, Sources, analyse, collect_findings, load_models
from heapstory.static.analysis.linking import ProgramResult, link
from heapstory.static.program.index import callees

DELETED, RETURNED = "release deleted", "early return"
_FREE = re.compile(r"^\s*(?:\w*free\w*|fclose|pclose|closedir)\s*\([^;]*\);\s*$", re.IGNORECASE)
_ALLOCATION = re.compile(
    r"^\s+(?:[\w*]+\s+\**)?[\w>.-]+\s*=\s*(?:\([\w *]+\)\s*)?"
    r"\w*(?:alloc|strdup|strndup|fopen|_new)\w*\s*\([^;]*\);\s*$"
)
_RETURNS = (
    "{ extern int injected; if (injected) return 0; }",
    "{ extern int injected; if (injected) return; }",
)
_LIMIT = 120  # CPU seconds for a peer on one unit
_PLACE = re.compile(r":(\d+):\d+:")

Place = tuple[Job, int, str]


def run_inject(name: str, database: Path, places: int, seed: int) -> None:
    """One row for each way of injecting."""
    jobs = from_database(database).jobs
    with tempfile.TemporaryDirectory(prefix="heapstory-inject-") as kept:
        before = _ours(jobs, kept)
        tools = ["heapstory", *(peer for peer in _PEERS if shutil.which(_PEERS[peer][0]))]
        rows = {way: dict.fromkeys(["places", *tools], 0) for way in (DELETED, RETURNED)}
        units: dict[tuple[str, Job], set[str]] = {}
        for job, number, way in _drawn(jobs, kept, places, seed):
            path = Path(job.directory, job.source)
            changed = path.with_name(f"heapstory-injected-{path.name}")
            try:
                if not _write(job, path, changed, number, way):
                    continue
                found = []
                rows[way]["places"] += 1
                replaced = [
                    Job(j.directory, str(changed), j.options) if j is job else j for j in jobs
                ]
                if not _ours(replaced, kept) <= before:
                    found.append("heapstory")
                for peer in tools[1:]:
                    if (peer, job) not in units:
                        units[peer, job] = _theirs(peer, job, str(path))
                    if not _theirs(peer, job, str(changed)) <= units[peer, job]:
                        found.append(peer)
                for tool in found:
                    rows[way][tool] += 1
                print(f"  {way} {path.name}:{number + 1} {', '.join(found) or '-'}", flush=True)
            finally:
                changed.unlink(missing_ok=True)
    print(f"| program | way | places | {' | '.join(tools)} |")
    for way, row in rows.items():
        print(f"| {name} | {way} | {' | '.join(map(str, row.values()))} |", flush=True)


def _drawn(jobs: list[Job], kept: str, places: int, seed: int) -> list[Place]:
    """Random places, as many as wanted if there are so many."""
    lines = _reached_lines(jobs, kept)
    found = []
    for job in jobs:
        path = Path(job.directory, job.source)
        text = path.read_text(errors="replace").splitlines() if path.is_file() else []
        for number, line in enumerate(text):
            way = DELETED if _FREE.match(line) else RETURNED if _ALLOCATION.match(line) else None
            if way is not None and (os.path.realpath(path), number + 1) in lines:
                found.append((job, number, way))
    random.Random(seed).shuffle(found)
    return found[:places]


def _reached_lines(jobs: list[Job], kept: str) -> set[tuple[str, int]]:
    """Lines with a call, of functions that ``main`` leads to."""
    compiled = [each for group in together(jobs) for each in compile_jobs(group, kept)]
    functions, index = link(compiled, load_models([]), ProgramResult(), True)
    pending = [name for name in functions if name.split("@")[1] == "main"] or list(functions)
    seen = set(pending)
    while pending:
        new = {name for name in callees(functions[pending.pop()], index) if name in functions}
        pending.extend(new - seen)
        seen |= new
    return {
        (os.path.realpath(statement[1].path), statement[1].line)
        for name in seen
        for block in functions[name].blocks.values()
        for statement in block.statements
        if statement[0] == op.CALL and statement[1] is not None
    }


def _write(job: Job, path: Path, changed: Path, number: int, way: str) -> bool:
    """Write the changed unit; False if it cannot be compiled."""
    lines = path.read_text(errors="replace").splitlines()
    texts = [";"] if way == DELETED else [f"{lines[number]} {r}" for r in _RETURNS]
    for text in texts:
        changed.write_text("\n".join([*lines[:number], text, *lines[number + 1 :]]) + "\n")
        command = ["clang-14", "-fsyntax-only", "-Werror=return-type", *job.options, str(changed)]
        done = subprocess.run(command, cwd=job.directory, capture_output=True, check=False)
        if done.returncode == 0:
            return True
    return False


def _ours(jobs: list[Job], kept: str) -> set[tuple[object, ...]]:
    """Losses of at least medium confidence: where, and of what."""
    result = analyse(jobs, Options(load_models([]), processes=1, cache_path=kept))
    found = collect_findings(result.results, False, Sources())
    return {
        (finding.function, place.line, got.line)
        for finding in found
        for place in (finding.place, *finding.others)
        for got in (finding.allocated, *finding.also)
        if finding.confidence != "low"
    }


_PEERS: dict[str, tuple[str, Callable[[Job], list[str]], re.Pattern[str]]] = {
    "gcc -fanalyzer": (
        "gcc",
        lambda job: ["gcc", "-O0", "-fanalyzer", *_loud(job), "-c", "-o", os.devnull],
        GCC_LEAK,
    ),
    "clang --analyze": (
        "clang-14",
        lambda job: ["clang-14", "--analyze", *_loud(job), "-o", os.devnull],
        CLANG_LEAK,
    ),
    "cppcheck": (
        "cppcheck",
        lambda job: ["cppcheck", "-q", "--enable=warning", "--template=gcc",
                     *(o for o in job.options if o.startswith(("-D", "-I", "-U")))],
        CPPCHECK_LEAK,
    ),
}  # fmt: skip


def _loud(job: Job) -> list[str]:
    return [o for o in job.options if o != "-w"]


def _theirs(peer: str, job: Job, file: str) -> set[str]:
    """The lines and texts of a peer's leaks in one unit."""
    _, command, wanted = _PEERS[peer]
    done = subprocess.run(
        ["prlimit", f"--cpu={_LIMIT}", *command(job), file], cwd=job.directory,
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    found = set()
    for line in (done.stderr + done.stdout).splitlines():
        place = _PLACE.search(line)
        if place and wanted.search(line):
            found.add(line[place.start() :])
    return found
