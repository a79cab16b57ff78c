"""Reads what a page reads, in Python: columns, and the blocks of a file."""

from __future__ import annotations

import base64
import json
import re
import struct
import sys
import zlib
from array import array
from typing import Any

_CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "f64": "d"}
assert sys.byteorder == "little"


class Columns:
    """One answer."""

    def __init__(self, data: bytes) -> None:
        assert data[:4] == b"HSC1"
        (length,) = struct.unpack_from("<I", data, 4)
        assert length % 8 == 0
        self.header: dict[str, Any] = json.loads(data[8 : 8 + length])
        self.buffers = data[8 + length :]

    def table(self, name: str) -> dict[str, list[Any]]:
        """A table as lists, with None for null."""
        members = self.header["tables"][name]
        return {
            column: self._column(said, members["rows"])
            for column, said in members["columns"].items()
        }

    def _column(self, said: dict[str, Any], rows: int) -> list[Any]:
        if "values" in said:
            values: list[Any] = said["values"]
            return values
        assert said["offset"] % 8 == 0
        data = self.buffers[said["offset"] : said["offset"] + said["bytes"]]
        numbers = array(_CODES[said["type"]])
        width = numbers.itemsize
        assert len(data) == rows * width
        if said.get("planes"):
            data = bytes(data[plane * rows + row] for row in range(rows) for plane in range(width))
        numbers.frombytes(data)
        decoded: list[Any] = list(numbers)
        if said.get("delta"):
            for row in range(1, rows):
                decoded[row] = (decoded[row] + decoded[row - 1]) % (1 << 8 * width)
        if "null" in said:
            none = said["null"]
            is_null = (lambda x: x != x) if none == "nan" else (lambda x: x == int(none))
            decoded = [None if is_null(number) else number for number in decoded]
        for words in (said.get("choices"), self.header["strings"] if said.get("text") else None):
            if words is not None:
                decoded = [None if number is None else words[number] for number in decoded]
        return decoded


def blocks_of(page: str) -> dict[str, str]:
    """The data elements of a file by their id."""
    found = re.findall(r'<script type="[^"]+" id="(\w+)"[^>]*>(.*?)</script>', page, re.DOTALL)
    return dict(found)


def columns_of(block: str) -> Columns:
    """What a compressed block holds."""
    return Columns(zlib.decompress(base64.b64decode(block), wbits=31))
