"""What a program still had at its end, and what it could still find of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from heapstory.checks.finding import Block, Finding, Stack

if TYPE_CHECKING:
    from heapstory.checks.moment import Moment
    from heapstory.store.open_trace import OpenTrace

# What is a mistake of the program, not only a consequence of one, or memory it may want.
MISTAKES = ("leak", "possible-leak")
# What the dynamic linker allocates for itself no program can free; it refers to it as it likes.
LINKER = "the dynamic linker's own"
KINDS = ("leak", "indirect-leak", "possible-leak", "possible-indirect-leak", "reachable")


@dataclass(slots=True)
class Leak:
    """Blocks of one kind that were allocated by the same stack."""

    kind: str
    stack: Stack
    address: int  # of the first
    node: int  # the first
    created: int
    blocks: int = 0
    bytes: int = 0
    suppressed: str | None = None
    process: int = 0
    parts: Counter[str] = field(default_factory=Counter)  # blocks known by a part alone
    lost: Moment | None = None  # when the first one was, where that was recorded

    @property
    def finding(self) -> Finding:
        """The same as other findings are."""
        block = Block(self.address, self.bytes, self.stack)
        return Finding(self.kind, self.address, [], block, suppressed=self.suppressed)

    @property
    def fingerprint(self) -> str:
        """As of other findings."""
        return self.finding.fingerprint


def leaks(
    trace: OpenTrace, child: bool = False, parts: bool = True, at: int | None = None
) -> list[Leak] | None:
    """By kind and allocation, most bytes first; None where nothing is known of the end,
    or of another moment.

    Every block that was alive is in one of them; of a forked child, every block of its own. Where
    the program made blocks of parts of a larger one, they count in its place.
    """
    graph = trace.core.graph(trace.last if at is None else at, False)
    nodes = graph.nodes()
    names = ("id", "kind", "address", "size", "created_stack", "created")
    made: dict[tuple[str, int | None], Leak] = {}
    heap = [row for row in nodes.rows(names) if row[1] == "heap"]
    stacks = {stack: trace.places.stack(stack) for stack in {row[4] for row in heap}}
    linker = {stack for stack, places in stacks.items() if _is_linker(places)}
    hidden = [node for node, _, _, _, stack, _ in heap if stack in linker]
    rows = graph.reach(parts=parts, hidden=hidden).rows(("node", "reach", "part"))
    known = {node: (kind, part) for node, kind, part in rows}
    divided = _divided((address, size, node) for node, _, address, size, _, _ in heap)
    for node, _, address, size, stack, created in heap:
        if node in divided or (child and created is None):
            continue
        if node not in known:
            return None
        kind, part = known[node]
        key = (kind, stack)
        if key not in made:
            reason = LINKER if stack in linker else None
            made[key] = Leak(kind, stacks[stack], address, node, created or 0, suppressed=reason)
        made[key].blocks += 1
        made[key].bytes += size
        if part:
            made[key].parts[part] += 1
    for leak in made.values():
        leak.process = trace.meta.get("pid") or 0
    return by_kind(made.values())


def _divided(blocks: Iterable[tuple[int, int, int]]) -> set[int]:
    """The nodes of blocks, by address and size, in which others begin."""
    outer: list[tuple[int, int]] = []  # end, node: those around the present one
    found: set[int] = set()
    for address, size, node in sorted(blocks, key=lambda block: (block[0], -block[1], block[2])):
        while outer and outer[-1][0] <= address:
            outer.pop()
        if outer:
            found.add(outer[-1][1])
        outer.append((address + size, node))
    return found


def by_kind(all_of_them: Iterable[Leak]) -> list[Leak]:
    """Most bytes first within each kind."""
    return sorted(all_of_them, key=lambda leak: (KINDS.index(leak.kind), -leak.bytes))


def _is_linker(stack: Stack) -> bool:
    """Whether the dynamic linker asked for the block."""
    return bool(stack) and PurePath(stack[0].module or "").name.startswith("ld-linux")
