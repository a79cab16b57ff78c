"""History: every version of a node, a field or an address, oldest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from heapstory.errors import UsageError
from heapstory.graph.model import Change, Node, find_node
from heapstory.graph.notebook import show
from heapstory.store.places import Place

if TYPE_CHECKING:
    from heapstory.store.open_trace import OpenTrace

WORD = 8
COLUMNS = (
    "timestamp",
    "address",
    "size",
    "value",
    "bytes",
    "silent",
    "kind",
    "site",
    "thread",
    "target",
    "target_offset",
    "state",
)

POINTING_COLUMNS = (
    "source",
    "offset",
    "value",
    "target_offset",
    "timestamp",
    "until",
    "state",
    "kind",
    "silent",
    "site",
    "thread",
)


@dataclass(frozen=True, slots=True)
class Version:
    """What one store left in a field. A silent one wrote the value that was already there.

    ``value`` is the number in up to 8 bytes, ``data`` all that a longer store left in the range.
    """

    timestamp: int
    node: int | None
    address: int
    offset: int | None
    field: str | None
    size: int
    value: int | None
    data: bytes | None
    target: int | None
    target_offset: int | None
    state: str
    kind: str
    silent: bool
    thread: int | None
    place: Place | None
    until: int | None = None  # known of pointers to a node: when it was replaced, or its node ended

    @property
    def change(self) -> Change:
        """Its timestamp and statement."""
        return Change(self.timestamp, self.place)


@dataclass(frozen=True, slots=True)
class History:
    """All versions of a range of bytes; ``node`` is None where an address was asked for.

    With ``pointing_to``, the versions of other nodes' fields that pointed to that node.
    """

    address: int
    size: int
    node: Node | None
    versions: list[Version]
    pointing_to: Node | None = None

    def __len__(self) -> int:
        return len(self.versions)

    def __iter__(self) -> Iterator[Version]:
        return iter(self.versions)

    def _repr_html_(self) -> str | None:
        return show("history as HTML", self)


def of_node(trace: OpenTrace, node: Node, field: str | int | None, size: int | None) -> History:
    """The history of a node during its life, or of one of its fields."""
    if node.size == 0 and field is None and size is None:  # malloc(0)
        return History(node.address, 0, node, [])
    offset, length = 0, node.size
    if field is not None:
        offset, length = _field(trace, node, field)
    if size is not None:
        length = size
    if offset + length > node.size or length < 1:
        raise UsageError(
            f"bytes {offset} to {offset + length} are not in {node.title}, which has {node.size}"
        )
    address = node.address + offset
    first = node.created.timestamp or 0
    last = trace.last if node.freed is None else node.freed.timestamp or trace.last
    return History(address, length, node, _versions(trace, address, length, first, last, node))


def of_address(trace: OpenTrace, address: int, size: int | None) -> History:
    """The history of an address over all the nodes that ever held it."""
    if size is None:
        size = _width(trace, address)
    return History(address, size, None, _versions(trace, address, size, 0, trace.last, None))


def pointing_to(trace: OpenTrace, node: Node) -> History:
    """Every pointer that ever meant a node, by whoever holds it."""
    table = trace.core.pointing(node.id, 0, trace.last)
    node_of = cache(partial(find_node, trace))
    versions = []
    for row in zip(*(table.column(name) for name in POINTING_COLUMNS), strict=True):
        source, offset, value, inside, timestamp, until, state, kind, silent, site, thread = row
        holder = node_of(source)
        versions.append(
            Version(
                timestamp=timestamp,
                node=source,
                address=holder.address + offset,
                offset=offset,
                field=trace.types.field(holder.type_id, holder.size, offset),
                size=WORD,
                value=value,
                data=None,
                target=node.id,
                target_offset=inside,
                state=state,
                kind=kind,
                silent=silent,
                thread=thread,
                place=trace.places.place(site),
                until=until,
            )
        )
    return History(node.address, node.size, None, versions, node)


def _field(trace: OpenTrace, node: Node, field: str | int) -> tuple[int, int]:
    """Offset and size of a field given by name or offset."""
    text = str(field)
    try:
        offset = int(text, 0)
    except ValueError:
        leaf = trace.types.find(node.type_id, node.size, text)
        if leaf is None:
            names = [leaf.name for leaf in trace.types.leaves(node.type_id, node.size) if leaf.name]
            known = f"fields: {', '.join(names[:20])}" if names else "its type is unknown"
            raise UsageError(
                f"{node.title} has no field {text} ({known}; an offset works too)"
            ) from None
        return leaf.offset, leaf.size
    if not 0 <= offset < node.size:
        raise UsageError(f"offset {offset} is not in {node.title}, which has {node.size} bytes")
    leaf = trace.types.leaf(node.type_id, node.size, offset)
    width = leaf.size if leaf and leaf.offset == offset else WORD
    return offset, min(width, node.size - offset)


def _width(trace: OpenTrace, address: int) -> int:
    """The size of the field at an address, by the last node that held it; a word if unknown."""
    found = trace.core.node_at(address, trace.last)
    if found is None:
        return WORD
    node = find_node(trace, found)
    return _field(trace, node, address - node.address)[1]


def _versions(
    trace: OpenTrace, address: int, size: int, first: int, last: int, node: Node | None
) -> list[Version]:
    table = trace.core.history(address, size, first, last)
    node_of = cache(partial(find_node, trace))
    versions = []
    for row in zip(*(table.column(name) for name in COLUMNS), strict=True):
        timestamp, where, width, value, data, silent, kind = row[:7]
        site, thread, target, inside, state = row[7:]
        found = trace.core.node_at(where, timestamp) if node is None else None
        holder = node if found is None else node_of(found)
        offset = None if holder is None else where - holder.address
        versions.append(
            Version(
                timestamp=timestamp,
                node=None if holder is None else holder.id,
                address=where,
                offset=offset,
                field=None
                if holder is None or offset is None
                else trace.types.field(holder.type_id, holder.size, offset),
                size=width,
                value=value,
                data=None if data is None else bytes.fromhex(data),
                target=target,
                target_offset=inside,
                state=state,
                kind=kind,
                silent=silent,
                thread=thread,
                place=trace.places.place(site),
            )
        )
    return versions
