"""Binding the types of a specification to what is in a trace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol

from heapstory.constraints import syntax
from heapstory.constraints.constants import read_constants
from heapstory.constraints.layout import (
    EXPANDED_AT_MOST,
    WORD,
    Array,
    Layout,
    Scalar,
    scalar_of,
)
from heapstory.constraints.node_types import NodeTypes
from heapstory.constraints.plan import Kind, PlanMember, PlanRoot
from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.trace import Trace

_TAG = re.compile(r"^(struct|class|union|enum) ")


class Binding(Protocol):
    """What the compiler asks of a trace."""

    def layout(self, line: syntax.TypeLine) -> Layout | None:
        """The layout of a type; None if nothing of the trace is of it."""

    def roots(self, variable: str, path: str) -> tuple[PlanRoot, ...]:
        """The words of a global variable (and a field in it) that hold pointers."""

    def array_of(self, name: str) -> Layout | None:
        """Blocks that hold some of what a pointer points to: ``int``, ``node *``, ``node``."""

    def constant(self, name: str) -> int | None:
        """The value of an enumerator or macro of the program."""

    def type_names(self) -> list[str]:
        """The names that types may have, for suggestions."""


class TraceBinding:
    """Types by their name in the debug information, or by allocation site."""

    def __init__(self, trace: Trace, sites: Mapping[str, str] | None = None) -> None:
        self.trace, self.sites = trace, dict(sites or {})

    @cached_property
    def _records(self) -> dict[str, list[int]]:
        """Type ids by name, without ``struct``."""
        found: dict[str, list[int]] = {}
        for type_id in range(1, self.trace.core.types() + 1):
            name = self.trace.types.get(type_id)["name"]
            if name:
                found.setdefault(_TAG.sub("", name), []).append(type_id)
        return found

    @cached_property
    def _globals(self) -> dict[str, tuple[int, int | None]]:
        """Variables: node id and type id, by name."""
        nodes = self.trace.core.graph(self.trace.last, True).nodes()
        rows = zip(*(nodes.column(c) for c in ("kind", "name", "id", "type")), strict=True)
        return {name: (node, kind) for what, name, node, kind in rows if what == "global" and kind}

    def type_names(self) -> list[str]:
        return [
            name
            for name, ids in self._records.items()
            if self.trace.types.get(ids[0])["kind"] == "record"
        ]

    def layout(self, line: syntax.TypeLine) -> Layout | None:
        if line.name in self.sites:
            return self._layout_of_site(line, self.sites[line.name])
        ids = self._named(line.native or line.name)
        if line.is_array:
            return self._array(line, ids)
        if not ids:
            return None
        first = self._parts(ids[0])
        same = [i for i in ids if self._parts(i) == first]
        size = self.trace.types.get(ids[0])["size"]
        members = tuple(self._members(line, same))
        return Layout(size, first, members)

    def _named(self, name: str) -> list[int]:
        name = _TAG.sub("", name)
        if name in self._records:
            return self._records[name]
        ends = [ids for full, ids in self._records.items() if full.endswith(f"::{name}")]
        return ends[0] if len(ends) == 1 else []

    def block_counts(self) -> dict[str, int]:
        """Heap blocks by the name of their record type."""
        counts: dict[str, int] = {}
        for type_id, blocks in self._node_types.counts().items():
            described = self.trace.types.get(type_id)
            if described["kind"] == "record":
                name = _TAG.sub("", described["name"])
                counts[name] = counts.get(name, 0) + blocks
        return counts

    def variables_of(self, name: str) -> list[str]:
        """Global variables that hold pointers to a record type."""
        found = []
        for variable, (_, type_id) in sorted(self._globals.items()):
            parts = self._walk(type_id, "", 0) if type_id else ()
            for part in parts:
                scalar = scalar_of(part)
                if (
                    scalar.kind is Kind.POINTER
                    and scalar.target == name
                    and variable.isidentifier()
                ):
                    path = scalar.name.replace("[]", "").lstrip(".")
                    found.append(f"{variable}.{path}" if path else variable)
        return found

    # Where objects lie.

    def _members(self, line: syntax.TypeLine, ids: list[int]) -> Iterator[PlanMember]:
        for type_id in ids:
            if not line.places or "*" in line.places:
                yield from self._node_types.members(type_id, self._stride(type_id))
            for place in line.places:
                yield from self._anywhere(type_id) if place == "*" else self._at(type_id, place)

    @cached_property
    def _node_types(self) -> NodeTypes:
        return NodeTypes(self.trace)

    def _stride(self, type_id: int) -> int | None:
        described = self.trace.types.get(type_id)
        return None if _is_open(self.trace, described) else described["size"] or None

    def _anywhere(self, inner: int) -> Iterator[PlanMember]:
        """Variables of a type, and records and variables that hold it."""
        for _, (node, type_id) in sorted(self._globals.items()):
            assert type_id is not None
            for base in self._inside(type_id, inner):
                yield PlanMember(node=node, base=base)
        for outer in range(1, self.trace.core.types() + 1):
            described = self.trace.types.get(outer)
            if outer != inner and described["kind"] == "record":
                for base in self._inside(outer, inner):
                    yield PlanMember(type_id=outer, base=base, stride=self._stride(outer))

    def _at(self, inner: int, place: str) -> Iterator[PlanMember]:
        holder, _, path = place.partition(".")
        if holder in self._globals:
            node, type_id = self._globals[holder]
            assert type_id is not None
            for base in self._inside(type_id, inner, path):
                yield PlanMember(node=node, base=base)
            return
        for outer in self._named(holder):
            for base in self._inside(outer, inner, path):
                yield PlanMember(type_id=outer, base=base, stride=self._stride(outer))

    def _inside(self, outer: int, inner: int, path: str = "") -> Iterator[int]:
        """The offsets in a type at which another one lies (under a member, if one is named)."""
        if outer == inner:
            if not path:
                yield 0
            return
        described = self.trace.types.get(outer)
        if described["kind"] == "array" and described["target"]:
            unit = self.trace.types.get(described["target"])["size"]
            for i in range(min(described["count"] or 0, EXPANDED_AT_MOST)):
                yield from (i * unit + o for o in self._inside(described["target"], inner, path))
        name, _, rest = path.partition(".")
        for member in described["fields"]:
            if member["type"] and (not path or member["name"] == name):
                inside = self._inside(member["type"], inner, rest)
                yield from (member["offset"] + offset for offset in inside)

    # Fields.

    def _parts(self, type_id: int) -> tuple[Scalar | Array, ...]:
        return tuple(self._walk(type_id, "", 0))

    def _walk(self, type_id: int, name: str, base: int) -> Iterator[Scalar | Array]:
        described = self.trace.types.get(type_id)
        if described["kind"] == "array":
            yield from self._walk_array(described, name, base)
        elif described["kind"] == "record" and described["fields"]:
            for member in described["fields"]:
                if member["type"]:
                    yield from self._walk_member(member, name, base)
        elif described["size"]:
            yield self._scalar(described, name, base)

    def _walk_member(
        self, member: dict[str, Any], name: str, base: int
    ) -> Iterator[Scalar | Array]:
        plain = member["name"] and not member["base_class"]
        path = f"{name}.{member['name']}" if plain and name else member["name"] if plain else name
        for part in self._walk(member["type"], path, base + member["offset"]):
            if member["bit_size"] and isinstance(part, Scalar):
                part = replace(part, bit_offset=member["bit_offset"], bit_size=member["bit_size"])
            yield part

    def _walk_array(
        self, described: dict[str, Any], name: str, base: int
    ) -> Iterator[Scalar | Array]:
        target = described["target"]
        unit = self.trace.types.get(target)["size"] if target else 0
        if not unit:
            return
        count = described["count"] or None
        inner = list(self._walk(target, f"{name}[]", base))
        if all(isinstance(part, Scalar) for part in inner):
            yield from (Array(part, unit, count) for part in inner if isinstance(part, Scalar))
            return
        for i in range(min(count or 0, EXPANDED_AT_MOST)):
            yield from self._walk(target, f"{name}[{i}]", base + i * unit)

    def _scalar(self, described: dict[str, Any], name: str, base: int) -> Scalar:
        size, is_text = described["size"], bool(described["is_char"])
        target: str | None = None
        other: str | None = None
        if described["kind"] == "pointer":
            kind = Kind.POINTER
            pointee = self.trace.types.get(described["target"]) if described["target"] else None
            is_text = bool(pointee and pointee["is_char"])
            if pointee and pointee["name"]:
                name_of = _TAG.sub("", pointee["name"])
                target, other = (name_of, None) if pointee["kind"] == "record" else (None, name_of)
        elif described["is_float"]:
            kind = Kind.FLOAT
        else:
            kind = Kind.INT if described["is_signed"] else Kind.UINT
        return Scalar(name, base, size, kind, target, other, is_char=is_text)

    # Arrays.

    def array_of(self, name: str) -> Layout | None:
        ids = self._named(name)
        if not ids:
            return None
        unit = self.trace.types.get(ids[0])["size"]
        parts = [p for p in self._walk(ids[0], "[]", 0) if isinstance(p, Scalar)]
        arrays = tuple(Array(part, unit, None) for part in parts)
        return Layout(0, arrays, tuple(self._blocks(ids))) if arrays else None

    def _blocks(self, ids: list[int]) -> list[PlanMember]:
        return [member for type_id in ids for member in self._node_types.members(type_id)]

    def constant(self, name: str) -> int | None:
        return self._constants.get(name)

    @cached_property
    def _constants(self) -> dict[str, int]:
        core = self.trace.core
        return read_constants(text for path in core.sources() if (text := core.source(path)))

    def _array(self, line: syntax.TypeLine, ids: list[int]) -> Layout | None:
        members = self._blocks(ids)
        element = ids[0] if ids else None
        if not ids and line.name in self._globals:
            node, type_id = self._globals[line.name]
            described = self.trace.types.get(type_id) if type_id else None
            if described and described["kind"] == "array":
                members, element = [PlanMember(node=node)], described["target"]
        if not members:
            return None
        return self._array_layout(line, element, tuple(members))

    def _array_layout(
        self, line: syntax.TypeLine, element: int | None, members: tuple[PlanMember, ...]
    ) -> Layout:
        parts = list(self._walk(element, "[]", 0)) if element else []
        scalars = [part for part in parts if isinstance(part, Scalar)]
        size = line.element or (scalars[0].size if scalars else WORD)
        first = scalars[0] if scalars else Scalar("[]", 0, size, Kind.WORD)
        warnings = []
        uniform = all(
            (s.size, s.kind, s.offset) == (size, first.kind, i * size)
            for i, s in enumerate(scalars)
        )
        if not uniform or len(scalars) != len(parts):
            kind = Kind.WORD if size == WORD else Kind.INT
            first = Scalar("[]", 0, size, kind)
            warnings.append(
                f"the elements of {line.name} are not all alike: read as numbers of {size} bytes "
                f"(say which with: ARRAY {line.name} OF n;)"
            )
        array = Array(replace(first, name="[]", offset=0), size, None)
        return Layout(0, (array,), members, warnings=tuple(warnings))

    # Allocation sites.

    def _layout_of_site(self, line: syntax.TypeLine, site: str) -> Layout:
        stacks = self._stacks(site)
        if not stacks:
            raise UsageError(
                f"--site {line.name}={site}: nothing was allocated there (see: heapstory query "
                "TRACE 'SELECT DISTINCT file, line FROM nodes JOIN sites ON created_site = site')"
            )
        wanted = set(stacks)
        nodes = self.trace.core.graph(self.trace.last, True).nodes()
        columns = (nodes.column(c) for c in ("id", "size", "type", "created_stack"))
        mine = [row[:3] for row in zip(*columns, strict=True) if row[3] in wanted]
        member = (PlanMember(stacks=tuple(sorted(stacks))),)
        kinds = {kind for _, _, kind in mine}
        known = kinds.pop() if len(kinds) == 1 else None
        if line.is_array:
            return self._array_layout(line, known, member)
        if known and self.trace.types.get(known)["kind"] == "record":
            size = self.trace.types.get(known)["size"]
            return Layout(size, self._parts(known), member)
        parts = self._accessed([node for node, _, _ in mine])
        warning = (
            f"{line.name}: no debug information: field n is the n-th offset that was ever written, "
            "so trailing fields that were not are missing"
        )
        size = min((s for _, s, _ in mine), default=0)
        return Layout(size, parts, member, known=False, warnings=(warning,))

    def _stacks(self, site: str) -> list[int]:
        file, _, number = site.rpartition(":")
        if not file or not number.isdigit():
            raise UsageError(f"--site wants TYPE=FILE:LINE, not {site!r}")
        nodes = self.trace.core.table("nodes")
        found = []
        for stack in sorted({s for s in nodes.column("created_stack") if s is not None}):
            for place in self.trace.stack(stack):
                same = place.path and PurePath(place.path).match(file)
                if same and place.line == int(number):
                    found.append(stack)
                    break
        return found

    def _accessed(self, nodes: list[int]) -> tuple[Scalar, ...]:
        """The distinct offsets written in some nodes, with the sizes seen there."""
        sizes: dict[int, int] = {}
        for node in nodes[:1000]:
            described = self.trace.core.node(node)
            if described is None:
                continue
            address, size = described["address"], described["size"]
            history = self.trace.core.history(address, size, 0, self.trace.last)
            born, freed = described["created"] or 0, described["freed"]
            columns = (history.column(c) for c in ("timestamp", "address", "size", "kind"))
            for timestamp, where, width, kind in zip(*columns, strict=True):
                alive = timestamp >= born and (freed is None or timestamp <= freed)
                if alive and kind == "store" and width in (1, 2, 4, 8):
                    offset = where - address
                    sizes[offset] = max(width, sizes.get(offset, 0))
        return tuple(
            Scalar(
                f"field{n}", offset, sizes[offset], Kind.WORD if sizes[offset] == 8 else Kind.INT
            )
            for n, offset in enumerate(sorted(sizes), 1)
        )

    # Roots.

    def roots(self, variable: str, path: str) -> tuple[PlanRoot, ...]:
        if variable not in self._globals:
            return ()
        node, type_id = self._globals[variable]
        assert type_id is not None
        found = []
        for part in self._walk(type_id, "", 0):
            scalar = part.element if isinstance(part, Array) else part
            name = scalar.name.replace("[]", "").lstrip(".")
            if scalar.kind is Kind.POINTER and (not path or name == path):
                count = (part.count or 1) if isinstance(part, Array) else 1
                if isinstance(part, Array) and part.stride != WORD:
                    found += [
                        PlanRoot(node=node, offset=scalar.offset + i * part.stride)
                        for i in range(min(count, EXPANDED_AT_MOST))
                    ]
                else:
                    found.append(PlanRoot(node=node, offset=scalar.offset, count=count))
        return tuple(found)


def _is_open(trace: Trace, described: dict[str, Any]) -> bool:
    """Whether the last member of a record is an array without a length."""
    if not described["fields"] or described["is_union"]:
        return False
    last = described["fields"][-1]["type"]
    inside = trace.types.get(last) if last else None
    return inside is not None and inside["kind"] == "array" and not inside["count"]
