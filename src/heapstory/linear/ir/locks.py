"""Locks that answer: what they say who gets them, and who is refused."""

from __future__ import annotations

from heapstory.linear.ir import instructions as op
from heapstory.linear.ir.emitter import Emitter
from heapstory.linear.ir.instructions import address_of
from heapstory.linear.ir.module import Type

NOT_HELD = -(1 << 40)  # the status of a section that was not entered
_STATUS = ("int", "bool", "_Bool")
_HELD = "what the lock answers who gets it"


def may_refuse(returns: Type) -> bool:
    """Whether a lock may say that it was not taken."""
    return returns.text in _STATUS


def keep(to: Emitter, held: int) -> None:
    """Notes what a lock answers that nobody holds."""
    to.emit(op.STORE, a=_slot(to), b=held, size=8)


def unless_held(to: Emitter, answer: int) -> None:
    """Gives at once where a lock answers otherwise than what was noted: it only tried."""
    same, first = to.fresh(), to.fresh()
    to.emit(op.LOAD, dst=first, a=_slot(to), size=8)
    to.emit(op.COMPARE, kind=0, dst=same, a=answer, b=first, size=32)
    branch = to.emit(op.BRANCH, a=same)
    branch.c = len(to.body.code)
    refused = [to.module.constant(NOT_HELD), to.module.constant(0)]
    to.emit(op.GIVE, b=to.row(refused), c=2)
    branch.b = len(to.body.code)


def _slot(to: Emitter) -> int:
    return to.module.constant(address_of(to.module.made_up(_HELD, 8)))
