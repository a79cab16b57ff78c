"""The pictures of the docs. HEAPSTORY_PICTURES=docs/pictures writes them there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Heapstory
from tests.support.programs import ROOT, program
from tests.viewer.opened import Opened, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PageOf = Callable[..., str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures go."""
    asked = os.environ.get("HEAPSTORY_PICTURES")
    return Path(asked) if asked else tmp_path_factory.mktemp("pictures")


def save(shown: Opened, folder: Path, name: str) -> None:
    """A picture of the page."""
    shown.page.screenshot(path=folder / f"{name}.png")


@pytest.fixture
def page_of(tmp_path: Path, heapstory: Heapstory) -> PageOf:
    """The page of a program by its source; built and recorded where it stands, as people do."""

    def write(source: Path, *options: str | Path) -> str:
        name = source.stem
        (tmp_path / source.name).write_text(source.read_text())
        subprocess.run(["gcc", "-g", "-o", name, source.name], cwd=tmp_path, check=True)
        for command in (
            ("record", "--", f"./{name}"),
            ("view", f"{name}.story", "-o", f"{name}.html", *options),
        ):
            done = heapstory(*command, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
        return (tmp_path / f"{name}.html").as_uri()

    return write


def test_a_dangling_pointer(browser: Browser, page_of: PageOf, folder: Path) -> None:
    with opened(browser, page_of(ROOT / "examples" / "playlist.c")) as shown:
        shown.click("#graph .row.dangling")
        assert "becomes dangling" in shown.page.inner_text("#history")
        save(shown, folder, "view-playlist")


def test_a_finding_in_the_dark(browser: Browser, page_of: PageOf, folder: Path) -> None:
    examples = ROOT / "examples"
    page = page_of(examples / "catalogue.c", "--spec", examples / "catalogue.spec")
    with opened(browser, page, color_scheme="dark") as shown:
        shown.press("b")
        assert shown.page.locator(".finding-mark").count() > 0
        save(shown, folder, "view-finding")


def test_two_moments_of_a_tree(browser: Browser, page_of: PageOf, folder: Path) -> None:
    with opened(browser, page_of(program("viewer/avl.c"))) as shown:
        shown.press("c", *["ArrowLeft"] * 12)
        assert shown.page.locator("#graph .box.gone, #graph .box.new").count() > 0
        save(shown, folder, "view-compared")
