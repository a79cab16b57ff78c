"""What other commands found: the same mistake has the same name, whoever reports it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from heapstory.checks.finding import Finding, Stack
from heapstory.errors import UsageError

# What `leaks` calls by other names than a run does; everything that is lost is a leak here.
_MISUSES = {"use-after-free": "written-after-free"}
_COMMANDS = ("leaks", "guard", "check")
_SEEN_WRITE = "unaddressable-write"  # by `check`, at the access; what it did is noticed later

Name = tuple[str, str, str]  # kind, function and file of the allocation


class Known:
    """Findings in answers that were written with ``--json``."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._found: dict[Name, list[str]] = defaultdict(list)
        for file in files:
            self._read(file)

    def others(self, finding: Finding) -> list[str]:
        """Who else found it, in words."""
        stack: Stack = finding.block.allocated if finding.block else finding.stack
        names = [(finding.kind, place.function or "", place.file or "") for place in stack]
        return list(dict.fromkeys(text for name in names for text in self._found.get(name, ())))

    def _read(self, file: Path) -> None:
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{file}: not an answer of heapstory: {error}") from error
        schema = str(content.get("schema", "")) if isinstance(content, dict) else ""
        command = schema.removeprefix("heapstory.").partition("/")[0]
        if command not in _COMMANDS:
            raise UsageError(f"{file}: not an answer of leaks, guard or check (--json FILE)")
        for entry in content.get("leaks", []):
            self._add(command, "leak", entry, entry.get("allocated") or _first(entry.get("stack")))
        for entry in content.get("misuses", []):
            self._add(
                command, _MISUSES.get(entry["kind"], entry["kind"]), entry, entry["allocated"]
            )
        for entry in [*content.get("findings", []), *content.get("errors", [])]:
            block = entry.get("block") or {}
            allocated = _first(block.get("allocated") or entry.get("stack"))
            self._add(command, entry["kind"], entry, allocated)
            if entry["kind"] == _SEEN_WRITE:
                noticed = "written-after-free" if block.get("freed") else "broken-fence"
                self._add(command, noticed, entry, allocated)

    def _add(self, command: str, kind: str, entry: Any, allocated: Any) -> None:
        if not isinstance(allocated, dict) or not allocated.get("function"):
            return
        place = entry.get("place") or allocated
        where = f"{place.get('file')}:{place.get('line')}"
        name = (kind, allocated["function"], allocated.get("file") or "")
        self._found[name].append(f"{command}: {entry['kind']} at {where}")


def _first(stack: Any) -> Any:
    return stack[0] if stack else None
