"""Little heaps for tests: allocations, stores and frees, as events of the naive model."""

from __future__ import annotations

from functools import cache

from heapstory.constraints.binding.untraced import NoTrace
from heapstory.constraints.compile.compiling import Compiled, compile_plan
from heapstory.constraints.language import syntax
from heapstory.constraints.language.reading import parse
from heapstory.constraints.plan import Plan
from tests.constraints.naive_values import Found
from tests.constraints.snapshot import Snapshot
from tests.support.naive import Alloc, Free, Global, Naive, Store

WORD = 8
HEAP = 0x10000


class World:
    """A program that allocates, stores and frees; nodes are their ids. Freed addresses are given
    out again, last freed first. Stores that change no byte are left out if so asked."""

    def __init__(self, *, silent: bool = True) -> None:
        self.silent = silent
        self.events: list[Global | Alloc | Free | Store] = []
        self.types: dict[int, int] = {}
        self.address: dict[int, int] = {}
        self.size: dict[int, int] = {}
        self._free: dict[int, list[int]] = {}
        self._top = HEAP
        self._next = 0

    def __repr__(self) -> str:
        return f"World({', '.join(map(repr, self.events))})"

    def global_variable(self, words: int = 1) -> int:
        """A variable that is there from the beginning, all zero."""
        node = self._born(words * WORD)
        self.events.append(Global(self.address[node], bytes(words * WORD), f"global{node}"))
        return node

    def alloc(self, kind: int, words: int, *, zeroed: bool = True) -> int:
        """A node of a trace type, with so many words."""
        node = self._born(words * WORD)
        self.types[node] = kind
        self.events.append(Alloc(self.address[node], words * WORD, zeroed))
        return node

    def _born(self, size: int) -> int:
        node, self._next = self._next, self._next + 1
        old = self._free.get(size, [])
        self.address[node] = old.pop() if old else self._top
        if self.address[node] == self._top:
            self._top += size + 16
        self.size[node] = size
        return node

    def put(self, node: int, word: int, value: int, *, size: int = WORD, inside: int = 0) -> None:
        """Stores a number in a word (at an offset inside it)."""
        data = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        store = Store(self.address[node] + word * WORD + inside, data)
        if not self.silent:
            known = Naive(self.events).end.bytes
            if all(known.get(store.address + i) == byte for i, byte in enumerate(data)):
                return
        self.events.append(store)

    def link(self, node: int, word: int, target: int | None, offset: int = 0) -> None:
        """Stores a pointer to a node, or NULL."""
        self.put(node, word, 0 if target is None else self.address[target] + offset)

    def free(self, node: int) -> None:
        self.events.append(Free(self.address[node]))
        self._free.setdefault(self.size[node], []).append(self.address[node])

    @property
    def now(self) -> int:
        """The timestamp reached so far."""
        return Naive(self.events).last


class Checked:
    """A world and a plan, ready for questions as of any timestamp."""

    def __init__(self, world: World, plan: Plan) -> None:
        self.plan, self.model, self.types = plan, Naive(world.events), dict(world.types)
        self.at = cache(self._at)

    def _at(self, timestamp: int) -> Snapshot:
        return Snapshot(self.plan, self.model.state(timestamp), self.types)

    def violated(self, timestamp: int | None = None) -> dict[str, set[tuple[object, ...]]]:
        """Every violating binding of every constraint, by name; nodes as ids."""
        snapshot = self.at(self.model.last if timestamp is None else timestamp)
        found: dict[str, set[tuple[object, ...]]] = {}
        for number, constraint in enumerate(self.plan.constraints):
            for violation in snapshot.violations(number):
                found.setdefault(constraint.name, set()).add(plain(violation))
        return found


def plain(found: Found) -> tuple[object, ...]:
    """A binding with objects as node ids."""
    return tuple(getattr(one, "node", one) for one in found.binding)


def specification(text: str) -> syntax.Specification:
    return parse(text, "test.spec")


def compiled(text: str) -> Compiled:
    """A specification compiled without a trace: type ids count from 1 as they are declared."""
    parsed = specification(text)
    return compile_plan(parsed, NoTrace(parsed))


def plan_of(text: str) -> Plan:
    return compiled(text).plan
