"""The words for what ``check`` finds."""

from __future__ import annotations

HEADLINES = {
    "unaddressable-read": "memory outside of live blocks is read",
    "unaddressable-write": "memory outside of live blocks is written",
    "bad-free": "free of an address that is no block",
    "double-free": "a block is freed twice",
    "mismatched-free": "a block is freed by the wrong function",
    "bad-realloc": "realloc of an address that is no live block",
    "overlap": "source and destination of a copy overlap",
    "bad-argument": "a size is wrong",
    "uninitialized-condition": "a decision depends on a value that was never set",
    "uninitialized-address": "an address depends on a value that was never set",
    "uninitialized-argument": "a system call is given a value that was never set",
    "uninitialized-request": "memory that the program asks about was never set",
    "leak": "blocks that nothing refers to any more were not freed",
    "indirect-leak": "blocks that only leaked ones refer to were not freed",
    "possible-leak": "blocks that are only referred to in their middle were not freed",
    "possible-indirect-leak": "blocks that only possibly leaked ones refer to were not freed",
    "reachable": "blocks that could have been freed were not",
}


def headline(kind: str) -> str:
    """One line on what is wrong."""
    return HEADLINES.get(kind, kind)
