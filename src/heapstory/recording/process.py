"""The recorded process: started with the caller's own terminal, signals and environment."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from heapstory.recording.engine import COLLECTOR

_COLLECTOR_NAME = COLLECTOR[:15]  # all that the kernel keeps of a name
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SI_KERNEL = 0x80
_PASSED_ON = {
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
}
_AWAITED = {*_PASSED_ON, signal.SIGCHLD}
# Seconds until we look for ourselves: where there are other threads, a signal may go to them.
_PATIENCE = 0.2
# Python ignores these; the program must find them as a shell would leave them.
_RESTORED = [signal.SIGPIPE, signal.SIGXFSZ]


@dataclass(slots=True)
class Ending:
    """How the program ended, and what became of its collectors."""

    status: int  # as waitpid gives it
    collectors: list[int]  # wait statuses other than 0
    left: bool = False  # a collector was still at work when the user interrupted the wait

    @property
    def code(self) -> int | None:
        """The exit code, None where a signal ended it."""
        return os.WEXITSTATUS(self.status) if os.WIFEXITED(self.status) else None

    @property
    def signal(self) -> int | None:
        """The signal that ended it."""
        return os.WTERMSIG(self.status) if os.WIFSIGNALED(self.status) else None

    @property
    def shell_status(self) -> int:
        """What a shell would make of it: 128+N for signal N."""
        return self.code if self.code is not None else 128 + (self.signal or 0)


def run(
    command: list[str],
    environment: dict[str, str],
    waiting: Callable[[], None],
    meanwhile: Callable[[], None] = lambda: None,
    started: Callable[[], None] = lambda: None,
) -> tuple[int, Ending]:
    """Runs a command to its end, then waits for the collectors it leaves behind.

    Returns its process id and its ending. ``started`` is called as soon as the program runs,
    ``waiting`` when it has ended, ``meanwhile`` from time to time before.
    """
    # Collectors are the program's children until it ends; then they must come to us, not to init.
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    try:
        program = _start(command, environment, mask)
        _call_beside(started, program)
        collectors: list[int] = []
        while (status := _reap(program, collectors)) is None:
            received = signal.sigtimedwait(_AWAITED, _PATIENCE)
            if received is None or received.si_signo == signal.SIGCHLD:
                meanwhile()
                continue
            # What the terminal sends goes to the program as well as to us, without our help.
            if received.si_code != _SI_KERNEL:
                os.kill(program, received.si_signo)
        waiting()
        left = not _await_collectors(collectors)
        return program, Ending(status, [status for status in collectors if status], left)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def left_running() -> list[int]:
    """The processes that the program left behind, which are our children now."""
    us = os.getpid()
    return [pid for pid in _children() if _name_and_parent(pid)[1] == us]


def await_left(awaited: Callable[[int], bool], waiting: Callable[[list[int]], None]) -> list[int]:
    """Waits for the processes that the program left behind, as far as they are ``awaited``; to be
    called when ``run`` says that the program has ended.

    ``waiting`` is told of them once, if there are any. Signals are passed on to them; who
    interrupts us twice does not want to wait any longer: then those that still run are returned.
    """
    interrupted = told = False
    while running := [pid for pid in left_running() if awaited(pid)]:
        if not told:
            waiting(running)
            told = True
        received = signal.sigtimedwait(_AWAITED, _PATIENCE)
        _reap(None, [])
        if received is None or received.si_signo == signal.SIGCHLD:
            continue
        if received.si_signo in (signal.SIGINT, signal.SIGTERM):
            if interrupted:
                return running
            interrupted = True
        _pass_on(received.si_signo, running)
    return []


def _pass_on(number: int, processes: list[int]) -> None:
    for pid in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _call_beside(started: Callable[[], None], program: int) -> None:
    try:
        started()
    except BaseException:
        os.kill(program, signal.SIGKILL)
        os.waitpid(program, 0)
        raise


def _start(command: list[str], environment: dict[str, str], mask: set[int]) -> int:
    """Forks and executes. (posix_spawn would leave two internal signals of libc ignored.)"""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        for number in _RESTORED:
            signal.signal(number, signal.SIG_DFL)
        _die_with(parent)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.execve(command[0], command, environment)
    except BaseException as error:
        os.write(2, os.fsencode(f"heapstory: {command[0]} cannot be started: {error}\n"))
    finally:
        os._exit(125)


def _die_with(parent: int) -> None:
    """Who kills us, even with SIGKILL, means the program."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # too late to be told
        os.kill(os.getpid(), signal.SIGKILL)


def _await_collectors(collectors: list[int]) -> bool:
    """Waits until none is left; False if the user would not wait.

    Other processes that the program left running are its own affair.
    """
    while True:
        # Asked first: one that ends between the two is then taken leave of, not overlooked.
        running = _collector_running()
        known = len(collectors)
        _reap(None, collectors)
        if not running:
            return True
        if len(collectors) > known:  # it may have been the last
            continue
        received = signal.sigtimedwait(_AWAITED, _PATIENCE)
        if received is not None and received.si_signo in (signal.SIGINT, signal.SIGTERM):
            return False


def _reap(program: int | None, collectors: list[int]) -> int | None:
    """Takes leave of every child that has ended; returns the program's status if it is one."""
    found = None
    while True:
        try:
            peeked = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return found
        if peeked is None:
            return found
        name, _ = _name_and_parent(peeked.si_pid)
        _, status = os.waitpid(peeked.si_pid, 0)
        if peeked.si_pid == program:
            found = status
        elif name == _COLLECTOR_NAME:
            collectors.append(status)


def _collector_running() -> bool:
    """Whether a child of ours is a collector."""
    return (_COLLECTOR_NAME, os.getpid()) in map(_name_and_parent, _children())


def _children() -> list[int]:
    """Our children; where the kernel does not list them, all processes."""
    try:
        lists = [(task / "children").read_text() for task in Path("/proc/self/task").iterdir()]
    except OSError:
        return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    return [int(word) for text in lists for word in text.split()]


def _name_and_parent(pid: int) -> tuple[str, int]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return "", 0
    name, _, rest = text.partition("(")[2].rpartition(")")
    return name, int(rest.split()[1])
