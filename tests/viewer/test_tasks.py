"""Three questions that people bring, each answered in at most six clicks from the opened page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import heapstory as api
from tests.support.programs import ROOT
from tests.viewer.conftest import Recorded, View
from tests.viewer.opened import Opened, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MOST = 6
PLAYLIST = (ROOT / "examples" / "playlist.c").read_text()
GROWING = """#include <stdlib.h>
struct entry { struct entry *next; char text[200]; };
struct session { struct session *next; int id; };
struct entry *cache;
struct session *sessions;
static void remember(void) {
    struct entry *made = malloc(sizeof *made);
    made->next = cache;
    cache = made;
}
int main(void) {
    for (int i = 0; i < 60; i++) {
        struct session *session = malloc(sizeof *session);
        session->next = sessions;
        session->id = i;
        sessions = session;
        remember();
        sessions = session->next;
        free(session);
    }
    return 0;
}
"""
ENTRY = 208  # bytes of a struct entry


class Clicks:
    """Counts what a person does with a mouse."""

    def __init__(self, shown: Opened) -> None:
        self.shown = shown
        self.count = 0

    def click(self, selector: str, **options: object) -> None:
        self.count += 1
        self.shown.click(selector, **options)


def in_sight(shown: Opened) -> int:
    """A node whose box the pane shows: the leftmost."""
    found: int = shown.page.evaluate(
        """() => Number([...document.querySelectorAll("#graph .box.there")]
          .map(box => [box.getBoundingClientRect().left, box.dataset.node])
          .sort((a, b) => a[0] - b[0])[0][1])"""
    )
    return found


def line_of(program: str, words: str) -> int:
    return next(i for i, line in enumerate(program.split("\n"), 1) if words in line)


def test_which_statement_left_the_pointer_stale(
    browser: Browser, recorded: Recorded, view: View
) -> None:
    trace = recorded(PLAYLIST)
    with api.open(trace) as story:
        ((freed, line),) = story.query(
            "SELECT timestamp, line FROM frees JOIN sites USING (site) WHERE path LIKE '%program.c'"
        )
    with opened(browser, view(trace).as_uri()) as shown:
        clicks = Clicks(shown)
        clicks.click("#graph .row.dangling")
        clicks.click("#history li:has-text('becomes dangling') button")  # its moment
        assert (shown.moment(), shown.current_line()) == (freed, line)
        assert clicks.count <= MOST


def test_what_changed_between_two_moments(browser: Browser, recorded: Recorded, view: View) -> None:
    trace = recorded(PLAYLIST)
    with opened(browser, view(trace).as_uri()) as shown:
        last = shown.moment()
        clicks = Clicks(shown)
        clicks.click(".time button:has-text('compare')")
        room = shown.page.locator("#track").bounding_box()
        assert room is not None
        clicks.click("#track", position={"x": room["width"] * 0.1, "y": 10})
        first = shown.moment()
        assert clicks.count <= MOST
        boxes = {box["node"]: box["classes"] for box in shown.scene()["boxes"]}
    assert first < last
    with api.open(trace) as story:
        now, then = (
            {node.id for node in story.graph(moment).nodes if node.kind == "heap"}
            for moment in (first, last)
        )
    drawn = set(boxes)
    assert {n for n, c in boxes.items() if "gone" in c} == (then - now) & drawn
    assert {n for n, c in boxes.items() if "new" in c} == (now - then) & drawn
    assert then - now or now - then


def test_who_allocates_what_grows(browser: Browser, recorded: Recorded, view: View) -> None:
    trace = recorded(GROWING)
    with api.open(trace) as story:
        grown = [node.id for node in story.graph("end").nodes if node.size == ENTRY]
    with opened(browser, view(trace).as_uri()) as shown:
        clicks = Clicks(shown)
        clicks.click("#tab-summary")
        largest = ".summary table:has(th:has-text('by allocation site')) tbody tr:first-child"
        site = shown.page.locator(f"{largest} th button").inner_text()
        clicks.click(f"{largest} th button")
        assert shown.there() and set(shown.there()) <= set(grown)
        clicks.click(f'#graph [data-node="{in_sight(shown)}"] .title')
        clicks.click(".about .place")  # its statement
        assert shown.page.locator(".line-changes li").count() > 0
        assert clicks.count <= MOST
    assert site == f"program.c:{line_of(GROWING, 'malloc(sizeof *made)')}"
