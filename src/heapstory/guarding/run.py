"""Running a program with the guard preloaded."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from heapstory.errors import HeapstoryError
from heapstory.folders import native_folder
from heapstory.guarding import ahead, report
from heapstory.guarding.guarded import Guarded, gather
from heapstory.guarding.settings import Settings
from heapstory.recording import process, program

LIBRARY = "libheapstory-guard.so"
_STATIC = (
    "is statically linked, so nothing can be preloaded into it (link it dynamically, or record it: "
    "heapstory record --mode portable)"
)


def guard(
    command: list[str],
    settings: Settings,
    paged: list[str] | None = None,
    waiting: Callable[[list[int]], None] | None = None,
) -> Guarded:
    """Runs a command to its end and reads what the guard saw.

    Blocks that ``paged`` (FUNCTION or FILE:LINE) allocate get pages of their own. With ``waiting``,
    which is told of them, processes that still run then are waited for.
    """
    library = native_folder() / LIBRARY
    if not library.exists():
        raise HeapstoryError(f"{library} is missing (make setup)")
    words = program.resolve(command, static=_STATIC)
    words = [str(program.find(words[0])), *words[1:]]
    environment = _environment(library, settings)
    with tempfile.TemporaryDirectory(prefix="heapstory-guard-") as folder:
        environment["HEAPSTORY_GUARD_REPORT"] = folder
        ahead.write(Path(folder), Path(words[0]), paged or [])
        running: list[int] = []
        pid, ending = process.run(words, environment, lambda: running.extend(_left(waiting)))
        read = report.read(Path(folder))
        unwritten = report.unwritten(Path(folder), read)
        guarded = gather(command, ending.shell_status, read, pid, unwritten)
        guarded.remarks += [
            f"process {each} still runs: what it does from now on is not reported (--wait waits "
            "for it, or start a server in the foreground)"
            for each in running
        ]
        return guarded


def _left(waiting: Callable[[list[int]], None] | None) -> list[int]:
    """The processes that may have more to report when the program has ended."""
    if waiting:
        return process.await_left(_is_guarded, waiting)
    return [each for each in process.left_running() if _is_guarded(each)]


def _is_guarded(pid: int) -> bool:
    """Whether a process may have more to report."""
    try:
        return LIBRARY in Path(f"/proc/{pid}/maps").read_text(errors="replace")
    except PermissionError:
        return True
    except OSError:
        return False


def _environment(library: Path, settings: Settings) -> dict[str, str]:
    others = os.environ.get("LD_PRELOAD", "")
    return {
        **os.environ,
        "LD_PRELOAD": f"{library}:{others}" if others else str(library),
        "HEAPSTORY_GUARD": settings.as_text(),
    }
