"""The answer of ``locate`` for other programs: JSON and SARIF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heapstory.reporters.sarif import Result, Rule, at

if TYPE_CHECKING:
    from heapstory.locating.diagnosis import CPoint, Diagnosis, Fault, Inconsistency
    from heapstory.trace.places import Place

MOST_CPOINTS = 1000
MOST = 20  # times that a statement is shown to have run


def body(answer: Diagnosis) -> dict[str, Any]:
    """The body of ``locate --json``. Of very many C-points only the last before the bad one are
    listed."""
    checked = answer.checked
    return {
        "cpoints": [_cpoint(point) for point in checked[-MOST_CPOINTS:]],
        "cpoints_checked": len(checked),
        "bad": None if answer.bad is None else _cpoint(answer.bad),
        "clean": None if answer.clean is None else _cpoint(answer.clean),
        "constraints": [
            {"name": c.name, "source": c.source, "line": c.line, "words": c.words}
            for c in answer.plan.constraints
        ],
        "inconsistencies": [_inconsistency(found, answer.bad) for found in answer.inconsistencies],
        "faults": [_fault(fault) for fault in answer.faults],
        "statements": [place.as_json() for place in answer.statements],
        "nodes": answer.objects,
        "notes": answer.notes,
        "seconds": answer.seconds["check"] + answer.seconds["locate"],
        "timing": answer.seconds,
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else place.as_json()


def _cpoint(point: CPoint) -> dict[str, Any]:
    return {
        "ts": point.timestamp,
        "kind": point.kind,
        "place": _place(point.place),
        "function": point.function or None,
        "text": point.text or None,
    }


def _inconsistency(found: Inconsistency, bad: CPoint | None) -> dict[str, Any]:
    return {
        "constraint": found.constraint.name,
        "cpoint": None if bad is None else bad.timestamp,
        "nodes": found.nodes,
        "bindings": {
            name: value if isinstance(value, int) else {"node": value[0], "offset": value[1]}
            for name, value in found.bindings
        },
    }


def _fault(fault: Fault) -> dict[str, Any]:
    names = list(dict.fromkeys(found.constraint.name for found in fault.contributed_to))
    return {
        "place": _place(fault.place),
        "ts": fault.timestamp,
        "operation": fault.operation,
        "constraint": names[0] if names else None,
        "constraints": names,
        "relation": fault.relation,
        "kind": fault.kind,
        "node": fault.node,
        "slots": [
            {
                "node": slot.node,
                "offset": slot.offset,
                "field": slot.field,
                "old": slot.old,
                "new": slot.new,
            }
            for slot in fault.slots
        ],
    }


def rules(answer: Diagnosis) -> list[Rule]:
    """One rule per constraint."""
    return [Rule(_rule(c.name), c.words, c.source) for c in answer.plan.constraints]


def results(answer: Diagnosis) -> list[Result]:
    """One result per statement, in the order to look at them."""
    made: list[Result] = []
    for place in answer.statements:
        faults = [fault for fault in answer.faults if fault.place and _same(fault.place, place)]
        against = faults[0].contributed_to or answer.inconsistencies
        constraint = against[0].constraint
        made.append(
            Result(
                rule=_rule(constraint.name),
                message=f"{faults[0].operation}, against: {constraint.words}",
                location=at(place),
                level="error" if not made else "warning",
                flow=[at(place, f"timestamp {f.timestamp}: {f.operation}") for f in faults[:MOST]],
                fingerprint=f"{constraint.name}@{place.function}:{place.file}",
                properties={"timestamps": [fault.timestamp for fault in faults[:MOST]]},
            )
        )
    return made


def _same(one: Place, other: Place) -> bool:
    return (one.path, one.line, one.function) == (other.path, other.line, other.function)


def _rule(name: str) -> str:
    return f"locate/{name}"
