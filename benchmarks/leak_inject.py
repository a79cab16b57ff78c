"""Injected leaks: one release deleted, or one early return added after an allocation, at a time.

heapstory analyses the whole program, gcc -fanalyzer the changed unit. A tool has found the leak if
it reports more losses than for the unchanged program. Not every change makes a leak (what is
released may be kept elsewhere, or be null there); that holds for both tools alike.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import tempfile
from pathlib import Path

from heapstory.static import Options, Sources, analyse, collect_findings, load_models
from heapstory.static.capture import Job, from_database
from leak_tools import GCC_LEAK

_FREE = re.compile(
    r"^\s*(?:free|fclose|x?free|(?:BN|sshbuf|sshkey)_free|freezero)\s*\([^;]*\);\s*$"
)
_ALLOCATION = re.compile(
    r"^\s+(?:[\w*]+\s+\**)?[\w>.-]+\s*=\s*(?:\([\w *]+\)\s*)?"
    r"(?:x|xn|xc|xz|xim|xi)?(?:malloc|calloc|zalloc|strdup|fopen|asprintf)\s*\([^;]*\);\s*$"
)
_RETURNS = (
    "{ extern int injected; if (injected) return 0; }",
    "{ extern int injected; if (injected) return; }",
)


def run_inject(name: str, database: Path, places: int, seed: int) -> None:
    """One row for each way of injecting."""
    jobs = from_database(database)
    candidates = _candidates(jobs)
    random.Random(seed).shuffle(candidates)
    with tempfile.TemporaryDirectory(prefix="heapstory-inject-") as kept:
        before = _ours(jobs, kept)
        unit_before: dict[Job, int] = {}
        tried = {"release deleted": [0, 0, 0], "early return": [0, 0, 0]}
        for job, number, way in candidates:
            if sum(row[0] for row in tried.values()) >= places:
                break
            path = Path(job.directory, job.source)
            changed = path.with_name(f"heapstory-injected-{path.name}")
            try:
                if not _write(job, path, changed, number, way):
                    continue
                row = tried[way]
                row[0] += 1
                replaced = [
                    Job(j.directory, str(changed), j.options) if j is job else j for j in jobs
                ]
                row[1] += _ours(replaced, kept) > before
                if job not in unit_before:
                    unit_before[job] = _gcc(job, str(path))
                row[2] += _gcc(job, str(changed)) > unit_before[job]
                print(f"  {way} {path.name}:{number + 1} {row}", flush=True)
            finally:
                changed.unlink(missing_ok=True)
    for way, (count, ours, theirs) in tried.items():
        print(f"| {name} | {way} | {count} | {ours} | {theirs} |", flush=True)


def _candidates(jobs: list[Job]) -> list[tuple[Job, int, str]]:
    found = []
    for job in jobs:
        path = Path(job.directory, job.source)
        if not path.is_file():
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines()):
            if _FREE.match(line):
                found.append((job, number, "release deleted"))
            elif _ALLOCATION.match(line):
                found.append((job, number, "early return"))
    return found


def _write(job: Job, path: Path, changed: Path, number: int, way: str) -> bool:
    """Write the changed unit; False if it cannot be compiled."""
    lines = path.read_text(errors="replace").splitlines()
    texts = [";"] if way == "release deleted" else [f"{lines[number]} {r}" for r in _RETURNS]
    for text in texts:
        changed.write_text("\n".join([*lines[:number], text, *lines[number + 1 :]]) + "\n")
        command = ["clang-14", "-fsyntax-only", *job.options, str(changed)]
        done = subprocess.run(command, cwd=job.directory, capture_output=True, check=False)
        if done.returncode == 0:
            return True
    return False


def _ours(jobs: list[Job], kept: str) -> int:
    outcome = analyse(jobs, Options(load_models([]), processes=1, cache_path=kept))
    found = collect_findings(outcome.answers, False, Sources())
    return sum(1 + len(f.others) for f in found if f.confidence != "low")


def _gcc(job: Job, file: str) -> int:
    options = [o for o in job.options if o != "-w"]
    command = ["gcc", "-O0", "-fanalyzer", *options, "-c", "-o", os.devnull, file]
    done = subprocess.run(
        command, cwd=job.directory, capture_output=True, text=True, errors="replace", check=False
    )
    return len(GCC_LEAK.findall(done.stderr))
