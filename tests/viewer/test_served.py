"""The page from a server on this machine shows what the file shows."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import heapstory as api
from tests.conftest import COMMAND
from tests.viewer.conftest import Recorded, View
from tests.viewer.opened import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@contextmanager
def served(trace: Path) -> Iterator[str]:
    """The address of a server that ends with the test."""
    command = [COMMAND, "view", trace, "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def test_both_show_the_same(browser: Browser, recorded: Recorded, view: View) -> None:
    trace = recorded("viewer/avl")
    with opened(browser, view(trace).as_uri()) as shown:
        from_file = shown.scene()
    with served(trace) as address, opened(browser, address) as shown:
        assert shown.scene() == from_file
        shown.page.keyboard.press("/")
        shown.page.keyboard.type("struct node")
        shown.page.wait_for_selector("#hits li b")
        shown.page.keyboard.press("Enter")
        shown.page.wait_for_selector("#graph [data-node][data-selected]")
        assert "fields at" in shown.page.inner_text("#panel")
        assert shown.page.locator(".line").count() > 50  # the source came by request


def test_what_a_line_changed_and_who_points_come_from_all_of_the_trace(
    browser: Browser, recorded: Recorded
) -> None:
    trace = recorded("viewer/avl")
    with api.open(trace) as story:
        path, line = story.query(
            "SELECT path, line FROM events JOIN sites USING (site) WHERE path LIKE '%avl.c' "
            "AND NOT silent GROUP BY path, line ORDER BY count(*) DESC LIMIT 1"
        )[0]
        made = story.query(
            f"SELECT DISTINCT timestamp FROM events JOIN sites USING (site) "
            f"WHERE path = '{path}' AND line = {line} AND NOT silent ORDER BY 1"
        )
        node = story.query(
            "SELECT max(target) FROM edges WHERE until IS NULL AND state = 'live' "
            "AND target IN (SELECT node FROM nodes WHERE kind = 'heap')"
        )[0][0]
        holders = {(edge.source, edge.offset) for edge in story.incoming(node)}
    asked: list[str] = []
    with served(trace) as address, opened(browser, f"{address}#n={node}") as shown:
        shown.page.on("request", lambda request: asked.append(request.url))
        shown.page.wait_for_selector(".incoming li")
        assert shown.page.locator(".incoming li").count() == len(holders)
        shown.page.click(f'.line[data-line="{line}"]')
        shown.page.wait_for_selector(".line-changes li b")
        shown.page.wait_for_load_state("networkidle")
        listed = shown.page.locator(".line-changes li b").all_inner_texts()
        assert [int(text) for text in listed] == [row[0] for row in made][: len(listed)]
        assert any("/changes?" in url for url in asked)
