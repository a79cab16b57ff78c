"""Recorded histories of a running program: the format, and which monitor judges them.

One JSON object per line, one line per operation, in any order:

    {"method": "enqueue", "argument": 7, "result": null, "begin": 12, "end": 19, "thread": 3}

``begin`` and ``end`` are numbers from one clock or counter; an operation that had not ended has
``"end": null``. ``argument`` may be a list (or absent); ``result`` is absent or null where nothing
was observed; ``"EMPTY"``, ``true`` and ``false`` may stand for the answers of the models.
"""

from __future__ import annotations

import gc
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heapstory.errors import UsageError
from heapstory.linear.explore import Budget, OutOfBudget
from heapstory.linear.methods import SYNONYMS, TYPES
from heapstory.linear.models import EMPTY, MODELS, Model

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

    def text(self) -> str:
        """The operation as text."""
        shown = ", ".join(map(str, self.arguments))
        answer = "pending" if self.end is None else _shown(self.result)
        return f"{self.method}({shown}) -> {answer}  [{self.begin}, {self.end}]"


@dataclass
class Judgement:
    """The verdict on a recorded history. It is about this one run, so never ``proved``."""

    path: str
    verdict: str
    operations: int
    seconds: float = 0.0
    reason: str = ""
    method: str = ""
    counterexample: dict[str, Any] | None = None
    line: int = 1


def judge_file(path: str, model: str, timeout: float) -> Judgement:
    """Read a history and judge it against a type or a model in a file."""
    begin = time.monotonic()
    budget = Budget(timeout)
    collecting = gc.isenabled()
    gc.disable()  # millions of small objects and no cycles: collection would only look at them
    try:
        operations = read(path, model)
        judged = judge(operations, model, budget, path)
    finally:
        if collecting:
            gc.enable()
    judged.seconds = time.monotonic() - begin
    return judged


def judge(operations: list[Operation], model: str, budget: Budget, path: str = "") -> Judgement:
    """Judge a history; ``model`` is a type's name or the path of a specification."""
    from heapstory.linear.monitors import MONITORS, Violation, frontier

    monitor = MONITORS.get(model)
    name = model if monitor else "frontier"
    try:
        if monitor is not None:
            monitor(operations, budget)
        else:
            frontier(operations, _model(model), budget)
    except Violation as found:
        data = {
            "operations": [
                {"line": o.line, "text": o.text(), "method": o.method, "result": _shown(o.result)}
                for o in found.operations
            ]
        }
        line = found.operations[-1].line if found.operations else 1
        return Judgement(path, "not-linearizable", len(operations), 0, str(found), name, data, line)
    except OutOfBudget as reason:
        return Judgement(path, "unknown", len(operations), reason=str(reason), method=name)
    return Judgement(path, "bounded-ok", len(operations), reason="this history", method=name)


def _model(name: str) -> Model:
    from heapstory.linear.models import model_of
    from heapstory.linear.resolve import load

    if name in MODELS:
        model: Model = MODELS[name]()
        return model
    if not Path(name).exists():
        raise UsageError(f"unknown model '{name}' (known: {', '.join(TYPES)}, or a file)")
    return model_of(load(name))


def read(path: str, model: str | None = None) -> list[Operation]:
    """Read a history; a bad line is named."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text file (UTF-8)") from None
    lines = text.splitlines()
    try:
        rows = json.loads("[" + ",".join(filter(None, lines)) + "]")
    except ValueError:
        rows = None
    if rows is None or len(rows) != sum(1 for line in lines if line):
        _name_bad_line(path, lines)
    numbers = [i + 1 for i, line in enumerate(lines) if line]
    methods = TYPES.get(model or "")
    return [_operation(path, n, row, methods) for n, row in zip(numbers, rows or [], strict=True)]


def _name_bad_line(path: str, lines: list[str]) -> None:
    for number, line in enumerate(lines, 1):
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
    if not isinstance(begin, (int, float)) or not (end is None or isinstance(end, (int, float))):
        raise UsageError(f"{path}:{line}:1: 'begin' and 'end' must be numbers")
    if end is not None and end < begin:
        raise UsageError(f"{path}:{line}:1: ends ({end}) before it begins ({begin})")
    if methods is not None and method not in methods:
        method = SYNONYMS.get(method, method)
        if method not in methods:
            known = ", ".join(methods)
            raise UsageError(f"{path}:{line}:1: unknown method '{method}' (known: {known})")
    if argument is None:
        arguments: tuple[Any, ...] = ()
    elif isinstance(argument, list):
        arguments = tuple(argument)
    else:
        arguments = (argument,)
    if methods is not None and len(arguments) != methods[method]:
        raise UsageError(f"{path}:{line}:1: '{method}' takes {methods[method]} argument(s)")
    return Operation(method, arguments, _result(result), begin, end, line)


def _result(result: Any) -> Any:
    if isinstance(result, bool):
        return int(result)
    if isinstance(result, list):
        return tuple(map(_result, result))
    return NAMES.get(result, result) if isinstance(result, str) else result


def _shown(result: Any) -> str:
    return "EMPTY" if result == EMPTY else "done" if result is None else str(result)
