"""Results for people and for programs: one text and one JSON object per input."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from heapstory.linear.counterexample import Counterexample, build
from heapstory.linear.history import Judgement
from heapstory.linear.program import Program
from heapstory.linear.relations import Relations
from heapstory.linear.syntax import Specification
from heapstory.linear.unbounded import Tables
from heapstory.linear.verdict import PROVED, REFUTED, Report
from heapstory.reporters.prove import draw

BY = {
    "algorithm6": "Algorithm 6 with derived relations, completability and the sequential model",
    "exhaustive": "all interleavings",
    "smt": "relations proved for any number of operations, Algorithm 6",
    "points": "linearization points, inductive invariants",
    "aspects": "the aspects of a queue, inductive invariants",
}


@dataclass
class Result:
    """One judged input."""

    data: dict[str, Any]
    text: str
    counterexample: Counterexample | None = None
    sequential: bool = False
    place: tuple[str, int] = ("", 0)
    notes: list[str] = field(default_factory=list)


def result(
    spec: Specification,
    report: Report,
    reuse: bool = False,
    relations: bool = False,
    extracted: str | None = None,
) -> Result:
    """The result for a specification."""
    found = None
    if report.search is not None and report.search.trail is not None:
        found = build(spec, report.search.trail, reuse)
    six = report.algorithm6
    data: dict[str, Any] = {
        "name": report.name,
        "path": report.path,
        "verdict": report.verdict,
        "bound": report.bound if report.verdict != PROVED else None,
        "counterexample": draw.as_json(found) if found else None,
        "algorithm6": {"passes": six.passes, "milliseconds": round(six.milliseconds, 3)}
        if six
        else None,
        "seconds": round(report.seconds, 3),
        "method": report.method,
        "reason": report.reason or None,
        "sequential": report.sequential,
        "states": report.states,
        "notes": report.notes,
        "warnings": report.warnings,
        "invariants": getattr(report.proof, "invariants", []),
        "rejected_sequence": _sequence(report),
    }
    if extracted is not None:
        data["specification"] = extracted
    if report.claims:
        data["claims"] = [{"claim": c.text, "bound": c.bound} for c in report.claims]
    if relations and report.relations is not None:
        data["relations"] = relation_rows(report.normal, report.relations)
    if report.tables is not None:
        found_tables = report.tables
        data["proved_relations"] = {
            "algorithm6": found_tables.algorithm6.passes,
            "stuck": found_tables.stuck or None,
            "pairs": relation_rows(found_tables.program, found_tables.relations),
        }
    text = _text(spec, report, found, relations)
    place = (report.path, found.steps[-1].line if found else 1)
    return Result(data, text, found, report.sequential and report.verdict == REFUTED, place)


def _sequence(report: Report) -> list[list[str]] | None:
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


def _text(
    spec: Specification, report: Report, found: Counterexample | None, relations: bool
) -> str:
    bound = f" (up to {report.bound} operations)" if report.verdict == "bounded-ok" else ""
    lines = [f"{spec.name}: {report.verdict}{bound} in {report.seconds:.2f} s"]
    if report.reason:
        lines.append(f"  {report.reason}")
    if report.method and report.verdict != "unknown":
        lines.append(f"  by: {BY.get(report.method, report.method)}")
    six = report.algorithm6
    if six is not None:
        says = "passes" if six.passes else "does not pass"
        lines.append(f"  Algorithm 6: {says} ({six.milliseconds:.1f} ms)")
        rejected = _sequence(report)
        if rejected:
            shown = " · ".join(" ".join(p) for p in rejected)
            lines.append(f"  it cannot make this sequential: {shown}")
    if report.sequential and report.verdict == REFUTED:
        lines.append("  operations that run one after the other already break the model")
    lines += [f"  note: {note}" for note in report.notes]
    for claim in report.claims:
        far = "any number of" if claim.bound is None else f"up to {claim.bound}"
        lines.append(f"  {claim.text}: holds for {far} operations")
    if relations and report.relations is not None:
        lines.append(f"  relations, up to {report.bound} operations:")
        lines += _relation_lines(report.normal, report.relations)
    if report.tables is not None:
        lines += _table_lines(report.tables)
    if found is not None:
        lines.append(draw.text(found))
    return "\n".join(lines)


def _table_lines(found: Tables) -> list[str]:
    says = "passes" if found.algorithm6.passes else "does not pass"
    lines = [f"  relations, any number of operations (Algorithm 6 {says} with them):"]
    lines += _relation_lines(found.program, found.relations)
    return lines


def _relation_lines(normal: Program | None, relations: Relations) -> list[str]:
    lines = []
    for row in relation_rows(normal, relations):
        order = "≀" if row["ordered"] else "¬≀"
        back = " ⊖" if row["reversible"] else ""
        lines.append(f"  {row['first']} {order} {row['second']}{back}")
    return lines


def unknown(path: str, reason: str) -> Result:
    """The result for an input that could not be modelled."""
    data = {
        "name": path,
        "path": path,
        "verdict": "unknown",
        "bound": None,
        "counterexample": None,
        "algorithm6": None,
        "seconds": 0.0,
        "reason": reason,
    }
    return Result(data, f"{path}: unknown\n  {reason}", place=(path, 1))


def history(judged: Judgement) -> Result:
    """The result for a recorded history."""
    data: dict[str, Any] = {
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
    }
    lines = [
        f"{judged.path}: {judged.verdict}, {judged.operations} operations, {judged.seconds:.2f} s"
    ]
    if judged.reason:
        lines.append(f"  {judged.reason}")
    for call in (judged.counterexample or {}).get("operations", []):
        lines.append(f"  line {call['line']}: {call['text']}")
    return Result(data, "\n".join(lines), place=(judged.path, judged.line))


def sarif(results: list[Result]) -> dict[str, Any]:
    """What was found as SARIF 2.1.0."""
    found = []
    for item in results:
        if item.data["verdict"] == REFUTED:
            path, line = item.place
            message = f"{item.data['name']} is not linearizable"
            where = {"artifactLocation": {"uri": path}, "region": {"startLine": max(line, 1)}}
            found.append(
                {
                    "ruleId": "not-linearizable",
                    "level": "error",
                    "message": {"text": message},
                    "locations": [{"physicalLocation": where}],
                }
            )
    driver = {"name": "heapstory", "rules": [{"id": "not-linearizable"}]}
    return {
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{"tool": {"driver": driver}, "results": found}],
    }
