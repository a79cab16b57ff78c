"""The folder of a trace while it is being recorded: made, described, and signed off."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from heapstory.errors import HeapstoryError
from heapstory.recording.process import Ending
from heapstory.store.meta import ASKED, COLLECTED, META, read_part, seal
from heapstory.whole_file import whole_file

ERROR = "error.txt"
LOG = "valgrind.log"
_MARKS = (META, ASKED, COLLECTED)


def prepare(trace: Path, force: bool) -> None:
    """Makes an empty folder; an existing trace is refused, or removed with ``force``."""
    for old in [trace, *successors(trace)]:
        if not old.exists() and not old.is_symlink():
            continue
        if not force:
            raise HeapstoryError(f"{old} exists (choose another with -o, or replace it: --force)")
        if old.is_symlink() or not old.is_dir():
            raise HeapstoryError(f"{old} is not a trace; it is not replaced (choose another: -o)")
        if not _is_trace(old):
            raise HeapstoryError(f"{old} is not a trace; it is not replaced (choose another: -o)")
        shutil.rmtree(old)
    try:
        trace.mkdir()
    except FileNotFoundError:
        raise HeapstoryError(f"{trace.parent}: no such directory (mkdir -p it first)") from None


def _is_trace(folder: Path) -> bool:
    """Whether a recording left this behind, however early it ended."""
    names = [entry.name for entry in folder.iterdir()]
    drafts = tuple(f".{name}." for name in _MARKS)
    known = {*_MARKS, ERROR, LOG, "chunks"}
    return bool(known.intersection(names)) or all(name.startswith(drafts) for name in names)


def successors(trace: Path) -> Iterator[Path]:
    """The traces that follow this one: NAME.1.story after an exec or for a child, and so on."""
    ending = ".story" if trace.name.endswith(".story") else ""
    stem = trace.name.removesuffix(ending)
    if not trace.parent.is_dir():
        return
    for entry in sorted(trace.parent.iterdir()):
        number = entry.name.removeprefix(f"{stem}.").removesuffix(ending)
        if entry.name == f"{stem}.{number}{ending}" and number.isdecimal():
            yield entry


def describe(trace: Path, facts: dict[str, Any]) -> None:
    """Writes down what was asked, for whoever finds the trace unfinished."""
    write_json(trace / ASKED, facts)


def complaint(trace: Path, pid: int, ending: Ending) -> str | None:
    """What went wrong with the recording, in one line, or None."""
    for part in _parts(trace):
        error = _first_line(part / ERROR)
        if error:
            return error
    for status in ending.collectors:
        if os.WIFSIGNALED(status):
            return (
                f"the collector was killed by signal {os.WTERMSIG(status)}; {trace} is incomplete"
            )
        return f"the collector failed; {trace} is incomplete"
    if not (trace / COLLECTED).exists():
        reason = _first_line(trace / LOG) or "the recorder did not start"
        return f"nothing was recorded: {reason} (see: heapstory doctor)"
    if any(_failed(read_part(part / COLLECTED) or {}, pid, ending) for part in _parts(trace)):
        reason = _first_line(trace / LOG) or "no reason is known"
        return f"the recorder itself failed: {reason} ({trace} has what came before)"
    if ending.left:
        return f"interrupted while {trace} was being finished; it completes in the background"
    return None


def unknown_instruction(trace: Path) -> str | None:
    """The bytes of the last instruction that the engine could not run."""
    try:
        log = (trace / LOG).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = re.findall(r"unhandled instruction bytes: ((?:0x[0-9A-Fa-f]+ ?)+)", log)
    return " ".join(byte[2:].rjust(2, "0").lower() for byte in found[-1].split()) if found else None


def never_called(trace: Path) -> list[str]:
    """Of the functions named by --alloc-fn and --free-fn, those that the program did not call."""
    collected = read_part(trace / COLLECTED) or {}
    form = re.compile(rf"^valgrind: {collected.get('pid')}: (.+) was never called$", re.MULTILINE)
    try:
        return form.findall((trace / LOG).read_text(encoding="utf-8", errors="replace"))
    except OSError:  # the engine had nothing to say
        return []


def sign_off(trace: Path, pid: int, ending: Ending) -> None:
    """Writes meta.json of this trace and of those that followed it.

    The collectors could not know how the program ended, where they did not see it, and those of the
    traces that followed not how it all was recorded.
    """
    log = trace / LOG
    if log.exists() and log.stat().st_size == 0:
        log.unlink()
    if ending.left:  # a collector has more to say: what it will write stands for itself
        return
    asked = read_part(trace / ASKED) or {}
    for part in _parts(trace):
        collected = read_part(part / COLLECTED)
        if collected is None:
            continue
        meta = {**asked, **collected}
        if fault := _fault(log, collected.get("pid")):
            meta["fault"] = fault
        if _failed(collected, pid, ending):
            write_json(part / META, seal({**meta, "ended": "failed"}))
            continue
        known = collected.get("exit") or {}
        unknown = known.get("code") is None and known.get("signal") is None
        if unknown and collected.get("pid") == pid and collected.get("ended") != "exec":
            meta["exit"] = {"code": ending.code, "signal": ending.signal}
            meta["ended"] = collected.get("ended") or (
                "exit" if ending.signal is None else "killed"
            )
        write_json(part / META, seal(meta))


_FAULTS = (
    ("stack-overflow", re.compile(r"can't grow stack to (0x[0-9A-Fa-f]+)")),
    ("unmapped", re.compile(r"Access not within mapped region at address (0x[0-9A-Fa-f]+)")),
    ("protected", re.compile(r"Bad permissions for mapped region at address (0x[0-9A-Fa-f]+)")),
    ("not-canonical", re.compile(r"General Protection Fault()")),
)


def _fault(log: Path, pid: int | None) -> dict[str, Any] | None:
    """Why the processor refused an access that ended a process, and of which address: the engine
    alone is told that, and says it in its log."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    told = "\n".join(line for line in lines if line.startswith(f"=={pid}=="))
    for access, form in _FAULTS:
        if found := form.search(told):
            address = found[1].lower() or None
            return {"access": access, "address": address}
    return None


def _parts(trace: Path) -> list[Path]:
    return [trace, *successors(trace)]


def _failed(collected: dict[str, Any], pid: int, ending: Ending) -> bool:
    """Whether the process ended without its recorder saying how: that is the recorder's own end,
    unless it was killed, which nobody can see coming."""
    unseen = collected.get("pid") == pid and collected.get("ended") == "killed"
    return unseen and ending.signal != signal.SIGKILL


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Whole or not at all."""
    with whole_file(path) as file:
        # Names that are no text hold halves of characters, which only escapes can write.
        file.write(f"{json.dumps(value, indent=1)}\n".encode())


_PREFIX = re.compile(r"^(==|--|\*\*)\d+\1 |^valgrind: ")  # of the engine's messages


def _first_line(path: Path) -> str | None:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    texts = (_PREFIX.sub("", line).strip() for line in lines)
    return next((text for text in texts if text), None)
