"""From source files to LLVM IR: one clang for many units.

Starting clang costs as much as compiling a small unit. Units with the same directory and options
are therefore compiled together: the driver says how it would call the compiler proper (``-###``),
and that one takes any number of inputs. For each of them it names the headers as it enters them,
and then prints the module.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from heapstory.cfront.capture import Job
from heapstory.errors import HeapstoryError

MAX_TOGETHER = 24  # units for one clang; more save little and cost memory
_VERSIONS = range(40, 13, -1)  # of LLVM, the newest first; 14 is the oldest that is tested
_OPTIONS = (
    "-S", "-emit-llvm", "-O0", "-g", "-Xclang", "-disable-O0-optnone", "-w", "-Wno-everything",
    "-Qunused-arguments", "-fno-caret-diagnostics", "-D_FORTIFY_SOURCE=0",
)  # fmt: skip
_MODULE = b"; ModuleID = '"
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")


class ClangError(Exception):
    """Why there is no IR for a unit."""


class Module(NamedTuple):
    """The IR of a unit as text, and the files it was made from."""

    text: str
    depends: list[str]


@cache
def find_clang() -> str:
    """The clang to use."""
    wanted = os.environ.get("HEAPSTORY_CLANG")
    found = shutil.which(wanted) if wanted else _first_installed("clang")
    if found is None:
        raise HeapstoryError(
            f"clang is needed to read C ({wanted or 'clang'} not found): apt-get install clang"
        )
    return found


def _first_installed(tool: str) -> str | None:
    """A tool of LLVM: the one of that name, or else the newest that carries its version."""
    names = (tool, *(f"{tool}-{version}" for version in _VERSIONS))
    return next(filter(None, map(shutil.which, names)), None)


def together(jobs: Sequence[Job]) -> list[list[Job]]:
    """The jobs in groups that one clang can compile."""
    groups: dict[object, list[list[Job]]] = {}
    for job in jobs:
        alike = groups.setdefault((job.directory, job.options, Path(job.source).suffix), [])
        if not alike or len(alike[-1]) == MAX_TOGETHER:
            alike.append([])
        alike[-1].append(job)
    return [group for alike in groups.values() for group in alike]


def compile_together(jobs: Sequence[Job]) -> Iterator[Module | ClangError]:
    """The modules of jobs that are alike, in their order.

    clang prints no more modules once a unit had an error. So what it says first is about the first
    unit that is missing, and those behind it are compiled in another go.
    """
    rest = list(jobs)
    while rest:
        try:
            modules, errors = _run(rest)
        except ClangError as error:
            yield from [error] * len(rest)
            return
        for text, depends in modules:
            yield Module(text, [rest.pop(0).source, *depends])
        if rest:
            rest.pop(0)
            yield ClangError(f"clang: {first_error(errors)}")


def _run(jobs: Sequence[Job]) -> tuple[list[tuple[str, list[str]]], bytes]:
    job = jobs[0]
    said = _execute([find_clang(), "-###", *_OPTIONS, *job.options, "-o", "-", job.source], job)
    lines = [li for li in os.fsdecode(said.stderr).splitlines() if '"-cc1"' in li]
    if said.returncode != 0 or not lines:
        raise ClangError(f"clang: {first_error(said.stderr)}")
    words = [_ESCAPED.sub(r"\1", word) for word in _QUOTED.findall(lines[-1])]
    # Memory must be freed between units. The source is the last word.
    command = [word for word in words[:-1] if word != "-disable-free"]
    command[2:2] = ["-header-include-file", "/dev/stdout"]
    done = _execute([*command, *(each.source for each in jobs)], job)
    return _split(done.stdout), done.stderr


def _execute(command: list[str], job: Job) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            command,
            cwd=job.directory,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except OSError as error:
        raise ClangError(f"cannot run clang in {job.directory}: {error.strerror}") from error


def _split(output: bytes) -> list[tuple[str, list[str]]]:
    """Modules and the headers named before each; a module ends with its metadata."""
    headers, *parts = output.split(_MODULE)
    found = []
    for part in parts:
        end = part.find(b"\n", part.rfind(b"\n!") + 1) + 1
        text = (_MODULE + part[:end]).decode("utf-8", "replace")
        names = os.fsdecode(headers).splitlines()
        found.append((text, [_ESCAPED.sub(r"\1", name) for name in names]))
        headers = part[end:]
    return found


def disassemble(path: str) -> str:
    """The text of a bitcode file."""
    tool = _first_installed("llvm-dis")
    if tool is None:
        raise ClangError("llvm-dis is needed to read bitcode: apt-get install llvm")
    done = subprocess.run([tool, "-o", "-", path], capture_output=True, check=False)
    if done.returncode != 0:
        raise ClangError(
            f"bitcode that {Path(tool).name} cannot read, perhaps of a newer LLVM "
            f"({first_error(done.stderr)}); give the .ll text or the source instead"
        )
    return done.stdout.decode("utf-8", "replace")


def first_error(errors: bytes) -> str:
    """The line of a compiler's messages that says what is wrong."""
    lines = errors.decode("utf-8", "replace").splitlines()
    for line in lines:
        if "error:" in line:
            return line.strip()
    return lines[0].strip() if lines else "failed without a message"
