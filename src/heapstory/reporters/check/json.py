"""What ``check`` found, as one object."""

from __future__ import annotations

from typing import Any

from heapstory.checking.leaks import KINDS, Leak
from heapstory.checking.run import Checked
from heapstory.checks.finding import Finding, statement
from heapstory.reporters.findings import block_json, stack_json
from heapstory.reporters.json import place


def body(run: Checked) -> dict[str, Any]:
    """The members after ``schema``."""
    return {
        "program": run.command,
        "status": run.status,
        "errors": [_error(finding) for finding in run.findings],
        "leaks": [_leak(leak) for leak in run.leaks],
        "summary": _summary(run),
    }


def _error(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "place": place(finding.place),
        "stack": stack_json(finding.stack),
        "address": hex(finding.address),
        "size": finding.size,
        "block": block_json(finding.block),
        "count": finding.count,
        "text": finding.text,
        "fingerprint": finding.fingerprint,
        "suppressed": finding.suppressed,
    }


def _leak(leak: Leak) -> dict[str, Any]:
    return {
        "kind": leak.kind,
        "place": place(statement(leak.stack)),
        "stack": stack_json(leak.stack),
        "bytes": leak.bytes,
        "blocks": leak.blocks,
        "fingerprint": leak.fingerprint,
        "suppressed": leak.suppressed,
    }


def _summary(run: Checked) -> dict[str, Any]:
    return {
        "errors": len(run.open),
        "leaks": len(run.open_leaks),
        "heap": {
            kind: {
                "bytes": sum(leak.bytes for leak in run.leaks if leak.kind == kind),
                "blocks": sum(leak.blocks for leak in run.leaks if leak.kind == kind),
            }
            for kind in KINDS
        },
        "checked": run.looked_for,
        "not_checked": run.not_looked_for,
        "complete": run.failure is None,
        "failure": run.failure,
    }
