"""Layouts of types out of the debug information of a trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from heapstory.constraints.binding.layout import EXPANDED_AT_MOST, Array, Scalar
from heapstory.constraints.plan import Kind
from heapstory.store.type_names import plain_name
from heapstory.store.types import Types

if TYPE_CHECKING:
    from heapstory import _core


@dataclass(frozen=True, slots=True)
class Places:
    """Where a type lies in another one, under a path of members: at `count` offsets, `stride`
    apart."""

    type_id: int
    path: str
    base: int
    stride: int
    count: int

    def offsets(self) -> range:
        return range(self.base, self.base + self.stride * self.count, self.stride or 1)

    def is_under(self, path: str) -> bool:
        return not path or self.path == path or self.path.startswith(f"{path}.")

    def moved(self, name: str, offset: int) -> Places:
        """The same in a structure that has the type as a member."""
        path = f"{name}.{self.path}" if name and self.path else name or self.path
        return replace(self, path=path, base=self.base + offset)

    def repeated(self, size: int, count: int) -> Iterator[Places]:
        """The same in an array of the type, of which one element has `size` bytes."""
        if self.count == 1:
            yield replace(self, stride=size, count=count)
        elif self.count * self.stride == size:
            yield replace(self, count=self.count * count)
        else:
            for i in range(count):
                yield replace(self, base=self.base + i * size)


class DebugLayouts:
    """The fields of types, arrays and nested structures taken apart."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self._places: dict[int, tuple[Places, ...]] = {}

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

    def pointers(self, outer: int) -> Iterator[tuple[Places, Scalar | Array]]:
        """The pointers in a type, each with the structures that it is a member of (or the type, if
        that is a pointer or an array of pointers)."""
        if part := self._pointer_part(outer, "", 0):
            yield Places(outer, "", 0, self.types.get(outer)["size"], 1), part
        for places in self.places(outer):
            for member in self.types.get(places.type_id)["fields"]:
                name = member["name"] or ""
                if member["type"] and (
                    part := self._pointer_part(member["type"], name, member["offset"])
                ):
                    yield places, part

    def _pointer_part(self, type_id: int, name: str, base: int) -> Scalar | Array | None:
        """A pointer, or an array of pointers of any number of dimensions."""
        described, count = self.types.get(type_id), 1
        is_array = described["kind"] == "array"
        while described["kind"] == "array" and described["target"]:
            count *= described["count"] or 0
            described = self.types.get(described["target"])
        if described["kind"] != "pointer":
            return None
        scalar = self._scalar(described, name, base)
        return Array(scalar, scalar.size, count) if is_array else scalar

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
        for places in self.runs_inside(outer, inner, path):
            yield from places.offsets()

    def runs_inside(self, outer: int, inner: int, path: str = "") -> Iterator[Places]:
        """The same, with the elements of an array together."""
        for places in self.places(outer):
            if places.type_id == inner and places.is_under(path):
                yield places

    def places(self, outer: int) -> tuple[Places, ...]:
        """Every type that lies in a type, itself included."""
        if outer not in self._places:
            self._places[outer] = tuple(self._places_in(outer))
        return self._places[outer]

    def _places_in(self, outer: int) -> Iterator[Places]:
        described = self.types.get(outer)
        yield Places(outer, "", 0, described["size"], 1)
        if described["kind"] == "array" and described["target"]:
            for places in self.places(described["target"]):
                yield from places.repeated(
                    self.types.get(described["target"])["size"], described["count"] or 0
                )
        for member in described["fields"]:
            if member["type"]:
                name = "" if member["base_class"] else member["name"] or ""
                for places in self.places(member["type"]):
                    yield places.moved(name, member["offset"])
