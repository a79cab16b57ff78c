"""A variable that other memory is mapped over: it stays the variable, with what it holds then."""

from pathlib import Path

import pytest

from heapstory import trace
from tests.conftest import Compile, Heapstory

AFTER = {1: 5, 3: 0, 4: 7, 1000: 8}  # by index


@pytest.mark.parametrize("mode", ["alloc", "portable", "internals", "full"])
@pytest.mark.parametrize("way", ["anonymous", "file", "moved"])
def test_memory_mapped_over_a_variable(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path, way: str, mode: str
) -> None:
    program = compile_program("recording/mapped_over")
    done = heapstory("record", "-o", tmp_path / "t.story", "--mode", mode, "--", program, way)
    assert (done.returncode, done.stderr) == (0, "")
    opened = trace.open(tmp_path / "t.story")
    [(address,)] = opened.query("select address from nodes where name = 'variable'").rows
    held = {i: [v.value for v in opened.history(address=address + 8 * i, size=8)] for i in AFTER}
    assert {index: values[-1] for index, values in held.items()} == AFTER
    assert 1 in held[3]
