"""A small list, as the naive model knows it, behind the public API."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import heapstory
from heapstory.store import open_trace
from heapstory.trace import Trace
from tests.support.fake_core import FakeCore
from tests.support.naive import Alloc, Event, Free, Global, Store

HEAD, A, B = 0x404010, 0x4A00000, 0x4A00040


def pointer(value: int) -> bytes:
    return value.to_bytes(8, "little")


# The list of Figure 1 of the MG++ paper, with a global head: two nodes, linked, then cut.
LIST: list[Event] = [
    Global(HEAD, pointer(0), "head"),
    Alloc(A, 24),  # timestamp 1, line 2
    Store(HEAD, pointer(A)),  # 2, line 3
    Store(A, pointer(0)),  # 3, line 4
    Alloc(B, 24),  # 4, line 5
    Store(B, pointer(0)),  # 5, line 6
    Store(A, pointer(B)),  # 6, line 7
    Store(A + 16, pointer(7)),  # 7, line 8
    Store(A + 16, pointer(7)),  # silent, line 9
    Store(A, pointer(0)),  # 8, line 10: the fault
]


@pytest.fixture
def open_fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[FakeCore], Trace]:
    """Opens a trace that answers from a fake core; commands see it at the same path."""

    def opened(core: FakeCore) -> Trace:
        monkeypatch.setattr(open_trace, "open_core", lambda path, salvage: core)
        monkeypatch.setattr(open_trace, "read_meta", lambda path: core.meta)
        return heapstory.open(tmp_path / "list.story")

    return opened


@pytest.fixture
def trace(open_fake: Callable[[FakeCore], Trace]) -> Trace:
    return open_fake(FakeCore(LIST))


@pytest.fixture
def freed_trace(open_fake: Callable[[FakeCore], Trace]) -> Trace:
    """The same before the fault, and the second node freed: a stale pointer to it is left."""
    return open_fake(FakeCore([*LIST[:7], Free(B)]))
