"""Running a program with the guard preloaded."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from heapstory.errors import HeapstoryError
from heapstory.guarding import report
from heapstory.guarding.guarded import Guarded, gather
from heapstory.guarding.settings import Settings
from heapstory.recording import process, program
from heapstory.recording.engine import native_folder

LIBRARY = "libheapstory-guard.so"
_STATIC = (
    "is statically linked, so nothing can be preloaded into it (link it dynamically, or record it: "
    "heapstory record --mode portable)"
)


def guard(command: list[str], settings: Settings) -> Guarded:
    """Runs a command to its end and reads what the guard saw."""
    library = native_folder() / LIBRARY
    if not library.exists():
        raise HeapstoryError(f"{library} is missing (make setup)")
    words = program.resolve(command, static=_STATIC)
    words = [str(program.find(words[0])), *words[1:]]
    with tempfile.TemporaryDirectory(prefix="heapstory-guard-") as folder:
        pid, ending = process.run(words, _environment(library, settings, folder), lambda: None)
        return gather(command, ending.shell_status, report.read(Path(folder)), pid)


def _environment(library: Path, settings: Settings, folder: str) -> dict[str, str]:
    others = os.environ.get("LD_PRELOAD", "")
    return {
        **os.environ,
        "LD_PRELOAD": f"{library}:{others}" if others else str(library),
        "HEAPSTORY_GUARD": settings.as_text(),
        "HEAPSTORY_GUARD_REPORT": folder,
    }
