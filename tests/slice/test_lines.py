"""Slices of small programs: exactly the lines that are marked in them.

The stream is made by running the program one instruction at a time, without Valgrind, so that this
shows what the slicer does with a stream and nothing else. The criterion is the last store to
``result``; a line that belongs to its slice ends in ``// *``.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Compile
from tests.support.programs import ROOT

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))
TOOL = ROOT / "build" / "native-tests" / "tests" / "native" / "slice" / "single-step-slice"
# Vector code of the C library that Zydis and the slicer know: no AVX-512.
ENVIRONMENT = {
    **os.environ,
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512VL,-AVX512BW,-AVX512F",
    "LD_BIND_NOW": "1",
}


def stored(program: Path) -> str:
    """The address of the variable ``result``."""
    names = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return next("0x" + line.split()[0] for line in names.splitlines() if line.endswith(" result"))


def slice_of(program: Path, *options: str) -> dict[str, int]:
    """How often each instruction is in the slice."""
    command = [TOOL, *options, "--stored", stored(program), program]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    assert done.returncode == 0, done.stderr
    return {line.split()[0]: int(line.split()[1]) for line in done.stdout.splitlines()}


def lines(program: Path, addresses: list[str]) -> set[int]:
    """The lines of the program's own source behind some addresses."""
    command = ["addr2line", "-e", program, *addresses]
    places = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {int(found[1]) for found in re.finditer(rf"{program.name}\.c:(\d+)", places)}


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_exactly_the_marked_lines(source: Path, compile_program: Compile) -> None:
    program = compile_program(f"slice/{source.stem}", "-O0", "-no-pie", "-fcf-protection=none")
    text = source.read_text().splitlines()
    expected = {number for number, line in enumerate(text, 1) if line.endswith("// *")}
    assert lines(program, list(slice_of(program))) == expected


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_the_fast_walk_agrees_with_the_lists(
    source: Path, level: str, compile_program: Compile
) -> None:
    program = compile_program(f"slice/{source.stem}", level, "-no-pie")
    assert slice_of(program, "--plain") == slice_of(program, "--lists")
