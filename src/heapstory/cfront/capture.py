"""Which units a program has and how they are compiled.

From a compilation database or plain files; builds.py watches a build.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from heapstory.errors import UsageError

_C = (".c", ".i")
_SOURCE = (*_C, ".cc", ".cpp", ".cxx", ".c++", ".C", ".ii", ".m", ".mm")
# Options that say what the source means; all others concern code generation or warnings.
_WITH_VALUE = [
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-x",
    "--sysroot",
    "-isysroot",
    "-std",
]
ONLY_C = "only C is analysed"
_SAME_CODE = frozenset(["-DPIC", "-pthread"])
_MEANINGFUL = re.compile(
    r"-(?:[IDU].|std=|include|isystem|iquote|idirafter|imacros|nostdinc|ansi|m(?:32|64)\Z|pthread\Z"
    r"|-sysroot=|f(?:un)?signed-char|fshort-enums|fms-extensions|fgnu89-inline|fno-builtin|fplan9"
    r"|x[ci]|trigraphs|fopenmp|fblocks|fshort-wchar)"
)
_TAKES_NEXT = frozenset(
    [
        "-o",
        "-MF",
        "-MT",
        "-MQ",
        "-l",
        "-L",
        "-T",
        "-u",
        "-z",
        "-arch",
        "-Xlinker",
        "-Xassembler",
        "-aux-info",
    ]
)


@dataclass(frozen=True, slots=True)
class Job:
    """One unit: where it is compiled, its source, and the options that matter."""

    directory: str
    source: str
    options: tuple[str, ...] = ()
    variant: str = ""  # tells units apart that are made of one source with other options


@dataclass(frozen=True, slots=True)
class Captured:
    """The units of a program, and what of it will not be looked at, with the reason."""

    jobs: list[Job]
    unseen: list[tuple[str, str]] = field(default_factory=list)
    status: int = 0  # of the build that was watched


def is_c(source: str) -> bool:
    """Whether a source is C."""
    return source.endswith(_C)


def from_paths(paths: list[str], options: tuple[str, ...] = ()) -> Captured:
    """Units of plain files; a directory stands for all C files below it."""
    jobs: list[Job] = []
    unseen: list[tuple[str, str]] = []
    for text in paths:
        path = Path(text)
        if path.is_dir():
            files = sorted(p for p in path.rglob("*") if p.suffix in _SOURCE and p.is_file())
            found = [p for p in files if p.suffix == ".c"]
            if not found:
                raise UsageError(f"{text}: no .c files in this directory")
            jobs.extend(Job(str(Path.cwd()), str(p), options) for p in found)
            unseen += [(str(p), ONLY_C) for p in files if p.suffix not in _C]
        elif not path.exists():
            raise UsageError(f"{text}: no such file")
        elif path.suffix not in (".c", ".i", ".ll", ".bc"):
            raise UsageError(f"{text}: not a C file (.c, .i) or LLVM IR (.ll, .bc)")
        else:
            jobs.append(Job(str(Path.cwd()), str(path), options))
    return Captured(distinct(jobs), unseen)


def from_database(path: Path) -> Captured:
    """The units of a ``compile_commands.json``."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot read it: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not a compilation database: not UTF-8 text") from error
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{path}:{error.lineno}:{error.colno}: not a compilation database: {error.msg}"
        ) from error
    if not isinstance(entries, list):
        raise UsageError(f"{path}: not a compilation database: a list of commands is expected")
    jobs: list[Job] = []
    unseen: list[tuple[str, str]] = []
    for number, entry in enumerate(entries, 1):
        try:
            job = _database_entry(path, number, entry)
        except UsageError as error:
            unseen.append((f"{path}: entry {number}", str(error)))
            continue
        if is_c(job.source):
            jobs.append(job)
        else:
            unseen.append((job.source, ONLY_C))
    if not jobs and unseen:
        raise UsageError(f"{path}: no entry is a C unit: {unseen[0][1]}")
    return Captured(distinct(jobs), unseen)


def _database_entry(path: Path, number: int, entry: object) -> Job:
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise UsageError(f'{path}: entry {number} has no "file"')
    directory = entry.get("directory")
    arguments = entry.get("arguments")
    if arguments is None and isinstance(entry.get("command"), str):
        try:
            arguments = shlex.split(entry["command"])
        except ValueError as error:
            raise UsageError(f"{path}: entry {number}: {error}") from error
    if not isinstance(arguments, list) or not all(isinstance(a, str) for a in arguments):
        raise UsageError(f'{path}: entry {number} has neither "arguments" nor "command"')
    folder = _name(directory) if isinstance(directory, str) else "."
    folder = str((path.parent / folder).resolve())
    words = [_name(word) for word in arguments[1:]]
    return Job(folder, _name(entry["file"]), tuple(meaningful(words)[0]))


def _name(text: str) -> str:
    """A name in a database, which is UTF-8, as names are in this locale."""
    return os.fsdecode(text.encode("utf-8", "surrogateescape"))


def meaningful(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The options that matter, and the source files, of a compiler call."""
    options: list[str] = []
    sources: list[str] = []
    words = iter(arguments)
    for word in words:
        if word in _WITH_VALUE:
            options.extend((word, next(words, "")))
        elif word in _TAKES_NEXT:
            next(words, None)
        elif not word.startswith("-"):
            if word.endswith(_SOURCE):
                sources.append(word)
        elif _MEANINGFUL.match(word):
            options.append(word)
    return options, sources


def distinct(jobs: list[Job]) -> list[Job]:
    """Every source once for all options that make other code of it: libtool compiles everything
    twice, other projects a file for several programs."""
    seen: dict[tuple[str, ...], Job] = {}
    for job in jobs:
        path = os.path.normpath(os.path.join(job.directory, job.source))  # noqa: PTH118
        options = (word for word in job.options if word not in _SAME_CODE)
        seen.setdefault((path, *options), job)
    times: Counter[str] = Counter()
    found = []
    for (path, *_), job in seen.items():
        times[path] += 1
        found.append(replace(job, variant=f"#{times[path]}") if times[path] > 1 else job)
    return found
