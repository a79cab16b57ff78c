#!/usr/bin/env python3
"""What the page of heapstory view costs in a browser (Debian's chromium, headless): the time to its
first picture, a step through time with 500 nodes in sight beside its peer (one ``graph --at T -o
x.svg`` per step, opened in the same browser), and memory.

    python3 -m benchmarks.view_page              records what is missing (minutes), then measures
    python3 -m benchmarks.view_page --markdown   also into docs/evaluation/view.md
    python3 -m benchmarks.view_page --quick      tiny traces: does it work at all?

Traces and pages are kept below build/bench/view; --fresh records anew.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.programs.catalog import Workshop
from benchmarks.support import page
from benchmarks.support.measure import RunError, machine, revision
from benchmarks.support.report import report
from heapstory import open as open_trace
from tests.viewer.conftest import FLAGS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "view.md"
STEPS = 40
PEER_STEPS = 5

# Steps to moments all over the second half: from the input to the frame that shows it.
_STEPS = """async (steps) => {
  const [input, graph] = [document.querySelector("#moment"), document.querySelector("#graph")];
  const frame = () => new Promise(requestAnimationFrame);
  const taken = [];
  for (let step = 0; step < steps; step++) {
    const t = Math.round(Number(input.max) * (0.5 + step / steps / 2));
    const begin = performance.now();
    input.value = t;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    while (graph.dataset.shown !== String(t)) await frame();
    document.body.getBoundingClientRect();
    taken.push((performance.now() - begin) / 1000);
    await frame();
  }
  return taken;
}"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What the page costs in a browser.")
    parser.add_argument("--quick", action="store_true", help="tiny traces")
    parser.add_argument("--fresh", action="store_true", help="record again")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", action="store_true", help=f"write the table into {PAGE}")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR")
    return parser.parse_args()


def measured(options: argparse.Namespace) -> dict[str, Any]:
    """Both traces: a large one, and one that fits into a picture."""
    from playwright.sync_api import sync_playwright

    home = options.work / ("view-quick" if options.quick else "view")
    shop = Workshop(options.work, home, options.quick)
    size = ("2000", "20000") if options.quick else ("200000", "5000000")
    large = made(home, "large", [shop.compiled("million"), *size], options.fresh)
    changes = "600" if options.quick else "3000"
    shelves = made(home, "shelves", [shop.compiled("shelves"), changes], options.fresh)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        figures = {
            "machine": machine(),
            "revision": revision(REPOSITORY),
            "large": opened(browser, large, ""),
            "shelves": opened(browser, shelves, "#most=500"),
            "peer": peer(browser, home, shelves),
        }
        browser.close()
    return figures


def made(home: Path, name: str, command: list[str], fresh: bool) -> Path:
    """The page of a recorded program, made if it is not there."""
    trace, written = home / f"{name}.story", home / f"{name}.html"
    home.mkdir(parents=True, exist_ok=True)
    if fresh or not trace.exists():
        heapstory("record", "--force", "-o", trace, "--", *command)
    heapstory("view", trace, "-o", written)
    return written


def heapstory(*words: str | Path) -> None:
    command = [str(Path(sys.executable).with_name("heapstory")), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 4):
        raise RunError(f"{' '.join(command)}: {done.stderr.strip()}")


def opened(browser: "Browser", written: Path, words: str) -> dict[str, Any]:
    """A page from its opening to the last of some steps."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    shown = context.new_page()
    shown.goto(written.as_uri() + words)
    shown.wait_for_selector("#graph .scene", timeout=120_000)
    shown.wait_for_selector("#graph[data-shown]")
    first = shown.evaluate("performance.getEntriesByName('picture')[0].startTime") / 1000
    shown.wait_for_load_state("networkidle")
    steps = shown.evaluate(_STEPS, STEPS)
    nodes = shown.evaluate("document.querySelectorAll('#graph .box.there').length")
    memory = renderer_memory(browser, shown)
    context.close()
    return {
        "file": written.stat().st_size,
        "first picture": first,
        "nodes": nodes,
        "step": statistics.median(steps),
        "slowest step": max(steps),
        "memory": memory,
    }


def renderer_memory(browser: "Browser", shown: "Page") -> float:
    """Megabytes that only the page's own process has (the largest of the renderers): without what
    chromium's processes share."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    sizes = [
        private_memory(process["id"]) for process in processes if process["type"] == "renderer"
    ]
    session.detach()
    return max(sizes)


def private_memory(process: int) -> float:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) * 1024 / 1e6


def peer(browser: "Browser", home: Path, written: Path) -> dict[str, float]:
    """Some of the same moments without the page: a picture made by the command for every step."""
    trace, picture = written.with_suffix(".story"), home / "step.svg"
    with open_trace(trace) as story:
        last = story.last
    shown = browser.new_page(viewport={"width": 1280, "height": 720})
    taken, boxes = [], []
    for step in range(0, STEPS, STEPS // PEER_STEPS):
        moment = str(round(last * (0.5 + step / STEPS / 2)))
        begin = time.perf_counter()
        heapstory("graph", trace, "--at", moment, "--limit", "0", "-o", picture)
        shown.goto(picture.as_uri())
        shown.evaluate("document.documentElement.getBoundingClientRect()")
        taken.append(time.perf_counter() - begin)
        boxes.append(shown.evaluate("document.querySelectorAll('g.node').length"))
    shown.close()
    return {"step": statistics.median(taken), "nodes": statistics.median(boxes)}


def rendered(figures: dict[str, Any]) -> str:
    """The tables of the page."""
    rows = []
    for name in ("large", "shelves"):
        each = figures[name]
        rows.append(
            [
                name,
                f"{each['file'] / 1e6:.1f} MB",
                f"{each['first picture']:.2f} s",
                str(each["nodes"]),
                f"{each['step'] * 1000:.0f} ms",
                f"{each['slowest step'] * 1000:.0f} ms",
                f"{each['memory']:.0f} MB",
            ]
        )
    head = ["trace", "file", "first picture", "nodes in sight", "step", "slowest step", "memory"]
    ratio = figures["peer"]["step"] / figures["shelves"]["step"]
    wanted = "at most 1.5 s, 50 ms and 500 MB"
    return "\n\n".join(
        [
            f"{figures['machine']}, revision {figures['revision']}. Wanted: {wanted}.",
            page.table(head, rows),
            f"The peer, one `graph --at T -o x.svg` per step, at moments of the same steps of "
            f"`shelves` ({figures['peer']['nodes']:.0f} nodes drawn): "
            f"{figures['peer']['step']:.2f} s, {ratio:.0f} times a step of the page (wanted: 20).",
        ]
    )


def main() -> int:
    return report("view_page", PAGE, arguments(), measured, rendered)


if __name__ == "__main__":
    sys.exit(main())
