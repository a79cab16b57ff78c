"""Findings of ``check`` for SARIF."""

from __future__ import annotations

from heapstory.checking.checked import Checked
from heapstory.checking.leaks import MISTAKES, Leak
from heapstory.checks.finding import Finding, statement
from heapstory.reporters import findings
from heapstory.reporters.check.words import HEADLINES, headline
from heapstory.reporters.sarif import Result, Rule, at
from heapstory.reporters.text import count


def rules() -> list[Rule]:
    """One rule per kind."""
    return findings.rules(HEADLINES)


def results(run: Checked) -> list[Result]:
    """Every error with the stack that led to it as a code flow, and every leak."""
    mistakes = [leak for leak in run.leaks if leak.kind in MISTAKES]
    return [*map(_error, run.findings), *map(_leak, mistakes)]


def _error(finding: Finding) -> Result:
    return findings.result(finding, f"{headline(finding.kind)}: {finding.text}", "error")


def _leak(leak: Leak) -> Result:
    return Result(
        leak.kind,
        f"{headline(leak.kind)}: {count(leak.bytes, 'byte')} in {count(leak.blocks, 'block')}",
        at(statement(leak.stack)),
        "warning",
        [at(place) for place in reversed(leak.stack)],
        [],
        leak.fingerprint,
        leak.suppressed is not None,
        {"bytes": leak.bytes, "blocks": leak.blocks},
    )
