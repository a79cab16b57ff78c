# SPDX-License-Identifier: GPL-2.0-or-later
"""Mode internals: the operations of the paper's Figure 6, step by step."""

from collections.abc import Callable

from tests.discovery.nodes import Story, printed, story
from tests.recorder.recorder import Result

Run = Callable[..., Result]


def steps(run: Run, number: int) -> tuple[Story, int]:
    result = run("discovery/steps.c", *["x"] * number, options=("--mode=internals",))
    assert result.status == 0
    return story(result.records), printed(result, "node")[0][0]


def test_addresses_are_joined(run: Run) -> None:
    told, page = steps(run, 0)
    (node,) = told.at(page)
    assert (node.how, node.words) == ("seen", 21)


def test_a_stored_pointer_splits_its_node(run: Run) -> None:
    told, page = steps(run, 1)
    (first,), (second,) = told.at(page), told.at(page + 80)
    assert (first.words, second.words) == (10, 11)
    assert (second.how, second.source) == ("split", first.id)
    assert len(told.cluster_of(first.id)) == 1


def test_a_write_across_merges_nodes(run: Run) -> None:
    told, page = steps(run, 2)
    (first,), (second,) = told.at(page), told.at(page + 80)
    assert told.cluster_of(first.id) == {first.id, second.id}
    assert told.merges[-1] == (first.id, second.id)


def test_a_pointer_to_a_member_separates_the_cluster(run: Run) -> None:
    told, page = steps(run, 3)
    (first,), (second,) = told.at(page), told.at(page + 80)
    assert told.cluster_of(first.id) == {first.id}
    assert told.cluster_of(second.id) == {second.id}


def test_a_wide_store_takes_no_words_from_another_node(run: Run) -> None:
    result = run("discovery/borders.c", "wide", options=("--mode=internals",))
    told = story(result.records)
    (low, size), (high, _) = printed(result, "node")
    (first,), (second,) = told.at(low), told.at(high)
    assert (8 * first.words, second.words) == (size, 1)
    assert told.cluster_of(first.id) == {first.id, second.id}


def test_heap_ranges_come_and_go(run: Run) -> None:
    result = run("discovery/ranges.c", options=("--mode=internals",), flags=("-pthread",))
    assert result.status == 0 and result.output == "3\n"
    assert any(n.why == "unmapped" for n in story(result.records).nodes.values())
