"""What ``guard`` found, as one object."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from heapstory.checks.finding import Finding, statement
from heapstory.guarding.guarded import Crash, Guarded
from heapstory.reporters.findings import block_json, stack_json
from heapstory.reporters.guard.words import explanation, wanted
from heapstory.reporters.json import place


def body(run: Guarded) -> dict[str, Any]:
    """The members after ``schema``."""
    return {
        "program": run.command,
        "status": run.status,
        "findings": [_finding(finding, run) for finding in run.findings],
        "sites": [
            {
                "place": place(statement(s.stack)),
                "stack": stack_json(s.stack),
                "blocks": s.blocks,
                "bytes": s.bytes,
            }
            for s in run.sites
        ],
        "live_blocks": [
            {"address": hex(each.address), "size": each.size, "place": place(each.place)}
            for each in run.live
        ],
        "crash": _crash(run.crashes[-1]) if run.crashes else None,
        "scans": [asdict(scan) for scan in run.scans],
        "remarks": run.remarks,
        "processes": run.processes,
    }


def _finding(finding: Finding, run: Guarded) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "place": place(finding.place),
        "stack": stack_json(finding.stack),
        "address": hex(finding.address),
        "block": block_json(finding.block),
        "text": finding.text,
        "count": finding.count,
        "process": finding.process,
        "fingerprint": finding.fingerprint,
        "suppressed": finding.suppressed,
        "also": finding.also,
        "explain": explanation(finding, run.command),
        "declare": wanted(finding) if finding.kind == "leak" else None,
    }


def _crash(crash: Crash) -> dict[str, Any]:
    return {
        "signal": crash.signal,
        "address": None if crash.address is None else hex(crash.address),
        "stack": stack_json(crash.stack),
        "registers_with_pattern": [
            {"register": name, "value": hex(value), "pattern": pattern}
            for name, value, pattern in crash.patterns
        ],
        "process": crash.process,
    }
