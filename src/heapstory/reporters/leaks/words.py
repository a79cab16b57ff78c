"""A finding and the steps of its path in words, the same in every form of the answer."""

from __future__ import annotations

from pathlib import Path

from heapstory.reporters.text import printable
from heapstory.static.findings.findings import Finding
from heapstory.static.heap.state import Step
from heapstory.static.transfer.losses import (
    FIELD_LOST,
    FIELD_OVERWRITTEN,
    LOCAL_LOST,
    OVERWRITTEN,
)


def describe(step: Step) -> str:
    """One step in words."""
    return step.note or f"the value is {step.decision}"


def headline(finding: Finding) -> str:
    """A finding in one sentence."""
    what = f"'{finding.variable}'" if finding.variable else "memory"
    site = f"{printable(Path(finding.allocated.path).name)}:{finding.allocated.line}"
    origin = f"allocated by {finding.allocator} at {site}" if finding.allocator else ""
    texts = {
        OVERWRITTEN: f"{what}, {origin}, is lost here: its last reference is gone",
        FIELD_OVERWRITTEN: f"{what} is overwritten here, the last reference to memory {origin}",
        FIELD_LOST: f"memory {origin} is lost here: the cell that held it is freed",
        LOCAL_LOST: f"{what}, {origin}, is never released: the function returns here",
        "double-free": "this memory was freed before",
        "use-after-free": "this memory was freed before it is used here",
        "free-of-unallocated": "this memory does not come from an allocator",
    }
    return texts[finding.kind]
