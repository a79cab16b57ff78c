"""What parameters are for, by their names and types."""

from __future__ import annotations

import re

from heapstory.linear.ir.instructions import THREADS
from heapstory.linear.ir.module import Type

CAPACITY = 2  # of a structure: a small one fills up soon


def is_thread(name: str) -> bool:
    return bool(re.search(r"thread|tid|^id$|^pid$|thr", name, re.IGNORECASE))


def is_cell(kind: Type) -> bool:
    """Whether a pointer leads to something that holds one value."""
    return (kind.pointed <= 8 and not kind.text.startswith("struct")) or kind.text.endswith("**")


def guess(name: str, kind: Type) -> int:
    """A value for a parameter of an initialiser."""
    if "*" in kind.text:
        return 0
    if is_thread(name) or re.search("proc", name, re.IGNORECASE):
        return THREADS + 1  # and the one that sets up
    if re.search(r"item|elem|obj|data|value", name, re.IGNORECASE) and "size" in name:
        return 8
    return CAPACITY
