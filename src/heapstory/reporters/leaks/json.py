"""The answer of ``leaks`` for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from heapstory.cfront.program import Place
from heapstory.reporters.leaks.words import describe
from heapstory.static import ProgramResult
from heapstory.static.findings.findings import Finding
from heapstory.static.heap.state import Step


def body(findings: list[Finding], result: ProgramResult, seconds: float) -> dict[str, Any]:
    """The body of ``leaks --json``."""
    return {
        "leaks": [_finding(finding) for finding in findings if finding.is_leak],
        "misuses": [_finding(finding) for finding in findings if not finding.is_leak],
        "functions": result.functions,
        "lines": result.lines,
        "seconds": seconds,
        "skipped": [{"unit": unit, "reason": reason} for unit, reason in result.skipped],
        "limited": result.limited,
        "unknown": [{"function": name, "blocks": blocks} for name, blocks in result.unknown],
        "reused": result.reused,
    }


def _place(place: Place) -> dict[str, Any]:
    """A place as the contract has it."""
    return {
        "file": Path(place.path).name,
        "path": place.path,
        "line": place.line or None,
        "function": place.function,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    """A finding as the contract has it, and what confirming needs."""
    return {
        "kind": finding.kind,
        "confidence": finding.confidence,
        "doubts": [doubt.word for doubt in finding.doubts],
        "function": finding.function,
        "variable": finding.variable,
        "place": _place(finding.place),
        "allocated": _place(finding.allocated),
        "allocator": finding.allocator,
        "allocation_chain": [_place(place) for place in finding.chain],
        "release": finding.release,
        "path": [_step(step) for step in finding.path if step.place is not None],
        "others": [_place(place) for place in finding.others],
        "also": [_place(place) for place in finding.also],
        "callers": finding.callers,
        "fingerprint": finding.fingerprint,
        "suppressed": finding.suppressed,
        "confirmation": finding.confirmation.as_json() if finding.confirmation else None,
    }


def _step(step: Step) -> dict[str, Any]:
    assert step.place is not None
    return {**_place(step.place), "note": describe(step), "decision": step.decision}
