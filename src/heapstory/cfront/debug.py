"""The debug metadata of a module: places, variable names, member names."""

from __future__ import annotations

import os
import re

from heapstory.cfront.program import Place

_REFERENCE = re.compile(r"!(\d+)\Z")
_LOCATION = re.compile(r"DILocation\(line: (\d+)(?:, column: (\d+))?, scope: !(\d+)")


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
        return match.group(1) if match.group(1) is not None else match.group(2)

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
            for node, text in self._text.items():
                if "DICompositeType(tag: DW_TAG_structure_type, name:" in text:
                    name = self.attribute(node, "name") or ""
                    if "elements:" in text:
                        self._members.setdefault(name, self._read_members(node))
        return self._members.get(structure, {})

    def _read_members(self, node: str) -> dict[int, str]:
        found: dict[int, str] = {}
        listing = self._text.get(self._link(node, "elements") or "", "")
        for member in re.findall(r"!(\d+)", listing):
            name = self.attribute(member, "name")
            if name:
                found.setdefault(int(self.attribute(member, "offset") or 0) // 8, name)
        return found
