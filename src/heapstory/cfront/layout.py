"""Sizes and offsets of LLVM types, for 64-bit targets with natural alignment.

Types stay text: the IR repeats few of them, so every question is answered once and remembered.
"""

from __future__ import annotations

import re

POINTER_SIZE = 8
MAX_NESTING = 500

_FLOATS = {
    "half": (2, 2),
    "bfloat": (2, 2),
    "float": (4, 4),
    "double": (8, 8),
    "x86_fp80": (16, 16),
    "fp128": (16, 16),
    "ppc_fp128": (16, 16),
    "x86_mmx": (8, 8),
}
_INTEGER = re.compile(r"i(\d+)\Z")
_SEQUENCE = re.compile(r"(?:vscale x )?(\d+) x (.*)\Z", re.DOTALL)
# A type without brackets, which is what most are, and what may go on behind it.
_PLAIN = re.compile(r"[\w%.$-]++\**+(?! \(| addrspace\()")
_SUFFIX = re.compile(r"\.\d+\Z")
_ENCLOSING = re.compile(r'[(\[{<"]')
_OPEN = "([{<"
_CLOSE = ")]}>"


def split_top(text: str) -> list[str]:
    """Split at commas that no bracket or string encloses."""
    if not _ENCLOSING.search(text):
        return text.split(", ")
    pieces: list[str] = []
    depth = start = 0
    quoted = False
    for index, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
        elif char == "," and depth == 0:
            pieces.append(text[start:index].strip())
            start = index + 1
    pieces.append(text[start:].strip())
    return pieces


def type_length(text: str, start: int = 0) -> int:
    """The position just after the type that begins at ``start``."""
    plain = _PLAIN.match(text, start)
    if plain is not None:
        return plain.end()
    index = start
    size = len(text)
    char = text[index]
    if char in "[{<":
        index = _matching(text, index) + 1
    elif text.startswith('%"', index):
        index = text.index('"', index + 2) + 1
    else:
        while index < size and (text[index].isalnum() or text[index] in "%._-$"):
            index += 1
    while index < size:  # pointer stars, address spaces and function types follow
        if text[index] == "*":
            index += 1
        elif text.startswith(" (", index):
            index = _matching(text, index + 1) + 1
        elif text.startswith(" addrspace(", index):
            index = text.index(")", index) + 1
        else:
            break
    return index


def _matching(text: str, start: int) -> int:
    depth = 0
    quoted = False
    for index in range(start, len(text)):
        char = text[index]
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
            if depth == 0:
                return index
    return len(text) - 1


def is_pointer(kind: str) -> bool:
    """Whether a type is a pointer, typed (``T*``) or opaque (``ptr``)."""
    return kind.endswith("*") or kind == "ptr" or kind.startswith("ptr addrspace")


def member_key(structure: str, offset: int) -> str:
    """How a member of a structure is named across units (LLVM numbers equal names apart)."""
    return f"{_SUFFIX.sub('', structure.lstrip('%'))}+{offset}"


def variable_key(variable: str, offset: int) -> str:
    """How a place in a variable of the program is named across units."""
    return f"{variable}+{offset}"


class Layout:
    """Answers about the types of one module."""

    def __init__(self) -> None:
        self.named: dict[str, str] = {}
        self._sizes: dict[str, tuple[int, int]] = {}
        self._fields: dict[str, list[tuple[int, str]]] = {}
        self._nesting = 0

    def size(self, kind: str) -> int:
        """The allocated size of a type in bytes."""
        return self._measure(kind)[0]

    def _measure(self, kind: str) -> tuple[int, int]:
        known = self._sizes.get(kind)
        if known is None:
            self._sizes[kind] = (0, 1)  # a malformed recursive type must not hang us
            self._nesting += 1
            if self._nesting > MAX_NESTING:  # compiled code knows no limit of its own
                raise RecursionError(kind[:80])
            known = self._sizes[kind] = self._compute(kind)
            self._nesting -= 1
        return known

    def _compute(self, kind: str) -> tuple[int, int]:
        if is_pointer(kind):
            return POINTER_SIZE, POINTER_SIZE
        integer = _INTEGER.match(kind)
        if integer:
            size = 1
            while size * 8 < int(integer.group(1)):
                size *= 2
            return size, min(size, 16)
        if kind in _FLOATS:
            return _FLOATS[kind]
        if kind.startswith("%"):
            return self._measure(self.named[kind]) if kind in self.named else (0, 1)
        if kind.startswith("["):
            count, element = self._sequence(kind)
            size, align = self._measure(element)
            return count * size, align
        if kind.startswith(("<{", "{")):
            return self._measure_struct(kind)
        if kind.startswith("<"):
            count, element = self._sequence(kind)
            size = count * self._measure(element)[0]
            return size, max(1, min(size, 32))
        return 0, 1

    @staticmethod
    def _sequence(kind: str) -> tuple[int, str]:
        match = _SEQUENCE.match(kind[1:-1].strip())
        return (int(match.group(1)), match.group(2).strip()) if match else (0, "i8")

    def _measure_struct(self, kind: str) -> tuple[int, int]:
        packed = kind.startswith("<{")
        end, widest = 0, 1
        fields: list[tuple[int, str]] = []
        body = kind[2:-2] if packed else kind[1:-1]
        for element in split_top(body.strip()) if body.strip() else []:
            size, align = self._measure(element)
            if not packed:
                end = -(-end // align) * align
                widest = max(widest, align)
            fields.append((end, element))
            end += size
        self._fields[kind] = fields
        return -(-end // widest) * widest, widest

    def fields(self, kind: str) -> list[tuple[int, str]]:
        """Offset and type of every member of a structure type."""
        kind = self.named.get(kind, kind)
        self._measure(kind)
        return self._fields.get(kind, [])

    def members(self, kind: str) -> list[tuple[int, str]]:
        """Offset and type of what a structure, an array or a vector in registers is made of."""
        kind = self.named.get(kind, kind)
        if kind[0] not in "[<" or kind.startswith("<{"):
            return self.fields(kind)
        count, element = self._sequence(kind)
        size = self.size(element)
        return [(number * size, element) for number in range(count)]

    def element(self, kind: str) -> str | None:
        """The element type of an array or vector type, None for anything else."""
        kind = self.named.get(kind, kind)
        if kind.startswith("[") or (kind.startswith("<") and not kind.startswith("<{")):
            return self._sequence(kind)[1]
        return None


def bits_of(kind: str) -> int:
    """The width of an integer type; 0 for any other."""
    return int(kind[1:]) if kind[0] == "i" and kind[1:].isdigit() else 0
