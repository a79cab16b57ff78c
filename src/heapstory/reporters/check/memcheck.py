"""What ``check`` found in the words of Memcheck's log, by which CTest counts defects."""

from __future__ import annotations

import os
from collections.abc import Iterator

from heapstory.checking.checked import Checked
from heapstory.checking.errors import Error
from heapstory.reporters.check import text

_FREE = "Invalid free() / delete / delete[]"
# What CTest has no words for counts as what it resembles most.
WORDS = {
    "unaddressable-read": "Invalid read of size {size}",
    "unaddressable-write": "Invalid write of size {size}",
    "bad-free": _FREE,
    "double-free": _FREE,
    "bad-realloc": _FREE,
    "mismatched-free": "Mismatched free() / delete / delete []",
    "overlap": "Invalid write of size {size}",
    "bad-argument": "Syscall param size contains uninitialised or unaddressable byte(s)",
    "uninitialized-condition": "Conditional jump or move depends on uninitialised value(s)",
    "uninitialized-address": "Use of uninitialised value of size {size}",
    "uninitialized-argument": "Syscall param contains uninitialised byte(s)",
    "uninitialized-request": "Use of uninitialised value of size {size}",
}
BY_SYSTEM_CALL = "Syscall param points to unaddressable byte(s)"


def dumps(run: Checked) -> str:
    """Memcheck's line on each finding, then ours. Suppressed findings are left out."""
    prefix = f"=={os.getpid()}== "
    return "".join(f"{prefix}{line}".rstrip() + "\n" for line in _lines(run))


def _lines(run: Checked) -> Iterator[str]:
    for error in run.open:
        yield _what(error)
        yield from text.finding(error).splitlines()
    for number, leak in enumerate(run.open_leaks, 1):
        sort = "possibly" if leak.kind.startswith("possible") else "definitely"
        yield (
            f"{leak.bytes:,} bytes in {leak.blocks:,} blocks are {sort} lost in loss record "
            f"{number:,} of {len(run.open_leaks):,}"
        )
        yield from text.leak(leak).splitlines()
    yield from text.summary(run)


def _what(error: Error) -> str:
    if error.by_system_call and error.kind.startswith("unaddressable"):
        return BY_SYSTEM_CALL
    return WORDS[error.kind].format(size=error.size)
