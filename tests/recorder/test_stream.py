# SPDX-License-Identifier: GPL-2.0-or-later
"""The instruction stream, against what lackey sees of the same program."""

from __future__ import annotations

import re
import struct
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.recorder import wire
from tests.recorder.recorder import Result, symbols
from tests.recorder.wire import Access, Record

Run = Callable[..., Result]
STREAM = ("--stream=yes",)
LACKEY = re.compile(r"^(I | S| L| M)\s+([0-9a-f]+),(\d+)$")


def executed(result: Result) -> list[Record]:
    return result.trace.of("EXECUTED")


def done(record: Record) -> list[Access]:
    """The accesses that took place in one execution."""
    assert record.block is not None
    block, count = record.block, None
    if record.left < len(block.exits):
        count = block.exits[record.left][1]
    return [one for one in block.accesses[:count] if one.took_place(record.operands)]


def own_executions(result: Result) -> Iterator[Record]:
    return (record for record in executed(result) if record.block and record.block.own)


@dataclass
class Seen:
    """What lackey sees of the program's own code, in order."""

    instructions: list[tuple[int, int]] = field(default_factory=list)  # address, size
    accesses: list[tuple[bool, int, int]] = field(default_factory=list)  # stores, address, size


def seen_by_lackey(program: Path) -> Seen:
    command = ["valgrind", "--tool=lackey", "--trace-mem=yes", "--basic-counts=no",
               "--vex-guest-chase=no", "--vex-iropt-unroll-thresh=0", str(program)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    seen, own = Seen(), False
    low, high = code_of(program)
    for line in done.stderr.splitlines():
        if not (match := LACKEY.match(line)):
            continue
        kind, address, size = match[1].strip(), int(match[2], 16), int(match[3])
        if kind == "I":
            own = low <= address < high
            seen.instructions += [(address, size)] if own else []
        elif own and kind == "M":
            seen.accesses += [(False, address, size), (True, address, size)]
        elif own:
            seen.accesses.append((kind == "S", address, size))
    return seen


def code_of(program: Path) -> tuple[int, int]:
    """Where the executable segment of a program that is not position independent lies."""
    data = program.read_bytes()
    offset, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    for i in range(count):
        kind, flags, _, address, _, size = struct.unpack_from("<IIQQQQ", data, offset + 56 * i)
        if kind == 1 and flags & 1:
            return address, address + size
    raise AssertionError("no code")


LIKE_LACKEY = [
    "trace/figure1.c",
    "trace/events.c",
    "inference/sorted_list.c",
    "recorder/threads.c",
    "recorder/signals.c",
    "recorder/classes.cpp",
]


@pytest.mark.parametrize("name", LIKE_LACKEY)
def test_instructions_and_accesses_are_those_of_lackey(name: str, run: Run, tmp_path: Path) -> None:
    result = run(name, options=STREAM, flags=("-no-pie",))
    program = tmp_path / Path(name).stem
    seen = seen_by_lackey(program)
    length = dict(seen.instructions)
    found = [
        address for record in own_executions(result) for address in instructions(record, length)
    ]
    expected = [address for address, _ in seen.instructions]
    # Stack and heap lie elsewhere under another tool: of accesses there, compare what they do.
    image = range(0x400000, code_of(program)[1] + (1 << 16))
    accesses = [
        (access.is_store, address if address in image else None, access.size)
        for record in own_executions(result)
        for access in done(record)
        for address in [access.address(record.operands)]
    ]
    expected_accesses = [
        (stores, address if address in image else None, size)
        for stores, address, size in seen.accesses
    ]
    if result.trace.of("SWITCH"):  # which thread runs first is not the same everywhere
        assert Counter(found) == Counter(expected)
        assert Counter(accesses) == Counter(expected_accesses)
    else:
        assert found == expected and len(found) > 50
        assert accesses == expected_accesses


def instructions(record: Record, length: dict[int, int]) -> Iterator[int]:
    """The instructions that an execution ran, given how long each is."""
    block = record.block
    assert block and record.left != wire.UNFINISHED
    address, end = block.address, block.address + len(block.code)
    left = block.exits[record.left][0] + 1 if record.left < len(block.exits) else len(block.code)
    while address < end and left > 0:
        yield address
        address += length[address]
        left -= 1


def test_a_block_translated_again_is_the_same_block(run: Run) -> None:
    result = run("trace/figure1.c", options=STREAM)
    payloads = [record.payload for record in result.trace.of("BLOCK")]
    assert len(payloads) == len(set(payloads)) > 100


def test_the_heap_is_recorded_as_without_a_stream(run: Run, tmp_path: Path) -> None:
    tags = ("STORE", "ALLOC", "FREE", "REALLOC", "RANGE", "FILL")
    plain = run("trace/events.c").trace.of(*tags)
    (tmp_path / "trace").rename(tmp_path / "plain")
    streamed = run("trace/events.c", options=STREAM).trace.of(*tags)
    assert [(r.tag, r.address) for r in streamed] == [(r.tag, r.address) for r in plain]
    # The dynamic linker keeps the time.
    own = [[r.value for r in records if r.site and r.site.own] for records in (plain, streamed)]
    assert own[0] == own[1] != []


def test_values_of_stores(run: Run) -> None:
    """Every store record is one of the stores of the execution before it, in order."""
    result = run("trace/events.c", options=STREAM)
    waiting: list[tuple[int, int]] = []
    checked = 0
    for record in result.trace.of("EXECUTED", "STORE"):
        if record.block:
            waiting = list(values(record))
        elif record.site and record.site.kind == "store" and record.site.size <= 8:
            while waiting and waiting[0][0] != record.address:
                waiting.pop(0)
            assert waiting and waiting.pop(0)[1] == record.value
            checked += 1
    assert checked > 100


def values(record: Record) -> Iterator[tuple[int, int]]:
    """Address and value of the stores of an execution, the first word of long ones."""
    for access in done(record):
        if access.is_store:
            yield access.address(record.operands), access.stored(record.operands)


def printed(result: Result) -> dict[str, int]:
    return {line.split()[0]: int(line.split()[1], 16) for line in result.output.splitlines()}


def test_a_fault_in_the_middle_of_a_block(run: Run) -> None:
    result = run("recorder/fault.c", options=STREAM)
    records = result.trace.of("EXECUTED", "FAULT")
    at = next(i for i, record in enumerate(records) if record.tag == "FAULT")
    broken = records[at - 1]
    assert broken.left == wire.UNFINISHED and broken.block is not None
    assert 0 <= records[at].address - broken.block.address < len(broken.block.code)
    addresses = [access.address(broken.operands) for access in broken.block.accesses]
    assert 8 in addresses
    assert all(record.left != wire.UNFINISHED for record in executed(result) if record != broken)


def test_memory_that_no_instruction_moved(run: Run) -> None:
    result = run("recorder/fault.c", options=STREAM)
    where = printed(result)
    records = result.trace.of("MOVED", "MOVED_TO")
    pairs = zip(records[::2], records[1::2], strict=True)
    moves = {(to.address, moved.address, moved.value) for moved, to in pairs}
    assert (where["to"], where["from"], 100) in moves
    assert (where["filled"], 0, 50) in moves
    written = {(record.address, record.value) for record in result.trace.of("SYSTEM_WROTE")}
    assert (where["read"], 7) in written


SECTIONS = "recorder/sections.c"
PUSHED = [10, 11, 20, 21, 30, 31, 40, 41, 99]


def pushed(result: Result, stores: Iterable[tuple[int, int]]) -> list[int]:
    """Values stored into the second field of the program's nodes, in order."""
    fields = {r.address + 8 for r in result.trace.of("ALLOC") if r.size == 16}
    return [value for address, value in stores if address in fields and value in PUSHED]


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (("--stream-from=work#2", "--stream-until=work#2"), [20, 21]),
        (("--stream-until=work#2",), [10, 11]),
        (("--stream-from=work#4",), [40, 41, 99]),
        (("--from=work#2", "--stream-from=work#3"), [40, 41, 99]),
    ],
)
def test_a_window(run: Run, tmp_path: Path, window: tuple[str, ...], expected: list[int]) -> None:
    """The stream has what ran in it; the heap is recorded from start to end."""
    result = run(SECTIONS, options=(*STREAM, *window), flags=("-no-pie",))
    assert pushed(result, (store for one in executed(result) for store in values(one))) == expected
    recorded = [(record.address, record.value) for record in result.trace.of("STORE")]
    assert pushed(result, recorded) == (PUSHED if window[0][:6] != "--from" else PUSHED[2:])
    entry, _ = symbols(tmp_path / "sections")["work"]
    first, last = executed(result)[0], executed(result)[-1]
    assert first.block and last.block
    if "from" in window[-1]:
        assert first.block.address == entry and not result.trace.of("STREAM_END")
    else:
        (end,) = result.trace.of("STREAM_END")
        assert result.records.index(end) > result.records.index(last)
        # Where it ends is the place, at which a new block may have begun.
        assert last.left != wire.UNFINISHED or result.trace.of("FAULT")[-1].address == entry


def test_a_stream_ends_with_the_recording(run: Run) -> None:
    result = run(SECTIONS, options=(*STREAM, "--from=work#2", "--until=work#2"))
    assert pushed(result, (s for one in executed(result) for s in values(one))) == [20, 21]
    assert result.records.index(result.trace.of("FINISH")[0]) > result.records.index(
        executed(result)[-1]
    )


def test_a_record_outlives_its_segment(run: Run) -> None:
    """Segments are so small that helpers fill them in the middle of a block."""
    small = run("recorder/ranges.c", options=(*STREAM, "--segment-kib=128"))
    assert small.trace.end["segments_sent"]
    assert executed(small)[-1].left in (wire.TO_THE_END, *range(wire.UNFINISHED))
    assert all(record.left != wire.UNFINISHED for record in executed(small))
