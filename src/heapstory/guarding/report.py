"""Reading what the library wrote: one file per process, lines as in native/guard/output.h."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Module:
    """Code of a file in the memory of a process."""

    start: int
    end: int
    offset: int
    build_id: str
    path: str


@dataclass(frozen=True, slots=True)
class RawBlock:
    """A block as the library saw it; stacks are return addresses."""

    address: int
    size: int
    state: str
    allocated: list[int]
    freed: list[int]


@dataclass(slots=True)
class RawFinding:
    """A finding before its addresses are named."""

    kind: str
    address: int
    stack: list[int]
    block: RawBlock | None
    text: str
    count: int = 1


@dataclass(slots=True)
class RawCrash:
    """A crash: the signal, where, and what registers held."""

    signal: int
    fault: bool
    address: int
    stack: list[int]
    patterns: list[tuple[str, int, str]] = field(default_factory=list)  # register, value, pattern
    blocks: list[tuple[str, int, RawBlock]] = field(default_factory=list)  # register, value, block


@dataclass(frozen=True, slots=True)
class Scan:
    """A search for references; times are microseconds."""

    number: int
    certain: bool  # all threads stood still
    blocks: int
    lost: int
    suspected: int  # not found, and not called lost: a thread ran on
    withdrawn: int  # blocks called lost that were found or freed later, by all scans so far
    pause: int
    cpu: int


@dataclass(frozen=True, slots=True)
class RawLoss:
    """Blocks of a site that nothing refers to."""

    blocks: int
    bytes: int
    first: RawBlock
    since: int  # the scan that called one of them lost first


@dataclass(slots=True)
class Process:
    """What one process, or what it became by exec, reported."""

    pid: int
    parent: int
    program: str
    modules: list[Module] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    findings: dict[int, RawFinding] = field(default_factory=dict)
    sites: dict[int, tuple[int, int, list[int]]] = field(default_factory=dict)
    live: list[tuple[int, int, int]] = field(default_factory=list)  # site, address, size
    scans: list[Scan] = field(default_factory=list)
    lost: list[RawLoss] = field(default_factory=list)  # by the last of them
    losing: list[RawLoss] = field(default_factory=list)  # by one that has not ended yet
    crash: RawCrash | None = None
    ended: bool = False
    unwritten: list[int] = field(default_factory=list)  # others that could not write theirs

    def module(self, address: int) -> Module | None:
        """The module of a code address; of several that were there, the first."""
        self.modules.sort(key=lambda module: module.start)
        at = bisect_right(self.modules, address, key=lambda module: module.start)
        for module in reversed(self.modules[:at]):
            if module.start <= address < module.end:
                return module
        return None


def read(folder: Path) -> list[Process]:
    """All processes of a run, in the order in which they were started, as far as known."""
    files = sorted(folder.glob("process.*"), key=lambda file: file.stat().st_ctime_ns)
    return [process for file in files for process in _processes(file)]


def unwritten(folder: Path, processes: list[Process]) -> list[int]:
    """The processes whose report could not be written, or not all of it."""
    files = {int(file.suffix[1:]) for file in folder.glob("unwritten.*")}
    return sorted(files.union(*(process.unwritten for process in processes)))


def _processes(file: Path) -> Iterator[Process]:
    process = None
    text = file.read_text(encoding="utf-8", errors="replace")
    for line in text.splitlines(keepends=True):
        if not line.endswith("\n"):  # cut off by the end of the process or a full disk
            break
        words = line.rstrip("\n").split(" ")
        if words[0] == "heapstory-guard":
            if process is not None:
                yield process
            process = Process(int(words[2]), int(words[3]), " ".join(words[4:]))
        elif process is not None and words[0] in _LINES:
            _LINES[words[0]](process, words[1:])
    if process is not None:
        yield process


def _stack(word: str) -> list[int]:
    return [] if word == "-" else [int(address, 16) for address in word.split(",")]


def _block(words: list[str]) -> RawBlock | None:
    address, size, state, allocated, freed = words
    if state == "-" and not int(address, 16):
        return None
    return RawBlock(int(address, 16), int(size, 16), state, _stack(allocated), _stack(freed))


def _read_module(process: Process, words: list[str]) -> None:
    start, end, offset = (int(word, 16) for word in words[:3])
    build_id = "" if words[3] == "-" else words[3]
    process.modules.append(Module(start, end, offset, build_id, " ".join(words[4:])))


def _read_finding(process: Process, words: list[str]) -> None:
    number, kind, address, stack = words[:4]
    made = RawFinding(
        kind, int(address, 16), _stack(stack), _block(words[4:9]), " ".join(words[9:])
    )
    process.findings[int(number, 16)] = made


def _read_count(process: Process, words: list[str]) -> None:
    found = process.findings.get(int(words[0], 16))
    if found is not None:
        found.count = int(words[1], 16)


def _read_site(process: Process, words: list[str]) -> None:
    site, blocks, size = (int(word, 16) for word in words[:3])
    process.sites[site] = (blocks, size, _stack(words[3]))


def _read_live(process: Process, words: list[str]) -> None:
    site, address, size = (int(word, 16) for word in words)
    process.live.append((site, address, size))


def _read_crash(process: Process, words: list[str]) -> None:
    process.crash = RawCrash(int(words[0]), words[1] == "1", int(words[2], 16), _stack(words[3]))


def _read_pattern(process: Process, words: list[str]) -> None:
    if process.crash is not None:
        process.crash.patterns.append((words[0], int(words[1], 16), words[2]))


def _read_pointed(process: Process, words: list[str]) -> None:
    block = _block(words[2:7])
    if process.crash is not None and block is not None:
        process.crash.blocks.append((words[0], int(words[1], 16), block))


def _read_scan(process: Process, words: list[str]) -> None:
    number, certain, *others = (int(word) for word in words)
    process.scans.append(Scan(number, bool(certain), *others))
    process.lost, process.losing = process.losing, []


def _read_loss(process: Process, words: list[str]) -> None:
    _, blocks, size, address, first, since = (int(word, 16) for word in words[:6])
    block = RawBlock(address, first, "malloc", _stack(words[6]), [])
    process.losing.append(RawLoss(blocks, size, block, since))


def _read_end(process: Process, words: list[str]) -> None:
    process.ended = True


def _read_remark(process: Process, words: list[str]) -> None:
    process.remarks.append(" ".join(words))


def _read_unwritten(process: Process, words: list[str]) -> None:
    process.unwritten.append(int(words[0]))


_LINES = {
    "M": _read_module,
    "N": _read_remark,
    "F": _read_finding,
    "C": _read_count,
    "S": _read_site,
    "B": _read_live,
    "X": _read_crash,
    "R": _read_pattern,
    "K": _read_pointed,
    "T": _read_scan,
    "L": _read_loss,
    "U": _read_unwritten,
    "E": _read_end,
}
