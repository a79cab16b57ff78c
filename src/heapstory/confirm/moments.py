"""The moment when the last reference to a block was lost.

Two sources: the history of the fields that held the block, which is complete, and the scans of
stacks and registers, which bound what happened there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.confirm.evidence import Block, Evidence
from heapstory.static.findings.confirmation import Moment
from heapstory.static.transfer.losses import FIELD_LOST, FIELD_OVERWRITTEN
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.static import Finding

MAX_HOLDERS = 1000  # blocks a lost structure is followed up through


def moment_of_loss(
    evidence: Evidence, block: Block, finding: Finding, returns_pointer: bool
) -> Moment:
    """When and where a block that is lost at the end was lost."""
    after, before = _between_scans(evidence, block, finding, returns_pointer)
    ended, place = _last_field(evidence, block, before)
    claimed = Place(finding.place.path, finding.place.line, finding.place.function)
    if ended is not None and ended >= after:
        field = finding.kind in (FIELD_OVERWRITTEN, FIELD_LOST)
        return Moment(ended, ended, before, ended == before, place if field else claimed)
    returned = _return_of(evidence, block, finding.function)
    if returned is None or not after <= returned <= before:
        returned = before
    return Moment(returned, after, before, after == before, claimed)


def _between_scans(
    evidence: Evidence, block: Block, finding: Finding, returns_pointer: bool
) -> tuple[int, int]:
    """The last scan that found the block and the first that did not. What is lost stays lost, so
    it can be searched by halving."""
    scans = evidence.scans_from(block.created)
    low, high = 0, len(scans) - 1
    while low < high:
        middle = (low + high) // 2
        if evidence.lost(block.node, scans[middle], finding, returns_pointer):
            high = middle
        else:
            low = middle + 1
    found_before = scans[low - 1] if low else block.created
    return found_before, scans[low]


def _last_field(evidence: Evidence, block: Block, before: int) -> tuple[int | None, Place | None]:
    """When the last field that led to the block stopped doing so, and the statement that did it.

    A holder that still stands is lost itself: then its own last reference is the one that counts.
    """
    trace = evidence.trace
    last: tuple[int, int, int] | None = None  # until, holder, address
    seen = {block.node}
    pending = {block.node}
    while pending and len(seen) < MAX_HOLDERS:
        rows = trace.query(
            'SELECT until, node, address + "offset" FROM edges JOIN nodes USING (node) '
            f"WHERE target IN ({', '.join(map(str, pending))}) AND state = 'live'"
        ).rows
        last = max((row for row in rows if row[0] is not None and row[0] <= before), default=last)
        pending = {holder for until, holder, _ in rows if until is None or until > before} - seen
        seen |= pending
    if last is None:
        return None, None
    until, holder, address = last
    return until, _ender(evidence, holder, address, until)


def _ender(evidence: Evidence, holder: int, address: int, at: int) -> Place | None:
    """The statement that freed the holder or overwrote the field."""
    trace = evidence.trace
    (row,) = trace.query(f"SELECT freed, freed_site FROM nodes WHERE node = {holder}").rows
    if row[0] == at:
        return trace.place(row[1]) if row[1] is not None else None
    sites = trace.core.history(address, 8, at, at).column("site")
    return trace.place(sites[-1]) if sites and sites[-1] is not None else None


def _return_of(evidence: Evidence, block: Block, function: str) -> int | None:
    """When the activation of a function in which the block was made returned."""
    depth = 0
    for at, kind, name in evidence.points:
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
