# SPDX-License-Identifier: GPL-2.0-or-later
"""The instruction stream, against what lackey sees of the same program."""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.recorder import wire
from tests.recorder.recorder import Result
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


def own_accesses(result: Result) -> list[tuple[bool, int, int]]:
    """Whether it stores, address and size, of every access of the program's own code."""
    own = (record for record in executed(result) if record.block and record.block.own)
    return [
        (access.is_store, access.address(record.operands), access.size)
        for record in own
        for access in done(record)
    ]


def seen_by_lackey(program: Path, *arguments: str) -> list[tuple[bool, int, int]]:
    """The accesses of the program's own code."""
    command = ["valgrind", "--tool=lackey", "--trace-mem=yes", "--basic-counts=no",
               "--vex-guest-chase=no", "--vex-iropt-unroll-thresh=0", str(program)]  # fmt: skip
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=120)
    found, own = [], False
    low, high = code_of(program)
    for line in done.stderr.splitlines():
        if not (match := LACKEY.match(line)):
            continue
        kind, address, size = match[1].strip(), int(match[2], 16), int(match[3])
        if kind == "I":
            own = low <= address < high
        elif own and kind == "M":
            found += [(False, address, size), (True, address, size)]
        elif own:
            found.append((kind == "S", address, size))
    return found


def code_of(program: Path) -> tuple[int, int]:
    """Where the executable segment of a program that is not position independent lies."""
    data = program.read_bytes()
    offset, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    for i in range(count):
        kind, flags, _, address, _, size = struct.unpack_from("<IIQQQQ", data, offset + 56 * i)
        if kind == 1 and flags & 1:
            return address, address + size
    raise AssertionError("no code")


@pytest.mark.parametrize("name", ["trace/figure1.c", "trace/events.c", "infer/sorted_list.c"])
def test_accesses_are_those_of_lackey(name: str, run: Run, tmp_path: Path) -> None:
    result = run(name, options=STREAM, flags=("-no-pie",))
    found = own_accesses(result)
    expected = seen_by_lackey(tmp_path / Path(name).stem)
    # The stack lies elsewhere under another tool: compare what was done, and where outside it.
    assert [(stores, size) for stores, _, size in found] == [
        (stores, size) for stores, _, size in expected
    ]


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


def test_a_record_outlives_its_segment(run: Run) -> None:
    """Segments are so small that helpers fill them in the middle of a block."""
    small = run("recorder/ranges.c", options=(*STREAM, "--segment-kib=128"))
    assert small.trace.end["segments_sent"]
    assert executed(small)[-1].left in (wire.TO_THE_END, *range(wire.UNFINISHED))
    assert all(record.left != wire.UNFINISHED for record in executed(small))
