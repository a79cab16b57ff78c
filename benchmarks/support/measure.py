"""Runs one command and says what it cost: wall time, CPU of its whole process tree, peak memory.

CPU comes from ``os.wait4``: the process and every descendant that was waited for. The collector
is no child of the program, but ``heapstory record`` is the sub-reaper that waits for it, so it is
within the total; what is the collector's alone is read from the trace.
"""

import contextlib
import hashlib
import math
import os
import platform
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path


class RunError(Exception):
    """A measured command failed or answered differently from before."""


@dataclass(frozen=True)
class Run:
    wall: float
    cpu: float
    peak_kib: int
    output: str  # sum of what it wrote on stdout


def run(
    command: list[str],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    stdin: Path | None = None,
    statuses: tuple[int, ...] = (0,),
    limit: float | None = None,
) -> Run:
    """Runs a command with its output kept in ``folder`` and the machine's writes settled.

    After ``limit`` seconds it is stopped with all that it started: a TimeoutError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    out, err = folder / "stdout", folder / "stderr"
    os.sync()
    with (
        (stdin or Path(os.devnull)).open("rb") as source,
        out.open("wb") as to_out,
        err.open("wb") as to_err,
    ):
        begin = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=source, stdout=to_out, stderr=to_err, env=_environment(environment)
        )
        stopper = threading.Timer(limit or threading.TIMEOUT_MAX, stop, [process.pid])
        stopper.start()
        try:
            _, state, usage = os.wait4(process.pid, 0)
        except BaseException:
            stop(process.pid)
            raise
        finally:
            stopper.cancel()
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(state)
    if limit and wall >= limit:
        raise TimeoutError(f"{' '.join(command[:6])} … took more than {limit:.0f} s")
    if process.returncode not in statuses:
        tail = err.read_text(errors="replace").strip().splitlines()[-3:]
        said = "\n  ".join(["", *tail])
        raise RunError(f"{' '.join(command[:6])} … ended with {process.returncode}{said}")
    cpu = usage.ru_utime + usage.ru_stime
    return Run(wall, cpu, usage.ru_maxrss, _sum_of(out))


def stop(process: int) -> None:
    """Ends a process and all its descendants."""
    for child in _children(process):
        stop(child)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _children(process: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        return [int(pid) for task in tasks for pid in (task / "children").read_text().split()]
    except OSError:
        return []  # it has gone


def geometric_mean(values: Iterable[float]) -> float | None:
    logs = [math.log(value) for value in values if value > 0]
    return math.exp(sum(logs) / len(logs)) if logs else None


def machine() -> str:
    """One line on where the figures were taken."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return (
        f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB, {system}, "
        f"Linux {platform.release()}, {_first_line(['valgrind', '--version'])}, "
        f"{_first_line(['gcc', '--version'])}"
    )


def revision(repository: Path) -> str:
    """The commit the figures belong to, with a + where the tree was changed."""
    described = _first_line(["git", "-C", str(repository), "rev-parse", "--short", "HEAD"])
    changed = _first_line(
        ["git", "-C", str(repository), "status", "--porcelain", "-uno", "--", "src", "native"]
    )
    return described + ("+" if changed else "")


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    # A small, fixed environment: the size of the environment moves the stack and so the figures.
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, "LC_ALL": "C", **(extra or {})}


def _sum_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _first_line(command: list[str]) -> str:
    if not shutil.which(command[0]):
        return f"no {command[0]}"
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return said.splitlines()[0].strip() if said.strip() else ""
