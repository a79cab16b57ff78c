"""Stack slots of a function: which are plain variables, which are memory."""

from __future__ import annotations

import re

from heapstory.cfront.debug import ATTACHED, DebugInfo
from heapstory.cfront.layout import Layout, bits_of, split_top, type_length
from heapstory.cfront.program import Function

_MENTION = re.compile(r"%[\w.]+")
_LENGTH = re.compile(r", i\d+ ")
_DECLARED = ("call void @llvm.dbg.declare", "#dbg_declare(")


class Slots:
    """The slots of fixed size that a body allocates, their types and names in the source."""

    def __init__(self, function: Function, layout: Layout, debug: DebugInfo) -> None:
        self.types: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.function = function
        self.layout = layout
        self.debug = debug

    def find(self, lines: list[str]) -> None:
        """Tells the function which slots are only loaded and stored whole: those are variables."""
        for line in lines:
            if " = alloca " in line:
                name, _, rest = line.strip().partition(" = alloca ")
                kind = rest[: type_length(rest)]
                if not _LENGTH.match(rest[len(kind) :]):
                    self.types[name] = kind
        if not self.types:
            return
        taken = self._taken(lines)
        for slot, kind in self.types.items():
            name = self.function.variables.get(slot, "")
            if slot in taken:
                self.function.stack[slot] = (self.layout.size(kind), name)
                self.function.variables.pop(slot, None)
            else:
                self.function.variables.setdefault(slot, "")
                self.function.kinds[slot] = kind
                if bits := bits_of(kind):
                    self.function.bits[slot] = bits

    def _taken(self, lines: list[str]) -> set[str]:
        """The slots whose address is used for more than a load or a store of the whole."""
        taken = {n for n, k in self.types.items() if k[0] in "[{<%" and k[-1] != "*"}
        for line in lines:
            text = line.strip()
            if text.startswith(_DECLARED):
                self._name(text)
                continue
            found = [m for m in _MENTION.findall(text) if m in self.types]
            if not found or (" = alloca " in text and len(found) == 1):
                continue
            if " = load " in text and len(found) == 1:
                kind = text.split(" = load ", 1)[1]
                if self._whole(kind.removeprefix("volatile "), found[0]):
                    continue
            if text.startswith("store ") and self._stored_whole(text, found):
                taken.update(found[:-1])
                continue
            taken.update(found)
        return taken

    def _stored_whole(self, text: str, found: list[str]) -> bool:
        pieces = split_top(ATTACHED.sub("", text[6:].removeprefix("volatile ")))
        slot = found[-1]
        return (
            pieces[1].endswith(" " + slot)
            and found.count(slot) == 1
            and self._whole(pieces[0], slot)
        )

    def _whole(self, text: str, slot: str) -> bool:
        return text[: type_length(text)] == self.types[slot]

    def _name(self, text: str) -> None:
        pieces = split_top(text[text.index("(") + 1 :])
        slot = pieces[0].rsplit(" ", 1)[-1]
        node = pieces[1].split("!")[-1]
        if slot in self.types:
            name = self.debug.attribute(node, "name") or ""
            self.function.declared[slot] = node
            self.function.variables[slot] = name
            self.names[slot] = name
