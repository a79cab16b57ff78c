"""What ``check`` found, as one object."""

from __future__ import annotations

from typing import Any

from heapstory.checking.leaks import KINDS, Leak
from heapstory.checking.run import Checked
from heapstory.checks.finding import Block, Finding, Stack, statement
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
        "stack": _stack(finding.stack),
        "address": hex(finding.address),
        "size": finding.size,
        "block": _block(finding.block),
        "count": finding.count,
        "text": finding.text,
        "fingerprint": finding.fingerprint,
        "suppressed": finding.suppressed,
    }


def _block(block: Block | None) -> dict[str, Any] | None:
    if block is None:
        return None
    return {
        "address": hex(block.address),
        "size": block.size,
        "allocated": _stack(block.allocated),
        "freed": None if block.freed is None else _stack(block.freed),
    }


def _leak(leak: Leak) -> dict[str, Any]:
    return {
        "kind": leak.kind,
        "place": place(statement(leak.stack)),
        "stack": _stack(leak.stack),
        "bytes": leak.bytes,
        "blocks": leak.blocks,
        "fingerprint": leak.fingerprint,
        "suppressed": leak.suppressed,
    }


def _stack(stack: Stack) -> list[dict[str, Any] | None]:
    return [place(each) for each in stack]


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
