# SPDX-License-Identifier: GPL-2.0-or-later
"""Forward slices and chops: the reverse of backward slices, exactly.

Every sampled instruction's forward slice is compared with the graph of all dependences, and pairs
of instructions with backward slices, under all options.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from heapstory import _core
from tests.conftest import Compile
from tests.slice.recorded import recorded
from tests.slice.test_lines import ENVIRONMENT, PROGRAMS, TOOL, stored
from tests.slice.test_recorded import fetched, last_store

SAMPLES = 8

Place = tuple[int, int]


def at(place: Place) -> tuple[Place, list[Place], list[Place], list[Place], list[Any]]:
    """One instruction with all that it uses."""
    return (place[0], place[1] + 1), [place], [], [], []


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_the_reverse_of_backward(source: Path, level: str, compile_program: Compile) -> None:
    program = compile_program(f"slice/{source.stem}", level, "-no-pie")
    command = [TOOL, "--forward", str(SAMPLES), str(len(source.stem)), program]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["alias", "call", "loop", "recursion"])
def test_chops_of_recorded_streams(name: str, compile_program: Compile, tmp_path: Path) -> None:
    """From each statement of a slice to its criterion: never outside of the slice."""
    program = compile_program(f"slice/{name}", "-O0", "-no-pie", "-fcf-protection=none")
    trace = recorded(program, tmp_path)
    slicer = _core.Slicer(trace)
    place = last_store(trace, slicer, int(stored(program), 0))
    hits, _ = slicer.backward(place)
    own = set(slicer.own_instructions())
    for address, count in fetched(hits, "address, count"):
        if address not in own:
            continue
        reached = [slicer.find(address, number) for number in range(1, slicer.count(address) + 1)]
        chops = [slicer.chop(at(start), at(place)) for start in reached if start is not None]
        leading = [chop for chop, totals in chops if totals["instructions"]]
        assert len(leading) >= count
        for chop in leading:
            found = {one for (one,) in fetched(chop, "address")}
            assert slicer.address(place) in found
            assert found <= {one for (one,) in fetched(hits, "address")}


def test_forward_of_recorded_streams(compile_program: Compile, tmp_path: Path) -> None:
    program = compile_program("slice/overwritten", "-O0", "-no-pie", "-fcf-protection=none")
    trace = recorded(program, tmp_path)
    slicer = _core.Slicer(trace)
    place = last_store(trace, slicer, int(stored(program), 0))
    hits, totals = slicer.forward(at(place))
    addresses = {address for (address,) in fetched(hits, "address")}
    assert slicer.address(place) in addresses and totals["instructions"] >= len(addresses)
    for wrong in ((slicer.counts["steps"], 0), (0, 60000)):
        with pytest.raises(IndexError):
            slicer.forward(at(wrong))
        with pytest.raises(IndexError):
            slicer.chop(at(place), at(wrong))
