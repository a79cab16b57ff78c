"""Baseline files: the findings a project lives with, so that only new ones fail its build."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from heapstory.errors import UsageError
from heapstory.whole_file import whole_file

_SCHEMA = re.compile(r"heapstory\.[a-z]+-baseline/1")


class Located(Protocol):
    """A place of any analysis."""

    @property
    def path(self) -> str | None: ...


class Acceptable(Protocol):
    """What a baseline needs to know of a finding."""

    @property
    def fingerprint(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def function(self) -> str: ...
    @property
    def place(self) -> Located | None: ...
    @property
    def losses(self) -> Sequence[str]: ...  # one word for each place where the same cause shows
    @property
    def suppressed(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Baseline:
    """What was accepted: fingerprints, each with the places where it showed (None: any)."""

    entries: dict[str, Counter[str] | None] = field(default_factory=dict)

    def accepts(self, finding: Acceptable) -> bool:
        """Whether it is known, and shows nowhere that it did not show before."""
        if finding.fingerprint not in self.entries:
            return False
        known = self.entries[finding.fingerprint]
        return known is None or not Counter(finding.losses) - known

    def why(self, finding: Acceptable, fingerprints: Collection[str]) -> str | None:
        """Why a finding does not count: by its fingerprint, or as a known one; None if it does."""
        if finding.fingerprint in fingerprints:
            return "fingerprint"
        return "baseline" if self.accepts(finding) else None


def read_baseline(path: Path) -> Baseline:
    """A baseline file, whichever command wrote it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"{path}: cannot read the baseline: {error.strerror}; make one with --write-baseline"
        ) from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a baseline: {error}") from error
    schema = content.get("schema") if isinstance(content, dict) else None
    if not isinstance(schema, str) or not _SCHEMA.fullmatch(schema):
        raise UsageError(f"{path}: not a baseline (make one with --write-baseline)")
    entries: dict[str, Counter[str] | None] = {}
    for entry in content.get("findings", []):
        losses = entry.get("losses")
        entries[str(entry.get("fingerprint"))] = None if losses is None else Counter(losses)
    return Baseline(entries)


def write_baseline(path: Path, command: str, findings: Iterable[Acceptable]) -> None:
    """Write all findings of a command as accepted."""
    entries = [
        {
            "fingerprint": finding.fingerprint,
            "kind": finding.kind,
            "function": finding.function,
            "file": Path((finding.place and finding.place.path) or "").name,
            "losses": list(finding.losses),
        }
        for finding in findings
        if finding.suppressed is None or finding.suppressed == "baseline"
    ]
    content = {"schema": f"heapstory.{command}-baseline/1", "findings": entries}
    try:
        with whole_file(path) as file:
            file.write(f"{json.dumps(content, indent=2)}\n".encode())
    except OSError as error:
        raise UsageError(f"{path}: cannot write the baseline: {error.strerror}") from error
