# SPDX-License-Identifier: GPL-2.0-or-later
"""Slices without a statement say why they have none."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Compile, Heapstory, Record

SOURCE = """#include <stdlib.h>
int initial = 3, zero, result;
int main(int argc, char **argv) {
    int *block = malloc(8);
    int unset;
    result = 7; /* here */
    result = *block + (argc > 9 ? unset : 0);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("criterion", "words"),
    [
        ("program.c:6:initial", "value that it is initialised with"),
        ("program.c:6:zero", "value that it is initialised with"),
        ("program.c:6:unset", "never set"),
    ],
)
def test_why_nothing_led_there(
    criterion: str, words: str, compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    trace = record(compile_program(SOURCE), options=("--stream",))
    done = heapstory("slice", trace, "--criterion", criterion, "--json")
    answer = json.loads(done.stdout)
    assert (answer["statements"], done.returncode) == ([], 0), done.stderr
    (note,) = answer["notes"]
    assert words in note
    assert note in heapstory("slice", trace, "--criterion", criterion).stdout


def test_why_nothing_in_a_window_led_there(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    source = SOURCE.replace("int unset;", "int unset; zero = argc;")
    trace = record(compile_program(source), options=("--stream-from", "program.c:6"))
    done = heapstory("slice", trace, "--criterion", "program.c:6:zero", "--json")
    answer = json.loads(done.stdout)
    assert (answer["statements"], done.returncode) == ([], 4)
    assert "before the stream began" in answer["notes"][-1]


def test_a_slice_with_statements_needs_no_reason(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    trace = record(compile_program(SOURCE), options=("--stream",))
    done = heapstory("slice", trace, "--criterion", "program.c:6:result", "--json")
    answer = json.loads(done.stdout)
    assert answer["statements"] and not answer["notes"]


def test_a_program_without_lines(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    trace = record(compile_program(SOURCE, "-s"), options=("--stream",))
    done = heapstory("slice", trace, "--criterion", "program.c:6")
    assert done.returncode == 2 and "built with -g" in done.stderr
