"""The debug metadata of a module: places, names of variables and members, types in the source."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from heapstory.cfront.constants import unescaped
from heapstory.cfront.program import Place

ATTACHED = re.compile(r",? !dbg !(\d+)")  # to an instruction: its location
_REFERENCE = re.compile(r"!(\d+)\Z")
_LOCATION = re.compile(r"DILocation\(line: (\d+)(?:, column: (\d+))?, scope: !(\d+)")

_POINTER, _ATOMIC = "DW_TAG_pointer_type", "DW_TAG_atomic_type"
_REFERENCES = ("DW_TAG_reference_type", "DW_TAG_rvalue_reference_type")
_TRANSPARENT = frozenset(
    ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type")
)
_TAGGED = {
    "DW_TAG_structure_type": "struct", "DW_TAG_union_type": "union",
    "DW_TAG_enumeration_type": "enum",
}  # fmt: skip


class Member(NamedTuple):
    """A member of a structure, as the source has it; the offset is in bytes."""

    name: str
    offset: int
    type: str


class DebugInfo:
    """Metadata kept as text and read when asked for: most of it never is."""

    def __init__(self, lines: list[str]) -> None:
        self._text: dict[str, str] = {}
        for line in lines:
            name, found, body = line.partition(" = ")
            if found:
                self._text[name[1:]] = body
        self._places: dict[str, Place | None] = {}
        self._scopes: dict[str, tuple[str, str]] = {}
        self._files: dict[str, str] = {}
        self._members: dict[str, dict[int, str]] | None = None

    def attribute(self, node: str, key: str) -> str | None:
        """The text of one attribute of a metadata node."""
        text = self._text.get(node, "")
        match = re.search(rf'[( ]{key}: (?:"([^"]*)"|([^,)]+))', text)
        if match is None:
            return None
        quoted: str | None = match.group(1)
        if quoted is None:
            return match.group(2)
        return os.fsdecode(unescaped(quoted)) if "\\" in quoted else quoted

    def _link(self, node: str, key: str) -> str | None:
        value = self.attribute(node, key)
        match = _REFERENCE.match(value) if value else None
        return match.group(1) if match else None

    def place(self, node: str) -> Place | None:
        """The place of a ``DILocation`` node."""
        if node not in self._places:
            self._places[node] = self._read_place(node)
        return self._places[node]

    def _read_place(self, node: str) -> Place | None:
        match = _LOCATION.search(self._text.get(node, ""))
        if match is None or match.group(1) == "0":
            return None
        path, function = self._scope(match.group(3))
        return Place(path, int(match.group(1)), function, int(match.group(2) or 0))

    def subprogram(self, node: str) -> Place:
        """Where a function is defined."""
        path, function = self._scope(node)
        return Place(path, int(self.attribute(node, "line") or 0), function)

    def _scope(self, node: str) -> tuple[str, str]:
        known = self._scopes.get(node)
        if known is None:
            text = self._text.get(node, "")
            if "DISubprogram(" in text:
                name = self.attribute(node, "name") or "?"
            else:
                parent = self._link(node, "scope")
                name = self._scope(parent)[1] if parent else "?"
            known = self._scopes[node] = (self.file(self._link(node, "file")), name)
        return known

    def file(self, node: str | None) -> str:
        """The path of a ``DIFile`` node."""
        if node is None:
            return "?"
        if node not in self._files:
            name = self.attribute(node, "filename") or "?"
            folder = self.attribute(node, "directory") or ""
            self._files[node] = os.path.normpath(os.path.join(folder, name))  # noqa: PTH118
        return self._files[node]

    def members(self, structure: str) -> dict[int, str]:
        """Byte offset to member name, for a structure named as in the source."""
        if self._members is None:
            self._members = {}
            for node, name in self._structures():
                self._members.setdefault(name, self._read_members(node))
        return self._members.get(structure, {})

    def _structures(self) -> list[tuple[str, str]]:
        """Nodes and names of the structures whose members are known."""
        found = []
        for node, text in self._text.items():
            if "DICompositeType(tag: DW_TAG_structure_type, name:" in text and "elements:" in text:
                found.append((node, self.attribute(node, "name") or ""))
            elif "DIDerivedType(tag: DW_TAG_typedef, name:" in text:
                inner = self._unnamed(node)
                if inner is not None:
                    found.append((inner, self.attribute(node, "name") or ""))
        return found

    def _unnamed(self, node: str) -> str | None:
        """The structure without a tag that a typedef names, which is then its only name."""
        inner = self._link(node, "baseType")
        text = self._text.get(inner or "", "")
        unnamed = "DICompositeType(tag: DW_TAG_structure_type," in text and " name:" not in text
        return inner if unnamed else None

    def _read_members(self, node: str) -> dict[int, str]:
        found: dict[int, str] = {}
        for member, name in self._elements(node):
            if name:
                found.setdefault(int(self.attribute(member, "offset") or 0) // 8, name)
        return found

    def _elements(self, node: str) -> list[tuple[str, str]]:
        listing = self._text.get(self._link(node, "elements") or "", "")
        return [(m, self.attribute(m, "name") or "") for m in re.findall(r"!(\d+)", listing)]

    def structures(self) -> dict[str, list[Member]]:
        """All structures with their members, named and typed as in the source."""
        return {
            name: [
                Member(
                    called, int(self.attribute(member, "offset") or 0) // 8, self.type_of(member)
                )
                for member, called in self._elements(node)
            ]
            for node, name in self._structures()
        }

    def variables(self) -> dict[str, str]:
        """All global variables, and the static ones of functions, with their types."""
        return {
            self.attribute(node, "name") or "": self.type_of(node)
            for node, text in self._text.items()
            if "DIGlobalVariable(" in text
        }

    def signature(self, subprogram: str) -> list[str | None]:
        """The nodes of what a function returns and of its parameters; None is void."""
        kind = self._link(subprogram, "type")
        listing = self._text.get(self._link(kind or "", "types") or "", "")
        inner = listing[listing.find("{") + 1 : listing.rfind("}")]
        words = [word.strip() for word in inner.split(",")] if inner.strip() else []
        return [word[1:] if word.startswith("!") else None for word in words]

    def arguments(self, subprogram: str) -> list[str]:
        """The names of a function's parameters, in order."""
        wanted = f"scope: !{subprogram},"
        found = {
            int(self.attribute(node, "arg") or 0): self.attribute(node, "name") or ""
            for node, text in self._text.items()
            if wanted in text and "DILocalVariable(" in text and " arg: " in text
        }
        return [found.get(number, "") for number in range(1, max(found, default=0) + 1)]

    def owner(self, subprogram: str) -> str:
        """The class of a member function; '' for any other."""
        scope = self._link(subprogram, "scope") or ""
        return (
            (self.attribute(scope, "name") or "")
            if "DICompositeType(" in self._text.get(scope, "")
            else ""
        )

    def described(self, node: str | None) -> tuple[str, int, int]:
        """A type as C writes it, its size, and the size of what it points to, in bytes."""
        inner = self._plain(node)
        pointed = self._plain(self._link(inner, "baseType")) if inner else None
        is_pointer = inner is not None and self.attribute(inner, "tag") in (_POINTER, *_REFERENCES)
        text = self._type_text(node)
        if inner is not None and self.attribute(inner, "tag") in _REFERENCES:
            text = f"{self.type_of(inner)} *"
        return (
            text,
            self._size(inner),
            self._size(pointed) if is_pointer else 0,
        )

    def _plain(self, node: str | None) -> str | None:
        """A type without typedefs and qualifiers."""
        while node is not None and self.attribute(node, "tag") in (*_TRANSPARENT, _ATOMIC):
            node = self._link(node, "baseType")
        return node

    def _size(self, node: str | None) -> int:
        return int(self.attribute(node, "size") or 0) // 8 if node else 0

    def type_of(self, node: str) -> str:
        """The type of a variable or member as C writes it, without typedefs and qualifiers:
        ``struct node *``, ``_Atomic(int)``, ``char[8]``."""
        return self._type_text(self._link(node, "type") or self._link(node, "baseType"))

    def _type_text(self, node: str | None) -> str:
        if node is None:
            return "void"
        tag = self.attribute(node, "tag")
        if tag == "DW_TAG_typedef" and self._unnamed(node):
            return f"struct {self.attribute(node, 'name')}"
        if tag in _TRANSPARENT:
            return self.type_of(node)
        if tag == _POINTER:
            inner = self.type_of(node)
            return f"{inner}*" if inner.endswith("*") else f"{inner} *"
        if tag == _ATOMIC:
            return f"_Atomic({self.type_of(node)})"
        if tag == "DW_TAG_array_type":
            counts = [self.attribute(each, "count") or "" for each, _ in self._elements(node)]
            return self.type_of(node) + "".join(f"[{count}]" for count in counts)
        name = self.attribute(node, "name") or "?"
        return f"{_TAGGED[tag]} {name}" if tag in _TAGGED else name
