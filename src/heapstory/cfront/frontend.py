"""From source files to units: clang, then the reader. The results are kept by content.

A caller may prepare functions (take out what it never looks at): what it does is part of what is
kept, so it says its version.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from heapstory.cfront import program
from heapstory.cfront.capture import Job
from heapstory.cfront.clang import (
    ClangError,
    Module,
    compile_together,
    disassemble,
    find_clang,
)
from heapstory.cfront.program import Unit
from heapstory.cfront.reader import IRError, Prepare, as_it_is, read_module
from heapstory.errors import UsageError

# Of what is kept; changes with the reader. Compiled classes cannot read what others have written.
FORMAT = f"22 {Path(str(program.__file__)).suffix}"


class Preparation(NamedTuple):
    """What is done to every function as it is read, and the version of that."""

    prepare: Prepare = as_it_is
    version: str = ""


PLAIN = Preparation()


@dataclass(slots=True)
class Compiled:
    """A unit, or why there is none."""

    job: Job
    unit: Unit | None = None
    members: dict[str, set[str]] | None = None
    problem: str = ""


def compile_jobs(
    jobs: Sequence[Job], cache_path: str | None = None, preparation: Preparation = PLAIN
) -> list[Compiled]:
    """Compile and read units that are alike (see ``together``); problems are told, not raised."""
    slots = {job: _slot(job, cache_path, preparation) for job in jobs if not _is_ir(job)}
    found = {job: kept for job in jobs if (kept := _kept(job, slots.get(job))) is not None}
    todo = [job for job in jobs if job not in found]
    for job, module in zip(todo, _modules(todo), strict=True):
        found[job] = _read(job, module, preparation.prepare)
        slot = slots.get(job)
        if slot is not None and isinstance(module, Module):
            _keep(found[job], module.depends, slot)
    return [found[job] for job in jobs]


def compile_file(path: str, options: tuple[str, ...] = ()) -> str:
    """The LLVM IR of one file, for those who cannot do without it."""
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file")
    compiled = next(compile_together([Job(str(Path.cwd()), path, options)]))
    if isinstance(compiled, ClangError):
        raise UsageError(str(compiled).removeprefix("clang: "))
    return compiled.text


def _read(job: Job, module: Module | ClangError, prepare: Prepare) -> Compiled:
    if isinstance(module, ClangError):
        return Compiled(job, problem=str(module))
    try:
        unit, members = read_module(module.text, _path(job) + job.variant, prepare)
    except IRError as error:
        return Compiled(job, problem=f"cannot read its LLVM IR: {error}")
    except RecursionError:
        return Compiled(job, problem="its types or constants are nested too deeply")
    except (ValueError, KeyError, IndexError) as error:
        return Compiled(job, problem=f"LLVM IR of a form we do not know ({error!r})")
    unit.lines = _count_lines(_path(job))
    return Compiled(job, unit, members)


def _path(job: Job) -> str:
    return os.path.normpath(os.path.join(job.directory, job.source))  # noqa: PTH118


def _count_lines(path: str) -> int:
    try:
        return Path(path).read_bytes().count(b"\n")
    except OSError:
        return 0


def _modules(jobs: Sequence[Job]) -> Iterator[Module | ClangError]:
    """The IR of every job, in order."""
    sources = [job for job in jobs if not _is_ir(job) and Path(_path(job)).is_file()]
    compiled = compile_together(sources)
    for job in jobs:
        path = _path(job)
        if not Path(path).is_file():
            yield ClangError("no such file")
        elif path.endswith(".ll"):
            yield Module(Path(path).read_text(encoding="utf-8", errors="replace"), [path])
        elif path.endswith(".bc"):
            try:
                yield Module(disassemble(path), [path])
            except ClangError as error:
                yield error
        else:
            yield next(compiled)


def _is_ir(job: Job) -> bool:
    return job.source.endswith((".ll", ".bc"))


# --- kept results -------------------------------------------------------------------------------


def _slot(job: Job, cache_path: str | None, preparation: Preparation) -> Path | None:
    if cache_path is None:
        return None
    made_by = (FORMAT, preparation.version, os.path.realpath(find_clang()))
    identity = "\0".join((*made_by, job.directory, job.source, job.variant, *job.options))
    digest = sha256(identity.encode(errors="surrogateescape")).hexdigest()
    return Path(cache_path) / f"unit-{digest[:32]}"


def _stamp(job: Job, names: list[str]) -> list[tuple[str, int, int]] | None:
    stamps = []
    for name in names:
        try:
            status = Path(os.path.join(job.directory, name)).stat()  # noqa: PTH118
        except OSError:
            return None
        stamps.append((name, status.st_size, status.st_mtime_ns))
    return stamps


def _kept(job: Job, slot: Path | None) -> Compiled | None:
    if slot is None:
        return None
    try:
        with slot.open("rb") as file:
            stamps = pickle.load(file)
            if _stamp(job, [name for name, _, _ in stamps]) != stamps:
                return None
            compiled = pickle.load(file)
    except (OSError, pickle.PickleError, EOFError, AttributeError, ValueError):
        return None
    return compiled if isinstance(compiled, Compiled) else None


def _keep(compiled: Compiled, depends: list[str], slot: Path) -> None:
    stamps = _stamp(compiled.job, depends) if depends else None
    if stamps is None:
        return
    fresh = slot.with_suffix(f".{os.getpid()}")
    try:
        with fresh.open("wb") as file:
            pickle.dump(stamps, file)
            pickle.dump(compiled, file, protocol=pickle.HIGHEST_PROTOCOL)
        fresh.replace(slot)
    except OSError:  # a full disk: the next run compiles it again
        fresh.unlink(missing_ok=True)
