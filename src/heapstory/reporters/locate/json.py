"""The answer of ``locate`` for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from heapstory.reporters.json import about, place
from heapstory.reporters.slice import json as slice_json

if TYPE_CHECKING:
    from heapstory.locating.diagnosis import CPoint, Diagnosis, Fault, Inconsistency
    from heapstory.slicing import Slice
    from heapstory.trace import Trace

MOST_CPOINTS = 1000


def body(trace: Trace, answer: Diagnosis, slices: Mapping[int, Slice]) -> dict[str, Any]:
    """The body of ``locate --json``. Of very many C-points only the last before the bad one are
    listed. Faults that were sliced have their slice, by their timestamp."""
    checked = answer.checked
    return {
        **about(trace),
        "cpoints": [_cpoint(point) for point in checked[-MOST_CPOINTS:]],
        "cpoints_checked": len(checked),
        "bad": None if answer.bad is None else _cpoint(answer.bad),
        "clean": None if answer.clean is None else _cpoint(answer.clean),
        "constraints": [
            {"name": c.name, "source": c.source, "line": c.line, "words": c.words}
            for c in answer.plan.constraints
        ],
        "inconsistencies": [_inconsistency(found, answer.bad) for found in answer.inconsistencies],
        "faults": [_fault(fault, slices.get(fault.timestamp)) for fault in answer.faults],
        "wrong_before": [_inconsistency(found, None) for found in answer.wrong_before],
        "statements": [place.as_json() for place in answer.statements],
        "statements_cut": answer.statements_cut,
        "nodes": answer.objects,
        "types": answer.types,
        "functions": list(answer.functions),
        "reading": answer.reading,
        "untyped": answer.untyped,
        "unmatched": answer.unmatched,
        "notes": answer.notes,
        "seconds": answer.seconds["check"] + answer.seconds["locate"],
        "timing": answer.seconds,
    }


def _cpoint(point: CPoint) -> dict[str, Any]:
    return {
        "ts": point.timestamp,
        "kind": point.kind,
        "place": place(point.place),
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


def _fault(fault: Fault, sliced: Slice | None) -> dict[str, Any]:
    names = list(dict.fromkeys(found.constraint.name for found in fault.contributed_to))
    return {
        "place": place(fault.place),
        "ts": fault.timestamp,
        "operation": fault.operation,
        "constraint": names[0] if names else None,
        "constraints": names,
        "relation": fault.relation,
        "kind": fault.kind,
        "missing": fault.missing or None,
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
        **({"stack": [place(one) for one in fault.stack]} if fault.stack else {}),
        **({} if sliced is None else {"slice": slice_json.body(sliced)}),
    }
