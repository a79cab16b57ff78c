"""MG++ kept the plain way: who owns each word at the end, who held it before, one snapshot a time.

`Model` performs operations of the modes portable and internals, writes the records a recorder would
send for them, and answers for any timestamp by looking at every word. It knows nothing of how the
collector or the graph work; what it shares with them is docs/internals/portable.md.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from tests.recorder.wire import FIRST_TAG, TAGS

BASE = 0x500000
WORDS = 256
PORTABLE, INTERNALS = 2, 3
RETURNED, KEPT, SEEN, STORED, SPLIT = range(1, 6)
FREED = 1
SITE = 1  # of all stores


@dataclass
class Node:
    id: int
    start: int  # a word
    born: int
    source: int | None = None
    died: int | None = None


@dataclass
class Model:
    mode: int
    time: int = 0
    records: bytearray = field(default_factory=bytearray)
    nodes: dict[int, Node] = field(default_factory=dict)
    owner: dict[int, int] = field(default_factory=dict)  # at the end: word -> node
    units: list[tuple[int, dict[int, int]]] = field(default_factory=list)  # (time, node -> unit)
    merges: list[list[int]] = field(default_factory=list)  # from, to, time, until
    stores: list[tuple[int, int, int]] = field(default_factory=list)  # time, word, value
    written: dict[int, int] = field(default_factory=dict)
    takers: dict[int, list[int]] = field(default_factory=dict)  # who ever owned a word, in order

    def __post_init__(self) -> None:
        self.emit("MODE", self.mode, 0)
        self.emit("SITE", 0x1000, SITE | 8 << 24 | 1 << 32 | 1 << 40)
        self.units.append((0, {}))

    def emit(self, tag: str | int, address: int, value: int) -> None:
        number = FIRST_TAG + TAGS.index(tag) if isinstance(tag, str) else tag
        self.records += struct.pack("<QQ", number << 40 | address, value & (1 << 64) - 1)

    # ---- what can be done ----

    def living(self) -> list[Node]:
        return [node for node in self.nodes.values() if node.died is None]

    def extent(self, node: Node) -> list[int]:
        return sorted(word for word, owner in self.owner.items() if owner == node.id)

    def room(self, word: int, born: int) -> int:
        """Words from here on that a node of this age may take: nobody younger had them."""
        count = 0
        while word + count < WORDS and word + count not in self.owner:
            before = [self.nodes[node] for node in self.takers.get(word + count, [])]
            if any(node.died is None or node.died > born for node in before):
                break
            count += 1
        return count

    def create(self, word: int, words: int) -> None:
        words = min(words, self.room(word, self.time + 1))
        if words == 0:
            return
        how = RETURNED if self.mode == PORTABLE else SEEN
        node = self._born(word, how)
        self._take(node, words)
        self._join(node)

    def grow(self, which: int, words: int) -> None:
        node = self._pick(which)
        if node is None:
            return
        extent = self.extent(node)
        after = extent[-1] + 1
        words = min(words, self.room(after, node.born))
        if words:
            self._take(node, len(extent) + words)
            self._join(node)

    def end(self, which: int) -> None:
        node = self._pick(which)
        if node is None or self.mode != PORTABLE:
            return
        self.time += 1
        node.died = self.time
        self.emit("NODE_END", 0, node.id | FREED << 32)
        for word in self.extent(node):
            self.written.pop(word, None)
            del self.owner[word]

    def split(self, which: int, at: int) -> None:
        node = self._pick(which)
        if node is None or self.mode != INTERNALS:
            return
        extent = self.extent(node)
        if len(extent) < 2:
            return
        border = extent[1 + at % (len(extent) - 1)]
        part = self._born(border, SPLIT, node.id)
        for word in extent:
            if word >= border:
                self.owner[word] = part.id
        self._join(part)
        self.emit("SOURCE", self._address(border), part.id | node.id << 32)
        self._join(node)
        # The part stays in the unit of its source until it leaves it.
        units = dict(self.units[-1][1])
        if node.id in units:
            units[part.id] = units[node.id]
            self._note(units)

    def merge(self, first: int, second: int) -> None:
        one, two = self._pick(first), self._pick(second)
        if one is None or two is None or one is two or self.mode != INTERNALS:
            return
        self.time += 1
        self.emit("MERGE", SITE, one.id | two.id << 32)
        units = dict(self.units[-1][1])
        old, new = units.get(two.id, two.id), units.get(one.id, one.id)
        units[one.id] = units[two.id] = new
        for node, unit in units.items():
            if unit == old:
                units[node] = new
        self._note(units)
        self.merges.append([one.id, two.id, self.time, 1 << 60])

    def separate(self, which: int) -> None:
        node = self._pick(which)
        if node is None or self.mode != INTERNALS:
            return
        units = dict(self.units[-1][1])
        unit = units.get(node.id)
        members = [n for n, u in units.items() if u == unit] if unit is not None else []
        leaving = [n for n in members if self.nodes[n].start >= node.start]
        if not leaving or len(leaving) == len(members):
            return
        self.time += 1
        self.emit("SEPARATE", SITE, node.id)
        fresh = 1000 + self.time
        for member in leaving:
            units[member] = fresh
        for parts in (leaving, [n for n in members if n not in leaving]):
            if len(parts) == 1:  # a node alone is no cluster any more
                del units[parts[0]]
        self._note(units)
        for merge in self.merges:
            if merge[3] > self.time and (merge[0] in leaving) != (merge[1] in leaving):
                both = merge[0] in members and merge[1] in members
                merge[3] = self.time if both else merge[3]

    def store(self, which: int, at: int, target: int, inside: int) -> None:
        node = self._pick(which)
        if node is None:
            return
        extent = self.extent(node)
        word = extent[at % len(extent)]
        value = target % 50
        if inside >= 0 and (other := self._pick(target)) is not None:
            words = self.extent(other)
            value = self._address(words[inside % len(words)])
        if self.written.get(word) != value:
            self.time += 1
        self.written[word] = value
        self.stores.append((self.time, word, value))
        self.emit(SITE, self._address(word), value)

    # ---- what was, as of a timestamp ----

    def alive(self, time: int) -> list[Node]:
        return [
            node
            for node in self.nodes.values()
            if node.born <= time and (node.died is None or node.died > time)
        ]

    def holder(self, word: int, time: int) -> int | None:
        """The node that held a word: its last owner, or whom that was split off since."""
        node = self.history_owner(word, time)
        while node is not None and self.nodes[node].born > time:
            node = self.nodes[node].source
        return node

    def history_owner(self, word: int, time: int) -> int | None:
        """Among the nodes that ever took the word, the one that matters at this time."""
        for node in reversed(self.takers.get(word, [])):
            root = node
            while self.nodes[root].born > time and self.nodes[root].source is not None:
                root = self.nodes[root].source  # type: ignore[assignment]
            if self.nodes[root].born <= time:
                return node
        return None

    def words_of(self, node: int, time: int) -> list[int]:
        return [word for word in range(WORDS) if self.holder(word, time) == node]

    def clusters(self, time: int) -> set[frozenset[int]]:
        units = next(units for when, units in reversed(self.units) if when <= time)
        groups: dict[int, set[int]] = {}
        for node, unit in units.items():
            groups.setdefault(unit, set()).add(node)
        return {frozenset(group) for group in groups.values() if len(group) > 1}

    def merge_edges(self, time: int) -> set[tuple[int, int, int]]:
        return {(a, b, born) for a, b, born, until in self.merges if born <= time < until}

    def first_birth(self, node: Node) -> int:
        while node.source is not None:
            node = self.nodes[node.source]
        return node.born

    def edges(self, time: int) -> set[tuple[int, int, int, int, int]]:
        """Live pointers: source, offset, target, offset in it, timestamp."""
        found = set()
        alive = {node.id: node for node in self.alive(time)}
        last = {word: (when, value) for when, word, value in self.stores if when <= time}
        for word, (when, value) in last.items():
            source = self.holder(word, time)
            target = self.holder((value - BASE) // 8, time) if value >= BASE else None
            if source not in alive or target not in alive:
                continue
            if when < self.first_birth(alive[source]) or when < self.first_birth(alive[target]):
                continue
            start, end = alive[source].start, alive[target].start
            found.add((source, 8 * (word - start), target, value - self._address(end), when))
        return found

    # ---- helpers ----

    def _address(self, word: int) -> int:
        return BASE + 8 * word

    def _pick(self, which: int) -> Node | None:
        living = [node for node in self.living() if self.extent(node)]
        return living[which % len(living)] if living else None

    def _born(self, word: int, how: int, source: int | None = None) -> Node:
        self.time += 1
        node = Node(len(self.nodes) + 1, word, self.time, source)
        self.nodes[node.id] = node
        self.emit("NODE", self._address(word), node.id | SITE << 32 | how << 56)
        if how == SPLIT:
            for taken in range(word, WORDS):
                if self.owner.get(taken) == source:
                    self.takers.setdefault(taken, []).append(node.id)
        return node

    def _take(self, node: Node, words: int) -> None:
        for word in range(node.start, node.start + words):
            if self.owner.get(word) != node.id:
                self.owner[word] = node.id
                self.takers.setdefault(word, []).append(node.id)
                if self.mode == PORTABLE:
                    self.written.pop(word, None)

    def _join(self, node: Node) -> None:
        extent = self.extent(node)
        self.emit("JOIN", self._address(extent[0]), node.id | len(extent) << 32)

    def _note(self, units: dict[int, int]) -> None:
        self.units.append((self.time, units))
