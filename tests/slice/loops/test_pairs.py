# SPDX-License-Identifier: GPL-2.0-or-later
"""Dependent loads of a part of memory, with the pairs that the program is known to have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory, Record
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


MAPPED = """#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
struct log { long first; long next[7]; };
static long walk(struct log *log) {
    long index = log->first; /* first */
    return log->next[index]; /* next */
}
static struct log *map(const char *path) {
    int file = open(path, O_RDWR);
    struct log *log = mmap(NULL, sizeof *log, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return log;
}
int main(int argc, char **argv) {
    struct log *one = map(argv[1]);
    long sum = walk(one);
    munmap(one, sizeof *one);
    struct log *two = map(argv[2]);
    for (int i = 0; i < 3; i++)
        sum += walk(two);
    munmap(two, sizeof *two);
    struct log *rest = mmap(one, sizeof *rest, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return one != two || (sum + walk(rest)) != 0;
}
"""


def test_a_mapped_file(
    compile_program: Compile, heapstory: Heapstory, record: Record, tmp_path: Path
) -> None:
    """Two files and memory of none at the same address: what counts is what was there."""
    one, two = tmp_path / "one.pool", tmp_path / "two.pool"
    for path in (one, two):
        path.write_bytes(bytes(4096))
    lines = MAPPED.splitlines()
    first, second = (
        next(n for n, text in enumerate(lines, 1) if f"/* {word} */" in text)
        for word in ("first", "next")
    )
    trace = record(compile_program(MAPPED), str(one), str(two), options=("--stream",))
    for name, loads in (("one.pool", 2), (str(two), 6)):
        done = heapstory("loops", trace, "--pairs", name, "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)["pairs"]
        assert found["loads"] == loads
        (pair,) = found["pairs"]
        assert (pair["first"]["line"], pair["second"]["line"]) == (first, second)
        assert pair["count"] == loads // 2
    done = heapstory("loops", trace, "--pairs", "three.pool")
    assert done.returncode == 2 and "mapped file" in done.stderr
