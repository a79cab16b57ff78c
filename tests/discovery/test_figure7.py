# SPDX-License-Identifier: GPL-2.0-or-later
"""Mode internals on the program of the paper's Figures 3 and 7, as far as its text states facts."""

from collections.abc import Callable

import pytest

from tests.discovery.nodes import Node, Story, printed, story
from tests.recorder.recorder import Result

Run = Callable[..., Result]
HEADER = 16  # of a chunk, before its block
LINKED, FREED_2, FREED_4, FREED_5 = range(4)


class Figure:
    """The graph after some steps: tmp1 to tmp5 are blocks 1 to 5."""

    def __init__(self, run: Run, which: str, steps: int) -> None:
        options = ("--mode=internals",)
        self.result = run("discovery/figure7.c", which, steps, options=options)
        self.told: Story = story(self.result.records)
        self.blocks = [0] + [address for address, _ in printed(self.result, "node")]

    def node(self, address: int) -> Node:
        (found,) = [n for n in self.told.at(address) if n.ended is None]
        return found

    def chunk(self, number: int) -> Node:
        return self.node(self.blocks[number] - HEADER)

    def stored(self) -> set[tuple[int, int]]:
        """Every address with every word that was ever stored there."""
        return {(r.address, r.value) for r in self.result.records if r.tag == "STORE"}


@pytest.mark.parametrize("which", ["malloc", "dl"])
def test_the_list_splits_the_memory(run: Run, which: str) -> None:
    """Each ``next`` that is written makes the block it points to a node, split off the one before;
    the last of them keeps the rest."""
    figure = Figure(run, which, LINKED)
    for number in range(2, 6):
        node = figure.node(figure.blocks[number])
        assert (node.how, node.end) == ("split", figure.blocks[number + 1])
        assert node.source in figure.told.nodes
        if number > 2:
            assert node.source == figure.node(figure.blocks[number - 1]).id
    nodes = {figure.node(block).id for block in figure.blocks[2:]}
    assert not any(nodes & cluster for cluster in figure.told.clusters)


@pytest.mark.parametrize("which", ["malloc", "dl"])
def test_freed_chunks_are_linked_both_ways(run: Run, which: str) -> None:
    """The free list points to chunks: their headers become nodes, with edges to and fro."""
    figure = Figure(run, which, FREED_4)
    second, fourth = figure.chunk(2), figure.chunk(4)
    assert (second.how, fourth.how) == ("split", "split")
    assert (figure.blocks[4], second.start) in figure.stored()
    assert (figure.blocks[2] + 8, fourth.start) in figure.stored()


@pytest.mark.parametrize("which", ["malloc", "dl"])
def test_chunks_apart_stay_apart(run: Run, which: str) -> None:
    figure = Figure(run, which, FREED_4)
    assert figure.told.cluster_of(figure.chunk(4).id) == {figure.chunk(4).id}


@pytest.mark.parametrize("which", ["malloc", "dl"])
def test_consolidation_merges_neighbours(run: Run, which: str) -> None:
    figure = Figure(run, which, FREED_5)
    fourth, fifth = figure.chunk(4), figure.node(figure.blocks[5])
    assert figure.told.merges[-1] == (fourth.id, fifth.id)
    assert figure.told.cluster_of(fourth.id) == {fourth.id, fifth.id}
