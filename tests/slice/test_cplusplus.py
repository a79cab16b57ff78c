# SPDX-License-Identifier: GPL-2.0-or-later
"""C++ whose statements are inlined from the library's headers: the answer names the program's.

Lines that belong to the slice end in ``// *``, those that may (it depends on how parameters are
passed) in ``// ?``.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory

PROGRAM = """#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>
int result, other;
__attribute__((noinline)) static int weight(int value) { // ?
    return value * 3; // *
}
int main(int argc, char **argv) {
    std::vector<int> values, unused; // ?
    for (int i = 0; i < 4 + argc; i++) // *
        values.push_back(std::abs(weight(i) - 4)); // *
    for (int i = 0; i < 9; i++)
        unused.push_back(i + argc);
    std::string name("abcdefghijklmnopqrstuvw");
    name += argv[0];
    std::sort(values.begin(), values.end()); // *
    result = std::accumulate(values.begin(), values.end(), 0); // *
    other = int(name.size()) + unused.back();
    return 0;
}
"""


def marked(mark: str) -> set[int]:
    return {n for n, text in enumerate(PROGRAM.splitlines(), 1) if text.endswith(f"// {mark}")}


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
def test_statements_are_the_programs_own(
    level: str, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    program, trace = compile_program(PROGRAM, level, compiler="g++"), tmp_path / "t.story"
    heapstory("record", "--stream", "-o", trace, "--", program)
    done = heapstory("slice", trace, "--criterion", "end:result", "--data-only", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    statements = answer["statements"]
    assert {Path(one["path"]).name for one in statements} == {"program.c"}
    assert marked("*") <= {one["line"] for one in statements} <= marked("*") | marked("?")
    if level == "-O2":
        header = {Path(raw["path"]).name for one in answer["inlined"] for raw in one["places"]}
        assert "stl_numeric.h" in header  # the sum is made in a line of the library


def test_a_line_that_is_all_inlined_is_a_criterion(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    program, trace = compile_program(PROGRAM, "-O2", compiler="g++"), tmp_path / "t.story"
    heapstory("record", "--stream", "-o", trace, "--", program)
    line = next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if "accumulate(" in text)
    done = heapstory("slice", trace, "--criterion", f"program.c:{line}", "--json")
    assert done.returncode == 0, done.stderr
    assert marked("*") <= {one["line"] for one in json.loads(done.stdout)["statements"]}
