"""Which units a build compiles: a library preloaded into it notes the compilers it calls.

A build that is up to date in part compiles only some units. What an earlier run of the same build
saw compiled is taken from there, and so is what it did not see. The objects that are linked or put
into archives tell of the others: what nobody saw is named.
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
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from heapstory.cfront.capture import ONLY_C, Captured, Job, distinct, is_c, meaningful
from heapstory.errors import UsageError
from heapstory.folders import cache_folder, native_folder

_COMPILER = re.compile(r"(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|c89|c99)(?:-[\d.]+)?\Z")
_ARCHIVER = re.compile(r"(?:[\w.]+-)*ar(?:-[\d.]+)?\Z")
_WRAPPER = re.compile(r"(?:ccache|sccache|distcc|icecc)\Z")  # programs that run a compiler
_OBJECT = (".o", ".lo", ".obj")
_LOOKS_ONLY = ("-E", "-M", "-MM", "-fsyntax-only")
_RELOCATABLE = 1  # e_type of an ELF file that a compiler made
_NOT_SEEN = "this build did not compile it: clean first, or use -p compile_commands.json"
_NOT_WATCHED = (
    "made by a compiler that we did not see (called by a static program, or with an environment of "
    "its own): use -p compile_commands.json"
)


@dataclass(slots=True)
class _Seen:
    """What a build did, by its compiler calls."""

    compiled: dict[str, list[Job]] = field(default_factory=dict)  # by what was made of them
    units: list[Job] = field(default_factory=list)  # all of them
    linked: set[str] = field(default_factory=set)  # objects that went into something


def from_build(command: list[str]) -> Captured:
    """Run a build and watch it; units, what was not seen, and the build's exit status."""
    if shutil.which(command[0]) is None and not Path(command[0]).exists():
        raise UsageError(f"{command[0]}: no such command to build with")
    with tempfile.TemporaryDirectory(prefix="heapstory-build-") as folder:
        log = Path(folder) / "calls"
        began = time.time()
        # A shell starts it, since the command may be a compiler itself. The program's own talk must
        # not mix with our results.
        shell = ["/bin/sh", "-c", 'exec "$@"', "sh", *command]
        status = subprocess.run(
            shell, env=_environment(log), stdout=sys.stderr, check=False
        ).returncode
        seen = _seen(_read_log(log) if log.exists() else [])
    memory = cache_folder() / "builds" / _name(command)
    known = {
        name: jobs
        for name, jobs in _remembered(memory).items()
        if name in seen.linked or (Path(name).exists() and all(map(_exists, jobs)))
    }
    if not seen.units and not known:
        raise UsageError(
            "the build ran no C compiler that we saw: is everything up to date (make clean)? "
            "A static program, or one that starts compilers with an environment of its own, "
            "cannot be watched: use -p compile_commands.json"
        )
    captured = _completed(seen, known, status)
    unwatched = sorted(set(_made_since(began)) - set(seen.compiled) - seen.linked)
    captured.unseen.extend((os.path.relpath(name), _NOT_WATCHED) for name in unwatched)
    unknown: dict[str, list[Job]] = {name: [] for name in seen.linked - set(seen.compiled)}
    _remember(memory, {**unknown, **known, **seen.compiled})
    return captured


def _completed(seen: _Seen, known: dict[str, list[Job]], status: int) -> Captured:
    """The units of a build, those included that it did not have to compile again."""
    absent = (seen.linked | set(known)) - set(seen.compiled)
    jobs = list(seen.units)
    unseen = []
    for name in sorted(absent):
        again = [job for job in known.get(name, []) if _exists(job)]
        jobs += again
        if not again:
            unseen.append((os.path.relpath(name), _NOT_SEEN))
    other = sorted({job.source for job in jobs if not is_c(job.source)})
    unseen += [(source, ONLY_C) for source in other]
    return Captured(distinct([job for job in jobs if is_c(job.source)]), unseen, status)


def _exists(job: Job) -> bool:
    return Path(job.directory, job.source).exists()


# --- compiler calls ------------------------------------------------------------------------------


def _seen(records: list[tuple[str, list[str]]]) -> _Seen:
    seen = _Seen()
    for directory, arguments in records:
        words = list(_expanded(directory, arguments))
        if _WRAPPER.match(Path(words[0]).name) and len(words) > 1:
            words = words[1:]
        program = Path(words[0]).name
        if _ARCHIVER.match(program):
            seen.linked.update(_objects(directory, words[1:]))
        elif _COMPILER.match(program) and not any(word in _LOOKS_ONLY for word in words):
            _compiler_call(seen, directory, words[1:])
    return seen


def _compiler_call(seen: _Seen, directory: str, words: list[str]) -> None:
    options, sources = meaningful(words)
    sources = [source for source in sources if not Path(source).name.startswith("conftest")]
    jobs = [Job(directory, source, tuple(options)) for source in sources]
    seen.units += jobs
    output = words[words.index("-o") + 1 :][:1] if "-o" in words else []
    if "-c" not in words:
        seen.linked.update(_objects(directory, words))
        output = output or ["a.out"]
    for job in jobs:
        made = output[0] if output else f"{Path(job.source).stem}.o"
        seen.compiled.setdefault(_path(directory, made), []).append(job)


def _objects(directory: str, words: list[str]) -> Iterator[str]:
    return (_path(directory, word) for word in words if word.endswith(_OBJECT))


def _path(directory: str, name: str) -> str:
    path = os.path.normpath(os.path.join(directory, name))  # noqa: PTH118
    return re.sub(r"(?:/\.libs)?/([^/]+)\.lo\Z", r"/\1.o", path).replace("/.libs/", "/")


def _expanded(directory: str, arguments: list[str]) -> Iterator[str]:
    """The words of a call, those of ``@FILE`` in its place."""
    for word in arguments:
        if word.startswith("@"):
            try:
                yield from shlex.split(Path(directory, word[1:]).read_text(errors="replace"))
                continue
            except (OSError, ValueError):
                pass
        yield word


def _read_log(log: Path) -> list[tuple[str, list[str]]]:
    data = log.read_bytes()
    records = []
    position = 0
    while position < len(data):
        end = data.find(b"\n", position)
        if end < 0 or not data[position:end].isdigit():
            break
        size = int(data[position:end])
        words = os.fsdecode(data[end + 1 : end + 1 + size]).split("\0")
        if len(words) >= 3:
            records.append((words[0], words[1:-1]))
        position = end + 1 + size
    return records


# --- what earlier runs saw -----------------------------------------------------------------------


def _name(command: list[str]) -> str:
    return sha256(os.fsencode("\0".join([str(Path.cwd()), *command]))).hexdigest()[:16]


def _remembered(path: Path) -> dict[str, list[Job]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8", errors="surrogateescape"))
        return {
            name: [Job(where, source, tuple(options)) for where, source, options in jobs]
            for name, jobs in content.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):  # none, or from another version
        return {}


def _remember(path: Path, compiled: dict[str, list[Job]]) -> None:
    content = {
        name: [(job.directory, job.source, job.options) for job in jobs]
        for name, jobs in compiled.items()
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(content), encoding="utf-8", errors="surrogateescape")
        fresh.rename(path)
    except OSError:  # a cache that cannot be written: the next run has to say more
        return


# --- watching ------------------------------------------------------------------------------------


def _environment(log: Path) -> dict[str, str]:
    environment = dict(os.environ)
    others = environment.get("LD_PRELOAD")
    watcher = native_folder() / "heapstory-watch.so"
    environment["LD_PRELOAD"] = f"{watcher}:{others}" if others else str(watcher)
    environment["HEAPSTORY_WATCH_LOG"] = str(log)
    environment["CCACHE_DISABLE"] = "1"  # it would run no compiler
    # A program built with AddressSanitizer wants to be loaded first, unless it is told not to.
    options = environment.get("ASAN_OPTIONS")
    relaxed = "verify_asan_link_order=0"
    environment["ASAN_OPTIONS"] = f"{options}:{relaxed}" if options else relaxed
    return environment


def _made_since(began: float) -> Iterator[str]:
    """Objects below this directory that are as new as that."""
    for folder, _, names in os.walk(Path.cwd()):
        for name in names:
            if not name.endswith(_OBJECT):
                continue
            path = Path(folder, name)
            try:
                if path.stat().st_mtime >= began and _is_relocatable(path):
                    yield _path(folder, name)
            except OSError:
                continue


def _is_relocatable(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(18)
    return head[:4] == b"\x7fELF" and int.from_bytes(head[16:18], "little") == _RELOCATABLE
