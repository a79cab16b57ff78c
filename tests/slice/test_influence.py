# SPDX-License-Identifier: GPL-2.0-or-later
"""``slice --forward`` and ``--chop``: exactly the lines that something had influence on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory

PROGRAM = """\
int result, other;
int main(void) {
    int a = 3;
    int b = 4;
    int c = a + 1;
    int d = b * 2;
    if (c > 2)
        other = d;
    result = c;
    return 0;
}
"""


@pytest.fixture
def trace(compile_program: Compile, heapstory: Heapstory, tmp_path: Path) -> Path:
    recorded = tmp_path / "p.story"
    program = compile_program(PROGRAM, "-O0", "-fcf-protection=none")
    assert heapstory("record", "--stream", "-o", recorded, "--", program).returncode == 0
    return recorded


def lines(heapstory: Heapstory, *words: str | Path) -> set[int]:
    done = heapstory("slice", *words, "--json")
    assert done.returncode == 0, done.stderr
    return {place["line"] for place in json.loads(done.stdout)["statements"]}


def test_forward(heapstory: Heapstory, trace: Path) -> None:
    assert lines(heapstory, trace, "--criterion", "program.c:3", "--forward") == {3, 5, 7, 8, 9}
    assert lines(heapstory, trace, "--criterion", "program.c:4", "--forward") == {4, 6, 8}
    data = lines(heapstory, trace, "--criterion", "program.c:3", "--forward", "--data-only")
    assert data == {3, 5, 7, 9}


def test_chop(heapstory: Heapstory, trace: Path) -> None:
    way = ("--criterion", "program.c:3", "--chop")
    assert lines(heapstory, trace, *way, "program.c:9") == {3, 5, 9}
    assert lines(heapstory, trace, *way, "program.c:8") == {3, 5, 7, 8}
    assert lines(heapstory, trace, "--criterion", "program.c:4", "--chop", "program.c:9") == set()


def test_a_chop_of_nothing_says_why(heapstory: Heapstory, trace: Path) -> None:
    def note(criterion: str, target: str) -> str:
        done = heapstory("slice", trace, "--criterion", criterion, "--chop", target, "--json")
        (only,) = json.loads(done.stdout)["notes"]
        assert only in heapstory("slice", trace, "--criterion", criterion, "--chop", target).stdout
        return str(only)

    assert note("program.c:4", "program.c:9").startswith("program.c:4 (execution 1 of 1) had no")
    assert "ran before program.c:9" in note("program.c:9", "program.c:3")


def test_what_does_not_go_together(heapstory: Heapstory, trace: Path) -> None:
    for words in (("--forward", "--format", "dot"), ("--chop", "end:result", "--order", "why")):
        done = heapstory("slice", trace, "--criterion", "program.c:3", *words)
        assert done.returncode == 2 and "text or JSON" in done.stderr
    done = heapstory("slice", trace, "--lost", "1", "--forward")
    assert done.returncode == 2 and "--criterion" in done.stderr
