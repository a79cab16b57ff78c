"""The verdict on a recorded history: which monitor judges it, and what it found."""

from __future__ import annotations

import gc
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heapstory.errors import UsageError
from heapstory.linear.budget import Budget, OutOfBudget
from heapstory.linear.history.frontier import Violation, calls_of, each_key, in_order
from heapstory.linear.history.keys import by_argument, key_places
from heapstory.linear.history.monitors import MONITORS
from heapstory.linear.history.operations import Operation, read, shown
from heapstory.linear.history.pending import INFINITY
from heapstory.linear.history.wgl import linearizable
from heapstory.linear.language.methods import RECORDED
from heapstory.linear.models.reference import SpecificationModel
from heapstory.linear.models.sequential import MODELS, Model, model_of
from heapstory.linear.program.load import load

MOST_ORDERED, ORDERING = 2_000, 5.0  # operations, seconds: to find the most that is in order


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
    # An order of all operations, or of the most that can be explained, with the state after each.
    order: list[tuple[Operation, str]] = field(default_factory=list)


def judge_file(path: str, model: str, timeout: float, states: bool = False) -> Judgement:
    """Read a history and judge it against a type or a model in a file; with ``states``, find an
    order and the abstract state after each operation also if nothing is wrong."""
    begin = time.monotonic()
    budget = Budget(timeout)
    collecting = gc.isenabled()
    gc.disable()  # millions of small objects and no cycles: collection would only look at them
    try:
        operations = read(path, model, budget)
        judged = judge(operations, model, budget, path, states)
    except OutOfBudget as reason:
        judged = Judgement(path, "unknown", 0, reason=str(reason))
    finally:
        if collecting:
            gc.enable()
    judged.seconds = time.monotonic() - begin
    return judged


def judge(
    operations: list[Operation], model: str, budget: Budget, path: str = "", states: bool = False
) -> Judgement:
    """Judge a history; ``model`` is a type's name or the path of a specification."""
    monitor = MONITORS.get(model)
    name = model if monitor else "frontier"
    try:
        if monitor is not None:
            monitor(operations, budget)
        else:
            _by_model(operations, _model(model), budget)
    except Violation as found:
        return _refuted(operations, model, budget, path, name, found)
    except OutOfBudget as reason:
        return Judgement(path, "unknown", len(operations), reason=str(reason), method=name)
    judged = Judgement(path, "bounded-ok", len(operations), reason="this history", method=name)
    if states:
        try:
            judged.order = _order(operations, _model(model), budget)
        except OutOfBudget as reason:
            judged.reason = f"this history; no order to show: {reason}"
    return judged


def _refuted(
    operations: list[Operation],
    model: str,
    budget: Budget,
    path: str,
    name: str,
    found: Violation,
) -> Judgement:
    data = {
        "operations": [
            {"line": o.line, "text": o.text(), "method": o.method, "result": shown(o.result)}
            for o in found.operations
        ]
    }
    judged = Judgement(path, "not-linearizable", len(operations), 0, str(found), name, data)
    judged.line = found.operations[-1].line if found.operations else 1
    judged.conflict, judged.order = found.operations, found.order
    ends = [INFINITY if o.end is None else o.end for o in found.operations]
    before = [o for o in found.among or operations if o.begin <= max(ends, default=INFINITY)]
    if not found.order and len(before) <= MOST_ORDERED:
        with suppress(OutOfBudget):
            judged.order = _order(before, _model(model), Budget(min(ORDERING, budget.left())))
    return judged


def _order(
    operations: list[Operation], model: Model, budget: Budget
) -> list[tuple[Operation, str]]:
    return in_order(operations, linearizable(calls_of(operations), model, budget), model)


def _by_model(operations: list[Operation], model: Model, budget: Budget) -> None:
    """A model that a user wrote: key by key, if keys have nothing to do with each other."""
    places = key_places(model.spec) if isinstance(model, SpecificationModel) else None
    histories = by_argument(operations, places) if places is not None else [operations]
    each_key(histories, model, budget)


def _model(name: str) -> Model:
    if name in MODELS:
        model: Model = MODELS[name]()
        return model
    if not Path(name).exists():
        raise UsageError(f"unknown model '{name}' (known: {', '.join(RECORDED)}, or a file)")
    return model_of(load(name))
