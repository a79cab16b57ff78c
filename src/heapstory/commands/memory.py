"""A ceiling for the memory of a command: better an answer in part than being killed."""

from __future__ import annotations

import argparse
import os
import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def size(text: str) -> int:
    """An amount of memory: ``800M``, ``4G``."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text.upper())
    if not match or not int(match[1]):
        raise argparse.ArgumentTypeError("wants a size such as 800M or 4G")
    return int(match[1]) * _UNITS[match[2]]


def half_of_the_machine() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def _reserved() -> int:
    status = Path("/proc/self/status").read_text()
    match = re.search(r"^VmData:\s+(\d+) kB", status, re.MULTILINE)
    return int(match[1]) << 10 if match else 0


@contextmanager
def at_most(amount: int) -> Iterator[None]:
    """MemoryError where more is asked for from here on. Files that are mapped do not count, nor
    what the process has reserved by now: with AddressSanitizer that is terabytes."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    limits = [_reserved() + amount, *(limit for limit in before if limit != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_DATA, (min(limits), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
