"""Findings of ``guard`` for SARIF."""

from __future__ import annotations

from heapstory.checks.finding import Finding, statement
from heapstory.guarding.guarded import Guarded
from heapstory.reporters.guard.words import HEADLINES, headline
from heapstory.reporters.sarif import Location, Result, Rule, at

_WARNINGS = ("leak", "alias")


def rules() -> list[Rule]:
    """One rule per kind."""
    return [Rule(kind, f"{text[0].upper()}{text[1:]}") for kind, text in HEADLINES.items()]


def results(run: Guarded) -> list[Result]:
    """Every finding, with the stack that led to it as a code flow."""
    return [_result(finding) for finding in run.findings]


def _result(finding: Finding) -> Result:
    related: list[Location] = []
    if finding.block:
        related.append(at(statement(finding.block.allocated), "the block was allocated here"))
        if finding.block.freed:
            related.append(at(statement(finding.block.freed), "and freed here"))
    return Result(
        finding.kind,
        f"{headline(finding)}: {finding.text}" if finding.text else headline(finding),
        at(finding.place),
        "warning" if finding.kind in _WARNINGS else "error",
        [at(place) for place in reversed(finding.stack)],
        related,
        finding.fingerprint,
        finding.suppressed is not None,
        {"count": finding.count, "address": hex(finding.address)},
    )
