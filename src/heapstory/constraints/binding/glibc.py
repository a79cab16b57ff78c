"""The free lists of glibc's malloc in a trace of mode internals, which knows no types.

A chunk begins 16 bytes before what malloc returns; a free one holds, behind its two sizes, pointers
to the next one and the one before. The lists are rings, and each goes through a bin: two words in
libc's data that are used as if they were the pointers of a chunk 16 bytes before them. A bin that
has never been used points to that chunk itself, and so they are found. The rest of a chunk that was
split is no node of its own: it is found by the pointers of a list that lead to it. Where a node
begins right behind the two sizes of a chunk, that node holds its pointers: the chunk is an object
of that node, which begins 16 bytes before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapstory.constraints.binding.layout import WORD, Layout, Scalar
from heapstory.constraints.plan import Kind, PlanMember
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.trace import Trace

CHUNK, BIN = "malloc_chunk", "malloc_bin"
SIZE, HEADER = 4 * WORD, 2 * WORD
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
# Pointers into the middle of heap nodes, which may be to the rest of a chunk.
INSIDE = """
SELECT DISTINCT e.node, e."offset", e.target, e.target_offset
FROM edges e JOIN nodes n ON e.target = n.node
WHERE n.kind = 'heap' AND e.target_offset > 0 AND e.target_offset % 16 = 0
"""
# Pointers to 16 bytes before a heap node.
BEFORE = f"""
SELECT DISTINCT e.node, e."offset", n.node, -{HEADER}
FROM edges e JOIN nodes n ON n.address = e.value + {HEADER}
WHERE n.kind = 'heap' AND n.size >= {SIZE - HEADER} AND e.target IS NOT NULL AND e.target <> n.node
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
    heap = [PlanMember(node=int(node)) for (node,) in rows]
    return Layout(SIZE, PARTS, (*bins, *heap, *_rests(trace, [*bins, *heap])))


def _rests(trace: Trace, known: list[PlanMember]) -> list[PlanMember]:
    """What the pointers of bins and chunks lead to inside heap nodes."""
    led_to: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for node, offset, target, inside in trace.query(f"{INSIDE} UNION ALL {BEFORE}").rows:
        led_to.setdefault((int(node), int(offset)), []).append((int(target), int(inside)))
    found: dict[tuple[int, int], PlanMember] = {}
    todo = list(known)
    while todo:
        chunk = todo.pop()
        assert chunk.node is not None
        for field in (chunk.base + 2 * WORD, chunk.base + 3 * WORD):
            for target, inside in led_to.get((chunk.node, field), ()):
                if (target, inside) not in found:
                    found[target, inside] = PlanMember(node=target, base=inside)
                    todo.append(found[target, inside])
    return list(found.values())
