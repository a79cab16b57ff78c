"""A page that a test has opened: what it shows, read from the document, and what it did wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# Everything that is shown of the graph, in one look.
_SCENE = """() => ({
  boxes: [...document.querySelectorAll("#graph .box")].map(box => ({
    node: Number(box.dataset.node),
    classes: [...box.classList].slice(1),
    at: box.getAttribute("transform"),
    status: box.querySelector(".status").textContent,
    rows: [...box.querySelectorAll(".row")].map(row => ({
      offset: Number(row.dataset.offset),
      state: row.classList[1],
      name: row.querySelector(".name").textContent,
      value: row.querySelector(".value").textContent,
    })),
  })),
  arrows: [...document.querySelectorAll("#graph .arrows > .arrow:not(.hidden)")].map(arrow => ({
    from: Number(arrow.dataset.from), to: Number(arrow.dataset.to), state: arrow.classList[1],
  })),
  folds: [...document.querySelectorAll("#graph .fold:not(.hidden)")].map(fold => ({
    behind: Number(fold.dataset.fold), text: fold.textContent,
  })),
})"""


@dataclass
class Opened:
    """A page in a browser; ``wrong`` collects errors and requests that left it."""

    page: Page
    wrong: list[str] = field(default_factory=list)

    def scene(self) -> dict[str, Any]:
        """Boxes, arrows and folds as they are in the document."""
        found: dict[str, Any] = self.page.evaluate(_SCENE)
        return found

    def there(self) -> dict[int, dict[str, Any]]:
        """The boxes of nodes that exist at the moment, by node."""
        boxes = self.scene()["boxes"]
        return {box["node"]: box for box in boxes if "there" in box["classes"]}

    def go(self, t: int) -> None:
        """To a moment, as a person would: by typing it."""
        self.page.fill("#moment", str(t))
        self.page.press("#moment", "Enter")
        self.page.evaluate("document.activeElement.blur()")
        self.page.wait_for_selector(f'#graph[data-shown="{t}"]')

    def moment(self) -> int:
        """The moment that the graph shows, once it has followed."""
        shown = self.page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() =>"
            " done(document.querySelector('#graph').dataset.shown))))"
        )
        return int(shown)

    def press(self, *keys: str) -> int:
        """Keys, and the moment after them."""
        for key in keys:
            self.page.keyboard.press(key)
        return self.moment()


@contextmanager
def opened(browser: Browser, url: str, **options: Any) -> Iterator[Opened]:
    """Opens a page and closes it; an error or a request that leaves the page fails the test."""
    settings = {"viewport": {"width": 1280, "height": 720}, "color_scheme": "light"} | options
    context = browser.new_context(**settings)
    page = context.new_page()
    shown = Opened(page)
    page.on("console", lambda m: shown.wrong.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: shown.wrong.append(str(error)))
    page.on("request", lambda request: shown.wrong.extend(_leaving(request.url, url)))
    try:
        page.goto(url)
        page.wait_for_selector("#graph .scene")
        page.wait_for_selector("#graph[data-shown]")
        yield shown
        assert shown.wrong == []
    finally:
        context.close()


def _leaving(url: str, own: str) -> list[str]:
    """The address, if it is neither the page's own nor below that of the server it came from."""
    server = (own.split("#")[0],) if own.startswith("http:") else ()
    inside = url.startswith(("blob:", "data:", *server)) or url.split("#")[0] == own.split("#")[0]
    return [] if inside else [url]


def address(page: Path, **words: int | str) -> str:
    """The address of a page on disk at a moment."""
    return page.as_uri() + "#" + "&".join(f"{name}={value}" for name, value in words.items())
