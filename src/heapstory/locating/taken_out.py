"""Violations that hold only as long as the edges of nodes count that were taken out.

Without roots every live node counts, also one that was taken out and not freed yet. Its pointers
still lead into the structure: so a violation of how many edges lead to a node may be none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.constraints.plan import Op
from heapstory.constraints.plan.expressions import subexpressions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heapstory.constraints.plan import Plan, PlanConstraint
    from heapstory.locating.diagnosis import Inconsistency
    from heapstory.trace import Trace

INCOMING = {Op.INDEGREE, Op.ISROOT, Op.INTERNAL, Op.EXTERNAL}


class TakenOut:
    """Looks nodes up at one timestamp."""

    def __init__(self, trace: Trace, plan: Plan, time: int) -> None:
        self.trace, self.plan, self.time = trace, plan, time
        self._sources: dict[int, set[int]] = {}

    def excuse(self, inconsistencies: Sequence[Inconsistency]) -> set[int]:
        """The nodes that were taken out, if nothing is wrong without them; else none."""
        found: set[int] = set()
        for one in inconsistencies:
            nodes = self._excused(one)
            if not nodes:
                return set()
            found |= nodes
        return found

    def _excused(self, one: Inconsistency) -> set[int]:
        if not self._counts_incoming(one.constraint):
            return set()
        found: set[int] = set()
        for node in one.nodes:
            sources = self._pointing_to(node)
            out = {source for source in sources if self._is_out(source)}
            if len(sources) - len(out) > 1:
                return set()  # too many without them
            found |= out
        return found

    def _counts_incoming(self, constraint: PlanConstraint) -> bool:
        whole = [part for part in (constraint.guard, constraint.body) if part is not None]
        types = {self.plan.types[variable.type] for variable in constraint.variables}
        return not any(type.roots for type in types) and any(
            part.op in INCOMING for expr in whole for part in subexpressions(expr)
        )

    def _pointing_to(self, node: int) -> set[int]:
        """The other nodes, variables among them, that point to one."""
        if node not in self._sources:
            found = self.trace.core.edges_to(node, self.time).column("source")
            self._sources[node] = set(found) - {node}
        return self._sources[node]

    def _is_out(self, node: int) -> bool:
        """Whether nothing points to a node that something has pointed to, and it is freed or linked
        again later."""
        described = self.trace.core.node(node)
        if described is None or described["kind"] != "heap" or self._pointing_to(node):
            return False
        if not self._was_pointed_to(node, 0, self.time):
            return False
        later = self.time + 1, self.trace.last
        return described["freed"] is not None or self._was_pointed_to(node, *later)

    def _was_pointed_to(self, node: int, first: int, last: int) -> bool:
        return any(
            source != node
            for source in self.trace.core.pointing(node, first, last).column("source")
        )
