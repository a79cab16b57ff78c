"""Terms and candidates: what invariants are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# A candidate's formula, given the shared state, the instance (local ones) and nodes (global ones).
Formula = Callable[..., Any]


@dataclass(frozen=True)
class Candidate:
    """One candidate: its text, its formula, and the types of the nodes it ranges over."""

    text: str
    formula: Formula
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Term:
    """A named term of the specification: its kind is a struct's name, ``int`` or ``id``."""

    text: str
    kind: str
    value: Callable[..., Any]
    local: bool = False
