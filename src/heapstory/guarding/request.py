"""Asking a guarded process that runs for a scan."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path

from heapstory.errors import UsageError
from heapstory.guarding import report
from heapstory.guarding.guarded import Guarded, gather
from heapstory.guarding.run import LIBRARY

SIGNAL = signal.SIGRTMIN + 13  # native/guard/threads.h
_USES_SIGNAL = "the program uses the signal of scans"  # native/guard/scan.c
_STEP = 0.02


def scan(pid: int, patience: float = 60.0) -> Guarded:
    """Has a process scanned and gives what is known of it by then."""
    folder = _report_folder(pid)
    if _USES_SIGNAL in (folder / f"process.{pid}").read_text(errors="replace"):
        raise _uses_signal(pid)
    before = _scans(folder, pid)
    try:
        os.kill(pid, SIGNAL)
    except (ProcessLookupError, PermissionError) as error:
        raise UsageError(f"{pid}: {error.strerror}") from error
    end = time.monotonic() + patience
    while (now := _scans(folder, pid)) == before:
        if not Path(f"/proc/{pid}").exists():
            raise UsageError(f"{pid}: ended before it could be scanned")
        if time.monotonic() > end:
            raise UsageError(
                f"{pid}: no scan within {patience:.0f} s: all its threads block signal {SIGNAL}, "
                "or an earlier scan is still at work"
            )
        time.sleep(_STEP)
    processes = [each for each in report.read(folder) if each.pid == pid]
    program = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:-1] if now else []
    return gather([word.decode(errors="replace") for word in program], 0, processes, pid)


def _uses_signal(pid: int) -> UsageError:
    return UsageError(f"{pid}: uses signal {SIGNAL}, which scans need, for something else")


def _report_folder(pid: int) -> Path:
    """Where the process writes; only a process that is known to expect the signal is sent it."""
    here = Path(f"/proc/{pid}")
    try:
        maps = (here / "maps").read_text(errors="replace")
        status = (here / "status").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        raise UsageError(f"{pid}: no such process") from None
    except PermissionError:
        raise UsageError(
            f"{pid}: may not be looked at (another user's, or it has more rights: ask as its user)"
        ) from None
    caught = int(status.partition("SigCgt:\t")[2].split()[0], 16)
    if LIBRARY not in maps:
        raise UsageError(f"{pid}: not guarded (start it by: heapstory guard -- PROG ARG...)")
    if not caught >> (SIGNAL - 1) & 1:
        raise _uses_signal(pid)
    # A program may overwrite its own environment, to show a title.
    words = (here / "environ").read_bytes().split(b"\0")
    named = [os.fsdecode(word.partition(b"=")[2]) for word in words
             if word.startswith(b"HEAPSTORY_GUARD_REPORT=")]  # fmt: skip
    parent = int(status.partition("PPid:\t")[2].split()[0])
    known = [
        file.parent
        for each in (pid, parent)
        for file in Path(tempfile.gettempdir()).glob(f"heapstory-guard-*/process.{each}")
    ]
    for folder in [*(Path(name) for name in named), *known]:
        if folder.is_dir():
            return folder
    raise UsageError(f"{pid}: its report is gone: the heapstory guard that started it has ended")


def _scans(folder: Path, pid: int) -> int:
    file = folder / f"process.{pid}"
    if not file.exists():
        return 0
    return sum(line.startswith(b"T ") for line in file.read_bytes().splitlines())
