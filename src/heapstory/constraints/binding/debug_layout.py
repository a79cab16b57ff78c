"""Layouts of types out of the debug information of a trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from heapstory.constraints.binding.layout import EXPANDED_AT_MOST, Array, Scalar
from heapstory.constraints.plan import Kind
from heapstory.store.type_names import plain_name
from heapstory.store.types import Types

if TYPE_CHECKING:
    from heapstory import _core


class DebugLayouts:
    """The fields of types, arrays and nested structures taken apart."""

    def __init__(self, types: Types) -> None:
        self.types = types

    def parts(self, type_id: int) -> tuple[Scalar | Array, ...]:
        """The fields of a type, in order."""
        return tuple(self.parts_of(type_id, "", 0))

    def parts_of(self, type_id: int, name: str, base: int) -> Iterator[Scalar | Array]:
        """The fields of a type that lies at an offset under some name."""
        described = self.types.get(type_id)
        if described["kind"] == "array":
            yield from self._array_parts(described, name, base)
        elif described["kind"] == "record" and described["fields"]:
            for member in described["fields"]:
                yield from self._member_parts(member, name, base)
        elif described["size"]:
            yield self._scalar(described, name, base)

    def _member_parts(
        self, member: _core.MemberDescription, name: str, base: int
    ) -> Iterator[Scalar | Array]:
        if not member["type"]:
            return
        plain = member["name"] and not member["base_class"]
        path = f"{name}.{member['name']}" if plain and name else member["name"] if plain else name
        for part in self.parts_of(member["type"], path, base + member["offset"]):
            if member["bit_size"] and isinstance(part, Scalar):
                part = replace(part, bit_offset=member["bit_offset"], bit_size=member["bit_size"])
            yield part

    def _array_parts(
        self, described: _core.TypeDescription, name: str, base: int
    ) -> Iterator[Scalar | Array]:
        target = described["target"]
        stride = self.types.get(target)["size"] if target else 0
        if not target or not stride:
            return
        count = described["count"] or None
        inner = list(self.parts_of(target, f"{name}[]", base))
        if all(isinstance(part, Scalar) for part in inner):
            yield from (Array(part, stride, count) for part in inner if isinstance(part, Scalar))
            return
        for i in range(min(count or 0, EXPANDED_AT_MOST)):
            yield from self.parts_of(target, f"{name}[{i}]", base + i * stride)

    def _scalar(self, described: _core.TypeDescription, name: str, base: int) -> Scalar:
        size, is_text = described["size"], described["is_char"]
        target: str | None = None
        other: str | None = None
        if described["kind"] == "pointer":
            kind = Kind.POINTER
            pointee = self.types.get(described["target"]) if described["target"] else None
            is_text = pointee is not None and pointee["is_char"]
            if pointee and pointee["name"]:
                name_of = plain_name(pointee["name"])
                target, other = (name_of, None) if pointee["kind"] == "record" else (None, name_of)
        elif described["is_float"]:
            kind = Kind.FLOAT
        else:
            kind = Kind.INT if described["is_signed"] else Kind.UINT
        return Scalar(name, base, size, kind, target, other, is_char=is_text)

    def is_open(self, type_id: int) -> bool:
        """Whether the last member of a record is an array without a length."""
        described = self.types.get(type_id)
        if not described["fields"] or described["is_union"]:
            return False
        last = described["fields"][-1]["type"]
        inside = self.types.get(last) if last else None
        return inside is not None and inside["kind"] == "array" and not inside["count"]

    def in_open_array(self, outer: int, inner: int, path: str = "") -> Iterator[tuple[int, int]]:
        """Where another type lies in the first element of an array without a length at the end of a
        record, and the size of an element."""
        if self.types.get(outer)["kind"] != "record" or not self.is_open(outer):
            return
        last = self.types.get(outer)["fields"][-1]
        name, _, rest = path.partition(".")
        element = self.types.get(last["type"])["target"] if last["type"] else None
        if not element or (path and last["name"] != name):
            return
        for offset in self.inside(element, inner, rest):
            yield last["offset"] + offset, self.types.get(element)["size"]

    def as_base(self, outer: int, inner: int, base: int = 0) -> Iterator[int]:
        """The offsets in a record at which another one is its base: a class that it is derived
        from, or the first member of a structure."""
        for member in self.types.get(outer)["fields"]:
            at = base + member["offset"]
            if not member["type"] or not (member["base_class"] or at == 0):
                continue
            if member["type"] == inner:
                yield at
            elif self.types.get(member["type"])["kind"] == "record":
                yield from self.as_base(member["type"], inner, at)

    def inside(self, outer: int, inner: int, path: str = "") -> Iterator[int]:
        """The offsets in a type at which another one lies (under a member, if one is named)."""
        if outer == inner:
            if not path:
                yield 0
            return
        described = self.types.get(outer)
        if described["kind"] == "array" and described["target"]:
            stride = self.types.get(described["target"])["size"]
            for i in range(min(described["count"] or 0, EXPANDED_AT_MOST)):
                yield from (i * stride + o for o in self.inside(described["target"], inner, path))
        name, _, rest = path.partition(".")
        for member in described["fields"]:
            if member["type"] and (not path or member["name"] == name):
                offsets = self.inside(member["type"], inner, rest)
                yield from (member["offset"] + offset for offset in offsets)
