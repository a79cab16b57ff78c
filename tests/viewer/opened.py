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


# Waits until the page waits for nothing (viewer/src/model/work.ts), and four frames in a row, each
# with the timers and effects behind it, have changed nothing of the document.
SETTLED = """() => new Promise(done => {
  let quiet = 0;
  const watch = new MutationObserver(() => { quiet = 0; });
  watch.observe(document, {
    subtree: true, childList: true, attributes: true, characterData: true,
  });
  const look = () => requestAnimationFrame(() => setTimeout(() => {
    const isBusy = document.querySelector("#view")?.getAttribute("aria-busy") !== "false";
    quiet = isBusy ? 0 : quiet + 1;
    if (quiet < 4) return look();
    watch.disconnect();
    done();
  }));
  look();
})"""
# Of what the browser is asked for, for instance an element to click: on a busy machine.
PATIENCE_MILLISECONDS = 120_000


@dataclass
class Opened:
    """A page in a browser; ``wrong`` collects errors and requests that left it.

    What is done through these methods is over when they return: the page has settled, and what it
    shows can be read at once. Whoever acts on ``page`` itself calls ``settle`` before looking.
    """

    page: Page
    wrong: list[str] = field(default_factory=list)

    def settle(self) -> None:
        """Waits until all that was asked for is shown."""
        self.page.evaluate(SETTLED)

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
        self.settle()
        assert self.moment() == t

    def moment(self) -> int:
        """The moment that the graph shows."""
        return int(self.page.get_attribute("#graph", "data-shown") or -1)

    def press(self, *keys: str) -> int:
        """Keys, and the moment after them."""
        for key in keys:
            self.page.keyboard.press(key)
            self.settle()
        return self.moment()

    def type(self, words: str) -> None:
        """Words into what has the focus."""
        self.page.keyboard.type(words)
        self.settle()

    def click(self, selector: str, **options: Any) -> None:
        """On the first element of a selector."""
        self.page.locator(selector).first.click(**options)
        self.settle()

    def follow(self, words: str) -> None:
        """Another address of the same page, as a person would give it: ``t=7&n=3``."""
        self.page.evaluate(
            """words => new Promise(done => {
              addEventListener("hashchange", done, {once: true});
              location.hash = words;
            })""",
            words,
        )
        self.settle()

    def current_line(self) -> int | None:
        """The line of the statement of the moment, in the source."""
        found = self.page.query_selector(".line.current")
        return int(found.get_attribute("data-line") or 0) if found else None


@contextmanager
def opened(browser: Browser, url: str, **options: Any) -> Iterator[Opened]:
    """Opens a page and closes it; an error or a request that leaves the page fails the test."""
    settings = {"viewport": {"width": 1280, "height": 720}, "color_scheme": "light"} | options
    context = browser.new_context(**settings)
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    page = context.new_page()
    shown = Opened(page)
    page.on("console", lambda m: shown.wrong.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: shown.wrong.append(str(error)))
    page.on("request", lambda request: shown.wrong.extend(_leaving(request.url, url)))
    try:
        page.goto(url)
        shown.settle()
        assert page.query_selector("#graph[data-shown] .scene"), page.inner_text("body")
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
