# SPDX-License-Identifier: GPL-2.0-or-later
"""The stream of recorded programs: beside it everything is as without, and slices are exact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from heapstory import _core
from heapstory.errors import TraceError
from tests.conftest import Compile
from tests.slice.recorded import recorded
from tests.slice.test_lines import PROGRAMS, lines, stored

# What a program leaves to chance: the loader stores clock ticks.
TABLES = {
    "nodes": "*",
    "edges": "*",
    "events": "* EXCLUDE value",
    "frees": "*",
    "cpoints": "*",
    "stacks": "*",
    "sites": "*",
}
# Columns of sites and stacks.
SITES = {
    "nodes": "created_site, created_stack, freed_site, freed_stack",
    "edges": "site",
    "events": "site, value",
    "frees": "site, stack",
    "cpoints": "site",
}


def fetched(table: _core.Table, columns: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as database:
        database.register("rows", table)
        return database.sql(f"SELECT {columns} FROM rows").fetchall()


def rows(trace: _core.Trace, name: str, columns: str) -> list[tuple[Any, ...]]:
    return fetched(trace.table(name), columns)


@pytest.mark.parametrize("mode", ["alloc", "portable", "internals"])
@pytest.mark.parametrize("name", ["trace/figure1", "trace/events", "inference/sorted_list"])
def test_beside_a_stream_all_is_as_without(
    name: str, mode: str, compile_program: Compile, tmp_path: Path
) -> None:
    program = compile_program(name, "-g")
    plain = recorded(program, tmp_path, stream=False, mode=mode)
    streamed = recorded(program, tmp_path, mode=mode)
    for table, columns in TABLES.items():
        assert rows(streamed, table, columns) == rows(plain, table, columns), table


@pytest.mark.parametrize("window", [{"stream_start": "main"}, {"stream_instructions": 20000}])
def test_beside_a_window_all_is_as_without(
    window: dict[str, Any], compile_program: Compile, tmp_path: Path
) -> None:
    program = compile_program("trace/events", "-g")
    plain = recorded(program, tmp_path, stream=False)
    streamed = recorded(program, tmp_path, **window)
    # Code that is translated again has sites of its own.
    for table, numbers in SITES.items():
        columns = f"* EXCLUDE ({numbers})"
        assert rows(streamed, table, columns) == rows(plain, table, columns), table


def test_every_event_has_its_step(compile_program: Compile, tmp_path: Path) -> None:
    trace = recorded(compile_program("trace/events", "-g"), tmp_path)
    slicer = _core.Slicer(trace)
    events = trace.summary()["events"]
    steps = [slicer.step_of(event) for event in range(events)]
    known = [step for step in steps if step is not None]
    assert len(known) == events and known == sorted(known)
    assert known[-1] < slicer.counts["steps"]
    assert slicer.step_of(events) is None


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_exactly_the_marked_lines(source: Path, compile_program: Compile, tmp_path: Path) -> None:
    program = compile_program(f"slice/{source.stem}", "-O0", "-no-pie", "-fcf-protection=none")
    trace = recorded(program, tmp_path)
    slicer = _core.Slicer(trace)
    hits, totals = slicer.backward(last_store(trace, slicer, int(stored(program), 0)))
    addresses = fetched(hits, "address")
    text = source.read_text().splitlines()
    expected = {number for number, line in enumerate(text, 1) if line.endswith("// *")}
    found = lines(program, [hex(address) for (address,) in addresses])
    assert found == expected
    assert totals["instructions"] >= len(addresses)


def last_store(trace: _core.Trace, slicer: _core.Slicer, address: int) -> tuple[int, int]:
    """The instruction that stored last at an address of the program."""
    stores = rows(trace, "events", "event, site, address")
    event, site = next((e, s) for e, s, where in reversed(stores) if where == address)
    offset, module = next(
        (o, m) for s, o, m in rows(trace, "sites", 'site, "offset", module') if s == site
    )
    base = next(at for m, at in rows(trace, "modules", "path, address") if m == module)
    place = slicer.find(base + offset)
    assert place is not None and place[0] == slicer.step_of(event)
    assert slicer.find(base + offset, slicer.count(base + offset)) == place
    assert slicer.find(base + offset, slicer.count(base + offset) + 1) is None
    return place


def test_a_trace_without_a_stream(compile_program: Compile, tmp_path: Path) -> None:
    trace = recorded(compile_program("trace/figure1", "-g"), tmp_path, stream=False)
    with pytest.raises(TraceError, match="no instruction stream"):
        _core.Slicer(trace)


def test_places_that_are_not_there(compile_program: Compile, tmp_path: Path) -> None:
    slicer = _core.Slicer(recorded(compile_program("trace/figure1", "-g"), tmp_path))
    for place in ((slicer.counts["steps"], 0), (0, 60000)):
        with pytest.raises(IndexError):
            slicer.backward(place)
    assert slicer.find(1) is None and slicer.count(1) == 0
