"""What is asked of a verdict, and what it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from heapstory.linear.program.steps import Program
from heapstory.linear.proof.claims import Claim
from heapstory.linear.proof.unbounded import Tables
from heapstory.linear.states.algorithm6 import Reordering
from heapstory.linear.states.exhaustive import Search
from heapstory.linear.states.relations import Relations
from heapstory.linear.verdict.coverage import Coverage

PROVED, BOUNDED, REFUTED, UNKNOWN = "proved", "bounded-ok", "not-linearizable", "unknown"


@dataclass
class Options:
    """How hard to try. ``bound`` None: more and more operations, up to the limits."""

    bound: int | None = None
    keys: int = 2
    timeout: float = 60.0
    reuse: bool = False
    exhaustive: int | None = None
    proof: bool = True
    states: int = 2_000_000  # of one search
    tables: bool = False  # derive the relations for any number of operations, too
    c: bool = False  # from C: what follows NULL or freed memory does not just wait
    doubt: str = ""  # why nothing good can be said, if so


@dataclass
class Report:
    """The verdict on one specification, and what led to it."""

    name: str
    path: str
    verdict: str
    bound: int | None = None
    reason: str = ""
    method: str = ""
    sequential: bool = False
    algorithm6: Reordering | None = None
    search: Search | None = None
    program: Program | None = None
    normal: Program | None = None
    relations: Relations | None = None
    derived: int = 0  # up to how many operations the relations are known
    coverage: Coverage | None = None
    reuse: bool = False  # whether freed memory was handed out again
    never: list[str] = field(default_factory=list)  # the steps that never ran
    states: int = 0
    seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    proof: Any = None
    claims: list[Claim] = field(default_factory=list)
    tables: Tables | None = None
