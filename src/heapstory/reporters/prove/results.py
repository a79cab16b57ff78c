"""One judged input of ``prove``: a specification, a C source or a history, text and data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heapstory.linear.history.judge import Judgement
from heapstory.linear.history.operations import shown
from heapstory.linear.ir.judge import Outcome
from heapstory.linear.run.judge import Ran
from heapstory.linear.verdict.counterexample import Counterexample
from heapstory.linear.verdict.report import REFUTED, UNKNOWN, Report
from heapstory.reporters.prove import json, machine, text


@dataclass(frozen=True, slots=True)
class Judged:
    """What every form of the answer needs of an input; ``line`` is where to look first."""

    name: str
    path: str
    line: int
    verdict: str
    data: dict[str, Any]
    text: str
    counterexample: Counterexample | None = None
    recorded: Judgement | None = None  # one run, judged as a whole
    drawn: Judgement | None = None  # the history that pictures show
    sequential: bool = False  # already operations one after the other break the model


def specification(
    report: Report,
    found: Counterexample | None,
    relations: bool = False,
    extracted: str | None = None,
) -> Judged:
    """A specification, written by hand or ``extracted`` from C."""
    return Judged(
        report.name,
        report.path,
        found.steps[-1].line if found else 1,
        report.verdict,
        json.specification(report, found, relations, extracted),
        text.specification(report, found, relations),
        found,
        sequential=report.sequential and report.verdict == REFUTED,
    )


def unmodelled(path: str, reason: str) -> Judged:
    """C that no specification could be extracted from."""
    return Judged(
        path, path, 1, UNKNOWN, json.unmodelled(path, reason), text.unmodelled(path, reason)
    )


def interleaved(path: str, outcome: Outcome) -> Judged:
    """C as it stands, whose calls were tried in all interleavings."""
    return Judged(
        path,
        path,
        outcome.line,
        outcome.verdict,
        machine.data(path, outcome),
        machine.text(path, outcome),
        drawn=machine.drawn(path, outcome),
    )


def ran(path: str, found: Ran | None, reason: str) -> Judged:
    """C that was run in threads: a history that is wrong, or only how many were right."""
    judged = Judgement(path, UNKNOWN, 0, reason=reason, method="run")
    judged.seconds = found.seconds if found is not None else 0.0
    if found is not None and found.wrong:
        judged.verdict, judged.operations = REFUTED, len(found.wrong)
        judged.reason = f"a history of the running code (seed {found.seed}) that no order explains"
        judged.conflict, judged.order = found.wrong, found.order
        judged.counterexample = {
            "operations": [
                {"line": 0, "text": o.text(), "method": o.method, "result": shown(o.result)}
                for o in found.wrong
            ]
        }
    elif found is not None:
        right = f"{found.histories} histories of the running code were right; that shows nothing"
        judged.reason = found.trouble or right
    return Judged(
        path, path, 1, judged.verdict, json.history(judged), text.history(judged), drawn=judged
    )


def history(judged: Judgement) -> Judged:
    """A recorded history."""
    path = judged.path
    return Judged(
        path,
        path,
        judged.line,
        judged.verdict,
        json.history(judged),
        text.history(judged),
        recorded=judged,
        drawn=judged,
    )
