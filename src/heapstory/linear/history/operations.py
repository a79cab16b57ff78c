"""The operations of a recorded history, read from the file that a program wrote.

One JSON object per line, one line per operation, in any order:

    {"method": "enqueue", "argument": 7, "result": null, "begin": 12, "end": 19, "thread": 3}

``begin`` and ``end`` are numbers from one clock or counter; an operation that had not ended has
``"end": null``. ``argument`` may be a list (or absent); ``result`` is absent or null where nothing
was observed; ``"EMPTY"``, ``true`` and ``false`` may stand for the answers of the models.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from heapstory.errors import UsageError
from heapstory.linear.budget import Budget
from heapstory.linear.language.methods import RECORDED, SYNONYMS
from heapstory.linear.models.sequential import EMPTY

BATCH = 20_000  # lines read between two looks at the clock
NAMES: dict[Any, Any] = {"EMPTY": EMPTY, "empty": EMPTY}


@dataclass(slots=True)
class Operation:
    """One operation of a recorded history, with the line it stands on."""

    method: str
    arguments: tuple[Any, ...]
    result: Any
    begin: float
    end: float | None
    line: int

    def call_text(self) -> str:
        """The call and its answer as text."""
        given = ", ".join(map(str, self.arguments))
        answer = "pending" if self.end is None else shown(self.result)
        return f"{self.method}({given}) -> {answer}"

    def text(self) -> str:
        """The operation as text."""
        return f"{self.call_text()}  [{self.begin}, {self.end}]"


def read(path: str, model: str | None = None, budget: Budget | None = None) -> list[Operation]:
    """Read a history; a bad line is named."""
    methods = RECORDED.get(model or "")
    found: list[Operation] = []
    number = 0
    try:
        with Path(path).open(encoding="utf-8") as file:
            while lines := [line.strip() for line in islice(file, BATCH)]:
                if budget is not None:
                    budget.check(f"reading the history (line {number + 1})")
                found += _batch(path, number, lines, methods)
                number += len(lines)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text file (UTF-8)") from None
    return found


def _batch(
    path: str, before: int, lines: list[str], methods: dict[str, int] | None
) -> list[Operation]:
    """Some lines at once, which is much faster than one by one."""
    numbers = [before + i for i, line in enumerate(lines, 1) if line]
    try:
        rows = json.loads("[" + ",".join(filter(None, lines)) + "]")
    except ValueError:
        rows = []
    if len(rows) != len(numbers):
        _name_bad_line(path, before, lines)
    return [_operation(path, n, row, methods) for n, row in zip(numbers, rows, strict=True)]


def _name_bad_line(path: str, before: int, lines: list[str]) -> None:
    for number, line in enumerate(lines, before + 1):
        try:
            if line:
                json.loads(line)
        except ValueError as error:
            column = getattr(error, "colno", 1)
            caret = f"\n    {line[:100]}\n    {' ' * (min(column, 100) - 1)}^"
            raise UsageError(f"{path}:{number}:{column}: not JSON{caret}") from None
    raise UsageError(f"{path}: one JSON object per line is expected")


def _operation(path: str, line: int, row: Any, methods: dict[str, int] | None) -> Operation:
    try:
        method = row["method"]
        begin, end = row["begin"], row.get("end")
        argument = row.get("argument", row.get("arguments"))
        result = row.get("result")
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"{path}:{line}:1: needs 'method', 'begin' and 'end'") from None
    if not (_is_time(begin) and (end is None or _is_time(end))):
        raise UsageError(f"{path}:{line}:1: 'begin' and 'end' must be numbers")
    if type(method) is not str:
        raise UsageError(f"{path}:{line}:1: 'method' must be a name")
    if end is not None and end < begin:
        raise UsageError(f"{path}:{line}:1: ends ({end}) before it begins ({begin})")
    if methods is not None and method not in methods:
        method = SYNONYMS.get(method, method)
        if method not in methods:
            known = ", ".join(methods)
            raise UsageError(f"{path}:{line}:1: unknown method '{method}' (known: {known})")
    argument, result = _plain(argument), _plain(result)
    if isinstance(argument, dict) or isinstance(result, dict):
        raise UsageError(f"{path}:{line}:1: a value must be a number, a string or a list")
    if argument is None:
        arguments: tuple[Any, ...] = ()
    else:
        arguments = argument if isinstance(argument, tuple) else (argument,)
    if methods is not None and len(arguments) != methods[method]:
        raise UsageError(f"{path}:{line}:1: '{method}' takes {methods[method]} argument(s)")
    return Operation(method, arguments, result, begin, end, line)


def _is_time(value: Any) -> bool:
    return type(value) is int or (type(value) is float and isfinite(value))


def _plain(value: Any) -> Any:
    """A value as the models have it; a dict where there is one in it, for there are none there."""
    kind = type(value)
    if kind is list:
        parts = tuple(map(_plain, value))
        return next((part for part in parts if isinstance(part, dict)), parts)
    if kind is bool:
        return int(value)
    return NAMES.get(value, value) if kind is str else value


def shown(result: Any) -> str:
    """An answer as text."""
    if result in (EMPTY, None):
        return "done" if result is None else "EMPTY"
    return str(result) or "''"
