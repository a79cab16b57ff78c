"""From lost cells to findings: grouped by root cause."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from heapstory.cfront.program import Place
from heapstory.static.findings.findings import Finding, Sources
from heapstory.static.function.confidence import confidence, doubts_of
from heapstory.static.heap.state import Step
from heapstory.static.program.component import FunctionResult
from heapstory.static.transfer.calls import FAILED
from heapstory.static.transfer.losses import (
    FIELD_LOST,
    LEAK_KINDS,
    LOCAL_LOST,
    OVERWRITTEN,
    Loss,
)

_IGNORE = re.compile(r"heapstory:\s*(?:ignore|leak-ok)")
MAX_STEPS = 40
_RANKS = {"high": 0, "medium": 1, "low": 2}


def collect_findings(
    results: dict[str, FunctionResult], everything: bool, sources: Sources
) -> list[Finding]:
    """Findings of a program in the order of the source."""
    groups: dict[tuple[object, ...], list[tuple[Loss, Place, Place]]] = {}
    for name in sorted(results):
        result = results[name]
        losses = [*result.losses, *(result.misuses if everything else ())]
        for loss in losses:
            located = _located(loss)
            if located is not None:
                groups.setdefault(_cause(loss, *located), []).append((loss, *located))
    findings = _one_for_a_place([_finding(members, sources) for members in groups.values()])
    findings.sort(key=lambda f: (f.place.path, f.place.line, f.allocated.line, f.kind))
    _number_fingerprints(findings)
    return findings


def _one_for_a_place(findings: list[Finding]) -> list[Finding]:
    """What one return statement loses, or one call that does not take it, and no other one, is one
    mistake."""
    kept: list[Finding] = []
    first: dict[tuple[object, ...], Finding] = {}
    findings.sort(key=lambda f: (f.allocated.line, f.allocated.column))
    for finding in findings:
        alone = finding.kind in (LOCAL_LOST, OVERWRITTEN) and not finding.others
        alone = alone and not finding.callers
        key = (finding.kind, finding.place[:2], finding.function, finding.confidence)
        if alone and key in first and finding.suppressed is None:
            first[key].also.append(finding.allocated)
            first[key].fingerprint = _hash(first[key].fingerprint + finding.fingerprint)
        else:
            kept.append(finding)
            if alone and finding.suppressed is None:
                first[key] = finding
    return kept


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:16]


def _located(loss: Loss) -> tuple[Place, Place] | None:
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
        # A wrapper of free loses what each of its callers forgot: no cause of its own.
        made = loss.cell.site.place if loss.kind == FIELD_LOST and loss.cell.site else None
        return ("helper", loss.kind, lost.path, lost.line, made)
    if loss.kind not in LEAK_KINDS:
        return (loss.kind, lost.path, lost.line)
    failed = _failed_call(loss, lost)
    if failed and loss.kind == OVERWRITTEN:
        return ("idiom", loss.kind, failed)
    if failed and loss.kind == LOCAL_LOST and loss.cell.site and loss.cell.site.calls:
        return ("idiom", loss.kind, failed, loss.cell.site.place)
    return ("here", loss.function, allocated.path, allocated.line, loss.label)


def _failed_call(loss: Loss, lost: Place) -> str:
    """``s = cat(s, …)`` where ``cat`` fails and leaves ``s`` as it was, or ``return node(data)``
    where ``node`` fails and does not take what one function makes: one mistake, wherever it is
    made. The note of that call, else nothing."""
    last = next((step for step in reversed(loss.steps) if not step.returns), None)
    if last is None or last.place is None:
        return ""
    return last.note if last.place[:2] == lost[:2] and last.note.endswith(FAILED) else ""


def _finding(members: list[tuple[Loss, Place, Place]], sources: Sources) -> Finding:
    members.sort(key=lambda m: (_rank(m[0]), m[1].line, len(m[0].steps)))
    least = max(_rank(members[0][0]), _RANKS["medium"])  # a guess adds no place to what is shown
    members = [m for m in members if _rank(m[0]) <= least]
    loss, lost, allocated = members[0]
    site = loss.cell.site
    chain = [*site.calls[1:], site.place] if site is not None and site.calls else []
    places = {place for m in members for place in (m[1], *_other_returns(m[0]))}
    others = sorted(place for place in places if place[:2] != lost[:2])
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
        doubts_of(loss),
        others,
        callers,
    )
    finding.fingerprint = _fingerprint(finding, sources)
    finding.losses = [_hash(sources.line(p.path, p.line).strip()) for p in (lost, *others)]
    finding.suppressed = _comment(finding, sources)
    return finding


def _other_returns(loss: Loss) -> tuple[Place, ...]:
    last = loss.steps[-1] if loss.steps else None
    return last.also if last is not None and last.returns and loss.kind == LOCAL_LOST else ()


def _rank(loss: Loss) -> int:
    return _RANKS[confidence(doubts_of(loss))]


_TARGET = re.compile(r"([A-Za-z_][\w.>\[\]-]*)\s*=[^=]")


def _assigned(line: str) -> str | None:
    """What an allocating line assigns to, where the IR has no name for it."""
    match = _TARGET.search(line)
    return match.group(1) if match else None


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
    return _hash(
        finding.kind,
        finding.function,
        Path(finding.place.path).name,
        finding.allocator,
        finding.variable or "",
        sources.line(finding.allocated.path, finding.allocated.line).strip(),
    )


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
