"""Where the fields of a node type lie: from debug information, from accesses, or made up.

A layout is a list of scalars and arrays in the order of the debug information. The n-th field of
the thesis, ``X[n]`` with n from 1, is the n-th scalar with all arrays and nested structures
expanded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from heapstory.constraints.plan import Kind, PlanMember

WORD = 8
EXPANDED_AT_MOST = 4096  # elements of an array whose own elements hold arrays


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value in a node, or the first of an array's. `target` is the record a pointer means,
    `pointee` what else it points to (``int``, ``node *``)."""

    name: str
    offset: int
    size: int
    kind: Kind
    target: str | None = None
    pointee: str | None = None
    bit_offset: int = 0
    bit_size: int = 0
    is_char: bool = False  # one byte of text; a pointer: to text


@dataclass(frozen=True, slots=True)
class Array:
    """Equal scalars at a distance of `stride`; `name` holds ``[]`` where the index stands.
    Without a count it goes to the end of the block."""

    element: Scalar
    stride: int
    count: int | None

    @property
    def name(self) -> str:
        return self.element.name


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of a type and which nodes of the trace are of it."""

    size: int
    parts: tuple[Scalar | Array, ...]
    members: tuple[PlanMember, ...] = ()
    known: bool = True  # from debug information
    warnings: tuple[str, ...] = field(default=())

    def flat(self) -> Iterator[tuple[Scalar | Array, int]]:
        """The scalars in the order of ``X[1], X[2], …``, as (part, index in an array)."""
        groups: dict[str, list[Array]] = {}
        for part in self.parts:
            if isinstance(part, Array):
                groups.setdefault(part.name.split("[]")[0], []).append(part)
        done: set[str] = set()
        for part in self.parts:
            if isinstance(part, Scalar):
                yield part, 0
                continue
            head = part.name.split("[]")[0]
            if head in done:
                continue
            done.add(head)  # an array of structures: element by element
            for index in range(part.count or 0):
                for member in groups[head]:
                    yield member, index

    def find(self, name: str) -> Scalar | Array | None:
        """A part by its full name: ``key``, ``link.next``, ``child[]``, ``slot[].key``."""
        return next((part for part in self.parts if part.name == name), None)

    def prefixes(self) -> set[str]:
        """What a name may begin with on its way to a part: ``link``, ``slot[]``."""
        found: set[str] = set()
        for part in self.parts:
            name = part.name
            for position, character in enumerate(name):
                if character in ".[":
                    found.add(name[:position])
                if name[position : position + 2] == "[]":
                    found.add(name[: position + 2])
        return found


def count_pointers(layout: Layout) -> tuple[int, int]:
    """How many fields, and how many of them hold pointers."""
    kinds = [scalar_of(part).kind for part, _ in layout.flat()]
    return len(kinds), sum(kind is Kind.POINTER for kind in kinds)


def scalar_of(part: Scalar | Array) -> Scalar:
    """What a part holds, once or many times."""
    return part.element if isinstance(part, Array) else part
