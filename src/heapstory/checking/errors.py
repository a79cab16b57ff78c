"""The errors in a trace as findings: accesses, overlaps, sizes, and frees that went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heapstory.checks.finding import Block, Finding

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.checks.pointer import Pointer
    from heapstory.store.open_trace import OpenTrace
    from heapstory.trace import Trace

_ACCESS = (
    "error",
    "timestamp",
    "kind",
    "address",
    "size",
    "site",
    "stack",
    "node",
    "by_system_call",
    "count",
    "event",
    "origin",
)
_FREE = ("timestamp", "error", "deallocator", "address", "stack", "node", "event", "count")
_ADDRESSES = 1 << 64
_VALUES = {
    "uninitialized-condition": "what is done next depends on a value",
    "uninitialized-address": "an address is computed from a value",
    "uninitialized-argument": "a system call is given a value",
    "uninitialized-request": "the program asks whether memory was set that has a value",
}


@dataclass(slots=True)
class Error(Finding):
    """A finding of a trace, with where in it that is."""

    timestamp: int = 0
    node: int | None = None  # whose block it is about
    event: int | None = None  # the last one before it; of a free, its own
    number: int | None = None  # None: a free
    site: int | None = None  # of the instruction
    pointer: Pointer | None = None
    by_system_call: bool = False  # the kernel would have made the access

    @property
    def is_free(self) -> bool:
        """A free that went wrong."""
        return self.number is None


def errors(trace: OpenTrace, parent: Trace | None = None) -> list[Error]:
    """All that are in the trace so far, in order of time within each sort.

    What a forked child has of before the fork, only the trace of its parent knows.
    """
    made = [_access(trace, row, parent) for row in _rows(trace.core.table("errors"), _ACCESS)]
    if trace.meta.get("bad_frees") != 0:
        frees = _rows(trace.core.table("bad_free_kinds"), _FREE)
        made += [_free(trace, row, parent) for row in frees]
    for error in made:
        error.process = trace.meta.get("pid") or 0
    return made


def _rows(table: _core.Table, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for values in table.rows(names):
        yield dict(zip(names, values, strict=True))


def _access(trace: OpenTrace, row: dict[str, Any], parent: Trace | None) -> Error:
    if row["kind"] == "uninitialized-argument" and not row["by_system_call"]:
        row["kind"] = "uninitialized-request"
    block = _block(trace, row, parent)
    return Error(
        row["kind"],
        row["address"],
        trace.places.stack(row["stack"]),
        block,
        _words(trace, row, block),
        row["count"],
        size=row["size"],
        timestamp=row["timestamp"],
        node=None if block is None else row["node"],
        event=row["event"],
        number=row["error"],
        site=row["site"],
        by_system_call=row["by_system_call"],
    )


def _free(trace: OpenTrace, row: dict[str, Any], parent: Trace | None) -> Error:
    by_realloc = row["deallocator"] == "realloc" and row["error"] != "mismatched-free"
    block = _block(trace, row, parent)
    return Error(
        "bad-realloc" if by_realloc else row["error"],
        row["address"],
        trace.places.stack(row["stack"]),
        block,
        f"{_by(row['deallocator'])} of {_where(row['address'], 0, block)}",
        row["count"],
        timestamp=row["timestamp"],
        node=None if block is None else row["node"],
        event=row["event"],
    )


def _by(deallocator: str | None) -> str:
    """What frees: of functions and requests of the program's own, no name is known."""
    return "free" if deallocator in (None, "", "custom") else deallocator


def _block(trace: OpenTrace, row: dict[str, Any], parent: Trace | None) -> Block | None:
    """The block as it was then: a free that came later is not known yet."""
    if row["node"] is None:
        before = _inherited(parent, row["address"])
        # It was freed before the fork: else the child would know it.
        return before if before and before.freed is not None else None
    from heapstory.graph.model import find_node

    node = find_node(trace, row["node"])
    if node.kind != "heap":
        return None
    before = _inherited(parent, node.address) if node.created.timestamp is None else None
    # A free that is itself what went wrong is no earlier one.
    then = row["timestamp"] - (row["kind" if "kind" in row else "error"] == "mismatched-free")
    freed = node.freed is not None and (node.freed.timestamp or 0) <= then
    return Block(
        node.address,
        node.size,
        before.allocated if before else trace.places.stack(node.created_stack),
        trace.places.stack(node.freed_stack) if freed else None,
    )


def _inherited(parent: Trace | None, address: int) -> Block | None:
    """The block with an address in the parent, where there was never another one."""
    if parent is None:
        return None
    rows = parent.query(
        "SELECT node FROM nodes WHERE kind = 'heap' "
        f"AND address <= {address} AND address + greatest(size, 1) > {address} LIMIT 2"
    ).rows
    if len(rows) != 1:
        return None
    node = parent.node(rows[0][0])
    freed = None if node.freed is None else parent.places.stack(node.freed_stack)
    stack = parent.places.stack(node.created_stack)
    return Block(node.address, node.size, stack, freed)


def _words(trace: OpenTrace, row: dict[str, Any], block: Block | None) -> str:
    kind, size = row["kind"], row["size"]
    if kind in _VALUES:
        return f"{_VALUES[kind]} {_origin(trace, row, block)}"
    if kind == "bad-argument" and block is not None:
        return f"delete is told {_bytes(size)} of a block of {_bytes(block.size)}"
    if kind == "bad-argument":
        return f"a size of {row['address'] - _ADDRESSES}"
    if kind == "overlap":
        return f"a copy of {_bytes(size)} to {row['address']:#x} from where they overlap"
    how = "read" if kind == "unaddressable-read" else "write"
    of = f" of {_bytes(size)}" if size else ""  # where nothing was ever mapped it is not known
    by = " by a system call" if row["by_system_call"] else ""
    return f"{how}{of} at {_where(row['address'], size, block)}{by}"


def _origin(trace: OpenTrace, row: dict[str, Any], block: Block | None) -> str:
    """Where a value came from that was never set."""
    if block is not None:
        return f"that was never set, from a block of {_bytes(block.size)} at {block.address:#x}"
    place = trace.places.place(row["origin"])
    if place is not None:
        return f"that was never set, from a variable of {place.function or place}"
    return f"that was never set, from {row['address']:#x}"


def _where(address: int, size: int, block: Block | None) -> str:
    """An address as the program would name it: by its distance from the block."""
    if block is None:
        return f"{address:#x}"
    end = block.address + block.size
    state = "a freed block" if block.freed is not None else "a block"
    if address < block.address:
        relation = f"{_bytes(block.address - address)} before"
    elif address >= end and (address > end or size or not block.size):
        relation = f"{_bytes(address - end)} after" if address > end else "right behind"
    elif address == block.address:
        relation = "the start of"
    else:
        relation = f"{_bytes(address - block.address)} inside"
    return f"{address:#x}, {relation} {state} of {_bytes(block.size)}"


def _bytes(count: int) -> str:
    return f"{count:,} byte{'' if count == 1 else 's'}"
