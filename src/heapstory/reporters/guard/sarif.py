"""Findings of ``guard`` for SARIF."""

from __future__ import annotations

from heapstory.checks.finding import Finding
from heapstory.guarding.guarded import Guarded
from heapstory.reporters import findings
from heapstory.reporters.guard.words import HEADLINES, headline
from heapstory.reporters.sarif import Result, Rule

_WARNINGS = ("leak", "alias")


def rules() -> list[Rule]:
    """One rule per kind."""
    return findings.rules(HEADLINES)


def results(run: Guarded) -> list[Result]:
    """Every finding, with the stack that led to it as a code flow."""
    return [_result(finding) for finding in run.findings]


def _result(finding: Finding) -> Result:
    message = f"{headline(finding)}: {finding.text}" if finding.text else headline(finding)
    return findings.result(finding, message, "warning" if finding.kind in _WARNINGS else "error")
