"""Where the functions and lines of a program are, for blocks that end at a page."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

from heapstory import _core
from heapstory.errors import UsageError

_HEAD = struct.Struct("<32xQQ6xHHHHH")  # of the file: programs, sections, their sizes and counts
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLES = (2, 11)  # all symbols, those for the loader
_FUNCTION = 2
_LOADED, _EXECUTABLE = 1, 1
_LINE = re.compile(r"(?P<file>.+):(?P<line>[1-9][0-9]*)")
# Call instructions of x86-64: near, and by a register or memory with all displacements it may have.
_CALL = re.compile(
    rb"(?=(\xe8....|\xff(?:[\xd0-\xd7]|[\x10-\x13\x16\x17]|\x15....|\x14.|[\x50-\x53\x55-\x57]."
    rb"|\x54..|[\x90-\x93\x95-\x97]....|\x94.....)))",
    re.DOTALL,
)

Range = tuple[int, int]  # addresses as the file has them, first and beyond the last


def ranges(program: Path, names: list[str]) -> list[Range]:
    """The code that FUNCTION or FILE:LINE name; every name must be found."""
    functions = list(_functions(program))
    made: set[Range] = set()
    for name in names:
        line = _LINE.fullmatch(name)
        if line:
            found = _calls_of(program, line["file"], int(line["line"]))
        else:
            found = {(start, end) for each, start, end in functions if each == name}
        if not found:
            what = "call in that line of" if line else "function in"
            why = "no debug information" if line else "the program is stripped"
            raise UsageError(f"{name}: no such {what} {program} (inlined, in a library, or {why})")
        made |= found
    return sorted(made)


def _functions(program: Path) -> Iterator[tuple[str, int, int]]:
    content = program.read_bytes()
    _, offset, _, _, size, count, _ = _HEAD.unpack_from(content)
    sections = [_SECTION.unpack_from(content, offset + i * size) for i in range(count)]
    for _, kind, _, _, at, length, link, _, _, _ in sections:
        if kind not in _SYMBOL_TABLES:
            continue
        texts = sections[link][4]
        for name, info, _, _, value, bytes_ in _SYMBOL.iter_unpack(content[at : at + length]):
            if info & 15 == _FUNCTION and value:
                end = content.index(b"\0", texts + name)
                yield content[texts + name : end].decode(errors="replace"), value, value + bytes_


def _code(content: bytes) -> Iterator[tuple[int, int, int]]:
    """The parts of a file that are executed: offset, address and size."""
    offset, _, size, count, _, _, _ = _HEAD.unpack_from(content)
    for i in range(count):
        kind, flags, at, address, _, length, _, _ = _SEGMENT.unpack_from(content, offset + i * size)
        if kind == _LOADED and flags & _EXECUTABLE:
            yield at, address, length


def _calls_of(program: Path, file: str, line: int) -> set[Range]:
    """The calls of a statement, and of what was inlined into it: a range ends where one returns."""
    symbols = _core.Symbols()
    content = program.read_bytes()
    made = set()
    for at, address, length in _code(content):
        for call in _CALL.finditer(content, at, at + length):
            back = call.end(1)
            near = content[call.start()] == 0xE8
            target = int.from_bytes(content[back - 4 : back], "little", signed=True) + back
            if near and not at <= target < at + length:
                continue  # no instruction begins here
            if any(
                place["line"] == line and _is_file(place["path"], file)
                for place in symbols.places(str(program), "", back - 1)
            ):
                made.add((address + back - at - 1, address + back - at))
    return made


def _is_file(path: str | None, file: str) -> bool:
    return path is not None and (path == file or path.endswith(f"/{file.removeprefix('./')}"))
