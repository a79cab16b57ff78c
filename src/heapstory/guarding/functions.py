"""Where the functions of a program are, by its symbol table."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from heapstory.errors import UsageError

_SECTIONS = struct.Struct("<40xQ10xHHH")  # of the file's head: where they are, size, count
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLES = (2, 11)  # all symbols, those for the loader
_FUNCTION = 2


def ranges(program: Path, names: list[str]) -> list[tuple[int, int]]:
    """The addresses of functions as the file has them, first and beyond the last."""
    found = [(name, start, end) for name, start, end in _functions(program) if name in names]
    for name in names:
        if name not in {each for each, _, _ in found}:
            raise UsageError(
                f"{name}: no such function in {program} (inlined, in a library, or the program is "
                "stripped)"
            )
    return sorted({(start, end) for _, start, end in found})


def _functions(program: Path) -> Iterator[tuple[str, int, int]]:
    content = program.read_bytes()
    offset, size, count, _ = _SECTIONS.unpack_from(content)
    sections = [_SECTION.unpack_from(content, offset + i * size) for i in range(count)]
    for _, kind, _, _, at, length, link, _, _, _ in sections:
        if kind not in _SYMBOL_TABLES:
            continue
        texts = sections[link][4]
        for name, info, _, _, value, bytes_ in _SYMBOL.iter_unpack(content[at : at + length]):
            if info & 15 == _FUNCTION and value:
                end = content.index(b"\0", texts + name)
                yield content[texts + name : end].decode(errors="replace"), value, value + bytes_
