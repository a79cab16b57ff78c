"""What a search has covered: the bound of a verdict, in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from heapstory.linear.language.syntax import Free, Specification, statements
from heapstory.linear.program.kinds import kinds_of
from heapstory.linear.states.exhaustive import Search


@dataclass
class Coverage:
    """Every history of up to ``operations`` operations, and of up to ``deeper`` with at most
    ``width`` under way at a time. ``keys``: what compared arguments range over, None where none
    is."""

    keys: int | None
    reuse: bool | None  # None: no memory is freed
    values: bool  # some arguments are only moved, and are distinct
    operations: int = 0
    deeper: int = 0
    width: int = 0
    states: int = 0
    ran: set[tuple[str, int]] = field(default_factory=set)
    ended: set[str] = field(default_factory=set)
    faults: set[tuple[str, int, str]] = field(default_factory=set)

    def add(self, search: Search) -> None:
        """Take in a search that ended without a finding, or not at all."""
        self.saw(search)
        if search.width >= search.operations:
            self.operations = max(self.operations, search.operations)
        elif search.width > 1 and search.operations > max(self.deeper, self.operations):
            self.deeper, self.width = search.operations, search.width

    def saw(self, search: Search) -> None:
        """Take in what ran in a search, not its bound."""
        self.states += search.states
        self.ran |= search.ran
        self.ended |= search.ended
        self.faults |= search.faults

    def text(self) -> str:
        """One line."""
        parts = [f"up to {self.operations} operations"]
        if self.deeper > self.operations:
            parts[0] += f" ({self.deeper} with at most {self.width} at a time)"
        if self.keys is not None:
            parts.append(f"keys 1…{self.keys}")
        if self.values:
            parts.append("distinct values")
        if self.reuse is not None:
            parts.append("freed memory handed out again" if self.reuse else "no memory reused")
        return ", ".join([*parts, "sequential consistency"])

    def data(self) -> dict[str, Any]:
        """For other programs."""
        return {
            "operations": self.operations,
            "deeper": self.deeper if self.deeper > self.operations else None,
            "width": self.width if self.deeper > self.operations else None,
            "keys": self.keys,
            "distinct_values": self.values,
            "reuse": self.reuse,
            "memory_model": "sequential consistency",
            "states": self.states,
        }

    def never(self, spec: Specification) -> list[tuple[str, int]]:
        """The (operation, step) that never ran."""
        steps = [(o.name, n) for o in spec.operations for n in range(len(o.steps))]
        return [step for step in steps if step not in self.ran]


def coverage_of(spec: Specification, keys: int, reuse: bool) -> Coverage:
    """Nothing covered yet."""
    kinds = kinds_of(spec)
    found = [kinds.parameter(o, p.name) for o in spec.operations for p in o.parameters]
    frees = any(isinstance(s, Free) for s in statements(spec))
    compared = keys if any(kind != "val" for kind in found) else None
    return Coverage(compared, reuse if frees else None, "val" in found)
