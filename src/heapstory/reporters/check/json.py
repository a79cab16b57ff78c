"""What ``check`` found, as one object."""

from __future__ import annotations

from typing import Any

from heapstory.checking.checked import Checked
from heapstory.checking.errors import Error
from heapstory.checking.leaks import KINDS, Leak
from heapstory.checks.finding import statement
from heapstory.checks.pointer import Holder, Pointer, When
from heapstory.reporters.findings import block_json, stack_json
from heapstory.reporters.json import place


def body(run: Checked) -> dict[str, Any]:
    """The members after ``schema``."""
    return {
        "program": run.command,
        "status": run.status,
        "errors": [_error(finding) for finding in run.findings],
        "leaks": [_leak(leak) for leak in run.leaks],
        "scans": [{"timestamp": scan.timestamp, "heap": _heap(scan.leaks)} for scan in run.scans],
        "summary": _summary(run),
    }


def _error(finding: Error) -> dict[str, Any]:
    kind, _, use = finding.kind.partition("uninitialized-")
    return {
        "kind": kind or "uninitialized",
        "use": use or None,
        "place": place(finding.place),
        "stack": stack_json(finding.stack),
        "address": hex(finding.address),
        "size": finding.size,
        "by_system_call": finding.by_system_call,
        "block": block_json(finding.block),
        "count": finding.count,
        "text": finding.text,
        "fingerprint": finding.fingerprint,
        "suppressed": finding.suppressed,
        "process": finding.process,
        "pointer": _pointer(finding.pointer),
    }


def _pointer(pointer: Pointer | None) -> dict[str, Any] | None:
    if pointer is None:
        return None
    return {
        "exact": pointer.exact,
        "born": _when(pointer.born),
        "died": _when(pointer.died),
        "reused": _when(pointer.reused),
        "held_by": [_holder(holder) for holder in pointer.held_by],
    }


def _holder(holder: Holder) -> dict[str, Any]:
    return {
        "name": holder.name,
        "node": holder.node,
        "address": None if holder.address is None else hex(holder.address),
        "value": None if holder.value is None else hex(holder.value),
        "stored": _when(holder.stored),
        "used": holder.used,
    }


def _when(when: When | None) -> dict[str, Any] | None:
    return None if when is None else {"timestamp": when.timestamp, "place": place(when.place)}


def _leak(leak: Leak) -> dict[str, Any]:
    return {
        "kind": leak.kind,
        "place": place(statement(leak.stack)),
        "stack": stack_json(leak.stack),
        "bytes": leak.bytes,
        "blocks": leak.blocks,
        "fingerprint": leak.fingerprint,
        "suppressed": leak.suppressed,
        "process": leak.process,
        "lost": leak.lost.as_json() if leak.lost else None,
    }


def _heap(leaks: list[Leak]) -> dict[str, dict[str, int]]:
    return {
        kind: {
            "bytes": sum(leak.bytes for leak in leaks if leak.kind == kind),
            "blocks": sum(leak.blocks for leak in leaks if leak.kind == kind),
        }
        for kind in KINDS
    }


def _summary(run: Checked) -> dict[str, Any]:
    return {
        "errors": len(run.open),
        "leaks": len(run.open_leaks),
        "heap": _heap(run.leaks),
        "checked": run.looked_for,
        "not_checked": run.not_looked_for,
        "unused_suppressions": run.unused,
        "heuristics": run.heuristics,
        "crash": run.crash,
        "complete": run.failure is None,
        "failure": run.failure,
    }
