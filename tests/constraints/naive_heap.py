"""The objects of a plan in one moment of the naive model, with their fields and edges."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from heapstory.constraints.plan import EdgeRef, Kind, Plan, PlanField
from tests.constraints.naive_values import UNKNOWN, WORD, Object, Pointer
from tests.support.naive import Heap


class HeapView:
    """One moment of a heap as a plan sees it; `types` gives the trace type of a node, `stacks` its
    call stack."""

    def __init__(
        self,
        plan: Plan,
        heap: Heap,
        types: dict[int, int],
        stacks: dict[int, int] | None = None,
    ) -> None:
        self.plan, self.heap, self.types, self.stacks = plan, heap, types, stacks or {}
        self.nodes = {node.id: node for node in heap.alive()}
        self._attributes: dict[tuple[int, Object], Any] = {}

    # Objects.

    @cached_property
    def objects(self) -> list[list[Object]]:
        """The live objects of each type, in order."""
        return [sorted(set(self._objects(i))) for i in range(len(self.plan.types))]

    def _objects(self, index: int) -> Iterator[Object]:
        kind = self.plan.types[index]
        for node in self.nodes.values():
            for member in kind.members:
                if member.type_id is not None:
                    mine = node.kind == "heap" and self.types.get(node.id) == member.type_id
                elif member.stacks:
                    mine = node.kind == "heap" and self.stacks.get(node.id) in member.stacks
                else:
                    mine = node.id == member.node
                base = member.base
                while mine and base + kind.size <= node.size:
                    yield Object(node.id, base)
                    if not member.stride:
                        break
                    base += member.stride

    def is_object(self, one: Any, kind: int) -> bool:
        return one in self.objects[kind]

    @cached_property
    def everything(self) -> list[Object]:
        return sorted({one for objects in self.objects for one in objects})

    # Memory.

    def _bytes(self, address: int, size: int) -> bytes | None:
        found = [self.heap.bytes.get(address + i) for i in range(size)]
        return None if None in found else bytes(b for b in found if b is not None)

    def pointer(self, address: int) -> Any:
        """The word at an address, resolved."""
        data = self._bytes(address, WORD)
        if data is None:
            return UNKNOWN
        value = int.from_bytes(data, "little")
        if value == 0:
            return Pointer("null")
        stored = max(self.heap.stored[address + i] for i in range(WORD))
        for node in self.heap.nodes:
            ended = node.died is not None and node.died <= stored
            if node.holds(value) and node.born <= stored and not ended:
                kind = "live" if node.freed is None else "stale"
                return Pointer(kind, node.id, value - node.address, value)
        return Pointer("wild", address=value)

    def read(self, one: Object, field: PlanField, offset: int) -> Any:
        """A field at an offset from the base of an object."""
        node = self.nodes[one.node]
        where = one.base + offset
        if where < 0 or where + field.size > node.size:
            return UNKNOWN
        address = node.address + where
        if field.kind is Kind.CHARS:
            return self._text(address, field.size)
        if field.kind in (Kind.POINTER, Kind.WORD) and field.size == WORD:
            value = self.pointer(address)
            if field.kind is Kind.WORD and isinstance(value, Pointer) and value.kind == "wild":
                return value.address - (1 << 64) * (value.address >> 63)
            return value
        data = self._bytes(address, field.size)
        if data is None:
            return UNKNOWN
        if field.kind is Kind.FLOAT:
            return float(struct.unpack("<f" if field.size == 4 else "<d", data)[0])
        number = int.from_bytes(data, "little", signed=field.kind is not Kind.UINT)
        if field.bit_size:
            number = (number >> field.bit_offset) & ((1 << field.bit_size) - 1)
            if field.kind is Kind.INT and number >> (field.bit_size - 1):
                number -= 1 << field.bit_size
        return number

    def _text(self, address: int, size: int) -> Any:
        text = bytearray()
        for i in range(size):
            byte = self.heap.bytes.get(address + i)
            if byte is None:
                return UNKNOWN
            if byte == 0:
                break
            text.append(byte)
        return bytes(text)

    # Edges.

    def _words(self, one: Object, ref: EdgeRef) -> Iterator[tuple[int, Any]]:
        """(offset, value) of the pointers of an edge reference in an object."""
        if not self.is_object(one, ref.type):
            return
        kind = self.plan.types[ref.type]
        if ref.field is not None:
            field = kind.fields[ref.field]
            yield field.offset, self.read(one, field, field.offset)
            return
        assert ref.run is not None
        run = kind.runs[ref.run]
        for i in range(self.extent(one, ref.type, ref.run)):
            offset = run.field.offset + i * run.stride
            yield offset, self.read(one, run.field, offset)

    def extent(self, one: Object, kind: int, number: int) -> int:
        run = self.plan.types[kind].runs[number]
        if run.count is not None:
            return run.count
        room = self.nodes[one.node].size - one.base - run.field.offset - run.field.size
        return room // run.stride + 1 if room >= 0 else 0

    def object_of(self, value: Any) -> Object | None:
        """The object that a value is or points to."""
        if isinstance(value, Object):
            return value if value in self.everything else None
        if isinstance(value, Pointer) and value.kind == "live":
            return self.object_of(Object(value.node, value.offset))
        return None

    def edges(self, number: int) -> list[tuple[Object, Object]]:
        """All edges of a set, in order of source and offset; several between two count."""
        if number not in self._edges:
            found = []
            for one in self.everything:
                words = [w for ref in self.plan.edge_sets[number] for w in self._words(one, ref)]
                for _, value in sorted(words, key=lambda word: word[0]):
                    target = self.object_of(value)
                    if target is not None and (number or self._declared(target)):
                        found.append((one, target))
            self._edges[number] = found
        return self._edges[number]

    @cached_property
    def _edges(self) -> dict[int, list[tuple[Object, Object]]]:
        return {}

    def _declared(self, one: Object) -> bool:
        kinds = enumerate(self.plan.types)
        return any(not kind.implied and self.is_object(one, i) for i, kind in kinds)

    def reached(self, start: Object, edges: int) -> set[Object]:
        """The ends of the paths from an object."""
        found: set[Object] = set()
        todo = [start]
        while todo:
            one = todo.pop()
            for target in self._after(one, edges):
                if target not in found:
                    found.add(target)
                    todo.append(target)
        return found

    def _after(self, one: Object, edges: int) -> list[Object]:
        return [target for source, target in self.edges(edges) if source == one]

    # Roots and instances.

    def _holders(self, kind: int) -> Iterator[tuple[Object, list[Object]]]:
        """Who holds roots of a type, and the objects they point to."""
        found: dict[Object, list[Object]] = {}
        for root in self.plan.types[kind].roots:
            for one in self.objects[root.type]:
                if root.via is not None and one not in (t for _, t in self.edges(root.via)):
                    continue
                for _, value in self._words(one, root):
                    found.setdefault(one, []).append(value)
        for holder in sorted(found):
            targets = (self.object_of(value) for value in found[holder])
            yield holder, [target for target in targets if target is not None]

    def held_by(self, one: Object, kind: int) -> set[tuple[Object, int]]:
        """The fields that lead to an object from others, over set 0 or as roots, by offset."""
        refs = [*self.plan.edge_sets[0], *self.plan.types[kind].roots]
        return {
            (source, offset)
            for ref in refs
            for source in self.objects[ref.type]
            for offset, value in self._words(source, ref)
            if source != one and self.object_of(value) == one
        }

    def instance(self, one: Object, kind: int) -> Object | None:
        for holder, roots in self._holders(kind):
            for root in roots:
                if one == root or one in self.reached(root, 0):
                    return holder
        return None
