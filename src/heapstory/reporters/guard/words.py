"""The words for findings of a running program, and the command that explains one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from heapstory.checks.finding import Finding, statement
from heapstory.store.places import Place

HEADLINES = {
    "bad-free": "free of an address that is no block",
    "double-free": "a block is freed twice",
    "mismatched-free": "a block is freed by the wrong function",
    "bad-realloc": "realloc of an address that is no live block",
    "broken-fence": "memory outside a block was written",
    "written-after-free": "a block was written after it was freed",
    "unaddressable-read": "memory outside a block, or freed, was read",
    "unaddressable-write": "memory outside a block, or freed, was written",
    "corrupt-heap": "the allocator gave out memory that is in use",
    "bad-pattern-at-crash": "the crash used memory it should not have",
    "leak": "a block that nothing refers to any more was not freed",
    "alias": "a reference to a freed block now refers to another one",
}

# The variable that an allocation is stored in, as far as one line of source shows it.
_STORED = re.compile(r"([A-Za-z_][\w.\[\]]*(?:->[\w.\[\]]+)*)\s*=(?!=)")


def wanted(finding: Finding) -> str:
    """The line that would declare a block that is called lost to be wanted."""
    place = statement(finding.block.allocated) if finding.block else None
    variable = place and _stored(place)
    where = f" after {place.file}:{place.line}" if place and place.file and place.line else ""
    return (
        f"if it is wanted:{where} HEAPSTORY_MINE({variable or 'block'}); or "
        'HEAPSTORY_ROOT(&variable, "name"); for what refers to it (heapstory.h)'
    )


def _stored(place: Place) -> str | None:
    try:
        lines = Path(place.path or "").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    if not place.line or place.line > len(lines):
        return None
    found = _STORED.search(lines[place.line - 1])
    return found[1] if found else None


def headline(finding: Finding) -> str:
    """One line on what is wrong."""
    return HEADLINES.get(finding.kind, finding.kind)


# What an access did that nobody saw: the checker looks at every one.
_BY_ACCESS = frozenset(
    {
        "broken-fence",
        "written-after-free",
        "bad-pattern-at-crash",
        "unaddressable-read",
        "unaddressable-write",
        "corrupt-heap",
    }
)


def explanation(finding: Finding, command: list[str]) -> str:
    """The command that shows how it came to this, into a trace of its own."""
    trace = f"{Path(command[0]).name if command else 'program'}-{finding.fingerprint[:8]}.story"
    if finding.kind in _BY_ACCESS:
        return shlex.join(["heapstory", "check", "--record", trace, "--", *command])
    place = finding.place
    words = ["heapstory", "record", "-o", trace]
    if place is not None and place.file and place.line:
        words += ["--cpoint", f"{place.file}:{place.line}"]
    return shlex.join([*words, "--", *command])
