"""The answer of ``prove`` for other programs."""

from __future__ import annotations

from typing import Any

from heapstory.linear.history.judge import Judgement
from heapstory.linear.program.steps import Program
from heapstory.linear.states.relations import Relations
from heapstory.linear.verdict.counterexample import Counterexample, show_value
from heapstory.linear.verdict.report import PROVED, UNKNOWN, Report


def specification(
    report: Report, found: Counterexample | None, relations: bool, extracted: str | None
) -> dict[str, Any]:
    """A specification, written by hand or ``extracted`` from C."""
    six = report.algorithm6
    data = {
        "name": report.name,
        "path": report.path,
        "verdict": report.verdict,
        "bound": report.bound if report.verdict != PROVED else None,
        "counterexample": _counterexample(found) if found else None,
        "algorithm6": six and {"passes": six.passes, "milliseconds": round(six.milliseconds, 3)},
        "seconds": round(report.seconds, 3),
        "method": report.method,
        "reason": report.reason or None,
        "sequential": report.sequential,
        "states": report.states,
        "notes": report.notes,
        "coverage": report.coverage.data() if report.coverage else None,
        "never_ran": report.never,
        "warnings": report.warnings,
        "invariants": getattr(report.proof, "invariants", []),
        "rejected_sequence": rejected_sequence(report),
    }
    if extracted is not None:
        data["specification"] = extracted
    if report.claims:
        data["claims"] = [{"claim": c.text, "bound": c.bound} for c in report.claims]
    if relations and report.relations is not None:
        data["relations"] = relation_rows(report.normal, report.relations)
    if report.tables is not None:
        tables = report.tables
        data["proved_relations"] = {
            "algorithm6": tables.algorithm6.passes,
            "stuck": tables.stuck or None,
            "pairs": relation_rows(tables.program, tables.relations),
        }
    return data


def unmodelled(path: str, reason: str) -> dict[str, Any]:
    """C that no specification could be extracted from."""
    return {
        "name": path,
        "path": path,
        "verdict": UNKNOWN,
        "bound": None,
        "counterexample": None,
        "algorithm6": None,
        "seconds": 0.0,
        "reason": reason,
    }


def history(judged: Judgement) -> dict[str, Any]:
    """A recorded history."""
    return {
        "name": judged.path,
        "path": judged.path,
        "verdict": judged.verdict,
        "bound": None,
        "counterexample": judged.counterexample,
        "algorithm6": None,
        "seconds": round(judged.seconds, 3),
        "method": judged.method,
        "reason": judged.reason or None,
        "operations": judged.operations,
        "order": [
            {"line": o.line, "text": o.call_text(), "state": state} for o, state in judged.order
        ],
    }


def rejected_sequence(report: Report) -> list[list[str]] | None:
    """What Algorithm 6 could not make sequential."""
    six, normal = report.algorithm6, report.normal
    if six is None or normal is None or six.passes:
        return None
    return [[normal.paths[n].steps[pc].label for n, pc in prefix] for prefix in six.sequence]


def relation_rows(normal: Program | None, relations: Relations) -> list[dict[str, Any]]:
    """The derived relations, one row per pair of steps."""
    assert normal is not None
    rows = []
    for a in relations.steps:
        for b in relations.steps:
            rows.append(
                {
                    "first": normal.paths[a[0]].steps[a[1]].label,
                    "second": normal.paths[b[0]].steps[b[1]].label,
                    "ordered": relations.order(a, b),
                    "reversible": relations.reverse(a, b),
                }
            )
    return rows


def _counterexample(found: Counterexample) -> dict[str, Any]:
    return {
        "operations": [
            {
                "instance": lane.instance,
                "operation": lane.operation,
                "method": lane.method,
                "arguments": list(lane.arguments),
                "answer": None if lane.response is None else show_value(lane.answer),
                "pending": lane.response is None,
                "first": lane.first,
                "response": lane.response,
            }
            for lane in found.lanes
        ],
        "steps": [
            {
                "instance": s.instance,
                "label": s.label,
                "text": s.text,
                "line": s.line,
                "changes": [{"cell": c, "before": o, "after": n} for c, o, n in s.changes],
                "answer": show_value(s.answer) if s.answers else None,
            }
            for s in found.steps
        ],
        "conflict": found.conflict,
        "order": [{"instance": instance, "state": state} for instance, state in found.order],
        "replays": found.replays,
        "confirmed": found.confirmed,
    }
