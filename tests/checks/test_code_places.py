"""Names of code by file, build-id and offset."""

from __future__ import annotations

import subprocess
from pathlib import Path

from heapstory import _core
from tests.conftest import Compile

SOURCE = """static inline __attribute__((always_inline)) int inner(volatile int *p) {
    return *p;
}
int outer(volatile int *p) {
    return inner(p) + 1;
}
int main(void) { int x = 1; return outer(&x); }
"""


def build_id(program: Path) -> str:
    done = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True)
    return done.stdout.rpartition("Build ID: ")[2].split()[0]


def entry(program: Path, name: str) -> int:
    """Of a position-independent program the address of a function, which is its file offset."""
    done = subprocess.run(["nm", program], capture_output=True, text=True, check=True)
    return int(
        next(line.split()[0] for line in done.stdout.splitlines() if line.endswith(name)), 16
    )


def test_inlined_callers_are_there(compile_program: Compile) -> None:
    program = compile_program(SOURCE, "-O2", "-fno-inline-functions-called-once")
    symbols = _core.Symbols()
    assert symbols.state(str(program), build_id(program)) == "known"
    found = symbols.places(str(program), build_id(program), entry(program, "outer"))
    assert [place["function"] for place in found] == ["inner", "outer"]
    assert [place["line"] for place in found] == [2, 5]


def test_a_changed_or_missing_file_has_no_names(compile_program: Compile, tmp_path: Path) -> None:
    program = compile_program(SOURCE)
    symbols = _core.Symbols()
    assert symbols.state(str(program), "00" * 20) == "changed"
    assert symbols.places(str(program), "00" * 20, entry(program, "outer")) == []
    assert symbols.places(str(program), "", entry(program, "outer"))
    assert symbols.state(str(tmp_path / "none"), "") == "missing"
    text = tmp_path / "text"
    text.write_text("no program")
    assert symbols.state(str(text), "") == "missing"
