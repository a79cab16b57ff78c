"""The C sources among the examples and their mutants, in the machine: what extraction refutes must
not be accepted here, and what it proves must not be refuted."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory.linear.budget import Budget
from heapstory.linear.ir.verdict import Wanted, judge_source
from tests.linear.test_csource import MUTANTS, mutated


@pytest.mark.parametrize("name", ["ms_queue", "two_lock_queue", "coarse_set"])
def test_right_sources_are_accepted(tmp_path: Path, name: str) -> None:
    wanted = Wanted(str(mutated(tmp_path, name, [])), calls=3)
    outcome = judge_source(wanted, Budget(100.0, 2_000_000))
    assert outcome.verdict == "bounded-ok", outcome.reason


@pytest.mark.parametrize(("name", "edits", "calls"), [(m[0], m[2], m[3]) for m in MUTANTS])
def test_mutants_are_not_accepted(
    tmp_path: Path, name: str, edits: list[tuple[str, str]], calls: int
) -> None:
    wanted = Wanted(str(mutated(tmp_path, name, edits)), calls=calls)
    outcome = judge_source(wanted, Budget(100.0, 2_000_000))
    if any("mutex" in old for old, _ in edits):
        assert outcome.verdict == "unknown" and "races with another access" in outcome.reason
    else:
        assert outcome.verdict == "not-linearizable"
    assert outcome.history


def test_a_node_that_is_freed_too_early_is_found(tmp_path: Path) -> None:
    wanted = Wanted(str(mutated(tmp_path, "treiber_stack", [])), calls=3)
    outcome = judge_source(wanted, Budget(100.0, 2_000_000))
    assert outcome.verdict == "unknown"
    assert "freed memory" in outcome.reason
