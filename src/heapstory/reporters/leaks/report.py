"""Findings as JSON, text and SARIF results."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from heapstory.cfront.program import Place
from heapstory.reporters.sarif import Location, Result, Rule
from heapstory.static.findings import Finding, Sources
from heapstory.static.rules import FIELD_LOST, FIELD_OVERWRITTEN, LOCAL_LOST, OVERWRITTEN
from heapstory.static.state import Step

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


def place_json(place: Place) -> dict[str, Any]:
    """A place as the contract has it."""
    return {
        "file": Path(place.path).name,
        "path": place.path,
        "line": place.line or None,
        "function": place.function,
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding as the contract has it, and what confirming needs."""
    return {
        "kind": finding.kind,
        "confidence": finding.confidence,
        "function": finding.function,
        "variable": finding.variable,
        "place": place_json(finding.place),
        "allocated": place_json(finding.allocated),
        "allocator": finding.allocator,
        "allocation_chain": [place_json(place) for place in finding.chain],
        "release": finding.release,
        "path": [_step_json(step) for step in finding.path if step.place is not None],
        "others": [place_json(place) for place in finding.others],
        "also": [place_json(place) for place in finding.also],
        "callers": finding.callers,
        "fingerprint": finding.fingerprint,
        "suppressed": finding.suppressed,
        "confirmation": finding.confirmation.as_json() if finding.confirmation else None,
    }


def _step_json(step: Step) -> dict[str, Any]:
    assert step.place is not None
    return {**place_json(step.place), "note": describe(step), "decision": _decision(step)}


def _decision(step: Step) -> bool | int | None:
    return step.decision


def describe(step: Step) -> str:
    """One step in words."""
    if step.note == "return":
        return "returns"
    if step.note:
        return step.note
    if step.decision is True:
        return "the condition holds"
    if step.decision is False:
        return "the condition does not hold"
    return f"the value is {step.decision}"


def headline(finding: Finding) -> str:
    """A finding in one sentence."""
    what = f"'{finding.variable}'" if finding.variable else "memory"
    site = f"{Path(finding.allocated.path).name}:{finding.allocated.line}"
    origin = f"allocated by {finding.allocator} at {site}" if finding.allocator else ""
    texts = {
        OVERWRITTEN: f"{what}, {origin}, is lost here: its last reference is gone",
        FIELD_OVERWRITTEN: f"{what} is overwritten here, the last reference to memory {origin}",
        FIELD_LOST: f"memory {origin} is lost here: the cell that held it is freed",
        LOCAL_LOST: f"{what}, {origin}, is never released: the function returns here",
        "double-free": "this memory was freed before",
        "use-after-free": "this memory was freed before it is used here",
        "free-of-unallocated": "this memory does not come from an allocator",
    }
    return texts[finding.kind]


def sarif_result(finding: Finding) -> Result:
    """A finding for SARIF, with its path as a code flow."""
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
            **({"run": finding.confirmation.text()} if finding.confirmation else {}),
        },
    )


def _location(place: Place, message: str) -> Location:
    return Location(place.path, place.line, message, place.column, place.function)


def text_report(finding: Finding, sources: Sources, bold: str = "", plain: str = "") -> str:
    """A finding for a terminal, with the source lines of its path."""
    lines = [
        f"{bold}{_short(finding.place)}: {finding.kind}{plain} in {finding.function} "
        f"[{finding.confidence}] {headline(finding)}"
    ]
    shown: set[tuple[str, int]] = set()
    for step in finding.path:
        if step.place is not None:
            lines.append(_source_line(step.place, describe(step), sources, shown))
    lines.append(_source_line(finding.place, "lost here", sources, shown, last=True))
    if finding.confirmation:
        lines.append(f"      {finding.confirmation.text()}")
    if finding.chain:
        chain = " → ".join(_short(place) for place in [finding.allocated, *finding.chain])
        lines.append(f"      allocated through {chain}")
    if finding.also:
        lines.append(
            "      lost with it: what is got at " + ", ".join(map(_short, finding.also[:8]))
        )
    if finding.others:
        lines.append(
            "      lost too at " + ", ".join(_short(place) for place in finding.others[:8])
        )
    if finding.callers:
        lines.append("      met by " + ", ".join(finding.callers[:8]))
    release = f"; {finding.release} releases it" if finding.release else ""
    lines.append(f"      fingerprint {finding.fingerprint}{release}")
    return "\n".join(lines)


def _short(place: Place) -> str:
    path = place.path
    with contextlib.suppress(ValueError):
        path = str(Path(path).relative_to(Path.cwd()))
    return f"{path}:{place.line}"


def _source_line(
    place: Place,
    note: str,
    sources: Sources,
    shown: set[tuple[str, int]],
    last: bool = False,
) -> str:
    text = sources.line(place.path, place.line).strip()[:72]
    shown.add((place.path, place.line))
    mark = "✗" if last else " "
    return f"    {mark} {place.line:>6} | {text:<72} {note}"
