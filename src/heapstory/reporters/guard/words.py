"""The words for findings of a running program, and the command that explains one."""

from __future__ import annotations

import shlex

from heapstory.checks.finding import Finding

HEADLINES = {
    "bad-free": "free of an address that is no block",
    "double-free": "a block is freed twice",
    "mismatched-free": "a block is freed by the wrong function",
    "bad-realloc": "realloc of an address that is no live block",
    "broken-fence": "memory outside a block was written",
    "written-after-free": "a block was written after it was freed",
    "corrupt-heap": "the allocator gave out memory that is in use",
    "bad-pattern-at-crash": "the crash used memory it should not have",
    "leak": "a block that nothing refers to any more was not freed",
    "alias": "a reference to a freed block now refers to another one",
}

# How a program declares that a block is not lost.
WANTED = (
    'if it is wanted: HEAPSTORY_ROOT(&variable, "name") for what refers to it, or '
    "HEAPSTORY_MINE(block), of heapstory.h"
)


def headline(finding: Finding) -> str:
    """One line on what is wrong."""
    return HEADLINES.get(finding.kind, finding.kind)


def explanation(finding: Finding, command: list[str]) -> str | None:
    """The command that shows how it came to this."""
    place = finding.place
    if place is None or not place.file or not place.line:
        return None
    point = shlex.quote(f"{place.file}:{place.line}")
    return f"heapstory record --cpoint {point} -- {shlex.join(command)}"
