"""Layouts made up from a specification alone, to explain it and to check it without a trace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from heapstory.constraints.binding.layout import WORD, Array, Layout, Scalar
from heapstory.constraints.language import syntax
from heapstory.constraints.language.oneliners import ONE_LINERS
from heapstory.constraints.language.syntax import DEGREES, dotted
from heapstory.constraints.plan import Kind, PlanMember
from heapstory.parsing import did_you_mean


@dataclass(frozen=True, slots=True)
class MadeUp(Layout):
    """A layout that also has the fields it was not told of, unless one looks misspelt."""

    invented: dict[str, Scalar | Array] = field(default_factory=dict)

    def find(self, name: str) -> Scalar | Array | None:
        found = Layout.find(self, name) or self.invented.get(name)
        told = [part.name.replace("[]", "") for part in self.parts]
        plain = name.replace("[]", "")
        if found or plain in told or not plain or did_you_mean(plain, [*told, *DEGREES]):
            return found
        scalar = Scalar(name, self.size + WORD * len(self.invented), WORD, Kind.WORD)
        self.invented[name] = Array(scalar, WORD, None) if "[]" in name else scalar
        return self.invented[name]


class NoTrace:
    """Fields by count are words, the last of them edges; named ones are words in the order they are
    written. Types that are not declared have the fields that are asked for. Type ids count up in
    the order of declaration."""

    def __init__(self, specification: syntax.Specification) -> None:
        self.known = 0
        types = (s for s in specification.statements if isinstance(s, syntax.TypeLine))
        self.declared = [line.name for line in types]
        self.roots_of: dict[str, list[tuple[str, str | None]]] = {}
        for line in specification.statements:
            if isinstance(line, syntax.RootLine):
                told = [one for one in line.sources if not one.startswith(syntax.FRAME)]
                self._told(told, line.type)
            elif isinstance(line, syntax.OneLiner):
                ends = len(ONE_LINERS[line.call.name].ends)
                names = [dotted(arg) for arg in line.call.args]
                heads = [name.partition(".")[0] for name in names]
                mine = [name for name in (*heads, *self.declared) if name in self.declared]
                ends_told = [n for n, head in zip(names, heads, strict=True) if head not in mine]
                self._told(ends_told[-ends:] if ends else [], mine[0] if mine else None)

    def _told(self, sources: Iterable[str], target: str | None) -> None:
        for source in sources:
            holder, dot, path = source.partition(".")
            if dot:
                self.roots_of.setdefault(holder, []).append((path, target))

    def layout(self, line: syntax.TypeLine) -> Layout | None:
        known = line.name in self.declared or line.name in self.roots_of
        if not known and did_you_mean(line.name, self.declared):
            return None
        self.known += 1
        member = (PlanMember(type_id=self.known),)
        if line.is_array:
            return self._array(line.element, member)
        if line.counts:
            fields, edges = line.counts
            kinds = [Kind.INT] * (fields - edges) + [Kind.POINTER] * edges
            parts = (Scalar(f"[{i + 1}]", i * WORD, WORD, kind) for i, kind in enumerate(kinds))
            return Layout(fields * WORD, tuple(parts), member, known=False)
        return self._named(line, member)

    def _named(self, line: syntax.TypeLine, members: tuple[PlanMember, ...]) -> Layout:
        parts: list[Scalar | Array] = []
        offset = 0
        for named in line.fields:
            kind = Kind.POINTER if named.mark else Kind.WORD
            name = named.name if named.count == 0 else f"{named.name}[]"
            scalar = Scalar(name, offset, WORD, kind, named.target)
            parts.append(scalar if named.count == 0 else Array(scalar, WORD, named.count))
            offset += WORD * (named.count or 1)
        told = [named.name for named in line.fields]
        for path, target in self.roots_of.get(line.name, ()):
            if path not in told:
                parts.append(Scalar(path, offset, WORD, Kind.POINTER, target))
                offset += WORD
        return MadeUp(offset, tuple(parts), members, known=False)

    def _array(self, size: int | None, members: tuple[PlanMember, ...]) -> Layout:
        element = Scalar("[]", 0, size or WORD, Kind.INT if size else Kind.WORD)
        array = Array(element, size or WORD, None)
        return Layout(0, (array,), members, known=False)

    def roots(self, variable: str, path: str) -> list[Layout]:
        element = Scalar("[]", 0, WORD, Kind.POINTER)
        if path and not variable.startswith(syntax.FRAME):
            return []
        return [Layout(WORD, (Array(element, WORD, 1),), (PlanMember(node=0),))]

    def array_of(self, name: str) -> Layout | None:
        return self._array(None, ())

    def constant(self, name: str) -> int | None:
        """Any name in capitals may be an enumerator of the program."""
        return 0 if name.isupper() and len(name) > 1 else None

    def type_names(self) -> list[str]:
        return []
