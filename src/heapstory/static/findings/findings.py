"""Findings: one root cause each, with what a person and a later run need.

A finding carries what a run needs to confirm it later: the allocation site with its calls, the
place of the loss, and the branch decisions between them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from heapstory.cfront.program import Place
from heapstory.checks.baseline import Baseline
from heapstory.static.findings.confirmation import NOT_LEAKED, Confirmation
from heapstory.static.function.confidence import confidence
from heapstory.static.heap.doubt import Doubt
from heapstory.static.heap.state import Step
from heapstory.static.transfer.losses import LEAK_KINDS


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
    doubts: list[Doubt] = field(default_factory=list)  # the strongest first
    others: list[Place] = field(default_factory=list)  # further places with the same cause
    callers: list[str] = field(default_factory=list)  # functions that meet a helper's mistake
    also: list[Place] = field(default_factory=list)  # other memory lost there: where it was got
    fingerprint: str = ""
    losses: list[str] = field(default_factory=list)  # the statements that lose it, as hashes
    suppressed: str | None = None  # why, if it is
    confirmation: Confirmation | None = None  # what a run says

    @property
    def confidence(self) -> str:
        """How sure it is: high, medium or low."""
        return confidence(self.doubts)

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


def suppress(findings: Iterable[Finding], fingerprints: set[str], baseline: Baseline) -> None:
    """Mark findings that the user has accepted."""
    for finding in findings:
        finding.suppressed = finding.suppressed or baseline.why(finding, fingerprints)


def label(findings: Iterable[Finding], labels: dict[str, Confirmation]) -> None:
    """Give findings what a run said of them; one that ran without leaking is demoted."""
    for finding in findings:
        finding.confirmation = labels.get(finding.fingerprint)
        if finding.contradicted:
            finding.doubts.insert(0, Doubt.RUN_CONTRADICTS)
