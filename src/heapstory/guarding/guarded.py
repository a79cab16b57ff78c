"""What the guard has to say of a run: the reports of all its processes, named and merged."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass, field

from heapstory.checks.finding import Block, Finding, Stack, merged, statement
from heapstory.guarding.naming import Namer
from heapstory.guarding.report import Process, RawBlock, RawCrash, RawLoss, Scan
from heapstory.store.places import Place

CRASH_KIND = "bad-pattern-at-crash"
CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT)
MOST_NAMED = 5  # processes in a remark
_MEANINGS = {
    "new": "memory was used before it was initialised",
    "freed": "memory was used after it was freed",
    "fence": "memory beyond a block was read",
}


@dataclass(slots=True)
class Site:
    """Live blocks that were allocated by the same stack."""

    stack: Stack
    blocks: int
    bytes: int


@dataclass(slots=True)
class LiveBlock:
    """A block that was live at the end."""

    address: int
    size: int
    place: Place | None


@dataclass(slots=True)
class Crash:
    """How a process died."""

    signal: int
    address: int | None
    stack: Stack
    patterns: list[tuple[str, int, str]]
    process: int


@dataclass(slots=True)
class Guarded:
    """A guarded run."""

    command: list[str]
    status: int  # as a shell sees it
    findings: list[Finding] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)  # of the program itself
    live: list[LiveBlock] = field(default_factory=list)
    crashes: list[Crash] = field(default_factory=list)
    scans: list[Scan] = field(default_factory=list)  # of the program itself
    remarks: list[str] = field(default_factory=list)
    processes: int = 0
    unwritten: list[int] = field(default_factory=list)  # processes without a whole report

    @property
    def open(self) -> list[Finding]:
        """The findings that are not suppressed."""
        return [finding for finding in self.findings if finding.suppressed is None]


def gather(
    command: list[str],
    status: int,
    processes: list[Process],
    program: int,
    unwritten: Sequence[int] = (),
) -> Guarded:
    """The reports of the processes of a run; ``program`` is the one that was started."""
    made = Guarded(command, status, processes=len({process.pid for process in processes}))
    made.unwritten = list(unwritten)
    made.remarks += [
        f"the report of process {pid} could not be written (a full disk, another user?), or not "
        "all of it: what is missing stands on its stderr, without names"
        for pid in unwritten
    ]
    namer = Namer()
    found: list[Finding] = []
    for process in processes:
        found += _findings(process, namer)
        made.remarks = list(dict.fromkeys([*made.remarks, *process.remarks]))
        if process.crash is not None:
            made.crashes.append(_crash(process, process.crash, namer))
    made.remarks += _without_last_look(processes)
    losses = [(process, loss) for process in processes for loss in process.lost]
    losses.sort(key=lambda each: -each[1].bytes)  # of several processes, who lost most is named
    found += [_leak(process, loss, namer) for process, loss in losses]
    own = [process for process in processes if process.pid == program]
    if own:
        made.sites, made.live = _live(own[-1], namer)
        made.scans = own[-1].scans
        if own[-1].crash is None and status - 128 in CRASHES:
            made.crashes.append(Crash(status - 128, None, [], [], program))
    elif program not in unwritten:
        made.remarks.append(
            "the program left no report: it could not be loaded, or does not load libraries that "
            "are preloaded"
        )
    made.findings = merged(_noticed_once(found))
    made.remarks += [
        f"{path} is not the file that ran any more: its code has no names"
        for path in sorted(namer.changed)
    ]
    return made


def _without_last_look(processes: list[Process]) -> list[str]:
    """What is said of processes that neither ended by themselves nor crashed in sight."""
    last = {process.pid: process for process in processes}  # what each became by exec
    cut_off = [pid for pid, each in last.items() if not each.ended and each.crash is None]
    if not cut_off:
        return []
    which = ", ".join(map(str, cut_off[:MOST_NAMED])) + (", …" if cut_off[MOST_NAMED:] else "")
    return [
        f"no last look at process {which} (killed, out of stack, or still running): what was wrong "
        "with its blocks at the end and what it lost is not known"
    ]


def _findings(process: Process, namer: Namer) -> list[Finding]:
    made = [
        Finding(
            raw.kind,
            raw.address,
            namer.stack(process, raw.stack),
            _block(process, raw.block, namer),
            raw.text,
            raw.count,
            process.pid,
        )
        for raw in process.findings.values()
    ]
    if process.crash is not None and (at_crash := _pattern(process, process.crash, namer)):
        made.append(at_crash)
    return made


def _noticed_once(findings: list[Finding]) -> list[Finding]:
    """Without what a scan noticed and a statement did later: that says more."""
    noticed = {
        (each.kind, each.process, each.block.address)
        for each in findings
        if each.block and each.stack
    }
    return [
        each
        for each in findings
        if each.stack
        or not each.block
        or (each.kind, each.process, each.block.address) not in noticed
    ]


def _leak(process: Process, loss: RawLoss, namer: Namer) -> Finding:
    blocks = "1 block" if loss.blocks == 1 else f"{loss.blocks} blocks"
    text = f"{loss.bytes} bytes in {blocks} that nothing refers to"
    if len(process.scans) > 1:
        text += f", since scan {loss.since} of {process.scans[-1].number}"
    block = _block(process, loss.first, namer)
    return Finding("leak", loss.first.address, [], block, text, process=process.pid)


def _block(process: Process, raw: RawBlock | None, namer: Namer) -> Block | None:
    if raw is None:
        return None
    freed = raw.state in ("freed", "gone")
    return Block(
        raw.address,
        raw.size,
        namer.stack(process, raw.allocated),
        namer.stack(process, raw.freed) if freed else None,
        "malloc" if freed else raw.state,
    )


def _pattern(process: Process, crash: RawCrash, namer: Namer) -> Finding | None:
    """What patterns in registers mean; those on the stack alone may be old."""
    in_registers = [each for each in crash.patterns if each[0] != "stack"]
    if not in_registers:
        return None
    order = list(_MEANINGS)
    name, value, pattern = min(
        in_registers, key=lambda each: (each[2] == "fence", order.index(each[2]))
    )
    state = {"freed": ("freed",), "new": ("malloc", "new", "new[]")}.get(pattern, ())
    block = next((block for _, _, block in crash.blocks if block.state in state), None)
    where = "the faulting address" if name == "address" else f"register {name}"
    return Finding(
        CRASH_KIND,
        value,
        namer.stack(process, crash.stack, exact=True),
        _block(process, block, namer),
        f"{_MEANINGS[pattern]}: {where} holds {value:#x}",
        process=process.pid,
    )


def _crash(process: Process, crash: RawCrash, namer: Namer) -> Crash:
    return Crash(
        crash.signal,
        crash.address if crash.fault else None,
        namer.stack(process, crash.stack, exact=True),
        crash.patterns,
        process.pid,
    )


def _live(process: Process, namer: Namer) -> tuple[list[Site], list[LiveBlock]]:
    stacks = {site: namer.stack(process, raw) for site, (_, _, raw) in process.sites.items()}
    sites = [Site(stacks[site], blocks, size) for site, (blocks, size, _) in process.sites.items()]
    sites.sort(key=lambda site: -site.bytes)
    blocks = [
        LiveBlock(address, size, statement(stacks.get(site, [])))
        for site, address, size in process.live
    ]
    return sites, blocks
