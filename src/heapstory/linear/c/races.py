"""Data races: two accesses to one place, one of them plain, one of them a write, under no lock that
both hold. C gives such programs no meaning: a history that is wrong all the same is worth showing,
but nothing good can be said of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations_with_replacement

from heapstory.linear.language.syntax import Field, Global, Place
from heapstory.linear.program.locks import Cell, cell_of


@dataclass(frozen=True)
class Access:
    """One access to shared memory. ``locks`` are told apart by their places, those in a node by
    their field if they lie in the node that is accessed."""

    cell: Cell
    plain: bool
    writes: bool
    locks: frozenset[object]
    line: int


def access(place: Place, plain: bool, writes: bool, held: Iterable[Place], line: int) -> Access:
    """An access with the locks that protect it."""
    locks: set[object] = set()
    for lock in held:
        if isinstance(lock, Global) or (isinstance(lock, Field) and isinstance(lock.base, Global)):
            locks.add(lock)
        elif isinstance(lock, Field) and isinstance(place, Field) and lock.base == place.base:
            locks.add((lock.struct, lock.name))
    cell = cell_of(place)
    assert cell is not None
    return Access(cell, plain, writes, frozenset(locks), line)


def first_race(accesses: list[Access]) -> tuple[int, str] | None:
    """The line and the text of the first race."""
    for one, other in combinations_with_replacement(dict.fromkeys(accesses), 2):
        if one.cell != other.cell or not (one.plain or other.plain):
            continue
        if (one.writes or other.writes) and not one.locks & other.locks:
            first, second = (one, other) if one.plain else (other, one)
            kind = "written" if first.writes else "read"
            text = f"'{first.cell[-1]}' is {kind} by a plain access, which races with line"
            return first.line, f"{text} {second.line}"
    return None
