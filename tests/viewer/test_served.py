"""The page from a server on this machine shows what the file shows."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

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
