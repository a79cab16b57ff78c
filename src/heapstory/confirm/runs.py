"""Runs of a program under the recorder, and what they say of findings."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from heapstory.confirm.evidence import Evidence, cpoint_at
from heapstory.confirm.failing import Failure, candidates
from heapstory.confirm.moments import moment_of_loss
from heapstory.errors import HeapstoryError
from heapstory.recording.recorder import Request, record
from heapstory.static.findings.confirmation import (
    CONFIRMED,
    NOT_EXERCISED,
    NOT_LEAKED,
    Confirmation,
)
from heapstory.trace import Trace

if TYPE_CHECKING:
    from heapstory.static.findings.findings import Finding


@dataclass(slots=True)
class Execution:
    """What to run and how."""

    command: list[str]
    trace: Path | None = None  # where the recording of the plain run is kept
    force: bool = False
    fail_allocations: bool = False
    say: Callable[[str], None] = lambda text: None
    warn: Callable[[str], None] = lambda text: None


def confirm(
    findings: list[Finding], execution: Execution, pointers: frozenset[str] = frozenset()
) -> dict[str, Confirmation]:
    """The label of every leak, by fingerprint; `pointers` are functions that return one."""
    leaks = [finding for finding in findings if finding.is_leak]
    labels: dict[str, Confirmation] = {}
    with tempfile.TemporaryDirectory(prefix="heapstory-confirm-") as folder, _same_input(execution):
        plain = execution.trace or Path(folder) / "plain.story"
        wanted: dict[int, tuple[Failure, list[Finding]]] = {}
        for evidence in _run(leaks, execution, plain, execution.force, None):
            _label(labels, leaks, evidence, pointers, None)
            if not evidence.knows_any(finding.place.path for finding in leaks):
                execution.warn(
                    f"{execution.command[0]}: no line information for the files with findings "
                    "(build it with -g, from these sources)"
                )
            for finding in leaks if execution.fail_allocations else ():
                if labels[finding.fingerprint].label != CONFIRMED:
                    for failure in candidates(evidence, finding):
                        wanted.setdefault(failure.ordinal, (failure, []))[1].append(finding)
        for number, (failure, concerned) in enumerate(wanted.values(), 1):
            left = [f for f in concerned if labels[f.fingerprint].label != CONFIRMED]
            if not left:
                continue
            execution.say(f"run {number} of {len(wanted)}: the allocation at {failure.place} fails")
            trace = Path(folder) / "failing.story"
            for evidence in _run(left, execution, trace, True, failure):
                _label(labels, left, evidence, pointers, failure)
            shutil.rmtree(trace, ignore_errors=True)
    return labels


def _label(
    labels: dict[str, Confirmation],
    findings: list[Finding],
    evidence: Evidence,
    pointers: frozenset[str],
    failure: Failure | None,
) -> None:
    for finding in findings:
        found = judge(evidence, finding, finding.function in pointers, failure)
        if found.better(labels.get(finding.fingerprint)):
            labels[finding.fingerprint] = found


def judge(
    evidence: Evidence, finding: Finding, returns_pointer: bool, failure: Failure | None
) -> Confirmation:
    """What one run says of one finding."""
    blocks = evidence.made_by(finding)
    if not blocks or not evidence.references.scans:
        return Confirmation(NOT_EXERCISED, len(blocks))
    end = evidence.references.scans[-1]
    leaked = [
        block
        for block in blocks
        if block.freed is None and evidence.lost(block.node, end, finding, returns_pointer)
    ]
    since = blocks[0].created
    executed = evidence.reached([finding.place, *finding.others], since)
    failed = failure.place if failure else None
    if leaked:
        moment = moment_of_loss(evidence, leaked[0], finding, returns_pointer)
        return Confirmation(CONFIRMED, len(blocks), executed, len(leaked), moment, failed)
    return Confirmation(NOT_LEAKED if executed else NOT_EXERCISED, len(blocks), executed)


# --- running ------------------------------------------------------------------------------------


def _run(
    findings: list[Finding], execution: Execution, trace: Path, force: bool, failure: Failure | None
) -> Iterator[Evidence]:
    """Record one run; the evidence of the program and of those it became by exec."""
    request = Request(
        command=execution.command,
        trace=trace,
        force=force,
        cpoints=_cpoints(findings),
        fail_allocation=failure.ordinal if failure else None,
    )
    if _seekable():
        os.lseek(0, 0, os.SEEK_SET)
    with _program_talks_on_stderr():
        record(request)
    for path in [trace, *sorted(trace.parent.glob(f"{trace.stem}.[0-9]*{trace.suffix}"))]:
        with Trace(path) as opened:
            if opened.info().exit_signal == 9 or not opened.complete:
                raise HeapstoryError(
                    f"the run was cut off ({opened.damage}), so that nobody knows what was lost"
                )
            yield Evidence(opened)


def _cpoints(findings: list[Finding]) -> list[str]:
    """Where to scan: where references are said to be lost, and where their functions return."""
    places = {cpoint_at(p) for f in findings for p in (f.place, *f.others)}
    return sorted(places | {f"{f.function}:exit" for f in findings})


def _seekable() -> bool:
    try:
        return os.lseek(0, 0, os.SEEK_CUR) >= 0
    except OSError:
        return False


@contextmanager
def _same_input(execution: Execution) -> Iterator[None]:
    """Every run reads the same input: what comes from a pipe is kept for the runs to come."""
    if not execution.fail_allocations or sys.stdin is None or os.isatty(0) or _seekable():
        yield
        return
    before = os.dup(0)
    with tempfile.TemporaryFile() as kept:
        while chunk := os.read(0, 1 << 16):
            kept.write(chunk)
        kept.seek(0)
        os.dup2(kept.fileno(), 0)
        try:
            yield
        finally:
            os.dup2(before, 0)
            os.close(before)


@contextmanager
def _program_talks_on_stderr() -> Iterator[None]:
    """The program's own output must not mix with our results."""
    sys.stdout.flush()
    before = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(before, 1)
        os.close(before)
