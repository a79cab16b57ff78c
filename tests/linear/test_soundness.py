"""What is accepted, the exhaustive checker accepts: random specifications, and the mutants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapstory.errors import SpecificationError
from heapstory.linear.budget import Budget, OutOfBudget
from heapstory.linear.history.wgl import linearizable
from heapstory.linear.models.sequential import model_of
from heapstory.linear.program.load import load, parse
from heapstory.linear.states.exhaustive import Checker
from heapstory.linear.verdict.counterexample import build, replay
from heapstory.linear.verdict.judge import analyse, judge
from heapstory.linear.verdict.report import Options
from tests.linear import LONG
from tests.linear.mutants import BAD, EXAMPLES, MUTANTS, mutated
from tests.linear.random_specifications import specification
from tests.support.examples import examples

# seeds that once were wrongly accepted, each for a reason of its own
ONCE_WRONG = [12, 132, 334, 1086, 1987, 3673, 4342, 4618, 5055, 5783, 5795, 18873]
SLOW = {"hhlmss_lazy_set", "vy_cas_set", "vy_dcas_set", "orvyy_set", "elimination_stack"}


def agrees(text: str, bound: int) -> None:
    try:
        spec = parse(text)
        accepted = analyse(spec, bound, Options(), Budget(LONG, 20_000)).positive
        search = Checker(spec).search(bound, Budget(LONG, 20_000))
    except (SpecificationError, OutOfBudget):
        return
    assert not (accepted and search.trail is not None), text


@pytest.mark.parametrize("seed", ONCE_WRONG)
def test_seeds_that_were_wrong(seed: int) -> None:
    agrees(specification(seed), 2)


@examples(250)
@given(st.integers(min_value=200_000, max_value=10_000_000))
def test_random_specifications(seed: int) -> None:
    agrees(specification(seed), 2)


@examples(40)
@given(st.integers(min_value=200_000, max_value=10_000_000))
def test_random_specifications_of_three(seed: int) -> None:
    agrees(specification(seed), 3)


def test_most_that_is_right_is_accepted() -> None:
    right = positive = vacuous = 0
    for seed in range(300_000, 300_120):
        try:
            spec = parse(specification(seed))
            right_here = Checker(spec).search(2, Budget(LONG)).trail is None
        except SpecificationError:
            continue
        right += right_here
        report = judge(spec, Options(bound=2, proof=False, timeout=LONG))
        positive += right_here and report.verdict == "bounded-ok"
        vacuous += report.reason == "no operation ever completes"
        assert (report.verdict == BAD) == (not right_here), seed
    assert right > 40 and positive + vacuous >= 0.9 * right and positive > vacuous


@pytest.mark.parametrize(
    ("name", "what", "old", "new", "expected", "bound"),
    [m for m in MUTANTS if m[5] < (4 if m[0] in SLOW else 5) and m[0] != "hhlmss_lazy_set"],
    ids=lambda v: str(v)[:30] if isinstance(v, str) else None,
)
def test_mutants(name: str, what: str, old: str, new: str, expected: str, bound: int) -> None:
    spec = parse(mutated(name, old, new), name)
    report = judge(spec, Options(bound=bound, proof=False, timeout=LONG))
    assert report.verdict == expected, what
    search = report.search or Checker(spec).search(bound, Budget(LONG))
    assert (search.trail is not None) == (expected == BAD)
    if search.trail is not None:
        shown = build(spec, search.trail)
        assert shown is not None and shown.replays and shown.confirmed


def test_aba_needs_reuse() -> None:
    spec = load(EXAMPLES / "treiber_stack.lin")
    assert Checker(spec).search(4, Budget(LONG)).trail is None
    found = Checker(spec, reuse=True).search(6, Budget(LONG))
    assert found.trail is not None
    shown = build(spec, found.trail, reuse=True)
    assert shown is not None and shown.confirmed
    assert len(shown.lanes) == 6


def test_a_counterexample_is_what_it_says() -> None:
    spec = parse(mutated("pair_snapshot", "1 < xv == av; > return a, b;", "1 return a, b;"))
    report = judge(spec, Options(bound=3, proof=False, timeout=LONG))
    assert report.search is not None and report.search.trail is not None
    shown = replay(spec, report.search.trail)
    assert shown is not None
    assert not linearizable(shown.calls(), model_of(spec)).accepted
    # it is as short as can be: without any one of its operations the rest would be fine, or the
    # answer of the scan would have no source
    assert sorted(c.method for c in shown.calls()) == ["scan", "update1", "update2"]


def test_sequential_mistakes_are_said_as_such() -> None:
    text = "implements queue; int x; enqueue(int v) 1 x = v; dequeue() int r; 1 r = x; return r;"
    report = judge(parse(text), Options(proof=False, timeout=LONG))
    assert report.verdict == BAD and report.sequential


def test_an_effect_that_never_completes_is_noticed() -> None:
    # a leaves x = 1 and can never finish; b sees it
    text = "int x; a() 1 x = 1; 1 < x == 2; > x = 0; b() int l; 1 l = x; return l;"
    found = analyse(parse(text), 2, Options(), Budget(LONG))
    assert not found.completable and not found.positive
    assert judge(parse(text), Options(bound=2, proof=False, timeout=LONG)).verdict == BAD


def test_the_time_limit_holds() -> None:
    spec = load(EXAMPLES / "full" / "hhlmss_lazy_set.lin")
    report = judge(spec, Options(bound=5, proof=False, timeout=1.0))
    assert report.verdict == "unknown"
    assert "time limit" in report.reason


def test_a_state_space_that_explodes() -> None:
    spec = load(EXAMPLES / "hhlmss_lazy_set.lin")
    report = judge(spec, Options(bound=4, proof=False, states=1_000, timeout=LONG))
    assert report.verdict == "unknown" and "explodes" in report.reason
