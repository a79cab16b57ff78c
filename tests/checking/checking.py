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


def kind(error: Any) -> str:
    """With the use that was made of a value that was never set."""
    return f"{error['kind']}-{error['use']}" if error["use"] else str(error["kind"])


def lines(answer: Any) -> set[tuple[str, int]]:
    """Kinds, as Memcheck names them, and lines of the errors."""
    return {(KINDS[kind(error)], error["place"]["line"]) for error in answer["errors"]}
