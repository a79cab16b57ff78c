"""What may be asked of a recording, checked before anything runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from heapstory.errors import UsageError
from heapstory.recording.places import check_function, check_place
from heapstory.recording.recorder import Request

MODES = ("alloc", "portable", "internals")
Command = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def check(request: Request) -> None:
    """`UsageError` where a request makes no sense; it names the option of ``heapstory record``."""
    if not request.command:
        raise UsageError("no program to record (usage: heapstory record -- PROG ARG...)")
    for option, number in (
        ("--for", request.changes),
        ("--stream-for", request.stream_instructions),
    ):
        if number is not None and number < 1:
            raise UsageError(f"{option} {number}: must be 1 or more")
    _check_mode(request)
    for option, text in (
        ("--from", request.start),
        ("--until", request.until),
        ("--stream-from", request.stream_start),
        ("--stream-until", request.stream_until),
    ):
        if text is not None:
            check_place(option, text)
    for text in request.cpoints:
        check_place("--cpoint", text)
    if request.frames and request.start is not None:
        raise UsageError("--frame and --from: what a frame held before is not known (drop one)")
    for option, names in (
        ("--alloc-fn", request.alloc_fn),
        ("--free-fn", request.free_fn),
        ("--frame", request.frames),
    ):
        for text in names:
            check_function(option, text)


def _check_mode(request: Request) -> None:
    mode = request.mode
    if mode not in MODES:
        raise UsageError(f"--mode {mode}: there is no such mode (use --mode alloc, the default)")
    if mode != "alloc" and (request.alloc_fn or request.free_fn):
        raise UsageError("--alloc-fn and --free-fn belong to --mode alloc (else: --allocator NAME)")
    if mode != "alloc" and request.frames:
        raise UsageError("--frame belongs to --mode alloc")
    if mode != "portable" and request.allocators:
        raise UsageError("--allocator belongs to --mode portable")
    if mode != "alloc" and request.abort_on_bad_free:
        raise UsageError(
            f"--abort-on-bad-free belongs to --mode alloc: in --mode {mode} the program has its "
            "own allocator, which does what it always does"
        )
    if any(not name for name in request.allocators):
        raise UsageError("--allocator: a function, a library, LOW-HIGH or free-lists is missing")


def words_of(command: Command) -> list[str]:
    """A program and its arguments; a string or a path is a program without any, as to
    `subprocess.run`."""
    words = [command] if isinstance(command, str | os.PathLike) else command
    return [os.fspath(word) for word in words]


def default_trace(command: Sequence[str]) -> Path:
    """PROG.story, in the current directory."""
    return Path(f"{Path(command[0]).name if command else ''}.story")
