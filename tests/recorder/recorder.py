# SPDX-License-Identifier: GPL-2.0-or-later
"""Running tiny programs under the recorder, with wire.py as the collector, and replaying."""

import json
import os
import struct
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.recorder import wire
from tests.recorder.wire import Record
from tests.support.programs import ROOT
from tests.support.programs import program as source_of
from tests.support.waiting import wait_until

COLLECTOR = Path(wire.__file__)
SYSTEM_FILES = ["vgpreload_core-amd64-linux.so", "default.supp"]


def build_library(folder: Path) -> Path:
    """Builds the tool and returns a folder for VALGRIND_LIB.

    Beside it lies ``lib-strings``, for the modes that leave malloc alone.
    """
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(recorder C)\n"
        f'add_subdirectory("{ROOT}/native/valgrind" valgrind)\n'
    )
    build = str(folder / "build")
    for command in (["cmake", "-S", str(folder), "-B", build], ["cmake", "--build", build]):
        subprocess.run(command, check=True, capture_output=True)
    tools = folder / "build" / "valgrind"
    system = next(
        p for p in (Path("/usr/libexec/valgrind"), Path("/usr/lib/valgrind")) if p.is_dir()
    )
    for name, preload in (("lib", "heapstory"), ("lib-strings", "strings")):
        library = folder / name
        library.mkdir()
        for file in [*SYSTEM_FILES, *(p.name for p in system.glob("*.xml"))]:
            (library / file).symlink_to(system / file)
        (library / "heapstory-amd64-linux").symlink_to(tools / "heapstory-amd64-linux")
        (library / "vgpreload_heapstory-amd64-linux.so").symlink_to(
            tools / f"vgpreload_{preload}-amd64-linux.so"
        )
    return folder / "lib"


@dataclass
class Trace:
    """What one recorded process sent."""

    records: list[Record]
    end: dict[str, object]
    folder: Path

    def of(self, *tags: str) -> list[Record]:
        return [r for r in self.records if r.tag in tags]


@dataclass
class Result:
    status: int
    output: str
    errors: str
    traces: list[Trace]

    @property
    def trace(self) -> Trace:
        assert len(self.traces) == 1, f"{len(self.traces)} traces"
        return self.traces[0]

    @property
    def records(self) -> list[Record]:
        return self.trace.records

    def truths(self, name: str) -> list[tuple[int, bytes]]:
        """Lines `name ADDRESS HEX` of the program's output."""
        lines = (line.split(" ") for line in self.output.splitlines())
        return [(int(x[1], 16), bytes.fromhex(x[2])) for x in lines if x[0] == name and len(x) == 3]


def compile_program(source: str, folder: Path, *flags: str, compiler: str = "") -> Path:
    binary = folder / Path(source).stem
    compiler = compiler or ("g++" if source.endswith(".cpp") else "gcc")
    command = [compiler, "-g", "-O1", "-fno-builtin", "-w", f"-I{ROOT}/src/heapstory/include"]
    subprocess.run(
        [*command, "-o", binary, source_of(source), *flags],
        check=True,
        capture_output=True,
        text=True,
    )
    return binary


def symbols(binary: Path) -> dict[str, tuple[int, int]]:
    """Address and size of its functions."""
    command = ["nm", "--print-size", "--defined-only", str(binary)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = (line.split() for line in lines)
    return {row[3]: (int(row[0], 16), int(row[1], 16)) for row in rows if len(row) == 4}


def wait_for_traces(trace: Path, expected: int) -> list[Trace]:
    """The collectors end by themselves soon after their programs."""
    folders = [trace] + [trace.with_name(f"{trace.name}.{n}") for n in range(1, expected)]
    wait_until(lambda: all((folder / "end.json").exists() for folder in folders))
    return [
        Trace(
            list(wire.decode((folder / "stream").read_bytes())),
            json.loads((folder / "end.json").read_text()),
            folder,
        )
        for folder in folders
    ]


def record(
    library: Path,
    command: Iterable[object],
    folder: Path,
    *options: str,
    traces: int = 1,
    stdin: str = "",
    environment: dict[str, str] | None = None,
) -> Result:
    trace = folder / "trace"
    if any(option in ("--mode=portable", "--mode=internals") for option in options):
        library = library.with_name(f"{library.name}-strings")
    tool = ["valgrind", "--tool=heapstory", "-q", "--vgdb=no", "--trace-children=yes"]
    tool += [
        f"--collector={COLLECTOR}",
        f"--trace={trace}",
        f"--log-file={folder}/valgrind.log",
        *options,
    ]
    done = subprocess.run(
        [*tool, *map(str, command)],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **(environment or {}), "VALGRIND_LIB": str(library)},
    )
    found = wait_for_traces(trace, traces) if traces else []
    return Result(done.returncode, done.stdout, done.stderr, found)


class Memory:
    """Replays records; knows each byte that was ever said."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.bytes: dict[int, int] = {}
        self.previous: Record | None = None
        for r in records:
            self.apply(r)

    def write(self, address: int, data: bytes) -> None:
        for i, byte in enumerate(data):
            self.bytes[address + i] = byte

    def forget(self, address: int, length: int) -> None:
        for i in range(length):
            self.bytes.pop(address + i, None)

    def apply(self, r: Record) -> None:
        previous = self.previous
        if r.tag == "STORE":
            assert r.site is not None
            self.write(r.address, struct.pack("<Q", r.value)[: r.site.size])
        elif r.tag == "RANGE" and r.kind != "fill":
            self.write(r.address, r.payload)
        elif r.tag == "FILL":
            assert previous is not None and previous.kind == "fill"
            self.write(previous.address, bytes([r.value]) * previous.size)
        elif (r.tag == "ALLOC" and r.kind == "calloc") or r.tag == "GLOBALS":
            self.write(r.address, bytes(r.size or r.value))
        elif r.tag == "ALLOC" and r.kind != "custom":
            self.forget(r.address, r.size)
        elif r.tag == "REALLOC_OLD" and previous is not None and previous.tag == "REALLOC":
            kept = r.value if r.address == previous.address else 0
            self.forget(previous.address + kept, max(0, previous.size - kept))
        self.previous = r

    def read(self, address: int, length: int) -> bytes:
        return bytes(self.bytes[address + i] for i in range(length))
