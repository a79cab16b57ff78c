"""What inference learns."""

from __future__ import annotations

from dataclasses import dataclass

from heapstory.inference.checking import Candidate
from heapstory.inference.facts import TypeFacts


@dataclass(frozen=True, slots=True)
class Kept:
    """A constraint that held, and for how many bindings at a few C-points (None: not counted)."""

    candidate: Candidate
    support: int | None


@dataclass(frozen=True, slots=True)
class Inferred:
    """What was learnt: the types in the order to write them, and their constraints."""

    sources: tuple[str, ...]  # the names of the traces
    types: tuple[TypeFacts, ...]
    pause: tuple[str, ...]
    kept: tuple[Kept, ...]
    tried: int
    cpoints: int
    text: str = ""  # the specification, to be read and edited
