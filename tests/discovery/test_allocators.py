# SPDX-License-Identifier: GPL-2.0-or-later
"""Allocators that nobody names: proposed where they are functions, found where they are inlined."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Heapstory
from tests.discovery.nodes import Story, printed, story
from tests.discovery.test_portable import PORTABLE, check_blocks
from tests.recorder import recorder
from tests.recorder.recorder import Result
from tests.support.programs import program as source

FREE_LISTS = (*PORTABLE, "--allocator=free-lists")
POOL, HEADER = 16384, 48  # of pymalloc: bytes of a pool, and before its first block


def stripped(folder: Path, *flags: str) -> tuple[Path, dict[str, tuple[int, int]]]:
    """The program without symbols, and where its functions were."""
    binary = recorder.compile_program("discovery/allocators.c", folder, "-no-pie", *flags)
    symbols = recorder.symbols(binary)
    subprocess.run(["strip", binary], check=True)
    return binary, symbols


@pytest.mark.parametrize(
    ("what", "functions"),
    [
        ("bump", {"bump_alloc": "gives"}),
        ("slab", {"slab_alloc": "gives", "slab_free": "takes"}),
        ("chunk", {"chunk_alloc": "gives"}),
    ],
)
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_stripped_program(
    recorder_library: Path, tmp_path: Path, what: str, functions: dict[str, str], level: str
) -> None:
    """What is proposed is the allocator, and nothing else; given back, it shows the blocks."""
    binary, symbols = stripped(tmp_path, level)
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    found = story(recorder.record(recorder_library, [binary, what], first, *PORTABLE).records)
    expected = {(kind, symbols[name][0], sum(symbols[name])) for name, kind in functions.items()}
    assert {(c.kind, c.low, c.high) for c in found.candidates} == expected
    ranges = {(c.low, c.high) for c in found.candidates}
    if what == "chunk":  # what it frees is never given out again, so nothing speaks for chunk_free
        ranges.add((symbols["chunk_free"][0], sum(symbols["chunk_free"])))
    options = [f"--allocator={low:x}-{high:x}" for low, high in ranges]
    result = recorder.record(recorder_library, [binary, what], second, *PORTABLE, *options)
    told = story(result.records)
    check_blocks(result, told)
    assert not told.candidates, "what is left out is not proposed again"


def test_blocks_of_malloc_make_no_candidate(recorder_library: Path, tmp_path: Path) -> None:
    binary = recorder.compile_program("discovery/nodes.c", tmp_path)
    result = recorder.record(recorder_library, [binary], tmp_path, *PORTABLE)
    assert not story(result.records).candidates


def alive(told: Story) -> dict[int, int]:
    """End of every node that is alive at the end, by its start."""
    return {n.start: n.end for n in told.nodes.values() if n.ended is None}


def test_an_inlined_slab(recorder_library: Path, tmp_path: Path) -> None:
    binary = recorder.compile_program("discovery/allocators.c", tmp_path, "-O2", "-DINLINE")
    assert "slab_alloc" not in recorder.symbols(binary)
    result = recorder.record(recorder_library, [binary, "slab"], tmp_path, *FREE_LISTS)
    told = story(result.records)
    blocks = printed(result, "node")[1:]  # the page's first block was never on the list
    assert len(blocks) == 21
    for address, size in blocks:
        assert any(8 * n.words == size for n in told.at(address)), hex(address)
    # the loop of pushes stores the head once, behind the loop: most ends are seen at the next pop
    for address, _ in blocks[15:]:
        assert all(n.why in ("freed", "reused") for n in told.at(address)[:-1])


def cpython(library: Path, folder: Path) -> Result:
    command = ["/usr/bin/python3", "-S", "-B", "-I", source("discovery/pools.py")]
    return recorder.record(library, command, folder, *FREE_LISTS)


def test_objects_of_cpython(recorder_library: Path, tmp_path: Path) -> None:
    """Objects, not arenas; the first block of a pool, which is on no list, as well."""
    result = cpython(recorder_library, tmp_path)
    told = story(result.records)
    ends, said = alive(told), printed(result, "node")
    assert len(said) > 700
    assert all(start in ends for start, _ in said)
    assert all(ends[start] <= start + (size + 15) // 16 * 16 for start, size in said)
    pools = {start for start, _ in said if start % POOL == HEADER}
    assert pools
    ((blocks, _),) = printed(result, "blocks")
    # malloc's blocks have the statement of the call, those of lists the site of the pop
    in_pools = sum(n.how == "returned" and n.site > 0 and not n.why for n in told.nodes.values())
    assert 0.97 * blocks <= in_pools <= blocks
    assert not any(s.certain for s in told.suspicions)


def test_operators_that_do_not_call_malloc(heapstory: Heapstory, tmp_path: Path) -> None:
    """As those of tcmalloc and jemalloc: what they return are nodes, what they do is left out."""
    text, library, program = source("discovery/operators.cpp"), tmp_path / "l.so", tmp_path / "p"
    build = ["g++", "-std=c++17", "-O2", "-g", "-w", text, "-o"]
    for made in ([library, "-DLIBRARY", "-shared", "-fPIC", "-fno-builtin"], [program]):
        subprocess.run([*build, *made], check=True)
    trace = tmp_path / "t.story"
    words = ["--mode", "portable", "-o", trace, "--not-own", tmp_path / "l.so", "--", program]
    done = heapstory("record", *words, env={"LD_PRELOAD": str(library)})
    assert done.returncode == 0, done.stderr
    found = heapstory("info", "--suspicious", trace)
    assert found.returncode == 0, found.stdout
    graph = json.loads(heapstory("graph", "--json", trace).stdout)
    nodes = {node["address"]: node["size"] for node in graph["nodes"]}
    assert [nodes.get(address) for address in done.stdout.split()] == [32] * 30
