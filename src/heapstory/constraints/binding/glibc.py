"""The free lists of glibc's malloc in a trace of mode internals, which knows no types.

A chunk begins 16 bytes before what malloc returns; a free one holds, behind its two sizes, pointers
to the next one and the one before. The lists are rings, and each goes through a bin: two words in
libc's data that are used as if they were the pointers of a chunk 16 bytes before them. A bin that
has never been used points to that chunk itself, and so they are found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.constraints.binding.layout import WORD, Layout, Scalar
from heapstory.constraints.plan import Kind, PlanMember
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.trace import Trace

CHUNK, BIN = "malloc_chunk", "malloc_bin"
SIZE = 4 * WORD
PARTS = (
    Scalar("mchunk_prev_size", 0, WORD, Kind.UINT),
    Scalar("mchunk_size", WORD, WORD, Kind.UINT),
    Scalar("fd", 2 * WORD, WORD, Kind.POINTER, CHUNK),
    Scalar("bk", 3 * WORD, WORD, Kind.POINTER, CHUNK),
)
BINS = """
SELECT DISTINCT e.node, CAST(e.value AS BIGINT) - n.address
FROM edges e JOIN nodes n ON e.node = n.node
WHERE n.kind = 'global' AND e.target = e.node AND e.value = n.address + e."offset" - 16
ORDER BY 1, 2
"""


def layout(trace: Trace, name: str) -> Layout:
    """The layout of chunks or bins."""
    bins = [PlanMember(node=int(node), base=int(base)) for node, base in trace.query(BINS).rows]
    if not bins:
        raise UsageError(
            f"{trace.path}: glibc's own stores are not in it, so there is no {name} "
            "(record with --mode internals)"
        )
    if name == BIN:
        return Layout(SIZE, PARTS, tuple(bins))
    rows = trace.query(f"SELECT node FROM nodes WHERE kind = 'heap' AND size >= {SIZE}").rows
    heap = (PlanMember(node=int(node)) for (node,) in rows)
    return Layout(SIZE, PARTS, (*bins, *heap))
