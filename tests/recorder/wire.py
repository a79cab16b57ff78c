#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A tiny collector for tests of the recorder, independent of native/core.

As a program it speaks the ring protocol of native/wire/heapstory_wire.h and copies the raw stream
to ``DIR/stream``, ending with ``DIR/end.json``. As a module, :func:`decode` makes records of it.
"""

import argparse
import contextlib
import json
import mmap
import os
import socket
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAGIC = 0x31676E6972777368
PAGE = 4096
FULL, FREE = 1, 2
FIRST_TAG = 0xF00000
ADDRESS_MASK = (1 << 40) - 1
MESSAGE = struct.Struct("<IIQ")
HEADER = struct.Struct("<QQQQQIIiiIIQII")
HEADER_NAMES = [
    "magic",
    "version",
    "base",
    "cursor",
    "segment_bytes",
    "segments",
    "state",
    "status",
    "pid",
    "stop",
    "stop_stream",
    "dropped",
    "forked",
    "unused",
]
STATES = ["", "running", "exited", "signalled", "exec"]

TAGS = [
    "START",
    "END",
    "SITE",
    "CALL",
    "RET",
    "SWITCH",
    "THREAD_END",
    "ALLOC",
    "FREE",
    "REALLOC",
    "REALLOC_OLD",
    "BAD_FREE",
    "REQUEST",
    "RANGE",
    "FILL",
    "MAP",
    "UNMAP",
    "GLOBALS",
    "RECEIVER",
    "CPOINT",
    "ROOT",
    "SCAN",
    "SIGNAL",
    "SIGRETURN",
    "CRASH",
    "EXIT",
    "EXECVE",
    "STACK",
    "BEGIN",
    "FINISH",
    "SNAPSHOT",
    "ERROR",
    "ERROR_TIMES",
    "HOLDS",
    "UNSEEN",
    "FILE_MAPPED",
    "FILE_UNMAPPED",
    "MODE",
    "NODE",
    "JOIN",
    "SOURCE",
    "MERGE",
    "SEPARATE",
    "NODE_END",
    "SUSPICIOUS",
    "SUSPECT",
    "COUNTED",
    "CANDIDATE",
    "BLOCK",
    "EXECUTED",
    "VOID",
    "FAULT",
    "PLACED_BY",
    "MOVED",
    "MOVED_TO",
    "SYSTEM_READ",
    "SYSTEM_WROTE",
    "SYSTEM_CALL",
    "RESULT_FROM",
    "STREAM_END",
]
ALLOCATORS = ["", "malloc", "calloc", "memalign", "new", "new[]", "custom", "realloc"]
SITE_KINDS = ["", "store", "more", "call", "ranged", "load"]
SCANS = ["", "stack", "registers", "memory", "partial"]
RANGES = ["", "copy", "fill", "syscall", "realloc", "initial"]


@dataclass
class Site:
    id: int
    pc: int
    size: int
    kind: str
    own: bool


NO_WORD = 0xFFFF
UNFINISHED, TO_THE_END = 254, 255
BLOCK = struct.Struct("<Q9HBBB3x")
ACCESS = struct.Struct("<qqIHHHHB3x")


@dataclass
class Access:
    displacement: int
    constant: int
    size: int
    instruction: int
    word: int
    guard: int
    value: int
    is_store: bool

    def address(self, words: list[int]) -> int:
        base = words[self.word] if self.word != NO_WORD else 0
        return (base + self.displacement) % 2**64

    def took_place(self, words: list[int]) -> bool:
        return self.guard == NO_WORD or words[self.guard] != 0

    def stored(self, words: list[int]) -> int:
        """The value, the first word of a long one."""
        value = self.constant if self.value == NO_WORD else words[self.value]
        return value & (1 << 8 * min(self.size, 8)) - 1


@dataclass
class Block:
    """A block of code, from the payload of its record."""

    address: int
    code: bytes
    words: int
    stack_word: int
    stub: int
    stub_uses: tuple[int, int, int]  # registers for the result, where, with what
    jump: int
    own: bool
    left_out: bool
    accesses: list[Access]
    exits: list[tuple[int, int]]  # after which instruction, accesses that took place by then

    @staticmethod
    def of(payload: bytes) -> "Block":
        address, code, accesses, exits, words, stack, stub, *uses, jump, own, left_out = (
            BLOCK.unpack_from(payload)
        )
        at = BLOCK.size + code + 7 & ~7
        return Block(
            address,
            payload[BLOCK.size : BLOCK.size + code],
            words,
            stack,
            stub,
            (uses[0], uses[1], uses[2]),
            jump,
            bool(own),
            bool(left_out),
            [Access(*ACCESS.unpack_from(payload, at + i * ACCESS.size)) for i in range(accesses)],
            [
                struct.unpack_from("<HH", payload, at + accesses * ACCESS.size + 4 * i)
                for i in range(exits)
            ],
        )


@dataclass
class Record:
    """One record. ``tag`` is "STORE" for a store; ``value`` is what the wire calls value."""

    tag: str
    address: int
    value: int
    site: Site | None = None
    payload: bytes = b""
    kind: str = ""  # allocator, kind of range, kind of scan ...
    size: int = 0
    more: bool = False  # of a range; of an allocation: said for comparison only
    words: list[tuple[int, int]] = field(default_factory=list)
    block: Block | None = None  # of an execution, with its operands and how it was left
    operands: list[int] = field(default_factory=list)
    left: int = 0


# ---- the collector ----


class Ring:
    def __init__(self, fd: int) -> None:
        self.map = mmap.mmap(fd, os.fstat(fd).st_size)

    def header(self) -> dict[str, int]:
        return dict(zip(HEADER_NAMES, HEADER.unpack_from(self.map, 0), strict=True))

    def segment(self, number: int, used: int) -> bytes:
        start = PAGE + number * self.header()["segment_bytes"]
        return self.map[start : start + used]


def receive(connection: socket.socket) -> bytes:
    data = b""
    while len(data) < MESSAGE.size:
        try:
            piece = connection.recv(MESSAGE.size - len(data))
        except ConnectionResetError:  # the program ended with messages to it unread
            return b""
        if not piece:
            return b""
        data += piece
    return data


def own_folder(trace: str) -> Path:
    """The first of trace, trace.1, trace.2, ... that does not exist yet."""
    for number in range(1000):
        folder = Path(trace if number == 0 else f"{trace}.{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise SystemExit("too many traces")


def collect(ring: Ring, connection: socket.socket, folder: Path, stop_after: int) -> None:
    announced = 0
    with (folder / "stream").open("wb") as out:
        connection.sendall(MESSAGE.pack(FREE, 0, 0))
        while message := receive(connection):
            _, number, used = MESSAGE.unpack(message)
            out.write(ring.segment(number, used))
            announced += 1
            if stop_after and announced >= stop_after:
                ring.map[56:60] = struct.pack("<I", 1)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(MESSAGE.pack(FREE, number, 0))
        header = ring.header()
        number, used = divmod(header["cursor"] - header["base"] - PAGE, header["segment_bytes"])
        tail = ring.segment(number, used)
        tag, sequence = struct.unpack_from("<QQ", tail)
        if sequence == announced and tag >> 40 == FIRST_TAG:
            out.write(tail)
    end = header | {"state": STATES[header["state"]], "segments_sent": announced}
    (folder / "end.new").write_text(json.dumps(end))
    (folder / "end.new").rename(folder / "end.json")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ring-fd", type=int, required=True)
    parser.add_argument("--socket-fd", type=int, required=True)
    parser.add_argument("--trace", required=True)
    parser.add_argument("--stop-after", type=int, default=0, help="segments")
    parser.add_argument("--die-after", action="store_true", help="be ready, then exit")
    options = parser.parse_args()
    ring = Ring(options.ring_fd)
    if ring.header()["magic"] != MAGIC:
        sys.exit("wire.py: not a ring")
    connection = socket.socket(fileno=options.socket_fd)
    folder = own_folder(options.trace)
    fds = sorted(int(entry.name) for entry in Path("/proc/self/fd").iterdir())
    (folder / "fds.json").write_text(json.dumps(fds))
    if options.die_after:
        connection.sendall(MESSAGE.pack(FREE, 0, 0))
        return
    collect(ring, connection, folder, options.stop_after)


# ---- the decoder ----

PAYLOADS = {
    "MAP",
    "CPOINT",
    "ROOT",
    "FILE_MAPPED",
    "EXECVE",
    "SCAN",
    "STACK",
    "ERROR",
    "HOLDS",
}


def decode(stream: bytes) -> Iterator[Record]:
    """Records in order; HSW_START and HSW_END are checked and left out."""
    sites: dict[int, Site] = {}
    blocks: dict[int, Block] = {}
    position, expected = 0, 0
    while position < len(stream):
        first, second = struct.unpack_from("<QQ", stream, position)
        position += 16
        upper, address = first >> 40, first & ADDRESS_MASK
        if upper < FIRST_TAG:
            yield Record("STORE", address, second, sites[upper] if upper else None)
            continue
        tag = TAGS[upper - FIRST_TAG]
        if tag == "START":
            assert second == expected, f"segment {second} where {expected} was due"
            expected += 1
            continue
        record = Record(tag, address, second)
        if tag == "SITE":
            kind, flags = SITE_KINDS[second >> 32 & 0xFF], second >> 40 & 0xFF
            record.site = Site(
                second & 0xFFFFFF, address, second >> 24 & 0xFF, kind, bool(flags & 1)
            )
            assert record.site.id not in sites, "site id given twice"
            sites[record.site.id] = record.site
        elif tag == "CALL":
            record.site, record.value = sites.get(second >> 40), second & ADDRESS_MASK
        elif tag in ("ALLOC", "FREE", "REALLOC"):
            record.kind, record.size = ALLOCATORS[second >> 56 & 0x7F], second & (1 << 56) - 1
            record.more = bool(second >> 63)
        elif tag == "RANGE":
            kind = second >> 56
            record.kind, record.more = RANGES[kind & 0x7F], bool(kind & 0x80)
            record.size = second & (1 << 56) - 1
            if record.kind != "fill":
                position = take_payload(stream, position, record, record.size, sites)
        elif tag == "FILL":
            record.site = sites.get(address)
        elif tag == "BLOCK":
            position = take_payload(stream, position, record, second, sites)
            assert address == len(blocks) + 1, "ids of blocks are dense"
            record.block = blocks[address] = Block.of(record.payload)
        elif tag in ("EXECUTED", "VOID"):
            record.block, record.left = blocks[address & 0xFFFFFFFF], address >> 32
            count = record.block.words
            record.operands = list(struct.unpack_from(f"<{count}Q", stream, position - 8))
            position += (8 + 8 * count + 15 & ~15) - 16
        elif tag in PAYLOADS:
            position = take_payload(
                stream, position, record, payload_size(stream, position, record), sites
            )
            explain_payload(record)
        yield record


def payload_size(stream: bytes, position: int, record: Record) -> int:
    """SCAN, STACK, ERROR, HOLDS and EXECVE say it; the others end with a NUL."""
    if record.tag in ("SCAN", "STACK", "EXECVE", "ERROR", "HOLDS"):
        return record.value & (1 << 56) - 1
    fixed = 32 if record.tag == "MAP" else 0
    return stream.index(b"\0", position + fixed) + 1 - position


def take_payload(
    stream: bytes, position: int, record: Record, size: int, sites: dict[int, Site]
) -> int:
    record.payload = stream[position : position + size]
    position += size + 15 & ~15
    first, second = struct.unpack_from("<QQ", stream, position)
    assert first >> 40 == FIRST_TAG + 1, f"no END after {record.tag} of {size} bytes"
    if record.tag == "RANGE":
        record.site = sites.get(second)
    return position + 16


def explain_payload(record: Record) -> None:
    if record.tag in ("SCAN", "STACK"):
        record.words = list(struct.iter_unpack("<QQ", record.payload))
        record.kind = SCANS[record.value >> 56] if record.tag == "SCAN" else ""
    elif record.tag == "MAP":
        record.size, record.kind = record.value & (1 << 56) - 1, record.payload[32:-1].decode()
        record.more = bool(struct.unpack_from("<I", record.payload, 24)[0])
    elif record.tag in ("CPOINT", "ROOT", "EXECVE", "FILE_MAPPED"):
        record.kind = record.payload.rstrip(b"\0").decode()


if __name__ == "__main__":
    main()
