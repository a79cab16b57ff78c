"""What was inferred, for programs: the text, and every constraint with what speaks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heapstory.inference.text import constraint_text

if TYPE_CHECKING:
    from heapstory.inference.inferred import Inferred


def body(inferred: Inferred) -> dict[str, Any]:
    """The members of ``infer --json``."""
    return {
        "specification": inferred.text,
        "constraints": [
            {
                "type": kept.candidate.type,
                "group": kept.candidate.group,
                "text": constraint_text(kept, inferred),
                "support": kept.support,
                "doubtful": kept.candidate.doubtful,
            }
            for kept in inferred.kept
        ],
        "types": [facts.name for facts in inferred.types],
        "pause": list(inferred.pause),
        "tried": inferred.tried,
        "cpoints": inferred.cpoints,
    }
