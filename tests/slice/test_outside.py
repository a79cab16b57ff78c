# SPDX-License-Identifier: GPL-2.0-or-later
"""What a stream does not show: bytes that went through another address."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conftest import Compile, Heapstory

TWICE = r"""
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
int result, other;
int main(int argc, char **argv) {
    (void)argv;
    int file = memfd_create("both", 0);
    ftruncate(file, 4096);
    int *one = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    int *two = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    *one = argc;
    result = *two;
    other = argc + 1;
    return 0;
}
"""
ONCE = TWICE.replace("*two;", "*one;").replace("int *two = mmap", "int *two = one; (void)sizeof")


def sliced(
    source: str, variable: str, compile_program: Compile, heapstory: Heapstory, folder: Path
) -> tuple[int, dict[str, Any]]:
    program = compile_program(source, "-O0", "-w")
    trace = folder / "t.story"
    heapstory("record", "--stream", "--force", "-o", trace, "--", program)
    done = heapstory("slice", trace, "--criterion", f"end:{variable}", "--json")
    return done.returncode, json.loads(done.stdout)


def test_a_file_mapped_in_two_places(
    compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    status, answer = sliced(TWICE, "result", compile_program, heapstory, tmp_path)
    assert status == 4 and not answer["complete"]
    assert "both" in answer["notes"][0] and "two places" in answer["notes"][0]
    status, answer = sliced(ONCE, "result", compile_program, heapstory, tmp_path)
    assert status == 0 and answer["complete"] and not answer["notes"]
