"""Proofs for any number of operations: what they find, and that they refuse what is wrong."""

from __future__ import annotations

import pytest

from heapstory.linear.explore import Budget
from heapstory.linear.houdini import Attempt, Houdini
from heapstory.linear.program import prepare
from heapstory.linear.resolve import load, parse
from heapstory.linear.runs import candidate_points, constant_answer
from tests.linear.mutants import BAD, EXAMPLES, MUTANTS, mutated

pytest.importorskip("z3")
QUICK = {"treiber_stack", "pair_snapshot", "orvyy_set", "rdcss"}


def first_attempt(text: str, guarded: bool = False) -> Attempt:
    program = prepare(parse(text), turns=None)
    points = {n: candidate_points(path)[0] for n, path in enumerate(program.paths)}
    return Houdini(program, points, Budget(120), guarded).run()


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [(m[0], m[2], m[3]) for m in MUTANTS if m[0] in QUICK and m[4] == BAD],
    ids=lambda v: str(v)[:20],
)
def test_what_is_wrong_is_not_proved(name: str, old: str, new: str) -> None:
    # straight to the proof, without the bounded check that would refuse it first
    for guarded in (False, True) if name == "pair_snapshot" else (False,):
        assert not first_attempt(mutated(name, old, new), guarded).proved


def test_a_lookup_may_be_explained_by_a_moment_in_anothers_step() -> None:
    """The set of Fig 6.12: a node met may have been removed before it is looked at."""
    program = prepare(load(EXAMPLES / "orvyy_set.lin"), turns=None)
    assert [constant_answer(p) for p in program.paths] == [(1,), (0,), None, (0,), None, (0,)]
    found = first_attempt((EXAMPLES / "orvyy_set.lin").read_text())
    assert found.proved
    assert "∀E n: n in, mark == 0 → member[n.key] == 1" in found.invariants
    assert "∀ n, m in, mark == 0: m is not between n and n.next" in found.invariants


def test_an_operation_that_does_nothing_is_noticed() -> None:
    # the push is lost; its answer is not observed, so only the abstract step can tell
    text = (EXAMPLES / "treiber_stack.lin").read_text() + "\nPush_lost (int v)\n  1 READ top;\n"
    found = first_attempt(text)
    assert not found.proved and "Push_lost" in found.failed


def test_a_loop_is_proved_for_any_number_of_turns() -> None:
    text = """implements counter; int x; int lock;
    increment() int l; int i;
      1 < lock == 0; > lock = ID; i = 0;
      1 loop < lock == ID; i < 5; > i = i + 1;
      1 < lock == ID; > l = x;
      1 < lock == ID; > x = l + 1; lock = 0; return l;
    """
    assert first_attempt(text).proved
    wrong = text.replace("i = i + 1;", "i = i + 1; x = x + 1;")
    assert not first_attempt(wrong).proved
