"""What the tests of the checker share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from heapstory.reporters.check.xml import KINDS

Check = Callable[..., Any]
Memcheck = Callable[..., set[tuple[str, int]]]


def line_of(source: Path, remark: str) -> int:
    """The line of a program with a remark."""
    lines = source.read_text().splitlines()
    return next(number for number, each in enumerate(lines, 1) if f"/* {remark} */" in each)


def lines(answer: Any) -> set[tuple[str, int]]:
    """Kinds, as Memcheck names them, and lines of the errors."""
    return {(KINDS[error["kind"]], error["place"]["line"]) for error in answer["errors"]}
