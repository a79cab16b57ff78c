"""Findings of ``leaks`` for SARIF."""

from __future__ import annotations

from heapstory.cfront.program import Place
from heapstory.reporters.leaks.words import describe, headline
from heapstory.reporters.sarif import Location, Result, Rule
from heapstory.static.findings.findings import Finding
from heapstory.static.transfer.losses import (
    FIELD_LOST,
    FIELD_OVERWRITTEN,
    LOCAL_LOST,
    OVERWRITTEN,
)

RULES = (
    Rule(OVERWRITTEN, "The last reference to allocated memory is overwritten or dropped"),
    Rule(FIELD_OVERWRITTEN, "A member that holds the last reference to memory is overwritten"),
    Rule(FIELD_LOST, "A cell is freed whose member holds the last reference to memory"),
    Rule(
        LOCAL_LOST, "A local variable holds the last reference to memory when its function returns"
    ),
    Rule("double-free", "Memory is freed twice"),
    Rule("use-after-free", "Memory is used after it was freed"),
    Rule("free-of-unallocated", "Memory is freed that was never allocated"),
)
_LEVEL = {"high": "error", "medium": "warning", "low": "note"}


def results(findings: list[Finding]) -> list[Result]:
    """Every finding, with its path as a code flow."""
    return [_result(finding) for finding in findings]


def _result(finding: Finding) -> Result:
    flow = [_location(step.place, describe(step)) for step in finding.path if step.place]
    flow.append(_location(finding.place, "lost here" if finding.is_leak else "here"))
    related = [_location(finding.allocated, f"allocated here ({finding.allocator})")]
    related += [_location(place, "allocated through this call") for place in finding.chain]
    related += [_location(place, "lost here too") for place in finding.others]
    related += [_location(place, "what is got here is lost as well") for place in finding.also]
    return Result(
        finding.kind,
        headline(finding),
        _location(finding.place, ""),
        _LEVEL[finding.confidence],
        flow,
        related,
        finding.fingerprint,
        finding.suppressed is not None,
        {
            "confidence": finding.confidence,
            "doubts": [doubt.word for doubt in finding.doubts],
            **({"run": finding.confirmation.text()} if finding.confirmation else {}),
        },
    )


def _location(place: Place, message: str) -> Location:
    return Location(place.path, place.line, message, place.column, place.function)
