"""Tables and counted things, for people to read in a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

WIDEST_CELL = 80


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A plain table, numbers to the right; names too long to read keep their two ends."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    numeric = [
        all(isinstance(row[index], int | float) or row[index] is None for row in rows)
        for index in range(len(columns))
    ]

    def line(values: Sequence[str]) -> str:
        padded = (
            f"{value:>{width}}" if right else f"{value:<{width}}"
            for value, width, right in zip(values, widths, numeric, strict=True)
        )
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(columns), rule, *map(line, cells)]) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    words = f"{value:.6g}" if isinstance(value, float) else printable(str(value))
    if len(words) <= WIDEST_CELL:
        return words
    kept = WIDEST_CELL // 2
    return f"{words[: kept - 1]}…{words[-kept:]}"


# What terminals obey: control characters and marks that turn the direction of text.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str, lines: bool = False) -> str:
    """The same with escapes in place of what a terminal would obey; ``lines`` may stay."""
    return _OBEYED.sub(lambda found: _escape(found[0], lines), text)


def _escape(character: str, lines: bool) -> str:
    if lines and character == "\n":
        return character
    if "\udc80" <= character <= "\udcff":  # a byte that is no text
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape", "surrogatepass").decode()


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 node``, ``2,000 nodes``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(number: float) -> str:
    """Bytes in a unit that fits."""
    for unit in ("bytes", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} GiB"
