"""From lost cells to findings a person can act on: grouped by root cause, with a confidence.

A finding carries what a run needs to confirm it later: the allocation site with its calls, the
place of the loss, and the branch decisions between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from heapstory.cfront.program import Place
from heapstory.static.confirmation import NOT_LEAKED, Confirmation
from heapstory.static.interpreter import Loss
from heapstory.static.program import Answer
from heapstory.static.rules import FIELD_LOST, FIELD_OVERWRITTEN, LOCAL_LOST, OVERWRITTEN
from heapstory.static.state import ANY_MAKER, Step

LEAK_KINDS = (OVERWRITTEN, FIELD_OVERWRITTEN, FIELD_LOST, LOCAL_LOST)
_IGNORE = re.compile(r"heapstory:\s*(?:ignore|leak-ok)")
MAX_STEPS = 40


@dataclass(slots=True)
class Finding:
    """One root cause."""

    kind: str
    place: Place  # where the last reference was lost
    function: str
    variable: str | None
    allocated: Place  # the statement that got the memory
    chain: list[Place]  # the calls from there to the allocator itself
    allocator: str
    release: str
    path: list[Step]
    confidence: str
    others: list[Place] = field(default_factory=list)  # further places with the same cause
    callers: list[str] = field(default_factory=list)  # functions that meet a helper's mistake
    also: list[Place] = field(default_factory=list)  # other memory lost there: where it was got
    fingerprint: str = ""
    suppressed: str | None = None  # why, if it is
    confirmation: Confirmation | None = None  # what a run says

    @property
    def is_leak(self) -> bool:
        """Whether this is a leak, not another misuse of memory."""
        return self.kind in LEAK_KINDS

    @property
    def contradicted(self) -> bool:
        """Whether a run passed through all of it and nothing leaked."""
        return self.confirmation is not None and self.confirmation.label == NOT_LEAKED


class Sources:
    """Lines of source files, read once."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def line(self, path: str, number: int) -> str:
        """One line without its end; empty if there is none."""
        lines = self.lines(path)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def lines(self, path: str) -> list[str]:
        """All lines of a file; none if it cannot be read."""
        if path not in self._lines:
            try:
                text = Path(path).read_text(encoding="utf-8", errors="replace")
            except OSError:
                text = ""
            self._lines[path] = text.splitlines()
        return self._lines[path]


def collect_findings(
    answers: dict[str, Answer], everything: bool, sources: Sources
) -> list[Finding]:
    """Findings of a program in the order of the source."""
    groups: dict[tuple[object, ...], list[tuple[Loss, Place, Place]]] = {}
    for name in sorted(answers):
        answer = answers[name]
        losses = [*answer.losses, *(answer.misuses if everything else ())]
        for loss in losses:
            located = _locate(loss)
            if located is not None:
                groups.setdefault(_cause(loss, *located), []).append((loss, *located))
    findings = _one_for_a_return([_finding(members, sources) for members in groups.values()])
    findings.sort(key=lambda f: (f.place.path, f.place.line, f.allocated.line, f.kind))
    _number_fingerprints(findings)
    return findings


def _one_for_a_return(findings: list[Finding]) -> list[Finding]:
    """What one return statement loses, and no other one, is one mistake."""
    kept: list[Finding] = []
    first: dict[tuple[object, ...], Finding] = {}
    findings.sort(key=lambda f: (f.allocated.line, f.allocated.column))
    for finding in findings:
        alone = finding.kind == LOCAL_LOST and not finding.others and not finding.callers
        key = (finding.place.path, finding.place.line, finding.function, finding.confidence)
        if alone and key in first and finding.suppressed is None:
            first[key].also.append(finding.allocated)
            first[key].fingerprint = _combined(first[key].fingerprint, finding.fingerprint)
        else:
            kept.append(finding)
            if alone and finding.suppressed is None:
                first[key] = finding
    return kept


def _combined(one: str, other: str) -> str:
    return sha256((one + other).encode()).hexdigest()[:16]


def _locate(loss: Loss) -> tuple[Place, Place] | None:
    """Where it was lost, and the statement of the function that got it."""
    site = loss.cell.site
    if loss.place is None:
        return None
    if site is None or site.place is None:
        return (loss.place, loss.place) if loss.kind not in LEAK_KINDS else None
    return loss.place, site.calls[0] if site.calls else site.place


def _cause(loss: Loss, lost: Place, allocated: Place) -> tuple[object, ...]:
    """Losses with the same key have one cause: the helper that loses, or the statement whose
    memory this function does not release."""
    if lost.function != loss.function:
        return ("helper", loss.kind, lost.path, lost.line)
    if loss.kind not in LEAK_KINDS:
        return (loss.kind, lost.path, lost.line)
    return ("here", loss.function, allocated.path, allocated.line, allocated.column)


def _finding(members: list[tuple[Loss, Place, Place]], sources: Sources) -> Finding:
    members.sort(key=lambda m: (_rank(m[0]), m[1].line, len(m[0].steps)))
    loss, lost, allocated = members[0]
    site = loss.cell.site
    chain = [*site.calls[1:], site.place] if site is not None and site.calls else []
    others = sorted({m[1] for m in members[1:] if m[1][:2] != lost[:2]})
    callers = sorted({m[0].function for m in members}) if lost.function != loss.function else []
    finding = Finding(
        loss.kind,
        lost,
        lost.function if callers else loss.function,
        loss.label or _assigned(sources.line(allocated.path, allocated.line)),
        allocated,
        [place for place in chain if place is not None],
        site.allocator if site else "",
        site.release if site else "",
        _trim(loss.steps, allocated),
        confidence(loss),
        others,
        callers,
    )
    finding.fingerprint = _fingerprint(finding, sources)
    finding.suppressed = _comment(finding, sources)
    return finding


def _rank(loss: Loss) -> int:
    return {"high": 0, "medium": 1, "low": 2}[confidence(loss)]


_TARGET = re.compile(r"([A-Za-z_][\w.>\[\]-]*)\s*=[^=]")


def _assigned(line: str) -> str | None:
    """What an allocating line assigns to, where the IR has no name for it."""
    match = _TARGET.search(line)
    return match.group(1) if match else None


def confidence(loss: Loss) -> str:
    """How sure a loss is: high, medium or low."""
    helper = loss.place is not None and loss.place.function != loss.function
    site = loss.cell.site
    if site is not None and site.allocator == ANY_MAKER and site.calls:
        return "low"  # which function a callee's pointer meant, and what releases it, is a guess
    if loss.weakened or loss.guessed or (loss.cell.summary and loss.kind == LOCAL_LOST):
        return "low"
    if helper and loss.kind == FIELD_OVERWRITTEN:
        return "low" if loss.looped and not loss.blindly else "medium"
    if loss.function == "main" and loss.kind == LOCAL_LOST:
        return "medium"
    if any(step.note.endswith("the old block stays") for step in loss.steps):
        return "medium"
    if loss.cell.summary or len(loss.steps) > 30:
        return "medium"
    return "high"


def _trim(steps: list[Step], allocated: Place) -> list[Step]:
    """The path without repetitions, its last part if it is long."""
    kept: list[Step] = []
    for step in steps:
        if step.place is None:
            continue
        if kept and kept[-1].place == step.place and kept[-1].note == step.note:
            kept.pop()
        kept.append(step)
    if len(kept) <= MAX_STEPS:
        return kept
    tail = kept[-MAX_STEPS:]
    origin = [s for s in kept[:-MAX_STEPS] if s.place and s.place[:2] == allocated[:2]]
    return [*origin[-1:], *tail]


def _fingerprint(finding: Finding, sources: Sources) -> str:
    """Made of names and text, not of line numbers: it survives shifts."""
    parts = (
        finding.kind,
        finding.function,
        Path(finding.place.path).name,
        finding.allocator,
        finding.variable or "",
        sources.line(finding.allocated.path, finding.allocated.line).strip(),
    )
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def _number_fingerprints(findings: list[Finding]) -> None:
    seen: dict[str, int] = {}
    for finding in findings:
        count = seen[finding.fingerprint] = seen.get(finding.fingerprint, 0) + 1
        if count > 1:
            finding.fingerprint += f"-{count}"


def _comment(finding: Finding, sources: Sources) -> str | None:
    """A comment at the loss or at the allocation, or on the line before, that accepts it."""
    for place in (finding.place, finding.allocated):
        for number in (place.line, place.line - 1):
            if _IGNORE.search(sources.line(place.path, number)):
                return f"comment at {Path(place.path).name}:{number}"
    return None


def suppress(findings: Iterable[Finding], fingerprints: set[str], baseline: set[str]) -> None:
    """Mark findings that the user has accepted."""
    for finding in findings:
        if finding.suppressed is None:
            if finding.fingerprint in fingerprints:
                finding.suppressed = "fingerprint"
            elif finding.fingerprint in baseline:
                finding.suppressed = "baseline"


def label(findings: Iterable[Finding], labels: dict[str, Confirmation]) -> None:
    """Give findings what a run said of them; one that ran without leaking is demoted."""
    for finding in findings:
        finding.confirmation = labels.get(finding.fingerprint)
        if finding.contradicted:
            finding.confidence = "low"
