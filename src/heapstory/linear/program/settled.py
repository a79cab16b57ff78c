"""Fields that never change once others can reach their node: written only while the operation that
allocated the node is the only one to know it."""

from __future__ import annotations

from heapstory.linear.language.binding import local_names
from heapstory.linear.language.syntax import (
    Assign,
    Field,
    Local,
    Malloc,
    Operation,
    Specification,
    SubOperation,
)


def settled_fields(spec: Specification) -> set[tuple[str, str]]:
    """The (struct, field) pairs that no operation writes in a node it may have published."""
    fields = {(struct, f.name) for struct, fs in spec.structs.items() for f in fs}
    for operation in spec.operations:
        fields -= _written(operation)
    return fields


def _written(operation: Operation) -> set[tuple[str, str]]:
    private: set[str] = set()
    written: set[tuple[str, str]] = set()
    for step in operation.steps:
        if step.loop:  # what one turn gives away is not private in the next
            private &= _after(step, set(private), set())
        private = _after(step, private, written)
    return written


def _after(step: SubOperation, private: set[str], written: set[tuple[str, str]]) -> set[str]:
    """The locals that hold a node nobody else knows, after a step; adds what it writes besides."""
    private = private - {name for name, _ in (*step.binds, *step.picks)}
    for _, expr in step.binds:
        private -= local_names(expr)
    for statement in step.body:
        if not isinstance(statement, (Assign, Malloc)):
            continue
        target = statement.target
        if isinstance(target, Field):
            own = isinstance(target.base, Local) and target.base.name in private
            if not own:
                written.add((target.struct, target.name))
        if isinstance(statement, Assign):  # an alias: neither is known to be private any more
            private -= local_names(statement.value)
        if isinstance(target, Local):
            private.discard(target.name)
            if isinstance(statement, Malloc):
                private.add(target.name)
    return private
