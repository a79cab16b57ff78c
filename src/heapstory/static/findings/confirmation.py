"""What a run of the program says of a finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heapstory.checks.moment import Moment

CONFIRMED, NOT_LEAKED, NOT_EXERCISED = "confirmed", "not-leaked", "not-exercised"
_RANK = {NOT_EXERCISED: 0, NOT_LEAKED: 1, CONFIRMED: 2}


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The label of one finding."""

    label: str
    blocks: int = 0  # made at the finding's allocation
    executed: int = 0  # times the place of the loss was reached afterwards
    leaked: int = 0
    moment: Moment | None = None  # of the first leaked block
    failed: str | None = None  # the allocation that had to fail for it

    def better(self, other: Confirmation | None) -> bool:
        """Whether this says more than what another run said."""
        if other is None:
            return True
        return (_RANK[self.label], self.executed) > (_RANK[other.label], other.executed)

    def text(self) -> str:
        """One line for a person."""
        if self.label == CONFIRMED:
            blocks = f"{self.leaked} of {self.blocks} blocks leaked"
            return f"confirmed: {blocks}{self._when()}{self._because()}"
        if self.label == NOT_LEAKED:
            times = "once" if self.executed == 1 else f"{self.executed} times"
            return f"executed {times}, not leaked ({self.blocks} blocks made here)"
        if self.blocks:
            return f"not exercised: {self.blocks} blocks made here, the loss was not reached"
        return "not exercised: nothing was allocated here"

    def _when(self) -> str:
        if self.moment is None:
            return ""
        at = f" at {self.moment.place}" if self.moment.place else ""
        if self.moment.exact:
            return f", the first one lost{at}, timestamp {self.moment.timestamp}"
        between = f"between timestamps {self.moment.after} and {self.moment.before}"
        return f", the first one lost{at}, {between}"

    def _because(self) -> str:
        return f", when the allocation at {self.failed} fails" if self.failed else ""

    def as_json(self) -> dict[str, Any]:
        """As ``--json`` shows it."""
        return {
            "label": self.label,
            "blocks": self.blocks,
            "executed": self.executed,
            "leaked": self.leaked,
            "moment": self.moment.as_json() if self.moment else None,
            "failed_allocation": self.failed,
        }
