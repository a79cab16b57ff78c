"""Which units a program has and how they are compiled.

Three sources: a build run under the compiler shim, a compilation database, or plain files.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from heapstory.errors import HeapstoryError, UsageError

_COMPILER = re.compile(r"(?:[\w.]+-)*(?:gcc|cc|clang|c89|c99)(?:-[\d.]+)?\Z")
_SOURCE = (".c", ".i")
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


def from_paths(paths: list[str]) -> list[Job]:
    """Jobs for plain files; a directory stands for all C files below it."""
    jobs: list[Job] = []
    for text in paths:
        path = Path(text)
        if path.is_dir():
            found = sorted(p for p in path.rglob("*.c") if p.is_file())
            if not found:
                raise UsageError(f"{text}: no .c files in this directory")
            jobs.extend(Job(str(Path.cwd()), str(p)) for p in found)
        elif not path.exists():
            raise UsageError(f"{text}: no such file")
        elif path.suffix not in (".c", ".i", ".ll", ".bc"):
            raise UsageError(f"{text}: not a C file (.c, .i) or LLVM IR (.ll, .bc)")
        else:
            jobs.append(Job(str(Path.cwd()), str(path)))
    return jobs


def from_database(path: Path) -> list[Job]:
    """Jobs from a ``compile_commands.json``."""
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
    jobs = []
    for number, entry in enumerate(entries, 1):
        jobs.extend(_database_entry(path, number, entry))
    return distinct(jobs)


def _database_entry(path: Path, number: int, entry: object) -> list[Job]:
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
    if not entry["file"].endswith(_SOURCE):
        return []
    folder = directory if isinstance(directory, str) else "."
    folder = str((path.parent / folder).resolve())
    return [Job(folder, entry["file"], tuple(meaningful(arguments[1:])[0]))]


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
    """Every source once (libtool compiles it twice, tests compile it again)."""
    seen: dict[str, Job] = {}
    for job in jobs:
        seen.setdefault(os.path.normpath(os.path.join(job.directory, job.source)), job)  # noqa: PTH118
    return list(seen.values())


# --- builds -------------------------------------------------------------------------------------


def from_build(command: list[str]) -> tuple[list[Job], int]:
    """Run a build with the shim in front of its compilers; jobs, and the build's exit status."""
    if shutil.which(command[0]) is None and not Path(command[0]).exists():
        raise UsageError(f"{command[0]}: no such command to build with")
    with tempfile.TemporaryDirectory(prefix="heapstory-shim-") as folder:
        names = _place_shims(Path(folder))
        log = Path(folder) / ".log"
        environment = dict(os.environ)
        environment["PATH"] = f"{folder}:{environment.get('PATH', '')}"
        environment["HEAPSTORY_SHIM_LOG"] = str(log)
        environment["HEAPSTORY_SHIM_DIR"] = folder
        # The program's own talk must not mix with our results.
        status = subprocess.run(command, env=environment, stdout=sys.stderr, check=False).returncode
        records = _read_log(log) if log.exists() else []
    if not records:
        raise UsageError(
            f"the build ran no C compiler that we saw (looked for {', '.join(names[:4])} …); "
            "is everything up to date (make clean), or is the compiler called by its full path? "
            "Then use -p compile_commands.json"
        )
    jobs = []
    for directory, arguments in records:
        options, sources = meaningful(arguments[1:])
        if "-E" in arguments or "-fsyntax-only" in arguments:
            continue
        for source in sources:
            if not Path(source).name.startswith("conftest"):
                jobs.append(Job(directory, source, tuple(options)))
    return distinct(jobs), status


def _place_shims(folder: Path) -> list[str]:
    shim = shim_program()
    names: set[str] = set()
    for directory in os.environ.get("PATH", "").split(":"):
        try:
            names.update(p.name for p in Path(directory).iterdir() if _COMPILER.match(p.name))
        except OSError:
            continue
    for name in names:
        (folder / name).symlink_to(shim)
    return sorted(names, key=len)


def shim_program() -> Path:
    """The shim: installed with the package, or built once from its source."""
    installed = Path(__file__).parent.parent / "libexec" / "heapstory-shim"
    if installed.exists():
        return installed
    source = Path(__file__).parents[3] / "native" / "shim" / "shim.c"
    if not source.exists():
        raise HeapstoryError("the compiler shim is not installed; use -p compile_commands.json")
    digest = sha256(source.read_bytes()).hexdigest()[:16]
    built = cache_folder() / f"shim-{digest}"
    if not built.exists():
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            raise HeapstoryError("no C compiler to build the shim with: apt-get install clang")
        fresh = built.with_suffix(f".{os.getpid()}")
        subprocess.run([compiler, "-O2", "-o", str(fresh), str(source)], check=True)
        fresh.rename(built)
    return built


def cache_folder() -> Path:
    """Where results are kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(base) / "heapstory"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _read_log(log: Path) -> list[tuple[str, list[str]]]:
    data = log.read_bytes()
    records = []
    position = 0
    while position < len(data):
        end = data.find(b"\n", position)
        if end < 0 or not data[position:end].isdigit():
            break
        size = int(data[position:end])
        words = data[end + 1 : end + 1 + size].decode("utf-8", "surrogateescape").split("\0")
        if len(words) >= 3:
            records.append((words[0], words[1:-1]))
        position = end + 1 + size
    return records
