# SPDX-License-Identifier: GPL-2.0-or-later
"""What the recorder says about memory, replayed and compared with what the program says."""

from collections.abc import Callable

import pytest

from tests.recorder.recorder import Memory, Result

Run = Callable[..., Result]


@pytest.fixture
def stores(run: Run) -> Result:
    return run("recorder/stores.c")


def test_replayed_stores_give_the_programs_memory(stores: Result) -> None:
    memory = Memory(stores.records)
    truths = stores.truths("block") + stores.truths("global")
    assert len(truths) == 5
    for address, data in truths:
        assert memory.read(address, len(data)) == data


def own_stores(result: Result, low: int, high: int) -> list[tuple[int, int, int, str]]:
    return [
        (r.address - low, r.value, r.site.size, r.site.kind)
        for r in result.records
        if r.tag == "STORE" and r.site and r.site.own and low <= r.address < high
    ]


def test_each_store_is_there_once_in_order(stores: Result) -> None:
    block = stores.truths("block")[0][0]
    found = own_stores(stores, block, block + 1024)
    assert found[:7] == [
        (0, 0x11, 1, "store"),
        (2, 0x2222, 2, "store"),
        (4, 0x33333333, 4, "store"),
        (8, 0x4444444444444444, 8, "store"),
        (16, 0x3FC00000, 4, "store"),
        (24, 0x4004000000000000, 8, "store"),
        (33, 0x5555555555555555, 8, "store"),
    ]
    assert found[7:9] == [(48, 0x6666666666666666, 8, "store"), (56, 0x6666666666666666, 8, "more")]


def test_vector_and_masked_stores(stores: Result) -> None:
    block, data = stores.truths("block")[0]
    if not any(data[64:96]):
        pytest.skip("no AVX here")
    found = own_stores(stores, block + 64, block + 128)
    assert found[:4] == [(8 * i, i + 1, 8, "more" if i else "store") for i in range(4)]
    assert [x[:3] for x in found[4:]] == [(32 + 8 * i, 0x41100000, 4) for i in range(4)]


def test_compare_and_swap_only_when_it_happened(stores: Result) -> None:
    block = stores.truths("block")[0][0]
    found = own_stores(stores, block + 128, block + 136)
    assert [x[1] for x in found] == [1, 77]
    assert (0, 5, 4, "store") in own_stores(stores, block + 136, block + 140)
    pair = own_stores(stores, block + 144, block + 160)
    assert pair[-2:] == [(0, 0x1111, 8, "store"), (8, 0x2222, 8, "more")]


def test_helper_of_the_processor_is_one_range(stores: Result) -> None:
    block = stores.truths("block")[1][0]
    assert any(
        r.tag == "RANGE" and r.kind == "copy" and r.address == block and r.site
        for r in stores.records
    )


def test_globals_have_their_first_contents(stores: Result) -> None:
    address = stores.truths("global")[0][0]
    initial = Memory(r for r in stores.records if r.tag == "GLOBALS" or r.kind == "initial")
    assert initial.read(address, 8) == (42).to_bytes(8, "little")


def test_ranges(run: Run) -> None:
    result = run("recorder/ranges.c")
    memory = Memory(result.records)
    truths = result.truths("block")
    assert len(truths) == 18
    for address, data in truths:
        assert memory.read(address, len(data)) == data
    lines = result.output.splitlines()
    expected = [
        "a 1",
        "b 300",
        "d 7",
        "e 0",
        "f 24",
        "g 0",
        "h 13",
        "i 0",
        "j 0",
        "k 21",
        "l 0",
        "s 50",
    ]
    assert [line for line in lines if line in expected] == expected
    assert [line for line in lines if line.startswith("rep")] == [
        "rep 50 50 0",
        "rep 210 0",
        "rep 180 178 0",
        "rep 350 0",
    ]


def test_moves_of_any_overlap(run: Run) -> None:
    options = ("--collector-arg=--die-after",)
    assert run("recorder/move.c", options=options, traces=0).output == "bad 0\n"


def test_a_copy_is_one_operation(run: Run) -> None:
    result = run("recorder/ranges.c")
    block = result.truths("block")[0][0]
    (only,) = [
        r
        for r in result.records
        if block <= r.address < block + 400 and r.tag in ("RANGE", "STORE")
    ]
    assert (only.kind, only.address, only.size) == ("copy", block + 1, 13)
    assert only.site and only.site.kind == "ranged"


def test_a_large_copy_comes_in_pieces_of_one_operation(run: Run) -> None:
    records = run("recorder/ranges.c").records
    pieces = [r for r in records if r.tag == "RANGE" and r.kind == "copy" and r.size >= 32768]
    assert all(p.more for p in pieces[:-1]) and not pieces[-1].more
    moved = [r for r in records if r.tag == "RANGE" and r.kind == "realloc"]
    assert sum(r.size for r in moved) == 1 << 18
    assert all(p.more for p in moved[:-1]) and not moved[-1].more


def test_allocations(run: Run) -> None:
    result = run("recorder/allocations.cpp")
    lines = [line.split() for line in result.output.splitlines()]
    said = [
        (k, int(a, 16), int(n))
        for k, a, n in lines
        if k in ("malloc", "calloc", "memalign", "new", "new[]")
    ]
    recorded = [(r.kind, r.address, r.size) for r in result.trace.of("ALLOC")]
    start = recorded.index(said[0])
    assert [x for x in recorded[start:] if x in said] == said
    words = {k: n for k, a, n in lines if k not in ("malloc", "realloc")}
    assert words["usable"] == "10" and "kept" in words and "bad" not in words and "nothrow" in words
    assert words["null"] == "12"  # ENOMEM
    assert words["aligned"] == "22"  # EINVAL
    freed = [r.address for r in result.trace.of("FREE")]
    assert {address for _, address, _ in said} <= set(freed) | {
        r.address for r in result.trace.of("REALLOC_OLD")
    }


def test_reallocations(run: Run) -> None:
    result = run("recorder/allocations.cpp")
    said = [
        (int(a, 16), int(n))
        for k, a, n in map(str.split, result.output.splitlines())
        if k == "realloc"
    ]
    assert [(r.address, r.size) for r in result.trace.of("REALLOC")][: len(said)] == said
    records = result.records
    for i, r in enumerate(records):
        if r.tag == "REALLOC":
            old = records[i + 1]
            assert old.tag == "REALLOC_OLD"
            if old.address != r.address:
                assert records[i + 2].kind == "realloc" and records[i + 2].address == r.address


def test_a_program_that_writes_beyond_its_blocks(run: Run) -> None:
    result = run("recorder/spoiled.c")
    assert (result.status, result.output) == (0, "spoiled 0\n")
    assert result.trace.end["state"] == "exited"
    assert not result.trace.of("BAD_FREE")
