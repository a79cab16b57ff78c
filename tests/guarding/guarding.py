"""What the tests of the guard share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Guard = Callable[..., Any]


def line_of(source: Path, remark: str) -> int:
    """The line of a program with a remark."""
    lines = source.read_text().splitlines()
    return next(number for number, each in enumerate(lines, 1) if f"/* {remark} */" in each)


def errors(answer: Any) -> list[Any]:
    """The findings without leaks, of which many programs have some."""
    return [found for found in answer["findings"] if found["kind"] != "leak"]
