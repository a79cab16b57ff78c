"""Types of nodes: names of fields and the text of their values."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapstory.store.type_names import written_name

if TYPE_CHECKING:
    from heapstory import _core


@dataclass(frozen=True, slots=True)
class Leaf:
    """A field that holds one value: ``items[2].next`` at an offset of its node."""

    name: str
    offset: int
    size: int
    kind: str
    is_signed: bool = False
    is_float: bool = False
    is_char: bool = False
    bit_offset: int = 0
    bit_size: int = 0
    target: int | None = None  # pointers: the type they point to

    def text(self, data: bytes) -> str:
        """A value as a C programmer would write it."""
        if self.is_float and len(data) in (4, 8):
            return f"{struct.unpack('<f' if len(data) == 4 else '<d', data)[0]:g}"
        number = int.from_bytes(data, "little", signed=self.is_signed and not self.bit_size)
        if self.kind == "pointer":
            return "NULL" if number == 0 else f"{number:#x}"
        if self.bit_size:
            number = number >> self.bit_offset & (1 << self.bit_size) - 1
        if self.is_char and 32 <= number < 127:
            return repr(chr(number))
        return str(number)


class Types:
    """The types of a trace; ids are the core's."""

    def __init__(self, core: _core.Trace) -> None:
        self._core = core
        self._types: dict[int, _core.TypeDescription] = {}

    def get(self, type_id: int) -> _core.TypeDescription:
        """One type as the core describes it."""
        if type_id not in self._types:
            self._types[type_id] = self._core.type(type_id)
        return self._types[type_id]

    def name(self, type_id: int | None) -> str | None:
        """The name of a type as people write it."""
        return written_name(self.get(type_id)["name"]) if type_id else None

    def field(self, type_id: int | None, size: int, offset: int) -> str | None:
        """The name of the field of a node of some size that begins at an offset."""
        leaf = self.leaf(type_id, size, offset)
        return leaf.name if leaf and leaf.offset == offset and leaf.name else None

    def leaf(self, type_id: int | None, size: int, offset: int) -> Leaf | None:
        """The field of a node of some size that holds an offset."""
        if not type_id or not 0 <= offset < size:
            return None
        described = self.get(type_id)
        element_size = described["size"]
        if not element_size:
            return None
        last = self._open_end(described)
        if last is not None:
            if offset >= last["offset"]:
                return self._into_array(last["type"], last["name"], last["offset"], offset)
        elif size >= 2 * element_size:  # a block that holds several of its type is an array of them
            return self._into_array_of(type_id, element_size, "", 0, offset)
        return self._descend(type_id, "", 0, offset) if offset < element_size else None

    def leaves(self, type_id: int | None, size: int) -> Iterator[Leaf]:
        """All fields of a node, by offset; padding is left out."""
        offset = 0
        while type_id and offset < size:
            leaf = self.leaf(type_id, size, offset)
            if leaf is None:
                offset += 1
                continue
            yield leaf
            yield from self._bit_fields_beside(type_id, size, leaf)
            offset = leaf.offset + leaf.size

    def find(self, type_id: int | None, size: int, name: str) -> Leaf | None:
        """A field by its name."""
        return next((leaf for leaf in self.leaves(type_id, size) if leaf.name == name), None)

    def is_open_ended(self, type_id: int) -> bool:
        """Whether its last member is a flexible array, which a block's size extends."""
        return self._open_end(self.get(type_id)) is not None

    def _open_end(self, described: _core.TypeDescription) -> _core.MemberDescription | None:
        """The last member if it is a flexible array, which the block's size extends."""
        if not described["fields"] or described["is_union"]:
            return None
        last = described["fields"][-1]
        inside = self.get(last["type"]) if last["type"] else None
        open_ended = inside is not None and inside["kind"] == "array" and not inside["count"]
        return last if open_ended else None

    def _descend(self, type_id: int, name: str, base: int, offset: int) -> Leaf | None:
        described = self.get(type_id)
        if described["kind"] == "record":
            for member in described["fields"]:
                inside = offset - base - member["offset"]
                if 0 <= inside < member["size"] and member["type"]:
                    found = self._member(member, name, base, offset)
                    if found is not None:
                        return found
            return None
        if described["kind"] == "array":
            return self._into_array(type_id, name, base, offset)
        return Leaf(
            name,
            base,
            described["size"],
            described["kind"],
            described["is_signed"],
            described["is_float"],
            described["is_char"],
            target=described["target"] if described["kind"] == "pointer" else None,
        )

    def _member(
        self, member: _core.MemberDescription, name: str, base: int, offset: int
    ) -> Leaf | None:
        plain = member["name"] and not member["base_class"]
        path = f"{name}.{member['name']}" if plain and name else member["name"] if plain else name
        at = base + member["offset"]
        leaf = self._descend(member["type"], path, at, offset) if member["type"] else None
        if leaf is None or not member["bit_size"]:
            return leaf
        return Leaf(
            leaf.name,
            leaf.offset,
            leaf.size,
            leaf.kind,
            leaf.is_signed,
            leaf.is_float,
            leaf.is_char,
            member["bit_offset"],
            member["bit_size"],
        )

    def _bit_fields_beside(self, type_id: int, size: int, leaf: Leaf) -> Iterator[Leaf]:
        """The other bit fields in the same storage, which `leaf` would otherwise hide."""
        described = self.get(type_id)
        if not leaf.bit_size or described["kind"] != "record" or size >= 2 * described["size"]:
            return
        for member in described["fields"]:
            beside = member["bit_size"] and member["name"] != leaf.name and member["type"]
            if beside and member["offset"] == leaf.offset:
                other = self._member(member, "", 0, leaf.offset)
                if other is not None:
                    yield other

    def _into_array(self, type_id: int | None, name: str, base: int, offset: int) -> Leaf | None:
        element = self.get(type_id)["target"] if type_id else None
        element_size = self.get(element)["size"] if element else 0
        return (
            self._into_array_of(element, element_size, name, base, offset)
            if element and element_size
            else None
        )

    def _into_array_of(
        self, element: int, element_size: int, name: str, base: int, offset: int
    ) -> Leaf | None:
        index = (offset - base) // element_size
        return self._descend(element, f"{name}[{index}]", base + index * element_size, offset)


def part(leaf: Leaf | None, offset: int) -> str:
    """The part of a variable or node at an offset, as ``.next`` or ``[2]``."""
    if leaf is not None and leaf.name:
        return leaf.name if leaf.name.startswith("[") else f".{leaf.name}"
    return f"+{offset}" if offset else ""
