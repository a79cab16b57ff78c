"""The types of a specification while it is compiled: fields, edge sets and what pointers mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from heapstory.constraints.binding.layout import Array, Layout, Scalar, count_pointers, scalar_of
from heapstory.constraints.binding.protocol import Binding
from heapstory.constraints.language import syntax
from heapstory.constraints.plan import (
    EdgeRef,
    Kind,
    PlanField,
    PlanRun,
    PlanType,
)
from heapstory.errors import SpecificationError, UnmatchedError
from heapstory.parsing import did_you_mean

POINTERS = (Kind.POINTER, Kind.WORD)
TEXT_PREFIX = "text "  # the part that reads an array of characters as one text


@dataclass(eq=False)
class Entry:
    """A type: `parts` are the fields and arrays the plan refers to so far."""

    name: str
    index: int
    layout: Layout
    line: syntax.TypeLine | None
    implied: bool
    roots: list[EdgeRef] = field(default_factory=list)
    parts: list[Scalar] = field(default_factory=list)
    runs: list[Array] = field(default_factory=list)

    def refer(self, part: Scalar | Array) -> int:
        """The number of a field or run in the plan."""
        if isinstance(part, Array):
            return _number_in(self.runs, part)
        return _number_in(self.parts, part)

    @property
    def is_array(self) -> bool:
        return self.layout.find("[]") is not None or any(
            part.name.startswith("[]") for part in self.layout.parts
        )

    def find_marked(self, name: str) -> Scalar | Array | None:
        """A field by its name without brackets: ``child`` for ``child[]``, ``slot.key`` too."""
        for part in self.layout.parts:
            if part.name.replace("[]", "") == name:
                return part
        return self.layout.find(name)

    def field_names(self) -> list[str]:
        return [part.name.replace("[]", "") for part in self.layout.parts]


def _native_name(entry: Entry) -> str:
    """The name of a type in the program."""
    return (entry.line.native if entry.line else None) or entry.name


def _is_of_pointers(part: Scalar | Array) -> bool:
    """Whether it is a pointer to pointers."""
    return (scalar_of(part).pointee or "").endswith("*")


def _leading_to(part: Scalar | Array, target: Entry) -> Scalar | Array:
    """A pointer, or an array of pointers, to a type."""
    scalar = replace(scalar_of(part), target=_native_name(target), pointee=None)
    return replace(part, element=scalar) if isinstance(part, Array) else scalar


def _element(name: str) -> tuple[str, int | None]:
    """The array and the index of ``next[0]``."""
    whole, bracket, index = name.partition("[")
    return whole, int(index.removesuffix("]")) if bracket else None


PartT = TypeVar("PartT", Scalar, Array)


def _number_in(known: list[PartT], part: PartT) -> int:
    """The position of a part among those known, of which it is one from now on."""
    if part not in known:
        known.append(part)
    return known.index(part)


class Schema:
    """All types of a specification, declared or only read through, and the sets of edges."""

    def __init__(self, specification: syntax.Specification, binding: Binding) -> None:
        self.specification, self.binding = specification, binding
        self.entries: list[Entry] = []
        self.warnings: list[tuple[syntax.At, str]] = []
        self._arrays: dict[str, Entry | None] = {}
        self._sets: list[tuple[EdgeRef, ...]] = []
        self.values: dict[str, int | float] = {}
        for line in specification.statements:
            if isinstance(line, syntax.TypeLine):
                self._declare(line)
        for entry in self.declared():
            self._check_marks(entry)
        self._sets.append(self._counted())

    def fail(self, message: str, at: syntax.At) -> SpecificationError:
        spec = self.specification
        return SpecificationError(message, spec.path, spec.source, at.line, at.column)

    def unmatched(self, message: str, at: syntax.At) -> UnmatchedError:
        spec = self.specification
        return UnmatchedError(message, spec.path, spec.source, at.line, at.column)

    def warn(self, message: str, at: syntax.At) -> None:
        self.warnings.append((at, message))

    def constant(self, name: str) -> int | float | None:
        """A named value: declared here, or known from the program's source."""
        if name in self.values:
            return self.values[name]
        return self.binding.constant(name)

    def declared(self) -> Iterator[Entry]:
        return (entry for entry in self.entries if not entry.implied)

    # Types.

    def _declare(self, line: syntax.TypeLine) -> None:
        if any(entry.name == line.name for entry in self.entries):
            raise self.fail(f"type {line.name} is declared twice", line.at)
        layout = self.binding.layout(line)
        if layout is None:
            hint = did_you_mean(line.native or line.name, self.binding.type_names())
            raise self.unmatched(
                f"nothing in the trace is a {line.native or line.name}{hint}; bind it to an "
                f"allocation with --site {line.name}=FILE:LINE",
                line.at,
            )
        for warning in layout.warnings:
            self.warn(warning, line.at)
        self.entries.append(Entry(line.name, len(self.entries), layout, line, False))
        if line.counts and layout.known:
            counts = count_pointers(layout)
            if counts != line.counts:
                self.warn(
                    f"{line.name} has {counts[0]} fields, {counts[1]} of them pointers, in the "
                    f"debug information (not {line.counts[0]} and {line.counts[1]})",
                    line.at,
                )
        for named in line.fields:
            self.values.update(named.values)

    def _check_marks(self, entry: Entry) -> None:
        for named in entry.line.fields if entry.line else ():
            part = entry.find_marked(named.name)
            if part is None and named.name not in entry.layout.prefixes():
                hint = did_you_mean(named.name, entry.field_names())
                raise self.unmatched(f"{entry.name} has no field '{named.name}'{hint}", named.at)
            if named.mark and (part is None or scalar_of(part).kind not in POINTERS):
                raise self.fail(
                    f"{entry.name}.{named.name} is not a pointer, so it cannot be marked "
                    f"'{named.mark}'",
                    named.at,
                )
            if named.target and self.find(named.target) is None:
                hint = did_you_mean(named.target, [e.name for e in self.entries])
                raise self.fail(f"unknown type '{named.target}'{hint}", named.at)

    def find(self, name: str, *, imply: bool = True) -> Entry | None:
        """A type by its name in the specification; one only known to the trace joins as implied."""
        for entry in self.entries:
            if entry.name == name:
                return entry
        if not imply:
            return None
        layout = self.binding.layout(syntax.TypeLine(name, None, (), syntax.At(0, 0)))
        return self.imply(name, layout) if layout else None

    def imply(self, name: str, layout: Layout) -> Entry:
        """Adds a type that is only read through."""
        self.entries.append(Entry(name, len(self.entries), layout, None, True))
        return self.entries[-1]

    def _native(self, name: str, imply: bool) -> Entry | None:
        for entry in self.entries:
            native = _native_name(entry)
            if native.split(" ")[-1] == name and not entry.is_array:
                return entry
        return self.find(name, imply=imply)

    def target(self, entry: Entry, part: Scalar | Array, *, imply: bool = True) -> Entry | None:
        """The type a pointer field leads to."""
        scalar = scalar_of(part)
        if scalar.kind not in POINTERS:
            return None
        if told := self._told_target(entry, part):
            return None if _is_of_pointers(part) else told
        if scalar.target:
            return self._native(scalar.target, imply)
        for other in self.declared():
            element = _native_name(other) if other.is_array else None
            if element is not None and element == scalar.pointee:
                return other
        if entry.layout.known or scalar.pointee:
            return None
        return entry if not entry.is_array else None

    def _told_target(self, entry: Entry, part: Scalar | Array) -> Entry | None:
        """The type after the colon: ``next* : node``."""
        for named in entry.line.fields if entry.line else ():
            if named.target and entry.find_marked(named.name) is part:
                return self.find(named.target)
        return None

    def array_of(self, part: Scalar | Array) -> Entry | None:
        """Blocks of what a pointer points to, as an array: ``X.buffer[i]``, ``table.chain[i]``."""
        scalar = scalar_of(part)
        if scalar.kind not in POINTERS:
            return None
        return self._array_named(scalar.target or scalar.pointee or "")

    def array_behind(self, entry: Entry, part: Scalar | Array) -> Entry | None:
        """The same where the specification may say what the pointer leads to: ``key : int``, or,
        of a pointer to pointers, what those lead to."""
        told = self._told_target(entry, part)
        if told is not None and _is_of_pointers(part):
            return self._array_named(scalar_of(part).pointee or "", told)
        target = self.target(entry, part)
        if target is not None and target.is_array:
            return target
        named = self._array_named(_native_name(target)) if target is not None else None
        return named or self.array_of(part)

    def _array_named(self, name: str, target: Entry | None = None) -> Entry | None:
        """Blocks of a type as arrays; the target is that of its elements."""
        known = f"{name}[]" if target is None else f"{name}[] to {target.name}"
        if known not in self._arrays:
            layout = self.binding.array_of(name)
            if layout is not None and target is not None:
                layout = replace(layout, parts=tuple(_leading_to(p, target) for p in layout.parts))
            self._arrays[known] = self.imply(known, layout) if layout else None
        return self._arrays[known]

    # Edges.

    def _counted(self) -> tuple[EdgeRef, ...]:
        refs = []
        for entry in self.declared():
            refs += [self._ref(entry, part) for part in self.counted_parts(entry)]
        return tuple(refs)

    def counted_parts(self, entry: Entry) -> list[Scalar | Array]:
        if entry.line and entry.line.fields:
            marked = (entry.find_marked(f.name) for f in entry.line.fields if f.mark == "*")
            return [part for part in marked if part is not None]
        return [part for part in entry.layout.parts if scalar_of(part).kind in POINTERS]

    def checked_parts(self, entry: Entry) -> list[Scalar | Array]:
        """The pointers that must be NULL or lead to a node."""
        if entry.line and entry.line.fields:
            lines = [f for f in entry.line.fields if f.mark and not f.unchecked]
            return [part for f in lines if (part := entry.find_marked(f.name)) is not None]
        targets = {e.index for e in self.declared()}
        parts = self.counted_parts(entry)
        found = [(p, self.target(entry, p, imply=False)) for p in parts if entry.layout.known]
        return [part for part, target in found if target and target.index in targets]

    def _ref(self, entry: Entry, part: Scalar | Array) -> EdgeRef:
        number = entry.refer(part)
        is_run = isinstance(part, Array)
        return EdgeRef(entry.index, None if is_run else number, number if is_run else None)

    def edge_set(self, names: tuple[str, ...] | None, at: syntax.At) -> int:
        """The number of a set of edges: all counted ones, or those of some fields."""
        if names is None:
            return 0
        refs: list[EdgeRef] = []
        for name in names:
            whole, element = _element(name)
            found = [
                replace(self._ref(entry, part), element=element)
                for entry in self.declared()
                for part in [self._part_named(entry, whole)]
                if part is not None
                and scalar_of(part).kind in POINTERS
                and (element is None or isinstance(part, Array))
            ]
            if not found:
                known = [n for entry in self.declared() for n in entry.field_names()]
                hint = did_you_mean(name, known)
                raise self.fail(f"no declared type has a pointer field '{name}'{hint}", at)
            refs += found
        return self.intern(tuple(refs))

    def refer_to(self, entry: Entry, part: Scalar | Array, *, via: int | None = None) -> EdgeRef:
        """A field or run as an edge, perhaps only of objects that another edge leads to."""
        return replace(self._ref(entry, part), via=via)

    def element_type(self, entry: Entry, path: str) -> Entry | None:
        """The type of the structures in an array: of a block, or in another structure."""
        if path == "[]":
            return self._native(entry.name.removesuffix("[]"), True)
        held_in = f"{entry.name}.{path.removesuffix('[]')}"
        return next((e for e in self.declared() if e.line and held_in in e.line.holders), None)

    def _part_named(self, entry: Entry, name: str) -> Scalar | Array | None:
        own = name.removeprefix(f"{entry.name}.")
        names = {name, f"{name}[]", own, f"{own}[]"}
        return next((part for part in entry.layout.parts if part.name in names), None)

    def intern(self, refs: tuple[EdgeRef, ...], *, counted: bool = True) -> int:
        """The number of a set of edges, whatever their order. The counted edges are apart: those to
        types that are only read through are none of them."""
        for number, known in enumerate(self._sets):
            if set(known) == set(refs) and (number or counted):
                return number
        self._sets.append(tuple(dict.fromkeys(refs)))
        return len(self._sets) - 1

    def edges(self, number: int) -> tuple[EdgeRef, ...]:
        return self._sets[number]

    def edge_sets(self) -> tuple[tuple[EdgeRef, ...], ...]:
        return tuple(self._sets)

    def part(self, ref: EdgeRef) -> Scalar | Array:
        """The field behind an edge."""
        entry = self.entries[ref.type]
        if ref.field is not None:
            return entry.parts[ref.field]
        assert ref.run is not None
        return entry.runs[ref.run]

    def ref_name(self, ref: EdgeRef) -> str:
        """The name of the field behind an edge."""
        return self.part(ref).name.replace("[]", "")

    # The result.

    def types(self) -> tuple[PlanType, ...]:
        return tuple(self._type(entry) for entry in self.entries)

    def _type(self, entry: Entry) -> PlanType:
        counted = self.counted_parts(entry) if not entry.implied else []
        fields = tuple(self._field(entry, part, part in counted) for part in entry.parts)
        runs = tuple(
            PlanRun(self._field(entry, run, run in counted), run.stride, run.count)
            for run in entry.runs
        )
        layout = entry.layout
        return PlanType(
            entry.name, layout.size, layout.members, fields, runs, tuple(entry.roots), entry.implied
        )

    def _field(self, entry: Entry, part: Scalar | Array, counted: bool) -> PlanField:
        scalar = scalar_of(part)
        target = self.target(entry, part, imply=False)
        return PlanField(
            scalar.name.removeprefix(TEXT_PREFIX),
            scalar.offset,
            scalar.size,
            scalar.kind,
            counted,
            target.index if target else None,
            scalar.bit_offset,
            scalar.bit_size,
        )
