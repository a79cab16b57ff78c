"""The rows of a node: its fields by name, with what they hold as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from heapstory.reporters.text import printable

if TYPE_CHECKING:
    from heapstory.store.types import Leaf, Types
    from heapstory.terminal.story import NodeStory, Version, Word

POINTING = frozenset(("live", "dangling", "aliased", "stale"))


@dataclass(slots=True)
class Row:
    """A field of a node, or a word of it where no type says what it is."""

    name: str
    offset: int
    words: list[Word]
    leaves: list[Leaf] = field(default_factory=list)  # several: characters of a string

    def version(self, moment: int) -> Version | None:
        """What stands as of a moment in its first word."""
        return self.words[0].at(moment)

    def text(self, moment: int) -> str | None:
        """What it holds; None where nothing was written by then."""
        if len(self.leaves) > 1:
            return self._string(moment)
        version = self.version(moment)
        return None if version is None else self.version_text(version)

    def version_text(self, version: Version) -> str | None:
        """The same for one version of its word."""
        if version.state == "null":
            return "NULL"
        if version.state in POINTING:
            offset = f"+{int(version.target_offset)}" if version.target_offset else ""
            return f"→ #{version.target}{offset}{_TOLD.get(version.state, '').format(version.by)}"
        word = self.words[0]
        data = version.value.to_bytes(8, "little")[: word.size]
        if not self.leaves:
            return f"{version.value:#x}" if version.known else None
        leaf = self.leaves[0]
        at = leaf.offset - word.offset
        if at + leaf.size > word.size:  # longer than a word
            return f"{version.value:#x}"
        bits = ((1 << leaf.size) - 1) << at
        if version.known & bits != bits:
            return None
        wild = " (no node there)" if version.state == "wild" else ""
        return leaf.text(data[at : at + leaf.size]) + wild

    def _string(self, moment: int) -> str | None:
        text = bytearray()
        for word in self.words:
            version = word.at(moment)
            for at in self._places(word):
                if version is None or not version.known >> at & 1:
                    return f'"{printable(text.decode("latin-1"))}…' if text else None
                code = version.value >> 8 * at & 0xFF
                if not code:
                    return f'"{printable(text.decode("latin-1"))}"'
                text.append(code)
        return f'"{printable(text.decode("latin-1"))}…'

    def _places(self, word: Word) -> Iterator[int]:
        for leaf in self.leaves:
            if word.offset <= leaf.offset < word.offset + word.size:
                yield leaf.offset - word.offset


_TOLD = {
    "dangling": " ✗ dangling: it was freed",
    "aliased": " ✗ aliased: #{} has its memory",
    "stale": " ✗ stale: it was freed",
}


def rows_of(types: Types, node: NodeStory) -> list[Row]:
    """All rows of a node, by offset."""
    rows: list[Row] = []
    leaves = list(_leaves(types, node))
    next_leaf = 0
    for word in node.words:
        while next_leaf < len(leaves) and leaves[next_leaf].offset < word.offset:
            next_leaf += 1
        begin = next_leaf
        while next_leaf < len(leaves) and leaves[next_leaf].offset < word.offset + word.size:
            _add(rows, leaves[next_leaf], word)
            next_leaf += 1
        if begin == next_leaf and not _is_covered(rows, word):
            is_variable = node.kind != "heap" and word.offset == 0
            rows.append(Row("*" if is_variable else f"+{word.offset}", word.offset, [word]))
    return rows


def _leaves(types: Types, node: NodeStory) -> Iterator[Leaf]:
    """Of a large array only those in words that are known."""
    end = max((word.offset + word.size for word in node.words), default=0)
    for leaf in types.leaves(node.type_id, node.size):
        if leaf.offset >= end:
            return
        yield leaf


def _add(rows: list[Row], leaf: Leaf, word: Word) -> None:
    name = printable(leaf.name) or "*"
    text = name.rpartition("[")[0] if leaf.is_char and name.endswith("]") else ""
    last = rows[-1] if rows else None
    if text and last is not None and last.name == text and last.leaves[0].is_char:
        last.leaves.append(leaf)
        if last.words[-1] is not word:
            last.words.append(word)
        return
    rows.append(Row(text or name, leaf.offset, [word], [leaf]))


def _is_covered(rows: list[Row], word: Word) -> bool:
    """Whether a field that began in an earlier word (a long double, say) goes on in this one."""
    last = rows[-1].leaves[-1] if rows and rows[-1].leaves else None
    return last is not None and word.offset < last.offset + last.size
