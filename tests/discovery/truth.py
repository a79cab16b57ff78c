"""Nodes and edges that mode portable found, against what malloc and free really did.

A trace recorded with ``record --mode portable --truth`` holds both. Only blocks that the program
wrote to count: nothing can be known of the others. A node *matches* a block if it starts where the
block starts, lived at the same time and does not reach beyond it. A true edge is a word of such a
block that points into another, written since the block was handed out (what malloc left there from
an earlier block is nobody's pointer); it is found if the graph has it between the nodes of these
blocks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import heapstory

FOREVER = 1 << 62


@dataclass(slots=True)
class Block:
    address: int
    size: int
    born: int  # timestamps
    died: int = FOREVER
    since: int = 0  # when its contents began: before it was born, if realloc left it in place
    touched: bool = False
    node: int | None = None

    def lives(self, time: int) -> bool:
        """What malloc did stands behind the timestamp it has: the change it makes is the next."""
        return self.born < time <= self.died

    def overlaps(self, born: int, died: int) -> bool:
        return self.born <= died and born <= self.died


@dataclass(slots=True)
class Comparison:
    """Counts; ``differences`` says why what differs does."""

    blocks: int = 0  # touched
    found_blocks: int = 0
    nodes: int = 0  # that lie where malloc gave memory
    right_nodes: int = 0
    edges: int = 0
    found_edges: int = 0
    shown_edges: int = 0  # by the graph, between blocks
    right_edges: int = 0
    differences: Counter[str] = field(default_factory=Counter)

    def shares(self) -> dict[str, float]:
        """Recall and precision, 1.0 where there was nothing to find."""
        pairs = {
            "node recall": (self.found_blocks, self.blocks),
            "node precision": (self.right_nodes, self.nodes),
            "edge recall": (self.found_edges, self.edges),
            "edge precision": (self.right_edges, self.shown_edges),
        }
        return {name: part / whole if whole else 1.0 for name, (part, whole) in pairs.items()}


class Places:
    """Which block holds an address at a time."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._by_start: dict[int, list[Block]] = {}
        for block in blocks:
            self._by_start.setdefault(block.address, []).append(block)
        self._starts = sorted(self._by_start)

    def candidates(self, address: int) -> Iterator[Block]:
        """Blocks that ever held the address, those with the nearest start first."""
        at = bisect_right(self._starts, address)
        for start in reversed(self._starts[max(0, at - 64) : at]):
            for block in self._by_start[start]:
                if address < start + max(block.size, 1):
                    yield block

    def find(self, address: int, time: int) -> Block | None:
        """The one that lived then."""
        return next((b for b in self.candidates(address) if b.lives(time)), None)


def true_blocks(trace: heapstory.Trace) -> list[Block]:
    """What malloc, realloc and free did, from the recorder's own account."""
    table = trace.core.found("truth")
    names = ("timestamp", "address", "size", "free")
    live: dict[int, Block] = {}
    blocks = []
    for time, address, size, is_free in zip(*(table.column(n) for n in names), strict=True):
        ended = live.pop(address, None)
        if ended:
            ended.died = time
        if not is_free:
            live[address] = Block(address, size, time, since=ended.since if ended else time)
            blocks.append(live[address])
    return blocks


def mark_touched(trace: heapstory.Trace, places: Places) -> None:
    """A block that a store of the program fell into while it lived."""
    rows = trace.query(
        "SELECT DISTINCT timestamp, address FROM events "
        "WHERE kind IN ('store', 'copy', 'fill', 'syscall')"
    )
    for time, address in rows:
        # a store stands after the call that made its block, and has that timestamp or a later one
        for block in places.candidates(address):
            if not block.touched and block.born <= time <= block.died:
                block.touched = True


def written(trace: heapstory.Trace) -> dict[int, list[int]]:
    """When each word was written, by its address."""
    found: dict[int, list[int]] = {}
    rows = trace.query(
        "SELECT timestamp, address, size FROM events "
        "WHERE address IS NOT NULL AND kind NOT IN ('alloc', 'free') ORDER BY timestamp"
    )
    for time, address, size in rows:
        for word in range(address // 8 * 8, address + size, 8):
            found.setdefault(word, []).append(time)
    return found


def compare(trace: heapstory.Trace, moments: int = 5) -> Comparison:
    """Nodes over the whole run, edges at some moments of it."""
    blocks = true_blocks(trace)
    places = Places(blocks)
    mark_touched(trace, places)
    result = Comparison(blocks=sum(block.touched for block in blocks))
    block_of = _match_nodes(trace, places, result)
    result.found_blocks = sum(b.touched and b.node is not None for b in blocks)
    for block in blocks:
        if block.touched and block.node is None:
            result.differences[_why_missed(block)] += 1
    writes = written(trace)
    for number in range(1, moments + 1):
        time = trace.last * number // moments
        _compare_edges(trace, time, blocks, block_of, writes, result)
    return result


def _match_nodes(trace: heapstory.Trace, places: Places, result: Comparison) -> dict[int, Block]:
    """The block that each node stands for; no two nodes stand for one."""
    rows = trace.query(
        "SELECT node, address, size, coalesce(created, 0), coalesce(freed, -1) "
        "FROM nodes WHERE kind = 'heap' ORDER BY node"
    )
    matches: dict[int, Block] = {}
    for node, address, size, born, freed in rows:
        died = FOREVER if freed < 0 else freed
        over = [b for b in places.candidates(address) if b.overlaps(born, died)]
        if not over:
            result.differences["node outside malloc's memory (left out)"] += 1
            continue
        result.nodes += 1
        same = [b for b in over if b.address == address and b.node is None]
        block = min(same, key=lambda b: abs(b.born - born), default=None)
        if block is not None and size <= (block.size + 7) // 8 * 8:
            result.right_nodes += 1
            matches[node] = block
            block.node = node
        elif block is not None:
            result.differences["node reaches beyond its block"] += 1
        elif any(b.address == address for b in over):
            result.differences["a second node for a block"] += 1
        else:
            result.differences["node starts inside a block"] += 1
    return matches


def _why_missed(block: Block) -> str:
    return "block of no bytes" if block.size == 0 else "block with no node at its start"


def _compare_edges(
    trace: heapstory.Trace,
    time: int,
    blocks: list[Block],
    block_of: dict[int, Block],
    writes: dict[int, list[int]],
    result: Comparison,
) -> None:
    alive = [b for b in blocks if b.touched and b.lives(time)]
    places = Places(alive)
    true = set()
    for block in alive:
        for at in range(-block.address % 8, block.size - 7, 8):
            data = trace.core.value(block.address + at, 8, time)
            value = int.from_bytes(data, "little") if data else 0
            target = places.find(value, time) if value else None
            when = writes.get(block.address + at, [])
            last = bisect_right(when, time)
            if target is not None and last and when[last - 1] >= block.since:
                true.add((block.address, at, target.address, value - target.address))
    shown = set()
    graph = trace.core.graph(time)
    edges, nodes = graph.edges(), graph.nodes()
    starts = dict(zip(nodes.column("id"), nodes.column("address"), strict=True))
    names = ("source", "offset", "target", "target_offset", "state")
    for source, offset, target, inside, state in zip(*map(edges.column, names), strict=True):
        if state == "live" and source in block_of and target in block_of:
            shown.add((starts[source], offset, starts[target], inside))
    result.edges += len(true)
    result.found_edges += len(true & shown)
    result.shown_edges += len(shown)
    result.right_edges += len(true & shown)
