"""What the kernel writes for a thread: its number at the start; at its end 0, and dead owners."""

import json
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory

MODES = ["alloc", "portable", "internals", "full"]


@pytest.mark.parametrize("where", ["heap", "variable"])
@pytest.mark.parametrize("way", ["cleared", "number", "asked", "owner"])
def test_the_kernel_writes_for_a_thread(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path, way: str, where: str
) -> None:
    program = compile_program("recording/last_words", "-O1", "-pthread")
    for mode in MODES if where == "heap" else MODES[:1]:
        trace = tmp_path / f"{mode}.story"
        done = heapstory("record", "-o", trace, "--mode", mode, "--", program, way, where)
        assert (done.returncode, done.stderr) == (0, "")
        address, value = done.stdout.split()
        last = f"select value, kind from events where address = {int(address, 16)}"
        rows = heapstory("query", "--json", trace, f"{last} order by event desc limit 1").stdout
        assert json.loads(rows)["rows"] == [[int(value), "syscall"]]


@pytest.mark.parametrize("mode", ["alloc", "full"])
def test_threads_that_nobody_waits_for(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path, mode: str
) -> None:
    program = compile_program("recording/last_words", "-O1", "-pthread")
    for number in range(2):
        trace = tmp_path / f"{number}.story"
        done = heapstory("record", "-o", trace, "--mode", mode, "--", program, "many", "heap")
        assert (done.returncode, done.stderr) == (0, "")
