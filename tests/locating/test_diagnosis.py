"""Which of the faults are the statements to look at."""

from __future__ import annotations

import pytest

from heapstory.constraints.plan import Plan
from heapstory.locating.diagnosis import Diagnosis, Fault
from heapstory.store.places import Place
from tests.constraints.world import plan_of


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_of("node { key; next*; }\nnode X; X.key > 0;")


def looked_at(plan: Plan, *faults: tuple[str, int]) -> list[int | None]:
    """The lines of the answer to faults, each a relation and a line."""
    found = [
        Fault(time, relation, "store", Place("/a.c", line), 0, (), ())
        for time, (relation, line) in enumerate(faults, 1)
    ]
    return [place.line for place in Diagnosis(plan, [], None, None, [], found, 1, {}).statements]


@pytest.mark.parametrize("relation", ["wild", "decisive", "omission", "derived", "followed"])
def test_with_evidence_only_what_contributed_first_is_named(plan: Plan, relation: str) -> None:
    rest = [("direct", 2), ("direct", 3), ("fed", 4), ("related", 5)]
    assert looked_at(plan, (relation, 1), *rest) == [1, 2]
    assert looked_at(plan, (relation, 1), (relation, 6), *rest) == [1, 6]


def test_without_it_all_that_contributed_is_and_a_few_others(plan: Plan) -> None:
    direct = [("direct", line) for line in range(1, 8)]
    rest = [("fed", 10), ("related", 11), ("related", 12)]
    assert looked_at(plan, *direct, *rest) == [1, 2, 3, 4, 5, 6, 7]
    assert looked_at(plan, *direct[:2], ("crash", 9), *rest) == [1, 2, 9, 10, 11]


@pytest.mark.parametrize(
    ("most", "lines"), [(1, [1]), (2, [1, 2]), (3, [1, 2, 4]), (9, [1, 2, 4, 3])]
)
def test_so_many_statements_as_asked_for_and_how_many_were_cut(
    plan: Plan, most: int, lines: list[int]
) -> None:
    """First those with evidence, then the others in their order."""
    relations = [("decisive", 1), ("direct", 2), ("direct", 2), ("direct", 4), ("related", 3)]
    found = [
        Fault(time, relation, "store", Place("/a.c", line), 0, (), ())
        for time, (relation, line) in enumerate(relations, 1)
    ]
    answer = Diagnosis(plan, [], None, None, [], found, 1, {}, most=most)
    assert [place.line for place in answer.statements] == lines
    assert answer.statements_cut == 4 - len(lines)


def test_five_statements_at_most(plan: Plan) -> None:
    """Also where there is evidence for more: these are counted as cut."""
    found = [
        Fault(time, "decisive", "store", Place("/a.c", time), 0, (), ()) for time in range(1, 9)
    ]
    answer = Diagnosis(plan, [], None, None, [], found, 1, {})
    assert [place.line for place in answer.statements] == [1, 2, 3, 4, 5]
    assert answer.statements_cut == 3
