# SPDX-License-Identifier: GPL-2.0-or-later
"""A line that calls has the arguments of the call in its slice, wherever they were set up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory

# At -O1 gcc moves the second argument before the line that prints, among what begins the function.
MOVED = """#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static void show(const char *name, unsigned value) {
    printf("%s %.8X\\n", name, value);
}
__attribute__((noinline)) static unsigned weigh(const char *text) {
    unsigned sum = 0;
    while (*text)
        sum = sum * 31 + *text++; /* sum */
    return sum;
}
unsigned other;
int main(int argc, char **argv) {
    unsigned value = weigh(argv[0]);
    other = weigh("nothing to do with it") + 7; /* other */
    show(argv[0], value);
    return 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
def test_arguments_that_were_moved_to_another_line(
    level: str, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = tmp_path / "t.story"
    heapstory("record", "--stream", "-o", trace, "--", compile_program(MOVED, level))
    done = heapstory("slice", trace, "--criterion", "program.c:4", "--json")
    text = MOVED.splitlines()
    found = {text[one["line"] - 1] for one in json.loads(done.stdout)["statements"]}
    assert any("/* sum */" in line for line in found)
    assert not any("/* other */" in line for line in found)
