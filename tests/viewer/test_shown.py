"""How things are shown: states of pointers, hostile text, contrast, screens, findings, sizes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import heapstory as api
from tests.conftest import Compile, Heapstory
from tests.support.programs import ROOT
from tests.support.programs import program as source
from tests.viewer.conftest import Recorded, View
from tests.viewer.opened import Opened, address, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

AXE = ROOT / "viewer" / "node_modules" / "axe-core" / "axe.min.js"
HOSTILE = '<img src=x onerror="document.title=1">'


def test_states_of_pointers_are_told_apart(
    browser: Browser, recorded: Recorded, view: View
) -> None:
    with opened(browser, view(recorded("viewer/states")).as_uri()) as shown:
        boxes = shown.scene()["boxes"]
        assert all(box["rows"] for box in boxes)
        titles = shown.page.locator("#graph .box .title").all_text_contents()
        held = {title: box["rows"][0] for title, box in zip(titles, boxes, strict=True)}
        states = {name: held[name]["state"] for name in ("live", "dangling", "aliased", "wild")}
        assert states == {name: name for name in states}
        null = shown.page.locator("#graph .box.there .row.null .value").all_text_contents()
        assert null == ["NULL"]
        # Not by colour alone: each has a sign.
        signs = {held[name]["value"][0] for name in ("dangling", "aliased", "wild")}
        assert len(signs) == 3
        assert sorted(arrow["state"] for arrow in shown.scene()["arrows"]) == [
            "aliased",
            "dangling",
            "live",
            "live",
        ]


def test_hostile_text_is_text(browser: Browser, recorded: Recorded, view: View) -> None:
    text = source("viewer/hostile.c").read_text().replace("MARK", "\u202e")
    trace = recorded(text, arguments=(HOSTILE,))
    with opened(browser, view(trace).as_uri()) as shown:
        title = shown.page.title()
        shown.page.locator("#graph .row .name", has_text="text").first.click()
        shown.settle()
        assert HOSTILE in shown.page.inner_text("#fields")
        assert shown.page.locator("img").count() == 0
        assert shown.page.title() == title == f"{trace.name}"
        lines = shown.page.inner_text(".lines")
        assert "</script><script>document.title" in lines
        assert "\\u202e" in lines
        assert "\u202e" not in lines


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_accessibility_checker_finds_nothing(
    browser: Browser, recorded: Recorded, view: View, scheme: str
) -> None:
    page = view(recorded("viewer/states"))
    with opened(browser, page.as_uri(), color_scheme=scheme) as shown:
        shown.page.evaluate(AXE.read_text(encoding="utf-8"))
        shown.click('#graph [data-offset="0"] .value')
        for key in ("1", "2", "3", "?"):
            shown.press(key)
            assert violations(shown) == []


def violations(shown: Opened) -> list[Any]:
    """What axe-core objects to, with the elements."""
    found: list[Any] = shown.page.evaluate(
        "async () => (await axe.run()).violations.map(each => [each.id, each.nodes[0].html])"
    )
    return found


def test_a_finding_is_one_click_from_its_moment(
    browser: Browser, recorded: Recorded, view: View, heapstory: Heapstory
) -> None:
    trace = recorded((ROOT / "examples" / "catalogue.c").read_text())
    spec = ROOT / "examples" / "catalogue.spec"
    located = json.loads(heapstory("locate", trace, "--spec", spec, "--json").stdout)
    fault = located["faults"][0]
    page = view(trace, "--spec", spec)
    with opened(browser, page.as_uri()) as shown:
        assert shown.press("b") == located["bad"]["ts"]
        shown.press("2")
        shown.click("#findings li:first-child button")
        assert (shown.moment(), shown.current_line()) == (fault["ts"], fault["place"]["line"])
        shown.press("1")
        assert "breaks" in shown.page.inner_text("#why")


STALE = """#include <stdlib.h>
struct item { struct item *next; int value; };
struct item *kept;
int main(void) {
    struct item *made = malloc(sizeof *made);
    kept = made;
    free(made);
    kept->value = 5;
    return 0;
}
"""


def test_a_finding_that_changed_nothing_is_shown_at_its_own_line(
    browser: Browser, view: View, compile_program: Compile, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace, answer = tmp_path / "stale.story", tmp_path / "check.json"
    heapstory("check", "--record", trace, "--json", answer, "--", compile_program(STALE))
    lines = STALE.split("\n")
    with opened(browser, view(trace, "--findings", answer).as_uri()) as shown:
        shown.press("2")
        shown.click("#findings li:first-child button")
        found, current = (
            int(shown.page.get_attribute(f".line.{mark}", "data-line") or 0)
            for mark in ("found", "current")
        )
        assert "kept->value = 5" in lines[found - 1]  # no change: the block was gone
        assert "free(made)" in lines[current - 1]  # the last change before it
        shown.press("Home")
        assert shown.page.locator(".line.found").count() == 0


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (2560, 1440), (3840, 2160)])
def test_everything_fits_on_the_screen(
    size: tuple[int, int], browser: Browser, recorded: Recorded, view: View
) -> None:
    wide, high = size
    page = view(recorded("viewer/avl"))
    with opened(browser, page.as_uri(), viewport={"width": wide, "height": high}) as shown:
        assert shown.page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        ) == [wide, high]
        boxes = {}
        for pane in (".source", ".graph", ".panels", ".time"):
            box = boxes[pane] = shown.page.locator(pane).bounding_box()
            assert box is not None
            assert min(box["x"], box["y"]) >= 0
            assert box["x"] + box["width"] <= wide
            assert box["y"] + box["height"] <= high
        # Most of the screen is for the graph, and the graph takes it.
        graph = boxes[".graph"]
        assert graph and graph["width"] >= 0.5 * wide and graph["height"] >= 0.55 * high
        drawn = shown.page.locator("#graph .scene").bounding_box()
        assert drawn and drawn["width"] > 0.4 * graph["width"]


LOST = """#include <stdlib.h>
struct node { struct node *next; int value; };
static struct node *kept;
static struct node *make(int value) {
    struct node *made = malloc(sizeof *made);
    made->value = value;
    made->next = NULL;
    return made;
}
int main(void) {
    kept = make(1);
    kept->next = make(2);
    kept->next->next = make(3);
    kept->next = NULL; /* two are lost */
    return 0;
}
"""


def test_lost_nodes_are_shown_as_such(browser: Browser, recorded: Recorded, view: View) -> None:
    trace = recorded(LOST)
    with api.open(trace) as story:
        nodes = [n.id for n in story.graph().nodes if n.kind == "heap" and n.size == 16]
        last = story.last
    page = view(trace)
    with opened(browser, address(page, n=nodes[1])) as shown:
        boxes = shown.there()
        lost = {node for node, box in boxes.items() if "lost" in box["classes"]}
        assert (shown.moment(), lost) == (last, set(nodes[1:]))
        assert {boxes[node]["status"] for node in lost} == {"lost"}  # in words, too
        shown.go(last - 1)
        assert not any("lost" in box["classes"] for box in shown.there().values())


def test_the_statements_of_a_slice_are_marked(
    browser: Browser, recorded: Recorded, view: View, heapstory: Heapstory, tmp_path: Path
) -> None:
    trace = recorded(LOST, "--stream")
    place = f"program.c:{LOST.split('/* two', maxsplit=1)[0].count(chr(10)) + 1}"
    answer = heapstory("slice", trace, "--criterion", place, "--json")
    assert answer.returncode == 0, answer.stderr
    file = tmp_path / "slice.json"
    file.write_text(answer.stdout)
    wanted = {each["line"] for each in json.loads(answer.stdout)["statements"]}
    with opened(browser, view(trace, "--slice", file).as_uri()) as shown:
        marked = shown.page.locator(".line.sliced").evaluate_all(
            "lines => lines.map(line => Number(line.dataset.line))"
        )
        assert set(marked) == wanted and len(marked) < LOST.count("\n")


MILLION = 1_000_000
MANY = """#include <stdlib.h>
struct item { struct item *next; };
struct item *all;
int main(void) {
    for (int i = 0; i < COUNT; i++) {
        struct item *made = malloc(sizeof *made);
        made->next = all;
        all = made;
    }
    return 0;
}
"""


def test_a_million_nodes_open_as_a_summary(
    browser: Browser, recorded: Recorded, view: View
) -> None:
    trace = recorded(MANY.replace("COUNT", str(MILLION)))
    with opened(browser, view(trace).as_uri()) as shown:
        assert shown.page.get_attribute("#tab-summary", "aria-selected") == "true"
        row = ".summary table:has(th:has-text('by type')) tbody tr:first-child"
        assert shown.page.inner_text(f"{row} th") == "struct item"
        assert f"{MILLION:,}" in shown.page.inner_text(row)
        # The graph is what is near the variable; the rest of the list is folded.
        scene = shown.scene()
        assert 2 < len([box for box in scene["boxes"] if "there" in box["classes"]]) <= 160
        assert any("more" in fold["text"] for fold in scene["folds"])


def test_a_trace_without_a_block_shows_its_variables(
    browser: Browser, recorded: Recorded, view: View, heapstory: Heapstory
) -> None:
    trace = recorded("int main(void) {\n    return 0;\n}\n")
    nodes = json.loads(heapstory("graph", trace, "--json").stdout)["nodes"]
    assert {node["kind"] for node in nodes} == {"global"}
    with opened(browser, view(trace).as_uri()) as shown:
        boxes = [box for box in shown.scene()["boxes"] if "there" in box["classes"]]
        assert {box["node"] for box in boxes} == {node["id"] for node in nodes}


def test_a_trace_that_was_cut_off_has_a_banner(
    browser: Browser, recorded: Recorded, heapstory: Heapstory, tmp_path: Path
) -> None:
    cut, page = tmp_path / "cut.story", tmp_path / "cut.html"
    shutil.copytree(recorded("viewer/states"), cut)
    chunks = cut / "chunks"
    chunks.write_bytes(chunks.read_bytes()[:-100])
    done = heapstory("view", cut, "-o", page)
    assert done.returncode == 4, done.stderr
    with opened(browser, page.as_uri()) as shown:
        assert "incomplete" in shown.page.inner_text(".banner")
        assert "reading stopped at byte" in shown.page.inner_text(".banner")


def test_an_address_outside_the_trace_goes_to_its_end(
    browser: Browser, recorded: Recorded, view: View
) -> None:
    trace = recorded("viewer/states")
    with api.open(trace) as story:
        last = story.last
    with opened(browser, address(view(trace), t=10**9, n=10**6)) as shown:
        assert shown.moment() == last
        assert "left out" in shown.page.inner_text("#panel")
