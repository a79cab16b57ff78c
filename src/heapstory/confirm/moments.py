"""The moment when the last reference to a block was lost, as far as a finding tells where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.checking.moments import last_field
from heapstory.checks.moment import Moment
from heapstory.confirm.evidence import Block, Evidence, ignored
from heapstory.static.transfer.losses import FIELD_LOST, FIELD_OVERWRITTEN
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.static import Finding


def moment_of_loss(
    evidence: Evidence, block: Block, finding: Finding, returns_pointer: bool
) -> Moment:
    """When and where a block that is lost at the end was lost."""
    left_out = ignored(finding, returns_pointer)
    after, before = evidence.references.between(block.node, block.created, left_out)
    ended, place = last_field(evidence.holders, block.node, before)
    claimed = Place(finding.place.path, finding.place.line, finding.place.function)
    if ended is not None and ended >= after:
        field = finding.kind in (FIELD_OVERWRITTEN, FIELD_LOST)
        return Moment(ended, ended, before, ended == before, place if field else claimed)
    returned = _return_of(evidence, block, finding.function)
    if returned is None or not after <= returned <= before:
        returned = before
    return Moment(returned, after, before, after == before, claimed)


def _return_of(evidence: Evidence, block: Block, function: str) -> int | None:
    """When the activation of a function in which the block was made returned."""
    depth = 0
    for at, kind, name in evidence.references.points:
        if at < block.created:
            continue
        if kind == "entry":
            depth += 1
        elif kind == "return":
            if depth:
                depth -= 1
            elif name == function:
                return at
    return None
