"""Algorithm 3 of the thesis, taken literally, over the naive model.

Corrected where its print is (decisions D14 to D20 of the notes): line 14 reads O ~> e; it ends when
nothing is pending or the beginning is reached; "related" means that O changes the arguments of both
inconsistencies; an argument is the value of an atom; what is added in a step is examined from the
next on; a node that is not there makes the arguments absent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from heapstory.constraints.plan import Plan
from tests.constraints.naive_values import Found
from tests.constraints.snapshot import Snapshot


@dataclass
class Location:
    """What was found: the operations (timestamps) that contributed, and the sets on the way."""

    operations: list[int] = field(default_factory=list)
    contributed: dict[int, set[Found]] = field(default_factory=dict)
    inconsistencies: dict[int, list[Found]] = field(default_factory=dict)


def check(snapshot: Snapshot, plan: Plan) -> list[Found]:
    """Check_Constraints: all canonical inconsistencies of a moment."""
    return [
        found for number in range(len(plan.constraints)) for found in snapshot.canonical(number)
    ]


def locate(
    plan: Plan,
    moment: Callable[[int], Snapshot],
    cpoint: int,
    wrong: list[Found] | None = None,
) -> Location:
    """Fault_Location from a C-point, of what is wrong there (None: all that is); `moment` gives
    the graph as of a timestamp.

    Operation i turns the graph as of i - 1 into the graph as of i.
    """
    result = Location()
    after = moment(cpoint)
    pending = check(after, plan) if wrong is None else list(wrong)
    result.inconsistencies[cpoint] = list(pending)
    i = cpoint
    while pending and i > 0:
        before = moment(i - 1)
        inconsistent = check(before, plan)
        result.inconsistencies[i - 1] = inconsistent
        for e in list(pending):
            if before.arguments(e) == after.arguments(e):
                continue  # the operation did not contribute to e
            if i not in result.operations:
                result.operations.append(i)
            result.contributed.setdefault(i, set()).add(e)
            for other in inconsistent:
                changed = before.arguments(other) != after.arguments(other)
                if other != e and changed and other not in pending:
                    pending.append(other)
            if not before.is_violated(e):
                pending.remove(e)
        i, after = i - 1, before
    return result
