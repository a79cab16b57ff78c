# SPDX-License-Identifier: GPL-2.0-or-later
"""A call is in the slice with what it called, whether the compiler inlined the function or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory

PROGRAM = """volatile int input = 5;
int result, other;
static CALLED int doubled(int value) {
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += value * input;
    return sum;
}
int main(void) {
    int first = doubled(7); // called
    int second = doubled(9);
    other = second;
    result = first;
    return 0;
}
"""
CALLS = {n for n, text in enumerate(PROGRAM.splitlines(), 1) if "= doubled(" in text}
CALLED = {n for n, text in enumerate(PROGRAM.splitlines(), 1) if text.endswith("// called")}


@pytest.mark.parametrize("how", ["noinline", "always_inline"])
def test_the_call_is_in_the_slice(
    how: str, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    text = PROGRAM.replace("CALLED", f"__attribute__(({how})) inline")
    program, trace = compile_program(text, "-O2"), tmp_path / "t.story"
    heapstory("record", "--stream", "-o", trace, "--", program)

    def calls(*options: str) -> set[int]:
        done = heapstory("slice", trace, "--criterion", "end:result", "--json", *options)
        assert done.returncode == 0, done.stderr
        return CALLS & {one["line"] for one in json.loads(done.stdout)["statements"]}

    assert calls() == CALLED
    done = heapstory("slice", trace, "--criterion", f"program.c:{min(CALLS)}", "--json")
    assert done.returncode == 0, done.stderr
