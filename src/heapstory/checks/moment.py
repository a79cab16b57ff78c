"""When something that is a matter of stacks and registers happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heapstory.store.places import Place


@dataclass(frozen=True, slots=True)
class Moment:
    """When the last reference to a block was lost, and by which statement.

    Fields of blocks and globals have a full history; stacks and registers are seen only where they
    were scanned. So a moment is ``exact`` where a field was the last reference and a scan with no
    change in between found no other; else it lies between ``after`` and ``before``.
    """

    timestamp: int
    after: int
    before: int
    exact: bool
    place: Place | None

    def as_json(self) -> dict[str, Any]:
        """As ``--json`` shows it."""
        return {
            "timestamp": self.timestamp,
            "after": self.after,
            "before": self.before,
            "exact": self.exact,
            "place": self.place.as_json() if self.place else None,
        }
