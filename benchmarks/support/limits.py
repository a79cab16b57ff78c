"""Holds a process that reads a trace to less memory than the trace is large.

Three ways, the first that this machine offers:

* ``systemd-run --scope -p MemoryMax=…`` where systemd runs the machine;
* a memory control group made by the operator and named with ``--cgroup``;
* a warden: the parent counts the process's private memory (RssAnon) and every page of the
  trace that is in the page cache (cachestat), and when they exceed the limit takes the trace's
  pages away, from the process (process_madvise, MADV_PAGEOUT) and from the cache
  (posix_fadvise). RLIMIT_DATA keeps private memory itself below the limit. It needs no rights
  beyond one's own files.
"""

import ctypes
import os
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

_PROCESS_MADVISE, _CACHESTAT = 440, 451  # system calls of Linux 5.10 and 6.5, x86-64
_MADV_PAGEOUT = 21
_PAGE = os.sysconf("SC_PAGE_SIZE")
_libc = ctypes.CDLL(None, use_errno=True)


class _Iovec(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


class LimitError(Exception):
    """The process could not be held below its limit, or failed under it."""


@dataclass(frozen=True)
class Limited:
    output: str
    way: str
    peak: int  # bytes, private memory and cached trace together; 0 where only the kernel knows
    evictions: int


def run(command: list[str], trace: Path, limit: int, cgroup: Path | None = None) -> Limited:
    # What is in the page cache already would count as somebody else's.
    for file in _open(trace):
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)
    if cgroup:
        return _in_cgroup(command, limit, cgroup)
    if Path("/run/systemd/system").is_dir():
        scope = ["systemd-run", "--scope", "--quiet", "-p", f"MemoryMax={limit}"]
        said = _finish(_start([*scope, "-p", "MemorySwapMax=0", *command]))
        return Limited(said, "systemd-run scope", 0, 0)
    return _under_warden(command, trace, limit)


def _in_cgroup(command: list[str], limit: int, cgroup: Path) -> Limited:
    new = (cgroup / "memory.max").exists()
    (cgroup / ("memory.max" if new else "memory.limit_in_bytes")).write_text(str(limit))
    peak = cgroup / ("memory.peak" if new else "memory.max_usage_in_bytes")
    if not new:
        peak.write_text("0")
    join = f'echo $$ > "{cgroup}/cgroup.procs" && exec "$@"'
    said = _finish(_start(["sh", "-c", join, "sh", *command]))
    return Limited(said, f"cgroup {cgroup}", int(peak.read_text()), 0)


def _open(trace: Path) -> list[int]:
    return [os.open(path, os.O_RDONLY) for path in trace.rglob("*") if path.is_file()]


def _under_warden(command: list[str], trace: Path, limit: int) -> Limited:
    files = _open(trace)
    process = _start(command, limit)
    pidfd = os.pidfd_open(process.pid)
    peak = evictions = 0
    try:
        while process.poll() is None:
            held = _private(process.pid) + sum(map(_cached, files))
            peak = max(peak, held)
            if held > limit * 0.9:  # a margin, for what is read between two looks
                _page_out(process.pid, pidfd, trace)
                for file in files:
                    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
                evictions += 1
            time.sleep(0.002)
        return Limited(_finish(process), "warden", peak, evictions)
    finally:
        process.kill()
        process.wait()
        for file in [*files, pidfd]:
            os.close(file)


def _start(command: list[str], limit: int | None = None) -> subprocess.Popen[str]:
    def restrict() -> None:
        if limit:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=restrict
    )


def _finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate()
    if process.returncode:
        last = (err.strip().splitlines() or [f"status {process.returncode}"])[-1]
        raise LimitError(f"under the limit: {last}")
    return out


def _private(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _cached(file: int) -> int:
    """Bytes of a file in the page cache."""
    whole = (ctypes.c_uint64 * 2)(0, 0)
    counts = (ctypes.c_uint64 * 5)()
    if _libc.syscall(_CACHESTAT, file, whole, counts, 0):
        raise LimitError(f"cachestat: {os.strerror(ctypes.get_errno())}; use --cgroup")
    return counts[0] * _PAGE


def _page_out(pid: int, pidfd: int, trace: Path) -> None:
    ranges = []
    try:
        lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        if str(trace) in line:
            begin, end = (int(part, 16) for part in line.split()[0].split("-"))
            ranges.append(_Iovec(begin, end - begin))
    for start in range(0, len(ranges), 512):
        some = ranges[start : start + 512]
        vector = (_Iovec * len(some))(*some)
        _libc.syscall(_PROCESS_MADVISE, pidfd, vector, len(some), _MADV_PAGEOUT, 0)
