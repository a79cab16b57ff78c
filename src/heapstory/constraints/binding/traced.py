"""Binding the types of a specification to what is in a trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from heapstory.constraints.binding import glibc
from heapstory.constraints.binding.constants import read_constants
from heapstory.constraints.binding.debug_layout import DebugLayouts, Places
from heapstory.constraints.binding.layout import (
    WORD,
    Array,
    Layout,
    Scalar,
    scalar_of,
)
from heapstory.constraints.binding.node_types import NodeTypes
from heapstory.constraints.binding.sites import accessed_fields, blocks_of, find_stacks
from heapstory.constraints.binding.typedefs import read_typedefs
from heapstory.constraints.language import syntax
from heapstory.constraints.plan import Kind, PlanMember
from heapstory.errors import UsageError
from heapstory.store.type_names import meant, plain_name

if TYPE_CHECKING:
    from heapstory import _core
    from heapstory.trace import Trace


Sites = Mapping[str, str | Sequence[str]]  # allocation sites by type


class TraceBinding:
    """Types by their name in the debug information, or by allocation site."""

    def __init__(self, trace: Trace, sites: Sites | None = None) -> None:
        self.trace = trace
        self.sites = {
            name: [given] if isinstance(given, str) else list(given)
            for name, given in (sites or {}).items()
        }
        self.layouts = DebugLayouts(trace.types)

    @cached_property
    def _records(self) -> dict[str, list[int]]:
        """Type ids by name, without ``struct``."""
        found: dict[str, list[int]] = {}
        for type_id in range(1, self.trace.core.types() + 1):
            name = self.trace.types.get(type_id)["name"]
            if name:
                found.setdefault(plain_name(name), []).append(type_id)
        return found

    @cached_property
    def _globals(self) -> dict[str, tuple[int, int]]:
        """Variables: node id and type id, by name."""
        return {
            name: places[0]
            for name, places in self._variables.items()
            if not name.startswith(syntax.FRAME)
        }

    @cached_property
    def _variables(self) -> dict[str, list[tuple[int, int]]]:
        """The same, and those of frames, of which there may be many."""
        found: dict[str, list[tuple[int, int]]] = {}
        for node in self._allocations.globals():
            one = self.trace.core.node(node)
            if one and one["type"]:
                found.setdefault(one["name"], []).append((one["id"], one["type"]))
        return found

    def type_names(self) -> list[str]:
        return [
            name
            for name, ids in self._records.items()
            if self.trace.types.get(ids[0])["kind"] == "record"
        ]

    def layout(self, line: syntax.TypeLine) -> Layout | None:
        if line.name in self.sites:
            return self._layout_of_sites(line, self.sites[line.name])
        ids = self._named(line.native or line.name)
        if line.is_array:
            return self._array(line, ids)
        if not ids and line.name in (glibc.CHUNK, glibc.BIN):
            return glibc.layout(self.trace, line.name)
        if not ids:
            return None
        first = self.layouts.parts(ids[0])
        same = [i for i in ids if self.layouts.parts(i) == first]
        size = self.trace.types.get(ids[0])["size"]
        members = tuple(self._members(line, same))
        return Layout(size, first, members)

    def _named(self, name: str) -> list[int]:
        """The types that a name means; of several those that blocks are of."""
        if known := self._records.get(plain_name(name)):
            return known
        names = meant(name, self._records)
        if not names and name in self._typedefs:
            return self._named(self._typedefs[name])
        if len(names) > 1:
            used = [one for one in names if any(map(self._counts.get, self._records[one]))]
            names = used or names
        if len(names) > 1 and not self._alike(names):
            raise UsageError(
                f'{name} may be {", ".join(names[:4])}: say which (NAME is "{names[0]}" {{ … }})'
            )
        return [type_id for one in names for type_id in self._records[one]]

    def _alike(self, names: list[str]) -> bool:
        """Whether types have the same fields."""
        layouts = [self.layouts.parts(self._records[name][0]) for name in names]
        return all(layout == layouts[0] for layout in layouts)

    @cached_property
    def _counts(self) -> dict[int, int]:
        return self._node_types.counts()

    def block_counts(self) -> dict[str, int]:
        """Heap blocks by the name of their record type."""
        counts: dict[str, int] = {}
        for type_id, blocks in self._counts.items():
            described = self.trace.types.get(type_id)
            if described["kind"] == "record":
                name = plain_name(described["name"])
                counts[name] = counts.get(name, 0) + blocks
        return counts

    def variables_of(self, name: str) -> list[str]:
        """Global variables that hold pointers to a record type."""
        found: dict[str, None] = {}
        for variable, (_, type_id) in sorted(self._globals.items()):
            for places, part in self.layouts.pointers(type_id):
                if scalar_of(part).target == name and variable.isidentifier():
                    found[".".join(filter(None, (variable, places.path, part.name)))] = None
        return list(found)

    # Where objects lie.

    def _members(self, line: syntax.TypeLine, ids: list[int]) -> Iterator[PlanMember]:
        for type_id in ids:
            if not line.holders or "*" in line.holders:
                yield from self._node_types.members(type_id, self._stride(type_id))
            if not line.holders:
                yield from self._derived(type_id)
                yield from self._in_variables(type_id)
                yield from self._in_counted_arrays(type_id)
            for field in line.holders:
                yield from self._anywhere(type_id) if field == "*" else self._at(type_id, field)

    def _derived(self, inner: int) -> Iterator[PlanMember]:
        """Blocks of types that have this one as their base: a list of shapes holds circles."""
        if self.trace.types.get(inner)["kind"] != "record":
            return
        for outer in self._counts:
            if outer != inner and self.trace.types.get(outer)["kind"] == "record":
                for base in self.layouts.as_base(outer, inner):
                    for member in self._node_types.members(outer, self._stride(outer)):
                        yield replace(member, base=base)

    @cached_property
    def _node_types(self) -> NodeTypes:
        return NodeTypes(self.trace, self._allocations)

    @cached_property
    def _allocations(self) -> _core.Allocations:
        from heapstory import _core

        return _core.Allocations(self.trace.core)

    def _stride(self, type_id: int) -> int | None:
        if self.layouts.is_open(type_id):
            return None
        return self.trace.types.get(type_id)["size"] or None

    def _anywhere(self, inner: int) -> Iterator[PlanMember]:
        """Variables of a type, and records and variables that hold it."""
        yield from self._in_variables(inner)
        for outer in range(1, self.trace.core.types() + 1):
            described = self.trace.types.get(outer)
            if outer != inner and described["kind"] == "record":
                yield from self._held(outer, inner)

    def _in_variables(self, inner: int) -> Iterator[PlanMember]:
        for name, variables in sorted(self._variables.items()):
            for node, type_id in variables:
                for places in self.layouts.runs_inside(type_id, inner):
                    yield _in_variable(name, node, places)

    def _in_counted_arrays(self, inner: int) -> Iterator[PlanMember]:
        """Elements of arrays that begin with their length (``new T[n]``)."""
        name = f"{self.trace.types.get(inner)['name']}[]"
        for outer in self._counts:
            if self.trace.types.get(outer)["name"] == name:
                yield from self._held(outer, inner)

    def _at(self, inner: int, field: str) -> Iterator[PlanMember]:
        holder, _, path = field.partition(".")
        if holder in self._globals:
            node, type_id = self._globals[holder]
            for places in self.layouts.runs_inside(type_id, inner, path):
                yield _in_variable(holder, node, places)
        for outer in self._named(holder):
            yield from self._held(outer, inner, path)

    def _held(self, outer: int, inner: int, path: str = "") -> Iterator[PlanMember]:
        """A type inside the blocks of another, in each element of an array at its end as well."""
        for base in self.layouts.inside(outer, inner, path):
            yield PlanMember(type_id=outer, base=base, stride=self._stride(outer))
        for base, stride in self.layouts.in_open_array(outer, inner, path):
            yield PlanMember(type_id=outer, base=base, stride=stride)

    # Arrays.

    def array_of(self, name: str) -> Layout | None:
        ids = self._named(name)
        if not ids:
            return None
        stride = self.trace.types.get(ids[0])["size"]
        parts = [p for p in self.layouts.parts_of(ids[0], "[]", 0) if isinstance(p, Scalar)]
        arrays = tuple(Array(part, stride, None) for part in parts)
        return Layout(0, arrays, tuple(self._blocks(ids))) if arrays else None

    def _blocks(self, ids: list[int]) -> list[PlanMember]:
        return [member for type_id in ids for member in self._node_types.members(type_id)]

    def constant(self, name: str) -> int | None:
        return self._constants.get(name)

    @cached_property
    def _constants(self) -> dict[str, int]:
        return read_constants(self._sources())

    @cached_property
    def _typedefs(self) -> dict[str, str]:
        return read_typedefs(self._sources())

    def _sources(self) -> Iterator[str]:
        core = self.trace.core
        return (text for path in core.sources() if (text := core.source(path)))

    def _array(self, line: syntax.TypeLine, ids: list[int]) -> Layout | None:
        members = self._blocks(ids)
        element = ids[0] if ids else None
        if not ids and line.name in self._globals:
            node, type_id = self._globals[line.name]
            described = self.trace.types.get(type_id)
            if described["kind"] == "array":
                members, element = [PlanMember(node=node)], described["target"]
        if not members:
            return None
        return self._array_layout(line, element, tuple(members))

    def _array_layout(
        self, line: syntax.TypeLine, element: int | None, members: tuple[PlanMember, ...]
    ) -> Layout:
        parts = list(self.layouts.parts_of(element, "[]", 0)) if element else []
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

    def _layout_of_sites(self, line: syntax.TypeLine, sites: Sequence[str]) -> Layout:
        stacks: list[int] = []
        for site in sites:
            found = find_stacks(self.trace, site)
            if not found:
                raise UsageError(
                    f"--site {line.name}={site}: nothing was allocated there (see: heapstory query "
                    "TRACE 'SELECT DISTINCT file, line FROM nodes JOIN sites ON created_site = "
                    "site')"
                )
            stacks += found
        blocks = blocks_of(self.trace, stacks)
        members = (PlanMember(stacks=tuple(sorted(stacks))),)
        kinds = {kind for _, _, kind in blocks}
        known = kinds.pop() if len(kinds) == 1 else None
        if known is None:  # the name may be that of a type all the same
            known = next(iter(self._named(line.native or line.name)), None)
        if line.is_array:
            return self._array_layout(line, known, members)
        if known and self.trace.types.get(known)["kind"] == "record":
            size = self.trace.types.get(known)["size"]
            return Layout(size, self.layouts.parts(known), members)
        parts = accessed_fields(self.trace, [node for node, _, _ in blocks])
        warning = (
            f"{line.name}: no debug information: field n is the n-th offset that was ever written, "
            "so trailing fields that were not are missing"
        )
        size = min((size for _, size, _ in blocks), default=0)
        return Layout(size, parts, members, known=False, warnings=(warning,))

    # Roots.

    def roots(self, variable: str, path: str) -> list[Layout]:
        """Each of these words is of the structure that it lies in, so that the elements of an array
        of structures are apart."""
        found: dict[Array, list[PlanMember]] = {}
        for node, type_id in self._variables.get(variable, []):
            for places, part in self.layouts.pointers(type_id):
                name = ".".join(filter(None, (places.path, part.name)))
                if not path or name == path:
                    array = part if isinstance(part, Array) else Array(part, WORD, 1)
                    array = replace(array, element=replace(array.element, name="[]"))
                    found.setdefault(array, []).append(_in_variable(variable, node, places))
        return [
            Layout(
                array.element.offset + (array.count or 1) * array.stride, (array,), tuple(members)
            )
            for array, members in found.items()
        ]


def _in_variable(name: str, node: int, places: Places) -> PlanMember:
    one = places.count == 1
    return PlanMember(
        node=node,
        is_kept=name.startswith(syntax.FRAME),
        base=places.base,
        stride=None if one else places.stride,
        count=None if one else places.count,
    )
