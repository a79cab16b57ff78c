"""How a program crashed: the signal, the statement, the calls, and what the address was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heapstory.graph.model import Node, find_node
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.store.open_trace import OpenTrace

_FIRST_PAGE = 4096  # never mapped: an address in it is an offset from NULL
_NEAR = 1 << 24  # bytes behind a node that may still be meant to be its own

_ACCESS = {
    "unmapped": "no memory is mapped there",
    "protected": "memory that may not be accessed so",
    "stack-overflow": "the stack cannot grow to it",
    "not-canonical": "no processor has such an address",
}


@dataclass(frozen=True, slots=True)
class Crash:
    """``access`` says why the processor refused: 'unmapped', 'protected', 'stack-overflow' or
    'not-canonical'; ``address`` is None where it does not tell which. ``node`` is the node that
    holds or held the address, or the nearest before it."""

    place: Place | None
    stack: tuple[Place, ...]  # innermost first
    address: int | None
    access: str | None
    node: Node | None

    @property
    def words(self) -> str | None:
        """What the faulting address was, in a line."""
        if self.access is None:
            return None
        reason = _ACCESS[self.access]
        if self.address is None:
            return f"a wild address: {reason}"
        if self.access == "stack-overflow":
            return f"{self.address:#x}: {reason}"
        if self.address < _FIRST_PAGE:
            offset = f" + {self.address}" if self.address else ""
            return f"NULL{offset} ({self.address:#x})"
        return f"{self.address:#x}: {self._where() or reason}"

    def _where(self) -> str | None:
        if self.node is None or self.address is None:
            return None
        behind = self.address - (self.node.address + self.node.size)
        gone = f", freed at {self.node.freed}" if self.node.freed else ""
        made = f"{self.node.title}, made at {self.node.created}{gone}"
        if behind < 0:
            return f"+{self.address - self.node.address} in {made}"
        return f"{behind:,} bytes behind the end of {made}"


def crash_of(trace: OpenTrace, summary: dict[str, Any]) -> Crash | None:
    """None where the program did not crash."""
    site = summary["crash_site"]
    if site is None:
        return None
    known = trace.meta.get("fault") or {}
    text = known.get("address")
    address = None if text is None else int(text, 16)
    stack = summary["crash_stack"]
    return Crash(
        place=trace.places.place(site),
        stack=() if stack is None else tuple(trace.stack(stack)),
        address=address,
        access=known.get("access"),
        node=None if address is None else _node_near(trace, address),
    )


def _node_near(trace: OpenTrace, address: int) -> Node | None:
    """The last node that held an address, else the nearest live one that ends before it."""
    if address < _FIRST_PAGE:
        return None
    table = trace.core.table("nodes")
    names = ("node", "kind", "address", "size", "freed")
    best: tuple[int, int, int] | None = None
    for node, kind, start, size, freed in zip(*map(table.column, names), strict=True):
        distance = address - (start + size)
        if kind != "heap" or start > address or distance > _NEAR:
            continue
        if distance >= 0 and freed is not None:
            continue
        candidate = (0 if distance < 0 else 1, max(distance, 0), -node)
        best = candidate if best is None else min(best, candidate)
    return None if best is None else find_node(trace, -best[2])
