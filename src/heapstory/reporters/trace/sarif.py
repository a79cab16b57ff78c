"""Suspicious accesses of ``info --suspicious`` for SARIF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.reporters.sarif import Location, Result, Rule, at

if TYPE_CHECKING:
    from heapstory.graph.model import Node
    from heapstory.trace.suspicions import Suspicion

RULES = (
    Rule("suspicious/offset", "An offset from one node reaches another"),
    Rule("suspicious/range", "A copy or fill that starts in one node runs into another"),
    Rule("suspicious/walk", "A pointer walks from one node into another"),
    Rule("suspicious/stale", "A node is used after it was given up"),
    Rule("suspicious/field", "A copy or fill overwrites a field that is used by itself"),
)


def results(found: list[Suspicion]) -> list[Result]:
    """One result for each access."""
    return [_result(one) for one in found]


def _result(one: Suspicion) -> Result:
    nodes = [node for node in (one.node, one.reached) if node is not None]
    return Result(
        rule=f"suspicious/{one.kind}",
        message=f"{one.words} ({one.bytes} bytes at {one.address:#x})",
        location=at(one.place),
        level="error" if one.certain else "warning",
        related=[_birth(node) for node in dict.fromkeys(nodes)],
        properties={"timestamp": one.timestamp},
    )


def _birth(node: Node) -> Location:
    return at(node.created.place, f"{node.title}, {node.size} bytes, was made here")
