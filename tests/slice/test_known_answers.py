# SPDX-License-Identifier: GPL-2.0-or-later
"""Slices of small programs through the command: exactly the lines that are marked in them.

The criterion is what ``result`` holds at the end; a line of the slice ends in ``// *``. Those in
the folder ``recorded`` need threads, another language or other flags, which the first line names.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = sorted([*FOLDER.glob("*.c"), *FOLDER.glob("recorded/*.c*")])


def flags(source: Path) -> list[str]:
    """-O0, or those that the first line begins with."""
    found = re.match(r"/\* (-[^:]*):", source.read_text())
    return found[1].split() if found else ["-O0"]


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_exactly_the_marked_lines(
    source: Path, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    compiler = "g++" if source.suffix == ".cpp" else "gcc"
    program = compile_program(source.read_text(), *flags(source), "-pthread", compiler=compiler)
    trace = tmp_path / "t.story"
    heapstory("record", "--stream", "-o", trace, "--", program)  # its status is its own
    done = heapstory("slice", trace, "--criterion", "end:result", "--json")
    text = source.read_text().splitlines()
    complete = "(incomplete" not in text[0]
    assert done.returncode == (0 if complete else 4), done.stderr
    answer = json.loads(done.stdout)
    expected = [number for number, line in enumerate(text, 1) if line.endswith("// *")]
    statements = answer["statements"]
    assert [one["line"] for one in statements if one["file"] == "program.c"] == expected
    assert answer["complete"] == complete
    assert 0 < answer["instructions"] < answer["trace_instructions"]
