"""Operations extracted from C, brought to the granularity in which a person would write them.

A check of locals moves up to the read that gives the last of them its value: an execution that
fails it there is on another path with the same beginning. A local that such a check makes equal to
another is replaced by it, and what nobody needs any more is only looked at, or dropped.
"""

from __future__ import annotations

from dataclasses import replace

from heapstory.linear.c.replacing import replaced_condition, replaced_step
from heapstory.linear.language.binding import local_names, reads_writes
from heapstory.linear.language.syntax import (
    Assign,
    Condition,
    Const,
    Expr,
    Field,
    Local,
    NoNode,
    Operation,
    Read,
    Statement,
    SubOperation,
    subexpressions,
)

Simple = Local | Const


def simplify(operation: Operation) -> list[SubOperation]:
    """The steps that remain."""
    steps = list(operation.steps)
    for number in range(len(steps)):
        _move_checks_up(steps, number)
    for number in range(len(steps)):
        _use_equals(steps, number)
    kept = [_without_dead(steps, n) for n in range(len(steps))]
    return [step for step in kept if step.guard or step.body]


def _sets(steps: list[SubOperation], name: str) -> list[int]:
    return [n for n, step in enumerate(steps) if name in reads_writes(step)[1]]


def _reading(step: SubOperation) -> tuple[str, Expr] | None:
    """The local and the place of a step that does nothing but one read."""
    if step.loop or len(step.body) != 1 or not isinstance(step.body[0], Assign):
        return None
    target, value = step.body[0].target, step.body[0].value
    return (target.name, value) if isinstance(target, Local) else None


def _move_checks_up(steps: list[SubOperation], number: int) -> None:
    stay: list[Condition | NoNode] = []
    for check in steps[number].guard:
        to = _place_of(steps, number, check)
        if to is None or not isinstance(check, Condition):
            stay.append(check)
            continue
        found = _reading(steps[to])
        assert found is not None
        if check.op in ("==", "!=") and check.right == Local(found[0]):
            check = replace(check, left=check.right, right=check.left)  # the place stands first
        moved = replaced_condition(check, {found[0]: found[1]})
        if moved not in steps[to].guard:
            steps[to] = replace(steps[to], guard=(*steps[to].guard, moved))
    steps[number] = replace(steps[number], guard=tuple(stay))


def _place_of(steps: list[SubOperation], number: int, check: Condition | NoNode) -> int | None:
    """The read that a check can move up to."""
    if steps[number].loop or not isinstance(check, Condition):
        return None
    if not all(isinstance(side, Simple) for side in (check.left, check.right)):
        return None
    names = local_names(check.left) | local_names(check.right)
    given = [n for name in names for n in _sets(steps, name) if n < number]
    if not given:
        return None
    found = _reading(steps[max(given)])
    return max(given) if found and found[0] in names else None


def _use_equals(steps: list[SubOperation], number: int) -> None:
    """Where a read is checked to give what a local or constant holds, use that from there on."""
    found = _reading(steps[number])
    if found is None or _sets(steps, found[0]) != [number]:
        return
    name, place = found
    for check in steps[number].guard:
        if not isinstance(check, Condition) or check.op != "==" or place != check.left:
            continue
        other = check.right
        later = isinstance(other, Local) and any(n > number for n in _sets(steps, other.name))
        if isinstance(other, Simple) and not later:
            for n in range(number + 1, len(steps)):
                steps[n] = replaced_step(steps[n], {name: other})
            return


def _without_dead(steps: list[SubOperation], number: int) -> SubOperation:
    step = steps[number]
    later = set().union(*(reads_writes(s)[0] for s in steps[number + (not step.loop) :]))
    body: list[Statement] = []
    for at, statement in enumerate(step.body):
        rest = replace(step, guard=(), body=step.body[at + 1 :])
        used = later | reads_writes(rest)[0]
        if (
            not isinstance(statement, Assign)
            or not isinstance(statement.target, Local)
            or statement.target.name in used
        ):
            body.append(statement)
        elif (step.guard and not isinstance(statement.value, Simple)) or _follows(statement.value):
            body.append(Read(statement.value, statement.position))
    return replace(step, body=tuple(body))


def _follows(expr: Expr) -> bool:
    """Whether an expression follows a pointer of the operation's own, which may be NULL."""
    return any(isinstance(p, Field) and isinstance(p.base, Local) for p in subexpressions(expr))
