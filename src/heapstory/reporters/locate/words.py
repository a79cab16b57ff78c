"""What text and pictures say of faults alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapstory.locating.diagnosis import Fault

WHY = {
    "decisive": "had it done something else here, and all else the same, nothing would be wrong",
    "omission": "had {missing} been written beside this, nothing would be wrong",
    "derived": "with another value here, and in what was computed from it later, nothing would be "
    "wrong",
    "followed": "with another pointer here, and a later store that goes through it, nothing would "
    "be wrong",
    "wild": "it stored a wild pointer: nothing was at that address",
    "direct": "it contributed to what is wrong",
    "fed": "it wrote a value that is read there",
    "related": "it contributed to something wrong that led there",
    "crash": "it did not return: what it was to do was not done",
}


def why(fault: Fault) -> str:
    """Why a fault was chosen."""
    return WHY[fault.relation].format(missing=fault.missing or "another field")
