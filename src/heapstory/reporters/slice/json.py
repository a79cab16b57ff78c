"""The answer of ``slice`` for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heapstory.reporters.json import about, place

if TYPE_CHECKING:
    from heapstory.slicing.model import Slice
    from heapstory.trace import Trace

MOST_MOMENTS = 10_000


def bodies(trace: Trace, answers: list[Slice]) -> dict[str, Any]:
    """The body of ``slice --json``: the first answer, and those to further criteria."""
    first, *further = (body(answer) for answer in answers)
    return {
        **about(trace),
        **first,
        **({"further": further} if further else {}),
    }


def body(answer: Slice) -> dict[str, Any]:
    """One slice. Of very many moments only the last are listed."""
    moments = [moment for moment in answer.moments if moment.number]
    return {
        "criterion": answer.criterion,
        "words": answer.words,
        "about": answer.about,
        "place": place(answer.place),
        "instructions": answer.instructions,
        "trace_instructions": answer.trace_instructions,
        "statements": [each.as_json() for each in answer.statements],
        "statements_cut": answer.cut,
        "inlined": [
            {"statement": index, "places": [each.as_json() for each in places]}
            for index, places in answer.inlined.items()
        ],
        "edges": [
            {
                "from": edge.user,
                "to": edge.definer,
                "kind": edge.kind,
                "name": edge.name,
                "value": None if edge.value is None else f"{edge.value:#x}",
                "text": edge.text,
                "count": edge.count,
            }
            for edge in answer.edges()
        ],
        "moments": [
            {
                "statement": moment.statement,
                "step": moment.step,
                "thread": moment.thread,
                "many": moment.many,
            }
            for moment in moments[-MOST_MOMENTS:]
        ],
        "moments_cut": max(len(moments) - MOST_MOMENTS, 0),
        "beyond": answer.beyond,
        "notes": answer.notes,
        "complete": answer.complete,
        "seconds": answer.seconds,
    }
