"""Which units a build compiles: it is run with a shim in front of its compilers.

A build that is up to date in part compiles only some units. The objects that are linked or put into
archives tell of the others: what an earlier run of the same build saw compiled is taken from there,
and what nobody saw is named.
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
from collections.abc import Iterator
from dataclasses import astuple, dataclass, field
from hashlib import sha256
from pathlib import Path

from heapstory.cfront.capture import Captured, Job, cache_folder, distinct, is_c, meaningful
from heapstory.errors import HeapstoryError, UsageError

_COMPILER = re.compile(r"(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|c89|c99)(?:-[\d.]+)?\Z")
_ARCHIVER = re.compile(r"(?:[\w.]+-)*ar(?:-[\d.]+)?\Z")
_WRAPPER = re.compile(r"(?:ccache|sccache|distcc|icecc)\Z")  # programs that run a compiler
_OBJECT = (".o", ".lo", ".obj")
_LOOKS_ONLY = ("-E", "-M", "-MM", "-fsyntax-only")
_NOT_SEEN = (
    "this build did not compile it (up to date, or a compiler called by its full path): "
    "clean first, or use -p compile_commands.json"
)


@dataclass(slots=True)
class _Seen:
    """What a build did, by its compiler calls."""

    compiled: dict[str, list[Job]] = field(default_factory=dict)  # by object
    units: list[Job] = field(default_factory=list)  # all of them
    linked: set[str] = field(default_factory=set)  # objects that went into something


def from_build(command: list[str]) -> Captured:
    """Run a build and watch it; units, what was not seen, and the build's exit status."""
    if shutil.which(command[0]) is None and not Path(command[0]).exists():
        raise UsageError(f"{command[0]}: no such command to build with")
    with tempfile.TemporaryDirectory(prefix="heapstory-shim-") as folder:
        names = _place_shims(Path(folder))
        log = Path(folder) / ".log"
        environment = dict(os.environ)
        environment["PATH"] = f"{folder}:{environment.get('PATH', '')}"
        environment["HEAPSTORY_SHIM_LOG"] = str(log)
        environment["HEAPSTORY_SHIM_DIR"] = folder
        environment["CCACHE_DISABLE"] = "1"  # called by its full path it would run no compiler
        # The program's own talk must not mix with our results.
        status = subprocess.run(command, env=environment, stdout=sys.stderr, check=False).returncode
        seen = _seen(_read_log(log) if log.exists() else [])
    memory = cache_folder() / "builds" / _name(command)
    known = _remembered(memory)
    if not seen.units and not known:
        raise UsageError(
            f"the build ran no C compiler that we saw (looked for {', '.join(names[:4])} …); "
            "is everything up to date (make clean), or is the compiler called by its full path? "
            "Then use -p compile_commands.json"
        )
    captured = _completed(seen, known, status)
    _remember(memory, {**known, **seen.compiled})
    return captured


def _completed(seen: _Seen, known: dict[str, list[Job]], status: int) -> Captured:
    """The units of a build, those included that it did not have to compile again."""
    absent = (seen.linked or set(known)) - set(seen.compiled)
    jobs = list(seen.units)
    unseen = []
    for name in sorted(absent):
        again = [job for job in known.get(name, []) if Path(job.directory, job.source).exists()]
        jobs += again
        if not again:
            unseen.append((os.path.relpath(name), _NOT_SEEN))
    other = sorted({job.source for job in jobs if not is_c(job.source)})
    unseen += [(source, "only C is analysed") for source in other]
    return Captured(distinct([job for job in jobs if is_c(job.source)]), unseen, status)


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
    if "-c" not in words:
        seen.linked.update(_objects(directory, words))
        return
    output = words[words.index("-o") + 1 :][:1] if "-o" in words else []
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
        words = data[end + 1 : end + 1 + size].decode("utf-8", "surrogateescape").split("\0")
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
    content = {name: [astuple(job) for job in jobs] for name, jobs in compiled.items()}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(content), encoding="utf-8", errors="surrogateescape")
        fresh.rename(path)
    except OSError:  # a cache that cannot be written: the next run has to say more
        return


# --- the shim ------------------------------------------------------------------------------------


def _place_shims(folder: Path) -> list[str]:
    shim = shim_program()
    names: set[str] = set()
    for directory in os.environ.get("PATH", "").split(":"):
        try:
            names.update(p.name for p in Path(directory).iterdir() if _is_watched(p.name))
        except OSError:
            continue
    for name in names:
        (folder / name).symlink_to(shim)
    return sorted((name for name in names if _COMPILER.match(name)), key=len)


def _is_watched(name: str) -> bool:
    return any(kind.match(name) for kind in (_COMPILER, _ARCHIVER, _WRAPPER))


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
