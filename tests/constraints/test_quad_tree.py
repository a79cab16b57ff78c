"""The running example of chapter 4: Figures 4.1 to 4.4, on the verbatim algorithm."""

from __future__ import annotations

from tests.constraints.verbatim import locate
from tests.constraints.world import Checked, World, plain, plan_of

# Figure 4.2, as printed; both negated arrows of the print are one sign, c2 is about paths.
FIGURE_4_2 = """
qdtree FIELD 9 EDGE 5; /*# total fields and # pointer fields */
qdtree X; X.ISROOT == FALSE ⇒ X.INDEGREE == 1;                 ..(c1)
qdtree X; qdtree Y; X ↠ Y ⇒ Y ↠̸ X;                             ..(c2)
qdtree X; qdtree Y; X → Y ⇒ X.OUTDEGREE == 4;                  ..(c3)
"""
CHILD = 5  # the first of the four children, after posX, posY, width, height and point


class Run:
    """The execution of Figure 4.3; `at` holds the timestamps of its four execution points."""

    def __init__(self) -> None:
        self.world, self.at = World(), {}
        world = self.world
        self.n = {1: world.alloc(1, 9)}
        for i in range(4):  # the tree before: n1 with four children, the last of them n5
            self.n[2 + i] = world.alloc(1, 9)
            world.link(self.n[1], CHILD + i, self.n[2 + i])
        for i in range(2):
            self._split(i)
        self.at[1] = world.now
        self._split(2)
        self.at[2] = world.now
        world.link(self.n[1], CHILD, None)  # line 35: parent_node->child[0] = NULL
        self.faulty = world.now
        self.at[3] = world.now
        self._split(3)
        self.at[4] = world.now

    def _split(self, i: int) -> None:
        self.n[6 + i] = self.world.alloc(1, 9)
        self.world.put(self.n[6 + i], 0, i + 1)  # set_node_fields
        self.world.link(self.n[5], CHILD + i, self.n[6 + i])

    def pairs(self, *edges: tuple[int, int]) -> set[tuple[object, ...]]:
        return {(self.n[a], self.n[b]) for a, b in edges}


def test_inconsistencies_are_those_of_figure_4_3() -> None:
    run = Run()
    checked = Checked(run.world, plan_of(FIGURE_4_2))
    s1 = run.pairs((5, 6), (5, 7))
    s2 = s1 | run.pairs((5, 8))
    s4 = run.pairs((1, 3), (1, 4), (1, 5))
    expected = {1: s1, 2: s2, 3: s2 | s4, 4: s4}
    for point, pairs in expected.items():
        assert checked.violated(run.at[point]) == {"c3": pairs}, point


def test_exactly_the_faulty_statement_is_found() -> None:
    run = Run()
    checked = Checked(run.world, plan_of(FIGURE_4_2))
    location = locate(checked.plan, checked.at, run.at[4])
    assert location.operations == [run.faulty]
    found = {plain(e) for e in location.contributed[run.faulty]}
    assert found == run.pairs((1, 3), (1, 4), (1, 5))


def test_the_sets_of_figure_4_4_on_the_way() -> None:
    run = Run()
    checked = Checked(run.world, plan_of(FIGURE_4_2))
    location = locate(checked.plan, checked.at, run.at[4])
    s3 = {plain(e) for e in location.inconsistencies[run.at[3]]}
    s2 = {plain(e) for e in location.inconsistencies[run.at[2]]}
    assert s3 == run.pairs((1, 3), (1, 4), (1, 5), (5, 6), (5, 7), (5, 8))
    assert s2 == run.pairs((5, 6), (5, 7), (5, 8))


def test_example_7_relates_by_the_out_degree_of_n5() -> None:
    run = Run()
    checked = Checked(run.world, plan_of(FIGURE_4_2))
    before, after = checked.at(run.at[2] - 1), checked.at(run.at[2])
    c3 = next(i for i, c in enumerate(checked.plan.constraints) if c.name == "c3")
    e1 = next(f for f in after.violations(c3) if plain(f) == (run.n[5], run.n[8]))
    e2 = next(f for f in before.violations(c3) if plain(f) == (run.n[5], run.n[6]))
    for e in (e1, e2):
        assert before.arguments(e) != after.arguments(e)
