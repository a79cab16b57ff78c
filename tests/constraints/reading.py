"""Which inconsistencies count at a C-point, the plainest way: over all moments of the naive model.

Where a type has roots, constraints are about the nodes that these lead to, and a node that none
leads to is lost unless it is apart: never linked so far, freed later, or linked again later.
Edges that end in a node of the structure count if they begin in one.
"""

from __future__ import annotations

from heapstory.constraints.plan import Expr, Op, ShapeKind
from tests.constraints.naive_values import Found, Object
from tests.constraints.snapshot import Snapshot
from tests.constraints.world import Checked


def counted(found: list[Found], checked: Checked, at: int) -> list[Found]:
    """Those of a moment that count."""
    return [one for one in found if _counts(one, checked, at)]


def _counts(found: Found, checked: Checked, at: int) -> bool:
    plan, now = checked.plan, checked.at(at)
    constraint = plan.constraints[found.constraint]
    if constraint.shape.kind is ShapeKind.ROOTED:
        kind = constraint.variables[0].type
        return not constraint.body.text or _is_lost(found.binding[0], kind, checked, at)
    if any(_mentions_roots(part) for part in (constraint.guard, constraint.body) if part):
        return True
    objects = [one for one in found.binding if isinstance(one, Object)]
    if not all(map(now.is_in_structure, objects)):
        return False
    return constraint.shape.kind is not ShapeKind.NESTED or _is_wrong_among_rooted(
        found, checked, at
    )


def _is_wrong_among_rooted(found: Found, checked: Checked, at: int) -> bool:
    snapshot = Snapshot(checked.plan, checked.model.state(at), checked.types)
    snapshot.rooted_edges = True
    return snapshot.is_violated(found)


def _mentions_roots(expr: Expr) -> bool:
    return expr.op is Op.ROOTED or any(map(_mentions_roots, expr.args))


def _is_lost(witness: Object, kind: int, checked: Checked, at: int) -> bool:
    """Whether it, or what it leads to through nodes that are apart, is not apart."""
    now, todo = checked.at(at), [witness]
    for one in todo:
        if not _is_apart(one, kind, checked, at):
            return True
        for source, target in now.edges(0):
            below = source == one and now.is_object(target, kind) and target not in todo
            if below and now.instance(target, kind) is None:
                todo.append(target)
    return False


def _is_apart(one: Object, kind: int, checked: Checked, at: int) -> bool:
    later = range(at + 1, checked.model.last + 1)
    if any(not checked.at(moment).is_object(one, kind) for moment in later):
        return True
    before = (now for moment in range(at + 1) if (now := _held_by(one, kind, checked, moment)))
    again = (
        _held_by(one, kind, checked, moment) - _held_by(one, kind, checked, moment - 1)
        for moment in later
    )
    return not any(before) or any(again)


def _held_by(one: Object, kind: int, checked: Checked, at: int) -> set[tuple[Object, int]]:
    """The fields that lead to it, roots included."""
    now = checked.at(at)
    return now.held_by(one, kind) if now.is_object(one, kind) else set()
