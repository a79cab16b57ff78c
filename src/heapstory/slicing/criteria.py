"""Criteria as people write them: a point of the run, and what is asked for there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapstory.errors import UsageError

FORMS = (
    "FILE:LINE[:VARIABLE][#K], @TIMESTAMP, read#-K, end:VARIABLE or crash; VARIABLE may be "
    "$REGISTER or 0xADDRESS[+BYTES]"
)
_LINE = re.compile(r"(?P<file>.+?):(?P<line>[0-9]+)(?::(?P<what>[^#]+))?(?:#(?P<number>-?[0-9]+))?")
_TIMESTAMP = re.compile(r"@(?P<timestamp>[0-9]+)(?::(?P<what>[^#]+))?")
_READ = re.compile(r"read#(?P<number>-?[0-9]+)")
_END = re.compile(r"end:(?P<what>[^#]+)")
_MEMORY = re.compile(r"(?P<address>0[xX][0-9a-fA-F]+)(?:\+(?P<size>[0-9]+))?")


@dataclass(frozen=True, slots=True)
class Criterion:
    """``kind`` is 'line', 'timestamp', 'read', 'end' or 'crash'; ``number`` says which execution
    or read, -1 being the last. Without ``what``, all that is used there is asked for."""

    text: str
    kind: str
    file: str = ""
    line: int = 0
    number: int = -1
    timestamp: int = 0
    what: str | None = None


def parse(text: str) -> Criterion:
    """UsageError where it is none of the forms."""
    if text == "crash":
        return Criterion(text, "crash")
    if found := _READ.fullmatch(text):
        return Criterion(text, "read", number=_number(text, found["number"]))
    if found := _TIMESTAMP.fullmatch(text):
        timestamp = int(found["timestamp"])
        return Criterion(text, "timestamp", timestamp=timestamp, what=found["what"])
    if found := _END.fullmatch(text):
        return Criterion(text, "end", what=found["what"])
    if found := _LINE.fullmatch(text):
        number = _number(text, found["number"] or "-1")
        line = int(found["line"])
        return Criterion(text, "line", found["file"], line, number, what=found["what"])
    raise UsageError(f"--criterion {text}: wants {FORMS}")


def parse_memory(text: str) -> tuple[int, int] | None:
    """Address and bytes of ``0xADDRESS[+BYTES]``."""
    found = _MEMORY.fullmatch(text)
    if found is None:
        return None
    size = int(found["size"] or 8)
    if size < 1:
        raise UsageError(f"{text}: wants at least one byte")
    return int(found["address"], 16), size


def _number(text: str, digits: str) -> int:
    number = int(digits)
    if number == 0:
        raise UsageError(f"--criterion {text}: #1 is the first and #-1 the last, there is no #0")
    return number
