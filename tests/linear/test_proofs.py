"""Proofs for any number of operations: what they find, and that they refuse what is wrong."""

from __future__ import annotations

import pytest

from heapstory.errors import SpecificationError
from heapstory.linear.budget import Budget
from heapstory.linear.formulas.runs import candidate_points, constant_answer
from heapstory.linear.program.load import load, parse
from heapstory.linear.program.steps import prepare
from heapstory.linear.proof.houdini import Attempt, Houdini
from heapstory.linear.proof.unbounded import Tables, tables
from heapstory.linear.states.explore import explore
from heapstory.linear.states.machine import Machine
from heapstory.linear.states.relations import derive
from heapstory.linear.verdict.judge import judge
from heapstory.linear.verdict.report import Options, Report
from heapstory.linear.verdict.rules import attempt
from tests.linear import LONG
from tests.linear.mutants import BAD, EXAMPLES, MUTANTS, mutated
from tests.linear.test_algorithm6 import ORDERED
from tests.linear.test_language import FIGURE_6_4

pytest.importorskip("z3")
QUICK = {"treiber_stack", "pair_snapshot", "orvyy_set", "rdcss"}


def first_attempt(text: str, guarded: bool = False) -> Attempt:
    program = prepare(parse(text), turns=None)
    points = {n: candidate_points(path)[0] for n, path in enumerate(program.paths)}
    return Houdini(program, points, Budget(LONG), guarded).run()


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


def proved_tables(text: str) -> tuple[Tables, dict[str, tuple[int, int]]]:
    found = tables(parse(text), Budget(LONG))
    names = {
        step.label: (n, pc)
        for n, path in enumerate(found.program.paths)
        for pc, step in enumerate(path.steps)
    }
    return found, names


def test_figure_6_5_holds_for_any_number_of_operations() -> None:
    init = "init { node D; D = malloc node; Q.head = D; Q.tail = D; }\nEnqueue (int val)"
    text = "implements queue;\n" + FIGURE_6_4.replace("Enqueue (int val)", init)
    found, at = proved_tables(text)
    for a in "defh":
        for b in "defh":
            assert found.relations.order(at[a], at[b]) == (a + b in ORDERED), a + b
    assert found.relations.reverse(at["d"], at["f"])
    assert found.relations.reverse(at["f"], at["e"])
    assert found.algorithm6.passes and not found.stuck


def test_proved_relations_agree_with_enumerated_ones() -> None:
    # what is proved never to happen does not happen, what is proved reversible is
    found = tables(load(EXAMPLES / "treiber_stack.lin"), Budget(LONG))
    seen = derive(explore(Machine(found.program), 4, Budget(LONG)), Budget(LONG))
    for a in seen.steps:
        for b in seen.steps:
            assert found.relations.order(a, b) or not seen.order(a, b)
            if found.relations.reverse(a, b) and seen.order(a, b):
                assert (a, b) not in seen.irreversible
    assert found.algorithm6.passes


def test_the_thesis_method_proves_without_an_abstract_type() -> None:
    right = "int x; int lock; f() int l; 1 < lock == 0; > lock = ID; 1 < lock == ID; > l = x; "
    right += "1 < lock == ID; > x = l + 1; 1 < lock == ID; > lock = 0; return l;"
    report = judge(parse(right), Options(bound=2, timeout=LONG))
    assert (report.verdict, report.method) == ("proved", "smt")
    # the answer of a read that nothing confirms: refused, by Algorithm 6 or by who gets stuck
    wrong = "int x; f() int l; 1 l = x; 1 x = l + 1; return l;"
    report = Report("wrong", "", "bounded-ok")
    attempt(parse(wrong), Options(), Budget(LONG), report)
    assert report.verdict == "bounded-ok" and report.notes


CLAIMS = """
reverse c3, e3 if first.p != second.p, first.p != second.c, first.c != second.p;
notorder e3, e3 if first.p == second.p;
notreverse b2, e3 if first.p == second.p;
"""


def test_claims_with_premises_are_checked_and_proved() -> None:
    text = (EXAMPLES / "orvyy_set.lin").read_text()
    bounded = Options(bound=3, proof=False, timeout=LONG)
    spec = parse(text + CLAIMS)
    report = judge(spec, Options(bound=3, timeout=LONG))
    assert [claim.bound for claim in report.claims] == [None, None, None]
    with pytest.raises(SpecificationError, match=r"b2 ⊖ e3 if first\.p == second\.p does not hold"):
        judge(parse(text + "reverse b2, e3 if first.p == second.p;"), bounded)
    with pytest.raises(SpecificationError, match="no value that counts"):
        judge(parse(text + "order e3, e3 if first.t == second.t;"), bounded)
    with pytest.raises(SpecificationError, match="no parameter or local"):
        parse(text + "order e3, e3 if first.nope == second.p;")


HINTED = """implements counter; int x; int y; int lock;
increment() int l;
  1 < lock == 0; > lock = ID;            ...a
  1 < lock == ID; > l = x; x = l + 1;    ...b
  1 < lock == ID; > y = y + 3;           ...c
  1 < lock == ID; > lock = 0; return l;  ...d
read() int l;
  1 < lock == 0; y == x + x + x; > l = x; return l;  ...e
"""


def test_hints_are_candidates_and_no_more() -> None:
    good = "hint: y == x + x + x if lock == 0;\nhint before c: x == l + 1;\nhint point b;\n"
    program = prepare(parse(HINTED + good), turns=None)
    points = {n: candidate_points(p, program.spec.hints)[0] for n, p in enumerate(program.paths)}
    assert points[0] == 1
    found = Houdini(program, points, Budget(LONG)).run()
    assert found.proved
    assert "before increment.c: x == l + 1" in found.invariants
    # a hint that is wrong is dropped, whatever it would make easy
    program = prepare(parse(HINTED + "hint: x == 7, y == x;\nhint before d: x == 3;"), turns=None)
    found = Houdini(program, points, Budget(LONG)).run()
    assert found.proved
    assert not any("x == 7" in text or "x == 3" in text for text in found.invariants)


def test_a_hint_about_every_node() -> None:
    text = (EXAMPLES / "treiber_stack.lin").read_text()
    program = prepare(parse(text + "hint all node n: n.next != n if n.next != NULL;"), turns=None)
    points = {n: candidate_points(p)[0] for n, p in enumerate(program.paths)}
    found = Houdini(program, points, Budget(LONG)).run()
    assert found.proved
    wrong = prepare(parse(text + "hint all node n: n.next == NULL;"), turns=None)
    kept = Houdini(wrong, points, Budget(LONG)).run().invariants
    assert "∀node n: n.next != n if n.next != NULL" in found.invariants
    assert "∀node n: n.next == NULL" not in kept
