"""Figures of the MG++ paper, each reached by a link."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import heapstory as api
from tests.conftest import Heapstory
from tests.support.programs import program as source
from tests.viewer.conftest import Recorded, View
from tests.viewer.opened import address, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_figure_1_the_link_is_made_and_broken(
    browser: Browser, recorded: Recorded, view: View
) -> None:
    """Every version of ``node->next``, at the lines that the paper gives."""
    trace = recorded("trace/figure1")
    told = json.loads(source("trace/figure1.json").read_text())
    with api.open(trace) as story:
        rows = story.query("SELECT node, created FROM nodes WHERE type = 'struct snode'")
        (first, born), (second, _) = sorted(rows)
    # The paper counts changes from the first allocation.
    moments = {edge["ts"] + born - told["nodes"][0][0]: edge for edge in told["edges"]}
    page = view(trace)
    for moment, edge in moments.items():
        node = (first, second)[edge["node"]]
        with opened(browser, address(page, t=moment, n=node, o=8)) as shown:
            row = shown.there()[node]["rows"][-1]
            target = "NULL" if edge["to"] is None else f"→ #{(first, second)[edge['to']]}"
            assert (row["name"], row["value"]) == ("next", target)
            assert shown.current_line() == edge["line"]


def test_figure_7_free_chunks_are_linked_both_ways(
    browser: Browser, recorded: Recorded, view: View
) -> None:
    """After the second and fourth block were freed, their chunks lead to each other."""
    trace = recorded("discovery/figure7", "--mode", "internals", arguments=("dl", "2"))
    with api.open(trace) as story:
        graph = story.graph()
        pairs = {(e.source, e.target) for e in graph.edges if e.state == "live" and e.target}
        heap = {node.id for node in graph.nodes if node.kind == "heap"}
    loops = sorted(pair for pair in pairs if pair[::-1] in pairs and set(pair) <= heap)
    assert loops
    with opened(browser, address(view(trace), t=graph.at, n=loops[0][0], most=300)) as shown:
        arrows = {(arrow["from"], arrow["to"]) for arrow in shown.scene()["arrows"]}
        assert loops[0] in arrows
        assert loops[0][::-1] in arrows


def test_figure_9_the_statement_that_overwrote_a_free_chunk(
    browser: Browser,
    recorded: Recorded,
    view: View,
    heapstory: Heapstory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Chunks of the thread's own cache are in other lists, whose pointers are mangled.
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0")
    options = ("--mode", "internals")
    trace = recorded("locating/figure9", *options, flags=("-DFAULT=1",), status=134)
    page = view(trace, "--spec", "glibc_free_list")
    text = source("locating/figure9.c").read_text().splitlines()
    faulty = next(n for n, line in enumerate(text, 1) if "/* faulty */" in line)
    with opened(browser, page.as_uri()) as shown:
        shown.press("2")
        shown.click("#findings li:first-child button")
        assert shown.current_line() == faulty
