"""The peers on whole programs: alarms, CPU time and memory of each over a compilation database."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.leak_tools import CLANG_LEAK, CPPCHECK_LEAK, GCC_LEAK
from heapstory.cfront.capture import Job, from_database

_LINE = re.compile(r"^(\S+?:\d+):")


def run_peers(name: str, database: Path, names: list[str]) -> None:
    """One row for every peer. An alarm is a place: the same one seen from several units is one."""
    jobs = from_database(database).jobs
    for peer in names or list(_COMMANDS):
        program = _COMMANDS[peer][0]
        if shutil.which(program) is None:
            continue
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = _whole(jobs) if peer == "gcc -fanalyzer -flto" else _units(peer, jobs)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"| {name} | {peer} | {len(found)} | {cpu:.1f} |", flush=True)
        for place in sorted(found):
            print(f"  {place}")


_COMMANDS = {
    "gcc -fanalyzer": ("gcc", ["gcc", "-O0", "-fanalyzer"], GCC_LEAK),
    "clang --analyze": ("clang-14", ["clang-14", "--analyze"], CLANG_LEAK),
    "cppcheck": ("cppcheck", ["cppcheck", "-q", "--enable=warning"], CPPCHECK_LEAK),
    "gcc -fanalyzer -flto": ("gcc", [], GCC_LEAK),
}


def _units(peer: str, jobs: list[Job]) -> set[str]:
    found: set[str] = set()
    _, command, wanted = _COMMANDS[peer]
    for job in jobs:
        options = [o for o in job.options if o != "-w"]
        if peer == "cppcheck":
            words = [*command, *(o for o in options if o.startswith(("-D", "-I"))), job.source]
        else:
            words = [*command, *options, "-c", "-o", os.devnull, job.source]
        found |= _places(_said(words, job.directory), wanted, job.directory)
    return found


def _whole(jobs: list[Job]) -> set[str]:
    """All units in one link, which is when -flto looks; a second main is left out."""
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for number, job in enumerate(jobs):
            objects.append(f"{folder}/{number}.o")
            options = [o for o in job.options if o != "-w"]
            _said(["gcc", "-O0", "-flto", "-fanalyzer", *options, "-c", "-o", objects[-1],
                   job.source], job.directory)  # fmt: skip
        objects = [o for o in objects if Path(o).exists()]
        link = ["gcc", "-O0", "-flto", "-fanalyzer", "-r", "-flinker-output=nolto-rel",
                "-Wl,-z,muldefs", "-o", f"{folder}/all.o", *objects]  # fmt: skip
        return _places(_said(link, folder), GCC_LEAK, folder)


def _said(command: list[str], folder: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False, cwd=folder
    )
    return done.stderr + done.stdout


def _places(text: str, wanted: re.Pattern[str], folder: str) -> set[str]:
    found = set()
    for line in text.splitlines():
        place = _LINE.match(line)
        if place and wanted.search(line):
            found.add(os.path.normpath(os.path.join(folder, place.group(1))))  # noqa: PTH118
    return found
