# SPDX-License-Identifier: GPL-2.0-or-later
"""What the modes portable and internals say of their own doubts, and what following that gives."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.conftest import Compile, Heapstory, Record

PORTABLE, INTERNALS = ("--mode", "portable"), ("--mode", "internals")

# An integer that happens to be an address of the heap, which nobody ever goes to.
NUMBER = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    long *block = malloc(64);
    block[0] = (long)block + 50000;
    printf("%lx\\n", block[0]);
    return 0;
}
"""


def printed(output: str) -> list[int]:
    """The addresses of the program's own lines ``node ADDRESS SIZE``."""
    return [int(line.split()[1], 16) for line in output.splitlines()]


def heap_nodes(heapstory: Heapstory, trace: Path) -> list[tuple[int, int]]:
    """Address and size of every node, dead or alive."""
    graph = json.loads(heapstory("graph", trace, "--freed", "--json").stdout)
    return [(int(n["address"], 16), n["size"]) for n in graph["nodes"] if n["kind"] == "heap"]


@pytest.mark.parametrize("flags", [("-O1",), ("-O1", "-s", "-no-pie")])
def test_the_proposed_allocator_shows_the_blocks(
    compile_program: Compile, tmp_path: Path, heapstory: Heapstory, flags: tuple[str, ...]
) -> None:
    program, trace = (
        compile_program("discovery/allocators", *flags),
        tmp_path / "slab.story",
    )
    command = ("record", "--force", "-o", trace, *PORTABLE)
    blocks = printed(heapstory(*command, "--", program, "slab").stdout)
    facts = heapstory("info", trace).stdout.splitlines()
    proposals = [line for line in facts if line.startswith("candidate")]
    assert len(proposals) == 2
    assert "gave out 16 blocks" in proposals[0] and "took back" in proposals[1]
    asked = json.loads(heapstory("info", trace, "--json").stdout)["candidates"]
    assert [one["kind"] for one in asked] == ["gives", "takes"]
    assert not {(block, 48) for block in blocks} & set(heap_nodes(heapstory, trace))
    # What it says to do is done.
    options = [word for line in proposals for word in shlex.split(line.rpartition(": record ")[2])]
    blocks = printed(heapstory(*command, *options, "--", program, "slab").stdout)
    assert len(blocks) == 22
    assert {(block, 48) for block in blocks} <= set(heap_nodes(heapstory, trace))
    assert "candidate" not in heapstory("info", trace).stdout


def test_integers_that_look_like_addresses(
    compile_program: Compile, tmp_path: Path, heapstory: Heapstory
) -> None:
    program, trace = compile_program(NUMBER, "-O0"), tmp_path / "number.story"
    told = heapstory("record", "-o", trace, *INTERNALS, "--", program)
    number = int(told.stdout, 16)
    whole = json.loads(heapstory("graph", trace, "--json").stdout)
    touched = json.loads(heapstory("graph", trace, "--touched", "--json").stdout)
    sizes = {int(node["address"], 16): node["size"] for node in whole["nodes"]}
    kept = {int(node["address"], 16) for node in touched["nodes"]}
    assert sizes[number] == 0 and number not in kept
    assert kept == {address for address, size in sizes.items() if size}
    assert "untouched" in heapstory("info", trace).stdout


def test_other_modes_have_no_such_nodes(
    compile_program: Compile, record: Record, heapstory: Heapstory
) -> None:
    trace = record(compile_program(NUMBER, "-O0"))
    done = heapstory("graph", trace, "--touched")
    assert done.returncode == 2
    assert "--mode internals" in done.stderr
