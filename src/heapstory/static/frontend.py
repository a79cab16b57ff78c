"""From a source file to a unit: clang, then the reader. The result is kept by content."""

from __future__ import annotations

import os
import pickle
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from heapstory.errors import HeapstoryError
from heapstory.static.capture import Job
from heapstory.static.ir.program import Unit
from heapstory.static.ir.reader import IRError, read_module

_VERSIONS = ("clang-14", "clang-15", "clang-16", "clang-17", "clang-18", "clang-19", "clang")
FORMAT = "9"  # of what is kept; changes with the reader


@dataclass(slots=True)
class Compiled:
    """A unit, or why there is none."""

    job: Job
    unit: Unit | None = None
    members: dict[str, set[str]] | None = None
    problem: str = ""


@cache
def find_clang() -> str:
    """The clang to use."""
    wanted = os.environ.get("HEAPSTORY_CLANG")
    for name in [wanted] if wanted else _VERSIONS:
        found = shutil.which(name)
        if found:
            return found
    raise HeapstoryError(
        f"clang is needed to read C ({wanted or 'clang-14'} not found): apt-get install clang-14"
    )


def compile_job(job: Job, cache_path: str | None = None) -> Compiled:
    """Compile and read one unit; problems are told, not raised."""
    kept = _kept(job, cache_path)
    if kept is not None:
        return kept
    try:
        text, depends = _ir_text(job)
        unit, members = read_module(text, _path(job))
    except _Problem as problem:
        return Compiled(job, problem=str(problem))
    except IRError as error:
        return Compiled(job, problem=f"cannot read its LLVM IR: {error}")
    except RecursionError:
        return Compiled(job, problem="its types or constants are nested too deeply")
    except (ValueError, KeyError, IndexError) as error:
        return Compiled(job, problem=f"LLVM IR of a form we do not know ({error!r}); try clang-14")
    unit.lines = _count_lines(_path(job))
    compiled = Compiled(job, unit, members)
    if cache_path is not None:
        _keep(compiled, depends, cache_path)
    return compiled


class _Problem(Exception):
    pass


def _path(job: Job) -> str:
    return os.path.normpath(os.path.join(job.directory, job.source))  # noqa: PTH118


def _count_lines(path: str) -> int:
    try:
        return Path(path).read_bytes().count(b"\n")
    except OSError:
        return 0


def _ir_text(job: Job) -> tuple[str, list[str]]:
    path = _path(job)
    if not Path(path).is_file():
        raise _Problem("no such file")
    if path.endswith(".ll"):
        return Path(path).read_text(encoding="utf-8", errors="replace"), [path]
    if path.endswith(".bc"):
        return _disassemble(path), [path]
    clang = find_clang()
    command = [clang, "-S", "-emit-llvm", "-O0", "-g", "-Xclang", "-disable-O0-optnone", "-w"]
    command += ["-Wno-everything", "-Qunused-arguments", "-fno-caret-diagnostics"]
    with tempfile.TemporaryDirectory(prefix="heapstory-") as folder:
        rules = Path(folder) / "depends"
        command += ["-D_FORTIFY_SOURCE=0", *job.options, "-MD", "-MF", str(rules), "-o", "-"]
        try:
            done = subprocess.run(
                [*command, job.source],
                cwd=job.directory,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except OSError as error:
            raise _Problem(f"cannot run clang in {job.directory}: {error.strerror}") from error
        if done.returncode != 0:
            raise _Problem(f"clang: {_first_error(done.stderr)}")
        depends = _dependencies(rules.read_bytes()) if rules.exists() else []
    return done.stdout.decode("utf-8", "replace"), depends


def _disassemble(path: str) -> str:
    tool = shutil.which("llvm-dis-14") or shutil.which("llvm-dis")
    if tool is None:
        raise _Problem("llvm-dis is needed to read bitcode: apt-get install llvm-14")
    done = subprocess.run([tool, "-o", "-", path], capture_output=True, check=False)
    if done.returncode != 0:
        raise _Problem(
            f"bitcode that {Path(tool).name} cannot read, perhaps of a newer LLVM "
            f"({_first_error(done.stderr)}); give the .ll text or the source instead"
        )
    return done.stdout.decode("utf-8", "replace")


def _first_error(errors: bytes) -> str:
    lines = errors.decode("utf-8", "replace").splitlines()
    for line in lines:
        if "error:" in line:
            return line.strip()
    return lines[0].strip() if lines else "failed without a message"


def _dependencies(rules: bytes) -> list[str]:
    text = rules.decode("utf-8", "replace").replace("\\\n", " ")
    _, _, files = text.partition(":")
    return [re.sub(r"\\(.)", r"\1", f) for f in re.split(r"(?<!\\)\s+", files.strip()) if f]


# --- kept results -------------------------------------------------------------------------------


def _slot(job: Job, cache_path: str) -> Path:
    identity = "\0".join((FORMAT, find_clang(), job.directory, job.source, *job.options))
    return Path(cache_path) / f"unit-{sha256(identity.encode()).hexdigest()[:32]}"


def _stamp(job: Job, names: list[str]) -> list[tuple[str, int, int]] | None:
    stamps = []
    for name in names:
        try:
            status = Path(os.path.join(job.directory, name)).stat()  # noqa: PTH118
        except OSError:
            return None
        stamps.append((name, status.st_size, status.st_mtime_ns))
    return stamps


def _kept(job: Job, cache_path: str | None) -> Compiled | None:
    if cache_path is None or job.source.endswith((".ll", ".bc")):
        return None
    try:
        with _slot(job, cache_path).open("rb") as file:
            stamps = pickle.load(file)
            if _stamp(job, [name for name, _, _ in stamps]) != stamps:
                return None
            compiled = pickle.load(file)
    except (OSError, pickle.PickleError, EOFError, AttributeError, ValueError):
        return None
    return compiled if isinstance(compiled, Compiled) else None


def _keep(compiled: Compiled, depends: list[str], cache_path: str) -> None:
    stamps = _stamp(compiled.job, depends) if depends else None
    if stamps is None or compiled.job.source.endswith((".ll", ".bc")):
        return
    slot = _slot(compiled.job, cache_path)
    fresh = slot.with_suffix(f".{os.getpid()}")
    with fresh.open("wb") as file:
        pickle.dump(stamps, file)
        pickle.dump(compiled, file, protocol=pickle.HIGHEST_PROTOCOL)
    fresh.replace(slot)
