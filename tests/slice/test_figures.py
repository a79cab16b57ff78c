# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 5.1 of the thesis, and its algorithms on recorded streams (Figure 5.3 is in
tests/native/test_lists.cpp)."""

from __future__ import annotations

from pathlib import Path

from heapstory import _core
from tests.conftest import Compile
from tests.slice.recorded import recorded
from tests.slice.test_lines import lines, stored
from tests.slice.test_recorded import fetched, last_store

FLAGS = ("-O0", "-no-pie", "-fcf-protection=none")

# As Figure 5.1: line 4 of main defines y from z (line 3) and b (line 2), and what the node gets in
# line 8 comes from x; what line 6 makes is nowhere used.
FIGURE_5_1 = """\
long result;
int main(void) {
    long a = 3;     // *
    long b = 4;     // *
    long z = a - 3; // *
    long y = z * b; // *
    long x = y;     // *
    long w = a + b;
    w = w + 1;
    result = x; // *
    return w == 0;
}
"""


def sliced(
    text: str, compile_program: Compile, folder: Path
) -> tuple[Path, _core.Slicer, tuple[int, int]]:
    program = compile_program(text, *FLAGS)
    trace = recorded(program, folder)
    slicer = _core.Slicer(trace)
    return program, slicer, last_store(trace, slicer, int(stored(program), 0))


def test_figure_5_1(compile_program: Compile, tmp_path: Path) -> None:
    program, slicer, place = sliced(FIGURE_5_1, compile_program, tmp_path)
    hits, _ = slicer.backward(place)
    found = lines(program, [hex(address) for (address,) in fetched(hits, "address")])
    text = FIGURE_5_1.splitlines()
    assert found == {number for number, line in enumerate(text, 1) if line.endswith("// *")}


def test_all_agree(compile_program: Compile, tmp_path: Path) -> None:
    """Also on what comes before main: the loader."""
    _, slicer, place = sliced(FIGURE_5_1, compile_program, tmp_path)
    _, totals = slicer.backward(place, conventions=False)
    for found in slicer.by_lists(place, 100).values():
        assert isinstance(found, dict) and found["instructions"] == totals["instructions"]


def test_a_limit(compile_program: Compile, tmp_path: Path) -> None:
    _, slicer, place = sliced(FIGURE_5_1, compile_program, tmp_path)
    assert set(slicer.by_lists(place, 0).values()) == {None}
