# SPDX-License-Identifier: GPL-2.0-or-later
"""Loops with known answers, written behind each loop's head:

    // loop: VERDICT ENTEREDxITERATIONS; KIND NAME DISTANCE; ...

NAME is "node" for any node of the heap.
Induction variables are left out there: every counted loop has one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compile, Heapstory
from tests.support.programs import program

HEAD = re.compile(r"// loop: (\w+) (\d+)x(\d+)(.*)$", re.MULTILINE)
# Loops stay what they are written as, so that they can be counted.
FLAGS = (
    "-fno-tree-vectorize",
    "-fno-tree-loop-distribute-patterns",
    "-fno-unroll-loops",
    "-fno-ipa-icf",
)
PROGRAMS = sorted(
    path for path in program("slice/loops/x").parent.glob("*.c") if HEAD.search(path.read_text())
)


def expected(source: Path) -> Iterator[tuple[int, str, int, int, set[tuple[str, str, int]]]]:
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if found := HEAD.search(line):
            words = [part.split() for part in found[4].split(";") if part.strip()]
            carried = {(kind, name, int(distance)) for kind, name, distance in words}
            yield number, found[1], int(found[2]), int(found[3]), carried


def told(carried: set[tuple[str, str, int]], level: str) -> set[tuple[str, ...]]:
    """With names as far as the debug information has them."""
    return {
        (kind, name if level == "-O0" else "", str(distance)) for kind, name, distance in carried
    }


def loops_of(heapstory: Heapstory, binary: Path, folder: Path) -> list[dict[str, Any]]:
    trace = folder / "loops.story"
    done = heapstory("record", "--stream", "-o", trace, "--", binary)
    assert done.returncode == 0, done.stderr
    done = heapstory("loops", trace, "--json")
    assert done.returncode == 0, done.stderr
    answer: list[dict[str, Any]] = json.loads(done.stdout)["loops"]
    return answer


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_known_answers(
    source: Path, level: str, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    binary = compile_program(f"slice/loops/{source.stem}", level, *FLAGS)
    loops = {loop["place"]["line"]: loop for loop in loops_of(heapstory, binary, tmp_path)}
    for line, verdict, entered, iterations, carried in expected(source):
        loop = loops[line]
        assert (line, loop["verdict"]) == (line, verdict), loop
        # Optimised, the last iteration of a loop left early may be but its test.
        early = any(kind == "control" for kind, _, _ in carried) and level != "-O0"
        assert (line, loop["entered"]) == (line, entered)
        assert loop["iterations"] in {iterations, iterations - early}, line
        if verdict != "unknown":
            found = {
                (one["kind"], (one["name"] or "-").split()[0], one["distance"])
                for one in loop["carried"]
                if one["kind"] != "induction"
            }
            assert (line, told(found, level)) == (line, told(carried, level))
        assert bool(loop["first_iteration"]) == (iterations > entered), line
