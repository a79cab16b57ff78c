"""The verdict on a recorded history: which monitor judges it, and what it found."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heapstory.errors import UsageError
from heapstory.linear.budget import Budget, OutOfBudget
from heapstory.linear.history.frontier import Violation, frontier
from heapstory.linear.history.monitors import MONITORS
from heapstory.linear.history.operations import Operation, read, shown
from heapstory.linear.language.methods import TYPES
from heapstory.linear.models.sequential import MODELS, Model, model_of
from heapstory.linear.program.load import load


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
    conflict: list[Operation] = field(default_factory=list)  # what shows that it is wrong


def judge_file(path: str, model: str, timeout: float) -> Judgement:
    """Read a history and judge it against a type or a model in a file."""
    begin = time.monotonic()
    budget = Budget(timeout)
    collecting = gc.isenabled()
    gc.disable()  # millions of small objects and no cycles: collection would only look at them
    try:
        operations = read(path, model, budget)
        judged = judge(operations, model, budget, path)
    except OutOfBudget as reason:
        judged = Judgement(path, "unknown", 0, reason=str(reason))
    finally:
        if collecting:
            gc.enable()
    judged.seconds = time.monotonic() - begin
    return judged


def judge(operations: list[Operation], model: str, budget: Budget, path: str = "") -> Judgement:
    """Judge a history; ``model`` is a type's name or the path of a specification."""
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
                {"line": o.line, "text": o.text(), "method": o.method, "result": shown(o.result)}
                for o in found.operations
            ]
        }
        line = found.operations[-1].line if found.operations else 1
        judged = Judgement(path, "not-linearizable", len(operations), 0, str(found), name, data)
        judged.line, judged.conflict = line, found.operations
        return judged
    except OutOfBudget as reason:
        return Judgement(path, "unknown", len(operations), reason=str(reason), method=name)
    return Judgement(path, "bounded-ok", len(operations), reason="this history", method=name)


def _model(name: str) -> Model:
    if name in MODELS:
        model: Model = MODELS[name]()
        return model
    if not Path(name).exists():
        raise UsageError(f"unknown model '{name}' (known: {', '.join(TYPES)}, or a file)")
    return model_of(load(name))
