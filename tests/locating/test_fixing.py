"""Decisive operations can really be fixed: the history is replayed with that one change, and the
naive evaluator finds nothing wrong. What *decisive* means is said in docs/internals/locating.md."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapstory._core import FieldPlace, Grade
from heapstory.constraints.plan import Plan, PlanField
from tests.constraints.random_worlds import SPECIFICATIONS, moving_worlds, worlds
from tests.constraints.snapshot import Snapshot
from tests.constraints.verbatim import check
from tests.constraints.world import Checked, World, plan_of
from tests.locating.test_hypotheses import structure
from tests.support.examples import examples
from tests.support.naive import Alloc, Free, Global, Heap, Naive, Store

ELSEWHERE = 0x90000
STRANGE = 0x4000  # an address outside all blocks

Step = Global | Alloc | Free | Store


def field_of(plan: Plan, place: FieldPlace) -> tuple[int, PlanField]:
    """The offset of a cell in its node, and the field."""
    base, kind, number = place.base, place.type, place.cell
    declared = plan.types[kind]
    if number < len(declared.fields):
        return base + declared.fields[number].offset, declared.fields[number]
    number -= len(declared.fields)
    for run in declared.runs:
        if run.count is None or number < run.count:
            return base + run.field.offset + number * run.stride, run.field
        number -= run.count
    raise AssertionError(place)


class Replay:
    """A history up to a C-point. Event i leads to timestamp i + 1: no store is silent."""

    def __init__(self, world: World, checked: Checked, cpoint: int) -> None:
        self.world, self.plan, self.types = world, checked.plan, checked.types
        self.events: list[Step] = list(world.events[:cpoint])
        self.heap = Naive(self.events).end

    def is_whole(self, events: list[Step]) -> bool:
        return not check(Snapshot(self.plan, Naive(events).end, self.types), self.plan)

    def values(self, heap: Heap | None = None) -> Iterator[int]:
        """All pointers to blocks and into them, small numbers, and what stands anywhere."""
        yield from range(-2, 8)
        for node in (heap or self.heap).alive():
            yield from range(node.address, node.address + node.size, 8)
        yield STRANGE
        for event in self.events:
            if isinstance(event, Store):
                value = int.from_bytes(event.data, "little")
                yield from (value, value - 1, value + 1)

    def address(self, place: FieldPlace) -> int:
        return self.heap.nodes[place.node].address + field_of(self.plan, place)[0]

    def stored(self, place: FieldPlace, after: int) -> bool:
        """Whether nothing is wrong with some value in a field, stored right after an operation."""
        address, field = self.address(place), field_of(self.plan, place)[1]
        for value in dict.fromkeys(v % (1 << 64) for v in self.values()):
            data = (value % (1 << 8 * field.size)).to_bytes(field.size, "little")
            events = [*self.events[:after], Store(address, data), *self.events[after:]]
            if self.is_whole(events):
                return True
        return False

    def at_address(self, address: int, at: int) -> list[int | None]:
        """The word at an address as of a timestamp."""
        known = Naive(self.events[:at]).end.bytes
        return [known.get(address + i) for i in range(8)]

    def word(self, place: FieldPlace, at: int) -> list[int | None]:
        return self.at_address(self.address(place), at)

    def exchanged(self, first: int, second: int) -> bool:
        """Whether nothing is wrong if two stores had other values of those that the two fields had
        before and after them."""
        stores = [self.events[first - 1], self.events[second - 1]]
        assert all(isinstance(store, Store) for store in stores)
        addresses = [store.address // 8 * 8 for store in stores]
        moments = (Naive(self.events[:at]).end.bytes for at in (first - 1, second))
        values = [
            bytes(known.get(address + i, 0) for i in range(8))
            for known in moments
            for address in addresses
        ]
        return any(
            self.is_whole([*self.events[:second], *fixed, *self.events[second:]])
            for chosen in itertools.product(values, repeat=2)
            for fixed in [[Store(a, v) for a, v in zip(addresses, chosen, strict=True)]]
        )

    def not_freed(self, operation: int) -> list[Step]:
        """Without a free. Blocks that got its address since are elsewhere, with all that was
        stored to them or points to them."""
        freed = self.events[operation - 1]
        assert isinstance(freed, Free)
        events: list[Step] = self.events[: operation - 1]
        size, moved = 0, 0
        for event in events:
            if isinstance(event, Alloc) and event.address == freed.address:
                size = event.size
        away = 0
        for event in self.events[operation:]:
            if event.address == freed.address and isinstance(event, Alloc):
                moved += 1
                away = ELSEWHERE * moved
            if freed.address <= event.address < freed.address + size:
                event = replace(event, address=event.address + away)
            if isinstance(event, Store):
                value = int.from_bytes(event.data, "little")
                if freed.address <= value < freed.address + size:
                    data = (value + away).to_bytes(len(event.data), "little")
                    event = replace(event, data=data)
            events.append(event)
        return events

    def misplaced(self, place: FieldPlace, operation: int) -> bool:
        """Whether nothing is wrong if what was stored in a field stands in another one of its node,
        and in that what it held before or what the other one holds."""
        node, address = self.heap.nodes[place.node], self.address(place)

        def held(where: int, at: int) -> Store:
            return Store(address, bytes(b or 0 for b in self.at_address(where, at)))

        now = held(address, len(self.events))
        for other in range(node.address, node.address + node.size, 8):
            moved = replace(now, address=other)
            for left in (held(address, operation - 1), held(other, len(self.events))):
                if other != address and self.is_whole([*self.events, left, moved]):
                    return True
        return False

    def rewritten(self, operation: int) -> bool:
        """Whether nothing is wrong without a free if the block was written to after it."""
        freed, events = self.events[operation - 1], self.not_freed(operation)
        heap = Naive(events).end  # blocks that got the address since are elsewhere
        block = next(n for n in heap.alive() if n.address == freed.address)
        return any(
            self.is_whole([*events, Store(address, (value % (1 << 64)).to_bytes(8, "little"))])
            for address in range(block.address, block.address + block.size, 8)
            for value in dict.fromkeys(self.values(heap))
        )

    def derived(self, place: FieldPlace, operation: int) -> bool:
        """Whether nothing is wrong with some value in a field if the numbers that were stored after
        it may be any, and whether that takes the value."""
        address, field = self.address(place), field_of(self.plan, place)[1]
        open_bytes = self.numbers_after(operation)

        def is_whole(events: list[Step]) -> bool:
            heap = Naive(events).end
            for each in open_bytes:
                heap.bytes.pop(each, None)
            return not check(Snapshot(self.plan, heap, self.types), self.plan)

        return not is_whole(self.events) and any(
            is_whole([*self.events[:operation], Store(address, data), *self.events[operation:]])
            for value in dict.fromkeys(self.values())
            for data in [(value % (1 << 8 * field.size)).to_bytes(field.size, "little")]
        )

    def followed(self, place: FieldPlace, operation: int) -> bool:
        """Whether nothing is wrong with another pointer in a field if what one later store left in
        its word stands in a word of the node the pointer leads to."""
        address, last = self.address(place), len(self.events)
        later = {event.address // 8 * 8: at for at, event in enumerate(self.events)
                 if at >= operation and isinstance(event, Store)}  # fmt: skip
        for word, at in later.items():
            left = Store(word, bytes(byte or 0 for byte in self.at_address(word, at)))
            now = bytes(byte or 0 for byte in self.at_address(word, last))
            for node in self.heap.alive():
                words = range(node.address, node.address + node.size, 8)
                for to, other in itertools.product(words, words):
                    pointer = Store(address, to.to_bytes(8, "little"))
                    if self.is_whole([*self.events, pointer, left, Store(other, now)]):
                        return True
        return False

    def numbers_after(self, operation: int) -> set[int]:
        """The bytes of the fields that hold no pointers and were written after an operation."""
        late: set[int] = set()
        for event in self.events[operation:]:
            if isinstance(event, Store):
                late.update(range(event.address, event.address + len(event.data)))
            elif isinstance(event, Alloc):  # what was stored there before is gone
                late.difference_update(range(event.address, event.address + event.size))
        words = (range(n.address + i, n.address + i + 8) for n in self.heap.alive()
                 for i in range(0, n.size, 8))  # fmt: skip
        return {
            byte
            for word in words
            if late.intersection(word) and word.start not in self.pointers
            for byte in word
        }

    @cached_property
    def pointers(self) -> set[int]:
        """The words that ever held an address of a block that was there."""
        found = set()
        for at, event in enumerate(self.events, 1):
            if isinstance(event, Store):
                heap, word = Naive(self.events[:at]).end, event.address // 8 * 8
                held = bytes(heap.bytes.get(word + i) or 0 for i in range(8))
                value = int.from_bytes(held, "little")
                if any(n.address <= value < n.address + n.size for n in heap.alive()):
                    found.add(word)
        return found


@pytest.mark.parametrize("make", [worlds, moving_worlds])
@pytest.mark.parametrize("name", sorted(SPECIFICATIONS))
@examples(15)
@given(data=st.data())
def test_a_decisive_operation_can_be_fixed(
    name: str, make: Callable[[], st.SearchStrategy[World]], data: st.DataObject
) -> None:
    world = data.draw(make())
    checked = Checked(world, plan_of(SPECIFICATIONS[name]))
    last = checked.model.last
    points = sorted({last, *data.draw(st.lists(st.integers(0, last), max_size=6))})
    shift = data.draw(st.integers(0, 1))  # a statement is two operations
    sites = {at: 1 + (at + shift) // 2 for at in range(1, last + 1)}
    found = structure(world, checked, sites).locate([(at, [], None) for at in points])
    if found.bad is None:
        return
    cpoint = points[found.bad]
    clean = 0 if found.clean is None else points[found.clean]
    replay = Replay(world, checked, cpoint)
    for decisive in found.decisive:
        operation, grade, place = decisive.time, decisive.grade, decisive.field
        assert clean < operation <= cpoint
        event = world.events[operation - 1]
        if isinstance(event, Free):
            assert grade is Grade.VALUE and place is None
            fixed = replay.is_whole(replay.not_freed(operation))
            assert fixed or replay.rewritten(operation)
        elif place is None:  # only where a wild pointer was stored first
            assert decisive.wild and isinstance(event, Store)
            held = [
                replay.word(one.field, cpoint) for one in found.decisive if one.field and one.wild
            ]
            assert replay.at_address(event.address // 8 * 8, operation) in held
        elif grade is Grade.OMISSION:
            assert replay.stored(place, cpoint)
        elif grade is Grade.DERIVED:
            assert replay.derived(place, operation)
        elif grade is Grade.FOLLOWED:
            assert replay.followed(place, operation)
        elif not replay.stored(place, operation) and not replay.misplaced(place, operation):
            assert sites[operation] == sites[operation + 1]
            assert replay.exchanged(operation, operation + 1)
