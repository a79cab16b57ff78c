# SPDX-License-Identifier: GPL-2.0-or-later
"""Dependent loads of a part of memory, with the pairs that the program is known to have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory
from tests.support.programs import program

LINES = program("slice/loops/pairs.c").read_text().splitlines()
FIRST, LIVE, NEXT = (
    next(number for number, line in enumerate(LINES, 1) if text in line)
    for text in ("index = log_area.first", "if (log_area", "index = log_area.records")
)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_known_pairs(
    level: str, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "pairs.story"
    binary = compile_program("slice/loops/pairs", level)
    assert heapstory("record", "--stream", "-o", trace, "--", binary).returncode == 0
    done = heapstory("loops", trace, "--pairs", "log_area", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["pairs"]
    assert found["complete"] and found["loads"] == 4
    pairs = {
        (one["first"]["line"], one["second"]["line"], one["kind"], one["count"])
        for one in found["pairs"]
    }
    assert pairs == {
        (FIRST, LIVE, "address", 1),
        (FIRST, NEXT, "address", 1),
        (LIVE, NEXT, "control", 1),
    }


def test_memory_that_is_not_there(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "pairs.story"
    binary = compile_program("slice/loops/pairs", "-O0")
    assert heapstory("record", "--stream", "-o", trace, "--", binary).returncode == 0
    done = heapstory("loops", trace, "--pairs", "nothing_of_this_name")
    assert done.returncode == 2 and "nothing_of_this_name" in done.stderr
    done = heapstory("loops", trace, "--function", "nowhere")
    assert done.returncode == 2 and "nowhere" in done.stderr


def test_a_trace_without_a_stream(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "plain.story"
    binary = compile_program("slice/loops/pairs", "-O0")
    assert heapstory("record", "-o", trace, "--", binary).returncode == 0
    done = heapstory("loops", trace)
    assert done.returncode == 2 and "no instruction stream" in done.stderr
