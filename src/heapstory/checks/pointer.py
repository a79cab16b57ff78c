"""The pointer behind an error: who held it when it happened, and what became of its block."""

from __future__ import annotations

from dataclasses import dataclass, field

from heapstory.store.places import Place


@dataclass(frozen=True, slots=True)
class When:
    """A timestamp of the recording and the statement behind it, as far as they are known."""

    timestamp: int | None
    place: Place | None


@dataclass(frozen=True, slots=True)
class Holder:
    """A word that held a pointer into the block."""

    name: str  # a variable, a field of a node, a register, a stack
    value: int | None = None
    address: int | None = None  # of the word; None: a register
    node: int | None = None  # that the word is part of
    stored: When | None = None  # None: it was found there
    meant: int | None = None  # the node that it pointed to when it was stored
    used: bool | None = None  # the error came from here; None: nobody knows


@dataclass(frozen=True, slots=True)
class Pointer:
    """``exact``: all of memory was followed, not only fields and variables of modules."""

    exact: bool
    born: When
    died: When | None
    reused: When | None  # its memory was given out again
    held_by: list[Holder] = field(default_factory=list)
