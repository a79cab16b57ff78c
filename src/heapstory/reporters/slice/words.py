"""What flowed between two statements, in words that all forms of the answer share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapstory.slicing.model import Dependence, StatementEdge

DECIDED, CALLED = "decided that it ran", "called the function"


def flow(one: Dependence | StatementEdge) -> str:
    """``x = 3``; empty for the criterion itself."""
    if one.kind == "control":
        return DECIDED
    if one.kind == "call":
        return CALLED
    if one.kind == "criterion":
        return ""
    name = f"{one.name} (register)" if one.kind == "register" else one.name or "memory"
    return name if one.text is None else f"{name} = {one.text}"
