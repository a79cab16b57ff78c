"""Slicing: only what can matter to the heap is left for the analysis.

The criterion is every statement that can change the heap or what is known of it (calls, stores,
loads, assignments to variables wide enough for a pointer), every branch and every return.
Statements that only compute numbers none of these reads are taken out, with the variables they
feed.
"""

from __future__ import annotations

from heapstory.cfront import program as op
from heapstory.cfront.liveness import defined, uses
from heapstory.cfront.program import Function, Statement

_CRITERION = frozenset((op.CALL, op.STORE, op.LOAD, op.GATHER, op.CMPXCHG, op.RMW, op.ASM))


VERSION = "heap 1"  # of what is left
_SMALL = frozenset(("i1", "i8", "i16", "i32", "float", "double"))  # no pointer fits in


def slice_to_heap(function: Function) -> None:
    """Take irrelevant statements out."""
    small = frozenset(slot for slot, kind in function.kinds.items() if kind in _SMALL)
    needed = _needed(function, small)
    for block in function.blocks.values():
        kept = [s for s in block.statements if _criterion(s, small) or defined(s) in needed]
        function.removed += len(block.statements) - len(kept)
        block.statements = kept
        block.phis = [phi for phi in block.phis if phi[0] in needed]


def _criterion(statement: Statement, small: frozenset[str]) -> bool:
    if statement[0] == op.ASSIGN:
        return statement[2] not in small
    return statement[0] in _CRITERION


def _needed(function: Function, small: frozenset[str]) -> set[str]:
    """The names that the criterion reads, and what these are computed from."""
    sources: dict[str, list[str]] = {}
    pending: list[str] = []
    for block in function.blocks.values():
        for statement in block.statements:
            name = defined(statement)
            if _criterion(statement, small):
                pending.extend(uses(statement))
            elif name is not None:
                sources.setdefault(name, []).extend(uses(statement))
        for name, values in block.phis:
            sources.setdefault(name, []).extend(v for v in values.values() if type(v) is str)
        kind = block.terminator[0]
        if kind in (op.BRANCH, op.SWITCH, op.RETURN) and type(block.terminator[2]) is str:
            pending.append(block.terminator[2])
    needed: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending.extend(sources.get(name, ()))
    return needed
