"""Baseline files: the findings a project lives with, so that only new ones fail its build."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from heapstory.errors import UsageError
from heapstory.static.findings.findings import Finding

SCHEMA = "heapstory.leaks-baseline/1"


def read_baseline(path: Path) -> set[str]:
    """The fingerprints in a baseline file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"{path}: cannot read the baseline: {error.strerror}; make one with --write-baseline"
        ) from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a baseline: {error}") from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise UsageError(f"{path}: not a baseline (make one with --write-baseline)")
    return {str(entry.get("fingerprint")) for entry in content.get("findings", [])}


def write_baseline(path: Path, findings: Iterable[Finding]) -> None:
    """Write all findings as accepted."""
    entries = [
        {
            "fingerprint": finding.fingerprint,
            "kind": finding.kind,
            "function": finding.function,
            "file": Path(finding.place.path).name,
        }
        for finding in findings
        if finding.suppressed is None or finding.suppressed == "baseline"
    ]
    text = json.dumps({"schema": SCHEMA, "findings": entries}, indent=2)
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot write the baseline: {error.strerror}") from error
