"""Remarks on a specification that is well formed but looks mistaken."""

from __future__ import annotations

from heapstory.linear.language.binding import reads_writes
from heapstory.linear.language.syntax import (
    Free,
    Local,
    Malloc,
    Operation,
    Read,
    Specification,
    SubOperation,
    subexpressions,
)


def lint(spec: Specification) -> list[str]:
    """One line per remark: unused locals, and reads whose value nothing uses."""
    found: list[str] = []
    for operation in spec.operations:
        found += _operation(spec, operation)
    return found


def _operation(spec: Specification, operation: Operation) -> list[str]:
    found = []
    mentioned = {name for step in operation.steps for name in _mentioned(step)}
    for variable in operation.locals:
        if variable.name not in mentioned:
            where = variable.position
            found.append(
                f"{spec.path}:{where.line}:{where.column}: local '{variable.name}' of "
                f"'{operation.name}' is never used"
            )
    for number, step in enumerate(operation.steps):
        _, sets = reads_writes(step)
        later = operation.steps[number:] if step.loop else operation.steps[number + 1 :]
        needed = {n for s in later for n in _mentioned(s)} | _used_inside(step)
        for name in sorted(sets - needed - {n for n, _ in step.binds}):
            where = step.position
            found.append(
                f"{spec.path}:{where.line}:{where.column}: the value read into '{name}' is never "
                f"used in '{operation.name}'"
            )
    return found


def _mentioned(step: SubOperation) -> set[str]:
    needs, sets = reads_writes(step)
    extra = {
        part.name
        for s in step.body
        if isinstance(s, (Read, Free))
        for part in subexpressions(s.place if isinstance(s, Read) else s.target)
        if isinstance(part, Local)
    }
    return needs | sets | extra


def _used_inside(step: SubOperation) -> set[str]:
    # Set and used within one sub-operation: `x = AR[i]; AR[i] = NULL; return x;`
    used: set[str] = set()
    for condition in step.guard:
        for name in ("left", "right"):
            expr = getattr(condition, name, None)
            used |= (
                {p.name for p in subexpressions(expr) if isinstance(p, Local)} if expr else set()
            )
    for statement in step.body:
        parts = vars(statement)
        for key, item in parts.items():
            target = key == "target" and isinstance(item, Local)
            if key == "position" or (target and not isinstance(statement, (Free, Malloc))):
                continue
            for expr in item if isinstance(item, tuple) else (item,):
                if not isinstance(expr, (str, Local)) and hasattr(expr, "__dataclass_fields__"):
                    used |= {p.name for p in subexpressions(expr) if isinstance(p, Local)}
                elif isinstance(expr, Local):
                    used.add(expr.name)
    return used
