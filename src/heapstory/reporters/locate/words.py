"""What text and pictures say of faults alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapstory.locating.diagnosis import Fault

WHY = {
    "decisive": "if this alone had been different, the structure would be right",
    "omission": "if {missing} had been written here as well, the structure would be right",
    "derived": "with another value here, and what was computed from it changed accordingly, the "
    "structure would be right",
    "followed": "with another pointer here, a later store through it would have gone elsewhere, "
    "and the structure would be right",
    "wild": "it stored a wild pointer: nothing was at that address",
    "direct": "it contributed to what is wrong at the C-point",
    "fed": "it wrote a value that the violated constraint reads",
    "related": "it contributed to something wrong that led there",
    "crash": "the program crashed here, before the operation was complete",
}


def why(fault: Fault) -> str:
    """Why a fault was chosen."""
    return WHY[fault.relation].format(missing=fault.missing or "another field")


def handed_on_by(fault: Fault) -> str:
    """The wrapper of the deallocator that a free went through; nothing if it is called here."""
    raw = fault.place.raw if fault.place else None
    if fault.kind != "death" or raw is None or raw.is_library:
        return ""
    function = f" in {raw.function}" if raw.function else ""
    return f"it was freed at {raw}{function}, which only hands on what it is given"
