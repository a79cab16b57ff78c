"""The page in firefox-esr: it draws from a file on disk, and follows keys."""

from __future__ import annotations

from pathlib import Path

from tests.viewer.conftest import Recorded, View
from tests.viewer.firefox import firefox

THERE = "return document.querySelectorAll('#graph .box.there').length"
SHOWN = "return document.querySelector('#graph')?.dataset.shown"
PRESS = "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Home', bubbles: true}))"


def test_the_page_draws(recorded: Recorded, view: View, tmp_path: Path) -> None:
    page = view(recorded("viewer/states"))
    with firefox(tmp_path) as browser:
        browser.open(page.as_uri())
        browser.settle()
        there = browser.evaluate(THERE)
        assert there > 2
        assert browser.evaluate("return document.querySelector('.failed')") is None
        browser.evaluate(f"document.body.{PRESS.removeprefix('document.')}")
        browser.settle()
        assert browser.evaluate(SHOWN) == "0"
        assert browser.evaluate(THERE) == there - 2  # the two nodes that live at the end
