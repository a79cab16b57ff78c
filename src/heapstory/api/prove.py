"""Proving that specifications of concurrent data structures are linearizable."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapstory.errors import UsageError
from heapstory.linear.budget import Budget
from heapstory.linear.language.lint import lint
from heapstory.linear.language.syntax import Specification
from heapstory.linear.program.load import load
from heapstory.linear.verdict.counterexample import Counterexample, build
from heapstory.linear.verdict.judge import judge
from heapstory.linear.verdict.report import PROVED, Options, Report


@dataclass(frozen=True, slots=True)
class ProofResult:
    """What was found out about one specification."""

    report: Report
    counterexample: Counterexample | None
    remarks: tuple[str, ...]  # on how the specification is written

    @property
    def name(self) -> str:
        """The structure's."""
        return self.report.name

    @property
    def verdict(self) -> str:
        """'proved', 'bounded-ok', 'not-linearizable' or 'unknown'."""
        return self.report.verdict

    @property
    def proved(self) -> bool:
        """Whether it is linearizable for any number of operations."""
        return self.report.verdict == PROVED


def prove(
    *specifications: str | os.PathLike[str],
    operations: Sequence[str] = (),
    bound: int | None = None,
    keys: int = 2,
    timeout: float = 60.0,
    reuse: bool = False,
    exhaustive: int | None = None,
    proof: bool = True,
) -> list[ProofResult]:
    """Whether some structures are linearizable, one result for each specification file.

    The keywords are the options of ``heapstory prove``; `operations` are the only ones to look at,
    `timeout` is in seconds for each, without `proof` only the bounded search is made.
    """
    options = Options(bound, keys, timeout, reuse, exhaustive, proof)
    if not specifications:
        raise UsageError("prove wants a specification")
    return [prove_one(read(path, operations), options) for path in specifications]


def read(path: str | os.PathLike[str], operations: Sequence[str] = ()) -> Specification:
    """A specification, with some of its operations only."""
    specification = load(Path(path))
    if not operations:
        return specification
    known = [o.name for o in specification.operations]
    for name in operations:
        if name not in known:
            raise UsageError(
                f"{specification.path}: no operation '{name}' (has: {', '.join(known)})"
            )
    kept = tuple(o for o in specification.operations if o.name in operations)
    return replace(specification, operations=kept)


def prove_one(
    specification: Specification, options: Options, budget: Budget | None = None
) -> ProofResult:
    """The verdict on one specification, and the history that contradicts it if there is one."""
    report = judge(specification, options, budget)
    found = None
    if report.search is not None and report.search.trail is not None:
        found = build(specification, report.search.trail, report.reuse)
    return ProofResult(report, found, tuple(lint(specification)))
