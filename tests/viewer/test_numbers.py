"""What the page shows at random moments is what ``graph --json`` says."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

import heapstory as api
from heapstory.reporters.graph import json as answers
from tests.support.programs import ROOT
from tests.viewer.conftest import Recorded, View
from tests.viewer.opened import Opened, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MOMENTS = 20
# How graph --json calls what the page tells apart further.
STATES = {"dangling": "stale", "aliased": "stale", "wild": "data", "unwritten": "data"}
PLAYLIST = (ROOT / "examples" / "playlist.c").read_text()


@pytest.mark.parametrize(
    ("source", "options", "more"),
    [
        (PLAYLIST, (), {}),
        ("viewer/avl", (), {}),
        ("viewer/threads", (), {"flags": ("-pthread",)}),
        (PLAYLIST, ("--mode", "internals"), {}),
        ("discovery/figure7", ("--mode", "internals"), {"arguments": ("dl", "3")}),
        ("viewer/states", (), {}),
    ],
    ids=["playlist", "avl", "threads", "internals", "clusters", "states"],
)
def test_the_page_shows_the_graph(
    browser: Browser,
    recorded: Recorded,
    view: View,
    source: str,
    options: tuple[str, ...],
    more: dict[str, tuple[str, ...]],
) -> None:
    trace = recorded(source, *options, **more)
    with api.open(trace) as story, opened(browser, view(trace).as_uri()) as page:
        places = {box["node"]: box["at"] for box in page.scene()["boxes"]}
        assert any(page.there().values())
        for moment in moments(story.last):
            page.go(moment)
            compare(page, graph(story, moment))
            assert {box["node"]: box["at"] for box in page.scene()["boxes"]} == places


def moments(last: int) -> list[int]:
    """Random ones, most of them in the second half, where programs have left their loader."""
    dice = random.Random(20)
    early = [dice.randrange(last + 1) for _ in range(MOMENTS // 4)]
    return early + [dice.randrange(last // 2, last + 1) for _ in range(MOMENTS - len(early))]


def graph(story: api.Trace, moment: int) -> dict[str, Any]:
    """The answer of ``graph --json --data``."""
    found = story.graph(moment)
    answer: dict[str, Any] = json.loads("".join(answers.graph(found, answers.edges(found, True))))
    return answer


def compare(page: Opened, graph: dict[str, Any]) -> None:
    """Of the nodes that have a box, exactly the live ones show it, each with its pointers."""
    drawn = {box["node"] for box in page.scene()["boxes"]}
    there = page.there()
    nodes = {node["id"]: node for node in graph["nodes"]}
    assert set(there) == drawn & set(nodes)
    for node, box in there.items():
        cluster = nodes[node]["cluster"]
        told = "lost" if "lost" in box["classes"] else f"cluster {cluster}" if cluster else ""
        assert box["status"] == told
    pointers = {}
    for edge in graph["edges"]:
        if edge["from"]["node"] in there and edge["state"] != "data":
            pointers[edge["from"]["node"], edge["from"]["offset"]] = edge
    shown = {}
    for node, box in there.items():
        for row in box["rows"]:
            state = STATES.get(row["state"], row["state"])
            if state != "data":
                shown[node, row["offset"]] = (state, row["value"])
    # A box may leave out rows, never invent one.
    assert set(shown) <= set(pointers)
    for key, (state, value) in shown.items():
        edge = pointers[key]
        assert state == edge["state"], key
        assert target(edge, nodes) in value or value.endswith("…"), (key, value)
    arrows = {(arrow["from"], arrow["to"]) for arrow in page.scene()["arrows"]}
    led = {
        (node, edge["to"]["node"])
        for (node, offset), edge in pointers.items()
        if (node, offset) in shown
        and edge["to"]
        and edge["to"]["node"] in drawn
        and (is_heap(nodes, edge["to"]["node"]) or not is_section(nodes[node]))
    }
    assert led <= arrows
    assert arrows <= {
        (node, edge["to"]["node"]) for (node, _), edge in pointers.items() if edge["to"]
    }


def is_section(node: dict[str, Any]) -> bool:
    """Data of a module without names, of which only what leads to the heap is drawn."""
    return node["kind"] == "global" and node["type"] is None


def is_heap(nodes: dict[int, dict[str, Any]], node: int) -> bool:
    """Whether a node is in the heap; one that is not there any more was."""
    return node not in nodes or nodes[node]["kind"] == "heap"


def target(edge: dict[str, Any], nodes: dict[int, dict[str, Any]]) -> str:
    """What the page writes for where an edge leads."""
    if edge["to"] is None:
        return "NULL"
    node = edge["to"]["node"]
    known = nodes.get(node)
    name = known and (known["label"] or known["name"])
    offset = f"+{edge['to']['offset']}" if edge["to"]["offset"] else ""
    return f"→ {name or f'#{node}'}{offset}"
