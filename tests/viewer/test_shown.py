"""How things are shown: states of pointers, hostile text, contrast, a small screen, findings."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import heapstory as api
from tests.conftest import Heapstory
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
        shown.page.locator('#graph [data-offset="0"] .value').first.click()
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
        shown.page.click("#findings li:first-child button")
        shown.page.wait_for_selector(f'#graph[data-shown="{fault["ts"]}"]')
        current = shown.page.locator(".line.current").get_attribute("data-line")
        assert current == str(fault["place"]["line"])
        shown.press("1")
        assert "breaks" in shown.page.inner_text("#why")


def test_everything_fits_on_a_small_screen(
    browser: Browser, recorded: Recorded, view: View
) -> None:
    with opened(browser, view(recorded("viewer/avl")).as_uri()) as shown:
        wide, high = shown.page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert (wide, high) == (1280, 720)
        for pane in (".source", ".graph", ".panels", ".time"):
            box = shown.page.locator(pane).bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 1280
            assert box["y"] + box["height"] <= 720


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
