"""Asking a program that is being checked for a scan, from outside.

``native/valgrind/program/nudge.c`` has the other side. A program that runs needs a word set in its
memory; one whose threads all wait in the kernel is made to call a function, as debuggers do.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import struct
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from heapstory.errors import HeapstoryError, UsageError
from heapstory.recording.folder import successors
from heapstory.store import meta

_NAME = b"heapstory-scan-1"
_WORDS = struct.Struct("<QQQ")  # asked, made, the function
_COUNTS = struct.Struct("<QQ6Q")  # behind them: of which scan, which is answered, bytes and blocks
_PATIENCE = 0.3  # seconds until a program that runs should have seen it
_MOST = 120.0  # seconds until it is given up

_GETREGS, _SETREGS, _CONT, _DETACH, _SEIZE, _INTERRUPT = 12, 13, 7, 17, 0x4206, 0x4207
_ALL_THREADS = 0x40000000  # __WALL
_TGKILL = 234
_RAX, _ORIG_RAX, _RIP, _RSP = 10, 15, 16, 19  # of struct user_regs_struct
_Registers = ctypes.c_uint64 * 27
_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long] * 3 + [ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


@dataclass(frozen=True, slots=True)
class Asked:
    """A process that is being checked, and its trace."""

    pid: int
    trace: Path

    def scans(self) -> int:
        """How many were written by now."""
        return int((meta.read_part(self.trace / meta.COLLECTED) or {}).get("scans") or 0)


def ask_for_scan(pid: int) -> Path:
    """Has a checked process look for leaks; the trace that has it, when it is written."""
    asked = _find(pid)
    before = asked.scans()
    try:
        _nudge(asked.pid)
    except ProcessLookupError:
        raise HeapstoryError(f"process {pid} has ended") from None
    except PermissionError:
        raise HeapstoryError(
            f"process {pid} may not be looked into (it is another user's, or ptrace is forbidden)"
        ) from None
    for _ in _until(time.monotonic() + _MOST):
        if asked.scans() > before:
            return asked.trace
    raise HeapstoryError(f"process {pid} did not answer")


def _find(pid: int) -> Asked:
    """The process itself, or the child that `heapstory check` runs the program in."""
    for candidate in [pid, *_children(pid)]:
        words = _words(candidate)
        traces = [Path(word[8:]) for word in words if word.startswith("--trace=")]
        checked = any(word in ("--check=yes", "--check=light") for word in words)
        if "--tool=heapstory" in words and checked and traces:
            return Asked(candidate, _trace_of(candidate, traces[0]))
    if not Path(f"/proc/{pid}").exists():
        raise UsageError(f"there is no process {pid}")
    raise UsageError(f"process {pid} is not being checked (heapstory check -- PROG)")


def _words(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def _children(pid: int) -> list[int]:
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _trace_of(pid: int, first: Path) -> Path:
    """Its own: a program that was begun by exec, or forked, has another one than the first."""
    for trace in [first, *successors(first)]:
        known = meta.read_part(trace / meta.COLLECTED) or {}
        if known.get("pid") == pid and not known.get("ended"):
            return trace
    raise UsageError(f"process {pid} is not being checked (a child? heapstory check "
                     "--follow-children)")  # fmt: skip


def _until(end: float) -> Iterator[None]:
    while time.monotonic() < end:
        yield
        time.sleep(0.02)


def asked_for_counts(pid: int) -> int:
    """The number of the scan whose results the program waits for, from 1; 0: none."""
    with _memory(pid) as (memory, at):
        asked, made, *_ = _COUNTS.unpack(os.pread(memory, _COUNTS.size, at + _WORDS.size))
    return asked if asked != made else 0


def answer_counts(pid: int, scan: int, counts: Sequence[int]) -> None:
    """Tells it: bytes, then blocks; each lost, possibly lost, reachable."""
    with _memory(pid) as (memory, at):
        packed = _COUNTS.pack(scan, scan, *counts)
        os.pwrite(memory, packed[16:], at + _WORDS.size + 16)
        os.pwrite(memory, packed[8:16], at + _WORDS.size + 8)  # last: it looks at that


# --- its memory -----------------------------------------------------------------------------------


@contextlib.contextmanager
def _memory(pid: int) -> Iterator[tuple[int, int]]:
    """The memory of a process as a file, and where the words lie in it."""
    memory = os.open(f"/proc/{pid}/mem", os.O_RDWR)
    try:
        yield memory, _address(Path(f"/proc/{pid}/exe").read_bytes())
    finally:
        os.close(memory)


def _nudge(pid: int) -> None:
    with _memory(pid) as (memory, at):

        def words() -> tuple[int, int, int]:
            asked, made, function = _WORDS.unpack(os.pread(memory, _WORDS.size, at))
            return asked, made, function

        wanted = words()[1] + 1
        os.pwrite(memory, struct.pack("<Q", wanted), at)
        end = time.monotonic() + _MOST
        while time.monotonic() < end:
            for _ in _until(time.monotonic() + _PATIENCE):
                if words()[1] == wanted:
                    return
            for thread in _waiting(pid):
                _call(pid, thread, words()[2])
                if words()[1] == wanted:
                    return


def _address(program: bytes) -> int:
    """Where the words lie behind their name, by the file's table of segments."""
    found = program.find(_NAME)
    first, size, count = (
        struct.unpack_from(form, program, offset)[0]
        for form, offset in (("<Q", 0x20), ("<H", 0x36), ("<H", 0x38))
    )
    for number in range(count if found >= 0 else 0):
        kind, _, offset, address, _, length = struct.unpack_from(
            "<IIQQQQ", program, first + number * size
        )
        if kind == 1 and offset <= found < offset + length:
            return int(address + found - offset + len(_NAME))
    raise HeapstoryError("the checked program is of another heapstory: it cannot be asked")


def _waiting(pid: int) -> list[int]:
    """Its threads that sleep."""
    found = []
    for task in sorted(Path(f"/proc/{pid}/task").iterdir(), key=lambda path: int(path.name)):
        with contextlib.suppress(OSError):
            state = (task / "stat").read_text().rpartition(")")[2].split()[0]
            if state == "S":
                found.append(int(task.name))
    return found


# --- a call in a thread that waits ----------------------------------------------------------------


def _ptrace(request: int, thread: int, data: object = None, number: int = 0) -> None:
    value = ctypes.c_void_p(number) if data is None else ctypes.byref(data)  # type: ignore[arg-type]
    if _libc.ptrace(request, thread, 0, value) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def _call(pid: int, thread: int, function: int) -> None:
    """Calls a function of the program that ends at a breakpoint; the system call in which the
    thread waited begins again, and signals that came meanwhile come once more."""
    held: list[int] = []
    _ptrace(_SEIZE, thread)
    try:
        _ptrace(_INTERRUPT, thread)
        os.waitpid(thread, _ALL_THREADS)
        before = _Registers()
        _ptrace(_GETREGS, thread, before)
        if before[_ORIG_RAX] < 1 << 63:  # in a system call
            _run(thread, before, function, held)
            _ptrace(_SETREGS, thread, before)
    finally:
        with contextlib.suppress(OSError):
            _ptrace(_DETACH, thread)
    for number in held:
        _libc.syscall(_TGKILL, pid, thread, number)


def _run(
    thread: int, before: ctypes.Array[ctypes.c_uint64], function: int, held: list[int]
) -> None:
    there = _Registers(*before)
    there[_RIP] = function
    there[_RSP] = (before[_RSP] - 1024 & ~15) - 8  # as behind a call
    there[_ORIG_RAX] = (1 << 64) - 1  # nothing to begin again
    there[_RAX] = 0
    _ptrace(_SETREGS, thread, there)
    while True:
        _ptrace(_CONT, thread)
        _, status = os.waitpid(thread, _ALL_THREADS)
        if not os.WIFSTOPPED(status):
            raise ProcessLookupError
        if status >> 16:  # an event: a stop of the whole process
            continue
        if os.WSTOPSIG(status) == signal.SIGTRAP:
            return
        held.append(os.WSTOPSIG(status))
