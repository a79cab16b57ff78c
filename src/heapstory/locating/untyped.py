"""Blocks without a type that may be nodes of a specification."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from heapstory import _core
from heapstory.constraints.plan import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heapstory.constraints.plan import Plan, PlanField, PlanType
    from heapstory.store.places import Place
    from heapstory.trace import Trace

WORD = 8
STORED = ("store", "copy", "fill")
C_LIBRARY = ("libc.", "libc-", "libc++", "libstdc++", "ld-")  # and that of C++
MOST_STORES = 256  # of a block


def count_untyped(trace: Trace, plan: Plan) -> int:
    """How many blocks have no type and the size of one of the specification's types, or of several
    (perhaps behind their number, as C++ has it), and hold, as far as one block of each allocation
    shows, what such nodes would."""
    bound = {stack for type in plan.types for member in type.members for stack in member.stacks}
    types = [type for type in plan.types if type.size and not type.implied and _is_by_name(type)]
    own = {path for (path,) in trace.query("SELECT path FROM modules WHERE own").rows}
    allocations = _core.Allocations(trace.core)
    return sum(
        blocks
        for type_id, size, _ in allocations.kinds()
        if type_id is None and any(_start(type, size) is not None for type in types)
        for stack, node, blocks in allocations.stacks(None, size)
        if stack not in bound
        and _is_of_program(trace.stack(stack), own)
        and any(_may_be(trace, plan, type, node) for type in types)
    )


def _is_by_name(type: PlanType) -> bool:
    """Whether its nodes are known by their type, not by where they were allocated."""
    return any(member.type_id is not None for member in type.members)


def _is_of_program(stack: list[Place], own: set[str]) -> bool:
    """Whether a block is the program's, or a library's on its behalf: not the C library's own."""
    innermost = PurePath(stack[0].module or "").name if stack else ""
    return not innermost.startswith(C_LIBRARY) and any(p.line and p.module in own for p in stack)


def _start(type: PlanType, size: int) -> int | None:
    """Where the first node would begin in a block."""
    return next((at for at in (0, WORD) if size > at and (size - at) % type.size == 0), None)


def _may_be(trace: Trace, plan: Plan, type: PlanType, node: int) -> bool:
    """Whether something was stored in fields of the type, and nothing that they do not hold."""
    described = trace.core.node(node)
    start = _start(type, described["size"]) if described else None
    if described is None or start is None:
        return False
    is_used = False
    for stored in _stores(trace, described):
        place = stored.offset - start
        at = place % type.size if place >= 0 else place
        is_used |= any(at + stored.size > run.field.offset for run in type.runs)
        for field in type.fields:
            if at < field.offset + field.size and field.offset < at + stored.size:
                is_used = True
                if not _fits(trace, plan, field, at, stored):
                    return False
    return is_used


@dataclass(frozen=True, slots=True)
class _Stored:
    """Up to a word that was stored in a block, and the node that it points to."""

    offset: int
    size: int
    value: int
    target: int | None


def _stores(trace: Trace, block: dict[str, Any]) -> Iterator[_Stored]:
    address = block["address"]
    first, last = block["created"] or 0, block["freed"] or trace.last
    history = trace.core.history(address, block["size"], first, last)
    names = ("timestamp", "address", "size", "value", "bytes", "kind")
    for time, at, size, value, text, kind in history.rows(names, MOST_STORES):
        if kind not in STORED:
            continue
        whole = value.to_bytes(size, "little") if value is not None else bytes.fromhex(text)
        for begin in range(0, len(whole), WORD):
            part = whole[begin : begin + WORD]
            word = int.from_bytes(part, "little")
            target = trace.core.node_at(word, time) if len(part) == WORD and word else None
            yield _Stored(at + begin - address, len(part), word, target)


def _fits(trace: Trace, plan: Plan, field: PlanField, at: int, stored: _Stored) -> bool:
    """Whether a field may hold what was stored at some place over it."""
    if field.kind is not Kind.POINTER:
        return field.kind is Kind.WORD or stored.target is None
    if stored.size < field.size:
        return False
    return not stored.value or at != field.offset or _leads_to(trace, plan, field, stored.target)


def _leads_to(trace: Trace, plan: Plan, field: PlanField, target: int | None) -> bool:
    """Whether a pointer may be one to the field's type: to a node that has no other type."""
    described = trace.core.node(target) if target is not None else None
    if described is None or field.target is None:
        return described is not None
    own = {member.type_id for member in plan.types[field.target].members}
    return described["type"] is None or described["type"] in own or None in own
