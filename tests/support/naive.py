"""The naive model: events replayed from the start, every time, in the plainest way.

It says what a trace must answer. The rules it follows:

- An allocation, a free and a reallocation advance the timestamp by one, and so does a store or a
  ranged store that changes a byte, or writes one for the first time since its block was born
  (bytes that calloc zeroed, and the initial bytes of a global, count as written).
- A silent store is a version of its field at the timestamp that stands, and changes nothing.
- A reallocation ends one node and begins another; kept bytes come along in the same change.
- A word that holds an address inside a node is an edge. It means the node that was there when the
  word was last stored, be it silently: live while that node is, stale when it is gone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

WORD = 8


@dataclass(frozen=True)
class Global:
    """A variable that was there before the first event."""

    address: int
    data: bytes
    name: str = ""


@dataclass(frozen=True)
class Alloc:
    address: int
    size: int
    zeroed: bool = False


@dataclass(frozen=True)
class Free:
    address: int


@dataclass(frozen=True)
class Realloc:
    """``data``: the kept bytes, read where they now are; used only if the block moved."""

    old: int
    address: int
    size: int
    data: bytes = b""


@dataclass(frozen=True)
class Store:
    address: int
    data: bytes


@dataclass(frozen=True)
class Range:
    """memcpy, memset, a string function, a system call: one change however long it is."""

    address: int
    data: bytes
    kind: str = "copy"


@dataclass(frozen=True)
class CPoint:
    name: str = ""


Event = Global | Alloc | Free | Realloc | Store | Range | CPoint


@dataclass
class Node:
    id: int
    kind: str
    address: int
    size: int
    created: int
    born: int  # the event, as is `died`
    freed: int | None = None
    died: int | None = None
    name: str = ""

    def holds(self, address: int) -> bool:
        return self.address <= address < self.address + self.size


@dataclass(frozen=True)
class Version:
    timestamp: int
    address: int
    data: bytes
    silent: bool
    kind: str
    event: int  # its place in the list


@dataclass(frozen=True)
class Edge:
    source: int
    offset: int
    value: int
    target: int | None
    target_offset: int | None
    state: str
    timestamp: int  # of the last change
    touched: int  # of the last store, silent or not


@dataclass
class Heap:
    """The state after some events."""

    timestamp: int = 0
    applied: int = 0
    nodes: list[Node] = field(default_factory=list)
    bytes: dict[int, int] = field(default_factory=dict)
    changed: dict[int, int] = field(default_factory=dict)  # byte -> timestamp of its last change
    touched: dict[int, int] = field(default_factory=dict)  # byte -> timestamp of its last store
    stored: dict[int, int] = field(default_factory=dict)  # byte -> the event of its last store
    versions: list[Version] = field(default_factory=list)
    cpoints: list[tuple[str, int]] = field(default_factory=list)

    def alive(self) -> list[Node]:
        return [node for node in self.nodes if node.freed is None]

    def at(self, address: int) -> Node | None:
        return next((node for node in self.alive() if node.holds(address)), None)

    def apply(self, event: Event) -> None:
        match event:
            case Global(address, data, name):
                self._born("global", address, len(data), name)
                self._put(address, data)
            case Alloc(address, size, zeroed):
                self.timestamp += 1
                self._born("heap", address, size)
                self._forget(address, size)
                if zeroed:
                    self._put(address, bytes(size))
            case Free(address):
                self.timestamp += 1
                node = self._block(address)
                self._end(node)
                self._forget(address, node.size)
            case Realloc():
                self._realloc(event)
            case Store(address, data):
                self._write(address, data, "store")
            case Range(address, data, kind):
                self._write(address, data, kind)
            case CPoint(name):
                self.cpoints.append((name, self.timestamp))
        self.applied += 1

    def _realloc(self, event: Realloc) -> None:
        self.timestamp += 1
        old = self._block(event.old)
        self._end(old)
        kept = min(old.size, event.size)
        if event.address == event.old:
            self._forget(event.address + kept, max(old.size, event.size) - kept)
        else:
            self._forget(old.address, old.size)
            self._forget(event.address, event.size)
        self._born("heap", event.address, event.size)
        if event.address != event.old:
            self._put(event.address, event.data)
            self._version(event.address, event.data, False, "realloc")

    def _block(self, address: int) -> Node:
        return next(n for n in self.alive() if n.kind == "heap" and n.address == address)

    def _born(self, kind: str, address: int, size: int, name: str = "") -> None:
        number, now = len(self.nodes), self.timestamp
        self.nodes.append(Node(number, kind, address, size, now, self.applied, name=name))

    def _end(self, node: Node) -> None:
        node.freed, node.died = self.timestamp, self.applied

    def _forget(self, address: int, size: int) -> None:
        for byte in range(address, address + size):
            for known in (self.bytes, self.changed, self.touched, self.stored):
                known.pop(byte, None)

    def _put(self, address: int, data: bytes, silent: bool = False) -> None:
        for byte, value in enumerate(data, address):
            self.bytes[byte] = value
            self.touched[byte], self.stored[byte] = self.timestamp, self.applied
            if not silent:
                self.changed[byte] = self.timestamp

    def _write(self, address: int, data: bytes, kind: str) -> None:
        silent = all(self.bytes.get(address + i) == value for i, value in enumerate(data))
        self.timestamp += not silent
        self._put(address, data, silent)
        self._version(address, data, silent, kind)

    def _version(self, address: int, data: bytes, silent: bool, kind: str) -> None:
        self.versions.append(Version(self.timestamp, address, data, silent, kind, self.applied))


class Naive:
    """Answers questions about a list of events by replaying it."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.events = list(events)
        self.end = self._replay(None)

    @property
    def last(self) -> int:
        return self.end.timestamp

    @property
    def nodes(self) -> list[Node]:
        """Every node that ever was, in order of birth."""
        return self.end.nodes

    def state(self, at: int) -> Heap:
        """The heap as of a timestamp."""
        return self._replay(at)

    def _replay(self, until: int | None) -> Heap:
        heap = Heap()
        for event in self.events:
            before = heap.timestamp
            if until is not None and before == until and self._advances(heap, event):
                break
            heap.apply(event)
        return heap

    @staticmethod
    def _advances(heap: Heap, event: Event) -> bool:
        if isinstance(event, Store | Range):
            pairs = enumerate(event.data)
            return any(heap.bytes.get(event.address + i) != value for i, value in pairs)
        return isinstance(event, Alloc | Free | Realloc)

    def node_at(self, address: int, at: int) -> int | None:
        node = self.state(at).at(address)
        return None if node is None else node.id

    def value(self, address: int, size: int, at: int) -> bytes | None:
        heap = self.state(at)
        found = [heap.bytes.get(address + i) for i in range(size)]
        return None if None in found else bytes(byte for byte in found if byte is not None)

    def graph(self, at: int) -> tuple[list[Node], list[Edge]]:
        """The nodes alive at a timestamp, and their pointers (NULL is left out)."""
        heap = self.state(at)
        edges = [edge for node in heap.alive() for edge in self._edges(heap, node)]
        return heap.alive(), edges

    def incoming(self, node: int, at: int) -> list[Edge]:
        return [e for e in self.graph(at)[1] if e.target == node and e.state == "live"]

    def history(self, address: int, size: int, first: int, last: int) -> list[Version]:
        """Every version of some bytes, each cut to what falls into them."""
        found = []
        for version in self.end.versions:
            low = max(address, version.address)
            high = min(address + size, version.address + len(version.data))
            if low < high and first <= version.timestamp <= last:
                data = version.data[low - version.address : high - version.address]
                found.append(replace(version, address=low, data=data))
        return found

    def _edges(self, heap: Heap, node: Node) -> Iterable[Edge]:
        start = -(-node.address // WORD) * WORD
        for address in range(start, node.address + node.size - WORD + 1, WORD):
            word = [heap.bytes.get(address + i) for i in range(WORD)]
            if None in word:
                continue
            value = int.from_bytes(bytes(byte for byte in word if byte is not None), "little")
            span = range(address, address + WORD)
            meant = self._meant(heap, value, max(heap.stored[byte] for byte in span))
            if meant is not None:
                yield Edge(
                    source=node.id,
                    offset=address - node.address,
                    value=value,
                    target=meant.id,
                    target_offset=value - meant.address,
                    state="live" if meant.freed is None else "stale",
                    timestamp=max(heap.changed[byte] for byte in span),
                    touched=max(heap.touched[byte] for byte in span),
                )

    @staticmethod
    def _meant(heap: Heap, value: int, stored: int) -> Node | None:
        """The node a pointer meant when it was stored."""
        for node in heap.nodes:
            ended = node.died is not None and node.died <= stored
            if node.holds(value) and node.born <= stored and not ended:
                return node
        return None
