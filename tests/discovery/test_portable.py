# SPDX-License-Identifier: GPL-2.0-or-later
"""Mode portable: nodes found from accesses, compared with what the programs say of themselves."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.discovery.nodes import Story, printed, story
from tests.recorder import recorder
from tests.recorder.recorder import Result

Run = Callable[..., Result]
PORTABLE = ("--mode=portable",)


def record(library: Path, folder: Path, source: str, *arguments: str, flags: tuple[str, ...] = (),
           compiler: str = "", options: tuple[str, ...] = PORTABLE) -> Result:  # fmt: skip
    binary = recorder.compile_program(source, folder, *flags, compiler=compiler)
    return recorder.record(library, [binary, *arguments], folder, *options)


def check_blocks(result: Result, told: Story) -> None:
    """Every block printed is one node of its size (in words), and nothing begins inside it."""
    blocks = printed(result, "node")
    assert blocks
    for address, size in blocks:
        words = (size + 7) // 8
        assert any(n.words == words for n in told.at(address)), (hex(address), size)
    first = blocks[0][0]
    inside = [n for n in told.nodes.values() if first < n.start < first + blocks[0][1]]
    assert not inside


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_blocks_of_malloc(
    recorder_library: Path, tmp_path: Path, compiler: str, level: str
) -> None:
    flags = (level, "-fbuiltin")
    result = record(recorder_library, tmp_path, "discovery/nodes.c", flags=flags, compiler=compiler)
    told = story(result.records)
    check_blocks(result, told)
    assert not told.suspicions
    assert all(n.how in ("returned", "kept", "seen") for n in told.nodes.values())


def test_a_static_program(recorder_library: Path, tmp_path: Path) -> None:
    result = record(recorder_library, tmp_path, "discovery/nodes.c", flags=("-static", "-O2"))
    check_blocks(result, story(result.records))


def test_the_end_is_seen_where_it_is_known(run: Run) -> None:
    result = run("discovery/nodes.c", options=PORTABLE)
    told = story(result.records)
    items = printed(result, "node")[:6]
    assert [told.at(address)[0].why for address, _ in items] == ["freed"] * 6
    reallocated = [n for n in told.nodes.values() if n.why == "reallocated"]
    assert any(n.words == 51 for n in reallocated)


@pytest.mark.parametrize(
    ("what", "functions"),
    [
        ("bump", ["bump_alloc", "bump_reset"]),
        ("slab", ["slab_alloc", "slab_free"]),
        ("chunk", ["chunk_alloc", "chunk_free"]),
    ],
)
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_allocators_of_the_program(
    recorder_library: Path, tmp_path: Path, what: str, functions: list[str], level: str
) -> None:
    options = (*PORTABLE, *(f"--allocator={name}" for name in functions))
    source, flags = "discovery/allocators.c", (level,)
    result = record(recorder_library, tmp_path, source, what, flags=flags, options=options)
    told = story(result.records)
    check_blocks(result, told)
    assert not any(s.certain for s in told.suspicions)
    reused = {a for a, _ in printed(result, "node") if len(told.at(a)) > 1}
    for address in reused:
        assert all(n.why == "reused" for n in told.at(address)[:-1])
    assert reused or what == "chunk"


def test_an_allocator_by_its_addresses(recorder_library: Path, tmp_path: Path) -> None:
    """As for a program without symbols."""
    flags = ("-O1", "-no-pie")
    binary = recorder.compile_program("discovery/allocators.c", tmp_path, *flags)
    symbols = recorder.symbols(binary)
    low = min(symbols[name][0] for name in ("slab_alloc", "slab_free"))
    high = max(sum(symbols[name]) for name in ("slab_alloc", "slab_free"))
    option = f"--allocator={low:x}-{high:x}"
    result = recorder.record(recorder_library, [binary, "slab"], tmp_path, *PORTABLE, option)
    check_blocks(result, story(result.records))


def test_heap_ranges_come_and_go(run: Run) -> None:
    result = run("discovery/ranges.c", options=PORTABLE, flags=("-pthread",))
    assert result.status == 0 and result.output == "3\n"
    told = story(result.records)
    assert any(n.why == "unmapped" for n in told.nodes.values())
    assert any(n.words == 8 for n in told.nodes.values())  # the block behind the tagged pointer
    assert not told.suspicions


def test_a_node_ends_with_its_mapping(run: Run) -> None:
    result = run("discovery/borders.c", "mappings", options=PORTABLE)
    told = story(result.records)
    nodes = [told.at(address) for address, _ in printed(result, "node")]
    assert [[(n.how, n.words) for n in found] for found in nodes] == [[("seen", 1)]] * 2


def test_the_truth_moves_nothing(run: Run) -> None:
    result = run("discovery/nodes.c", options=(*PORTABLE, "--truth=yes"))
    truth = {(r.address, r.size) for r in result.trace.of("ALLOC") if r.more}
    told = story(result.records)
    for address, size in printed(result, "node")[:6]:
        assert (address, size) in truth and told.at(address)


ATTACKS = [
    "return-memcpy",
    "base-strcpy",
    "base-strncpy",
    "function-memcpy",
    "function-strcpy",
    "function-sprintf",
    "function-snprintf",
    "function-strcat",
    "function-strncat",
    "function-index",
    "function-walk",
    "function-read",
]


@pytest.mark.parametrize("form", ATTACKS)
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_overflow_into_another_block(
    recorder_library: Path, tmp_path: Path, form: str, level: str
) -> None:
    result = record(recorder_library, tmp_path, "discovery/attacks.c", form, flags=(level,))
    told = story(result.records)
    (buffer, _), (victim, _) = printed(result, "buffer")[0], printed(result, "victim")[0]
    found = [s for s in told.suspicions if s.certain]
    assert found, told.suspicions
    assert told.nodes[found[0].base_node].start == buffer
    assert told.nodes[found[0].node].start == victim


@pytest.mark.parametrize("form", ["struct-memcpy", "struct-strcpy"])
def test_overflow_inside_a_struct_is_possible(run: Run, form: str) -> None:
    result = run("discovery/attacks.c", form, options=PORTABLE)
    told = story(result.records)
    both = printed(result, "buffer")[0][0]
    found = [s for s in told.suspicions if s.kind == "field"]
    assert [(s.certain, s.base, s.address) for s in found] == [(False, both, both + 64)]
    assert not any(s.certain for s in told.suspicions)


def test_overflow_over_a_far_field_is_possible(run: Run) -> None:
    result = run("discovery/beside.c", "far", options=PORTABLE)
    both = printed(result, "buffer")[0][0]
    found = [s for s in story(result.records).suspicions if s.kind == "field"]
    assert [(s.certain, s.base, s.address) for s in found] == [(False, both, both + 400)]


@pytest.mark.parametrize("length", [399, 404])
@pytest.mark.parametrize("form", ["sscanf", "vsscanf", "sprintf", "snprintf"])
def test_texts_over_a_far_field_are_possible(run: Run, form: str, length: int) -> None:
    result = run("discovery/beside.c", form, str(length), options=PORTABLE)
    both = printed(result, "buffer")[0][0]
    found = [(s.kind, s.certain, s.base, s.address) for s in story(result.records).suspicions]
    assert found == ([("field", False, both, both + 400)] if length > 400 else [])


@pytest.mark.parametrize("form", ["assign", "setlocale"])
def test_assigned_structures_are_no_overflows(run: Run, form: str) -> None:
    result = run("discovery/beside.c", form, options=PORTABLE)
    assert result.status == 0 and story(result.records).suspicions == []


@pytest.mark.parametrize("form", ["sscanf", "sscanf-set", "vsscanf", "fscanf"])
def test_texts_that_were_read_overflow(run: Run, form: str) -> None:
    result = run("discovery/beside.c", form, options=PORTABLE)
    told = story(result.records)
    (buffer, _), (victim, _) = printed(result, "buffer")[0], printed(result, "victim")[0]
    found = [s for s in told.suspicions if s.certain]
    assert found, told.suspicions
    assert told.nodes[found[0].base_node].start == buffer
    assert told.nodes[found[0].node].start == victim


def test_a_block_that_shrinks_twice_keeps_its_words(run: Run) -> None:
    result = run("discovery/beside.c", "shrink", options=PORTABLE)
    address = printed(result, "buffer")[0][0]
    last = [node for node in story(result.records).nodes.values() if node.start == address][-1]
    assert 8 * last.words == 160
