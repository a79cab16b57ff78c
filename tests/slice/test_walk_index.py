# SPDX-License-Identifier: GPL-2.0-or-later
"""Further slices of one stream: as if each were the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from heapstory import _core
from tests.conftest import Compile
from tests.slice.recorded import recorded
from tests.slice.test_recorded import fetched

# Long enough for several sequences; both threads and the sum are looked for to the start.
PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
static volatile unsigned sum, other;
static void *work(void *count) {
    for (long i = 0; i < (long)count; i++)
        sum += i & other;
    return 0;
}
int main(void) {
    pthread_t thread;
    other = 3;
    pthread_create(&thread, 0, work, (void *)40000);
    work((void *)40000);
    pthread_join(thread, 0);
    unsigned *cells = malloc(4);
    *cells = sum;
    return *cells == other;
}
"""
CRITERIA = (-1, -2, -3, -40, -900, -1, -30000)


def told(slicer: _core.Slicer, number: int, **options: bool) -> tuple[Any, int, int, int]:
    place = slicer.read(number)
    assert place is not None
    hits, totals = slicer.backward(place, **options)
    rows = fetched(hits, "address, count, first, last")
    return rows, totals["instructions"], totals["unresolved"], totals["visited"]


def test_the_same_as_the_first(compile_program: Compile, tmp_path: Path) -> None:
    trace = recorded(compile_program(PROGRAM, "-O1", "-pthread"), tmp_path)
    slicer = _core.Slicer(trace)
    assert slicer.counts["sequences"] > 1
    shorter = 0
    for options in ({}, {"conventions": False}, {"control": False}, {}):
        for number in CRITERIA:
            *found, visited = told(slicer, number, **options)
            *expected, steps = told(_core.Slicer(trace), number, **options)
            assert found == expected
            shorter += visited < steps
    assert shorter  # some had the rest from another


def explained(slicer: _core.Slicer, number: int, most: int) -> tuple[Any, int]:
    """All that is said of a slice with its reasons, and how many steps were walked."""
    place = slicer.read(number)
    assert place is not None
    found = slicer.explain((place[0], place[1] + 1), instructions=[place], most=most)
    moments = fetched(found["moments"], "statement, thread, activation, stack, first, last, many")
    edges = fetched(found["edges"], '"user", definer, kind, "where", size, value, count')
    hits = fetched(found["hits"], "address, count, first, last")
    rest = [found[key] for key in ("instructions", "unresolved_memory", "unresolved_registers")]
    return (moments, edges, hits, rest, found["exact"]), found["visited"]


def with_statements(trace: _core.Trace) -> _core.Slicer:
    """A slicer to which every own instruction is a statement."""
    slicer = _core.Slicer(trace)
    addresses = slicer.own_instructions()
    slicer.set_statements(addresses, list(range(1, len(addresses) + 1)))
    return slicer


@pytest.mark.parametrize("most", [1_000_000, 500])
def test_reasons_are_the_same_as_the_first(
    most: int, compile_program: Compile, tmp_path: Path
) -> None:
    """With few moments, early executions of a statement are one; both begin at other places."""
    trace = recorded(compile_program(PROGRAM, "-O1", "-pthread"), tmp_path)
    slicer = with_statements(trace)
    shorter = 0
    for number in CRITERIA:
        found, visited = explained(slicer, number, most)
        expected, steps = explained(with_statements(trace), number, most)
        assert found == expected
        shorter += visited < steps
    assert shorter
