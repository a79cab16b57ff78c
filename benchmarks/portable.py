#!/usr/bin/env python3
"""What it costs not to know the allocator: the programs of the paper's Table I under
``heapstory record`` in the modes alloc, portable and internals, beside native and Memcheck.

    python3 -m benchmarks.portable                      the paper's programs, tables on stdout
    python3 -m benchmarks.portable --only ls --runs 1
    python3 -m benchmarks.portable --markdown           also into docs/evaluation/portable.md
    python3 -m benchmarks.portable --quick              tiny inputs, one run: does it work at all?

A mode that takes longer than ``--limit`` seconds, or fails, has no figure, and the table says so.
"""

import argparse
import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.programs.catalog import PROGRAMS, Program, Workshop, require_packages
from benchmarks.support import page
from benchmarks.support.measure import RunError, geometric_mean, machine, revision
from benchmarks.support.peers import Heapstory, run_peer
from benchmarks.support.report import report

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "portable.md"
MODES = ("alloc", "portable", "internals")
PEERS = ("native", "memcheck")
NONE = "–"
# Table II of the paper: MB without and with the allocator, slowdown of its portable mode.
PAPER = {
    "ls": (3.8, 6.9, 1.08),
    "tidy": (22.4, 32.1, 1.37),
    "bison": (2.5, 32.3, 1.20),
    "python": (137.8, 140.5, 1.25),
    "perl": (48.1, 50.2, 1.01),
    "colouring": (82.3, 83.5, 4.29),
    "independent": (6.3, 10.2, 3.51),
    "shortest": (47.9, 84.7, 1.68),
}

Figures = dict[str, Any]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What it costs not to know the allocator.")
    parser.add_argument("--only", action="append", choices=list(PROGRAMS), metavar="NAME",
                        help=f"this program alone (repeatable): {', '.join(PROGRAMS)}")  # fmt: skip
    parser.add_argument("--modes", default=",".join(MODES), metavar="LIST")
    parser.add_argument("--runs", type=int, help="runs of each, the best counts (default 3)")
    parser.add_argument("--limit", type=float, default=90, metavar="SECONDS")
    parser.add_argument("--quick", action="store_true", help="tiny inputs, one run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure")
    parser.add_argument("--markdown", action="store_true", help=f"write the tables into {PAGE}")
    parser.add_argument("--heapstory", type=Path, metavar="COMMAND")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR")
    return parser.parse_args()


class Bench:
    """Measures programs one after the other, peers and modes of each in turn."""

    def __init__(self, options: argparse.Namespace, desk: Path) -> None:
        self.shop = Workshop(options.work, desk, options.quick)
        self.desk = desk
        self.runs = options.runs or (1 if options.quick else 3)
        self.modes = [mode for mode in MODES if mode in options.modes.split(",")]
        self.limit = options.limit
        found = Heapstory.find(options.heapstory, REPOSITORY, desk / "traces")
        if found is None:
            raise RunError("heapstory is not installed (make setup)")
        self.heapstory = found

    def measure(self, program: Program) -> Figures:
        figures: Figures = {"name": program.name, "wall": {}, "cpu": {}, "trace": {}, "lacks": {}}
        for number in range(self.runs):
            for peer in PEERS:
                self._say(f"{program.name}: {peer}, run {number + 1} of {self.runs}")
                done = run_peer(program, peer, self.desk)
                self._better(figures, peer, done.wall, done.cpu)
            for mode in self.modes:
                self._say(f"{program.name}: {mode}, run {number + 1} of {self.runs}")
                self._record(figures, program, mode)
        return figures

    def _record(self, figures: Figures, program: Program, mode: str) -> None:
        options = ["--mode", mode]
        try:
            done = self.heapstory.record(program, self.desk, False, options, self.limit).record
            self._better(figures, mode, done.wall, done.cpu)
            trace = self.heapstory.trace_of(program)
            figures["trace"][mode] = self.heapstory.facts(trace, self.limit)
        except TimeoutError:
            self._lacks(figures, mode, f"stopped after {self.limit:.0f} s")
        except RunError as error:
            self._lacks(figures, mode, str(error).splitlines()[0])
        shutil.rmtree(self.heapstory.trace_of(program), ignore_errors=True)

    def _lacks(self, figures: Figures, mode: str, why: str) -> None:
        figures["lacks"][mode] = why
        self._say(f"{figures['name']}: {mode}: {why}")

    @staticmethod
    def _better(figures: Figures, name: str, wall: float, cpu: float) -> None:
        for kind, value in (("wall", wall), ("cpu", cpu)):
            figures[kind][name] = min(value, figures[kind].get(name, value))

    def _say(self, text: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def measured(options: argparse.Namespace) -> Figures:
    require_packages()
    options.work.mkdir(parents=True, exist_ok=True)
    names = [name for name in PROGRAMS if name in (options.only or [*PAPER, "python-malloc"])]
    with tempfile.TemporaryDirectory(prefix="run-", dir=options.work) as desk:
        bench = Bench(options, Path(desk))
        programs = [bench.measure(PROGRAMS[name](bench.shop)) for name in names]
    return {
        "machine": machine(),
        "revision": revision(REPOSITORY),
        "command": shlex.join(["python3", "-m", "benchmarks.portable", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d"),
        "runs": bench.runs,
        "programs": programs,
    }


def ratio(one: Figures, kind: str, above: str, below: str) -> float | None:
    times = one[kind]
    return times[above] / times[below] if above in times and below in times else None


def _cell(value: float | None, digits: int = 2) -> str:
    return NONE if value is None else f"{value:.{digits}f}"


def times(programs: list[Figures], kind: str) -> str:
    pairs = [("portable", "alloc"), ("internals", "portable"), ("portable", "memcheck")]
    pairs += [("portable", "native")]
    head = [f"{kind} seconds", *PEERS, *MODES, *(f"{a} ÷ {b}" for a, b in pairs)]
    head += ["the paper's portable ÷ alloc"]
    rows = []
    for one in programs:
        cells = [_cell(one[kind].get(name)) for name in (*PEERS, *MODES)]
        cells += [_cell(ratio(one, kind, a, b)) for a, b in pairs]
        rows.append([one["name"], *cells, _cell(PAPER.get(one["name"], (0, 0, None))[2])])
    means = [
        _cell(geometric_mean(r for one in programs if (r := ratio(one, kind, a, b))))
        for a, b in pairs
    ]
    return page.table(head, [*rows, ["**geometric mean**", *[""] * 5, *means, "1.70"]])


def space(programs: list[Figures]) -> str:
    head = ["MB", "portable", "the paper's", "internals", "the paper's", "snapshots"]
    head += [f"{what}, {mode}" for mode in MODES[1:] for what in ("events", "bytes per event")]
    rows = []
    for one in programs:
        traces, paper = one["trace"], PAPER.get(one["name"], (None, None, None))
        cells = []
        for mode, theirs in zip(MODES[1:], paper[:2], strict=True):
            ours = traces[mode]["event_bytes"] / 1e6 if mode in traces else None
            cells += [_cell(ours, 1), _cell(theirs, 1)]
        held = traces.get("portable", {}).get("snapshot_bytes")
        cells.append(NONE if held is None else f"{held / 1e6:,.0f}")
        for mode in MODES[1:]:
            trace = traces.get(mode)
            cells.append(f"{trace['events']:,}" if trace else NONE)
            cells.append(_cell(trace["event_bytes"] / trace["events"] if trace else None))
        rows.append([one["name"], *cells])
    return page.table(head, rows)


def lacking(programs: list[Figures]) -> str:
    return "\n".join(
        f"- {one['name']}, {mode}: {why}" for one in programs for mode, why in one["lacks"].items()
    )


def rendered(figures: Figures) -> str:
    programs = figures["programs"]
    parts = [
        f"Taken {figures['date']} at {figures['revision']}, best of {figures['runs']}, with",
        f"`{figures['command']}` on: {figures['machine']}.",
    ]
    tables = [times(programs, "wall"), times(programs, "cpu"), space(programs)]
    return "\n\n".join(["\n".join(parts), *filter(None, [lacking(programs)]), *tables])


if __name__ == "__main__":
    sys.exit(report("portable.py", PAGE, arguments(), measured, rendered))
