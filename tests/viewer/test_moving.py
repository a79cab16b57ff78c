"""Moving through time and space: keys, dragging, folding, searching, addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import heapstory as api
from tests.support.programs import ROOT
from tests.viewer.conftest import Recorded, View
from tests.viewer.opened import Opened, address, opened

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

PLAYLIST = (ROOT / "examples" / "playlist.c").read_text()


@pytest.fixture(scope="module")
def playlist(recorded: Recorded) -> Path:
    return recorded(PLAYLIST)


@pytest.fixture(scope="module")
def page(playlist: Path, view: View) -> Path:
    return view(playlist)


def songs(trace: Path) -> list[int]:
    """The ids of the three songs, by title."""
    with api.open(trace) as story:
        rows = story.query("SELECT node FROM nodes WHERE type = 'struct song' ORDER BY node")
        return [row[0] for row in rows]


def test_keys_step_through_every_change_of_a_field(
    browser: Browser, playlist: Path, page: Path
) -> None:
    first = songs(playlist)[0]
    with api.open(playlist) as story:
        written = [v.timestamp for v in story.history(node=first, field="next") if not v.silent]
        born = story.node(first).created.timestamp
    assert born is not None
    with opened(browser, address(page, t=born, n=first, o=0)) as shown:
        assert [shown.press("n") for _ in written] == written
        shown.press("n")
        assert "no later change" in shown.page.inner_text("[role=alert]")
        assert shown.press("p") == written[-2]


def test_a_step_changes_something_that_is_shown(browser: Browser, page: Path) -> None:
    with opened(browser, page.as_uri()) as shown:
        shown.press("Home")
        before, moments = shown.scene(), []
        for _ in range(12):
            moments.append(shown.press("ArrowRight"))
            after = shown.scene()
            assert after != before
            before = after
        assert moments == sorted(set(moments))
        assert shown.press("ArrowLeft") == moments[-2]
        assert shown.press("Shift+ArrowRight") == moments[-2] + 1


def test_dragging_on_the_timeline_moves_no_node(browser: Browser, page: Path) -> None:
    with opened(browser, page.as_uri()) as shown:
        room = shown.page.locator("#track").bounding_box()
        assert room is not None
        places = [box["at"] for box in shown.scene()["boxes"]]
        mouse, seen = shown.page.mouse, set()
        mouse.move(room["x"] + 2, room["y"] + 10)
        mouse.down()
        for part in range(1, 11):
            mouse.move(room["x"] + room["width"] * part / 10 - 1, room["y"] + 10)
            shown.settle()
            seen.add(shown.moment())
            assert [box["at"] for box in shown.scene()["boxes"]] == places
        mouse.up()
        assert len(seen) == 10


def test_playing_goes_on_by_itself_and_stops(browser: Browser, page: Path) -> None:
    with opened(browser, page.as_uri()) as shown:
        start = shown.press("Home")
        shown.page.keyboard.press(" ")
        shown.page.wait_for_function(
            "start => Number(document.querySelector('#graph').dataset.shown) > start", arg=start
        )
        shown.press(" ")
        assert shown.page.get_by_role("button", name="Play").is_visible()


def test_the_address_is_the_moment_and_the_node(
    browser: Browser, playlist: Path, page: Path
) -> None:
    second = songs(playlist)[1]
    with opened(browser, page.as_uri()) as shown:
        shown.go(2070)
        shown.click(f'#graph [data-node="{songs(playlist)[0]}"] [data-offset="0"]')
        link = shown.page.url
        assert "o=0" in link
    with opened(browser, link) as shown:
        assert shown.moment() == 2070
        assert "history of next" in shown.page.inner_text("#panel")
        shown.follow(f"t=2075&n={second}")
        assert shown.moment() == 2075
        assert f"node {second}" in shown.page.inner_text("#panel h2")


def test_compared_moments_show_what_is_new_and_gone(
    browser: Browser, playlist: Path, page: Path
) -> None:
    _, second, third = songs(playlist)
    with api.open(playlist) as story:
        born = story.node(third).created.timestamp
        freed = story.node(second).freed
    assert born is not None
    assert freed is not None
    assert freed.timestamp is not None
    with opened(browser, address(page, t=freed.timestamp, vs=born - 1)) as shown:
        boxes = {box["node"]: box["classes"] for box in shown.scene()["boxes"]}
        assert boxes[third] == ["there", "new"]
        assert boxes[second] == ["ghost", "gone"]


def test_long_lists_and_wide_fans_are_folded_and_unfold(
    browser: Browser, recorded: Recorded, view: View
) -> None:
    with opened(browser, view(recorded("viewer/folded")).as_uri()) as shown:
        folded = {fold["behind"]: fold["text"] for fold in shown.scene()["folds"]}
        drawn = len(shown.there())
        hidden = sum(int(text.split()[0].replace(",", "")) for text in folded.values())
        assert len(folded) == 2
        assert drawn + hidden == 2 + 100 + 1 + 64  # variables, the list, the table and its items
        shown.page.locator("#graph .fold:not(.hidden)").first.dispatch_event("click")
        shown.settle()
        assert len(shown.there()) > drawn


@pytest.mark.parametrize("words", ["Finale", "0x{address:x}", "#{node}", "struct song"])
def test_search(browser: Browser, playlist: Path, page: Path, words: str) -> None:
    third = songs(playlist)[2]
    with api.open(playlist) as story:
        address = story.node(third).address + 8
    with opened(browser, page.as_uri()) as shown:
        shown.press("/")
        shown.type(words.format(address=address, node=third))
        found = shown.page.locator("#hits li").filter(has_text=f"#{third}")
        found.first.dispatch_event("pointerdown")
        shown.settle()
        assert shown.page.query_selector(f'#graph [data-node="{third}"][data-selected]')


def test_types_and_sites_are_places_to_begin(browser: Browser, playlist: Path, page: Path) -> None:
    with opened(browser, page.as_uri()) as shown:
        shown.page.select_option("#start", label="struct song")
        shown.settle()
        assert {box["node"] for box in shown.scene()["boxes"]} == set(songs(playlist))


def test_source_lines(browser: Browser, playlist: Path, page: Path) -> None:
    line = PLAYLIST.split("\n").index("    song->prev = last;") + 1
    with api.open(playlist) as story:
        written = [
            version.timestamp
            for node in songs(playlist)
            for version in story.history(node=node, field="prev")
            if version.place and version.place.line == line
        ]
    with opened(browser, address(page, t=written[0])) as shown:
        assert shown.current_line() == line
        assert shown.press("]") == written[1]
        shown.click(f'.line[data-line="{line}"]')
        listed = shown.page.locator(".line-changes li b").all_inner_texts()
        assert [int(text) for text in listed] == written
        shown.page.locator(".line-changes li button").last.click()
        shown.settle()
        assert shown.moment() == written[-1]


def test_help_lists_keys_and_closes(browser: Browser, page: Path) -> None:
    with opened(browser, page.as_uri()) as shown:
        shown.press("?")
        assert "compare with this moment" in shown.page.inner_text("dialog.help[open]")
        shown.press("Escape")
        assert shown.page.locator("dialog.help").count() == 0


def test_pictures_are_saved(browser: Browser, page: Path, tmp_path: Path) -> None:
    with opened(browser, page.as_uri()) as shown:
        assert "Finale" in saved(shown, "s")
        assert "digraph heap" in saved(shown, "d")


def saved(shown: Opened, key: str) -> str:
    """What the page saves when a key is pressed."""
    with shown.page.expect_download() as download:
        shown.page.keyboard.press(key)
    return download.value.path().read_text()
