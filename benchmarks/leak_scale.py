"""CPU time over the size of a program: units of several programs, drawn at random and analysed as
one program, until there are so many lines."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from heapstory.cfront.capture import Job, from_database
from heapstory.static import Options, analyse, load_models

SIZES = (10, 25, 50, 100, 150, 200)  # thousands of lines
SEED = 1


def run_scale(databases: list[Path], figure: Path | None, seconds: Callable[[], float]) -> None:
    """A row for each size, and a picture of them."""
    jobs = [job for database in databases for job in from_database(database).jobs]
    random.Random(SEED).shuffle(jobs)
    print("| units | KLOC | functions | CPU s | KLOC / CPU s |\n|---|---|---|---|---|")
    points = []
    for size in SIZES:
        chosen = _first(jobs, size * 1000)
        started = seconds()
        result = analyse(chosen, Options(load_models([]), processes=1))
        cpu, thousand = seconds() - started, result.lines / 1000
        points.append((thousand, cpu))
        print(
            f"| {len(chosen)} | {thousand:.1f} | {result.functions} | {cpu:.1f} "
            f"| {thousand / cpu:.1f} |",
            flush=True,
        )
    if figure is not None:
        _draw(points, figure)


def _first(jobs: list[Job], lines: int) -> list[Job]:
    """The first jobs that have so many lines together."""
    chosen = []
    for job in jobs:
        if lines <= 0:
            break
        path = Path(job.directory, job.source)
        lines -= path.read_bytes().count(b"\n") if path.is_file() else 0
        chosen.append(job)
    return chosen


def _draw(points: list[tuple[float, float]], figure: Path) -> None:
    """The points, and the line through the origin that is nearest to them."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    slope = sum(x * y for x, y in points) / sum(x * x for x, _ in points)
    end = points[-1][0]
    _, axes = pyplot.subplots(figsize=(5, 3.2))
    axes.plot([0, end], [0, slope * end], color="0.6", label=f"{1 / slope:.1f} KLOC per CPU second")
    axes.plot(*zip(*points, strict=True), "o", color="C0")
    axes.set(xlabel="KLOC", ylabel="CPU seconds, clang included", xlim=0, ylim=0)
    axes.legend(frameon=False)
    pyplot.tight_layout()
    pyplot.savefig(figure, metadata={"Date": None})
