#!/usr/bin/env python3
"""What a view costs: the file of a trace with 5 million changes beside one pass of SQL over its
edges, who points to a node, and the requests of a page to a server for a much longer trace.

    python3 -m benchmarks.view                        records what is missing (minutes), then asks
    python3 -m benchmarks.view --served 200000000   changes of the served trace
    python3 -m benchmarks.view --quick                tiny traces: does it work at all?
    python3 -m benchmarks.view --markdown             also into docs/evaluation/view.md

Traces are kept below build/bench/view; --fresh makes them anew. Everything is measured in one run,
each in a process of its own.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.programs.catalog import Program, Workshop
from benchmarks.support import page
from benchmarks.support.measure import RunError, machine, revision, run
from benchmarks.support.peers import Heapstory
from benchmarks.support.report import report
from benchmarks.view_served import rendered as rendered_server
from benchmarks.view_served import served

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "view.md"
NODES = 200_000
CHANGES = 5_000_000
# Making a node of the program takes about 6 changes, an operation 2.7.
PER_NODE, PER_OPERATION = 6.0, 2.7
SQL = """
import sys, time, heapstory
with heapstory.open(sys.argv[1]) as trace:
    wall, cpu = time.perf_counter(), time.process_time()
    trace.query("SELECT count(*), sum(value) FROM edges")
    print([time.perf_counter() - wall, time.process_time() - cpu])
"""
POINTING = """
import json, random, sys, time, heapstory
with heapstory.open(sys.argv[1]) as trace:
    def timed(work):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        return [(time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000]
    nodes = len(trace.core.table("nodes"))
    graph = timed(lambda: trace.core.graph(trace.last).edges())
    first = timed(lambda: trace.core.incoming(1, trace.last))
    random.seed(1)
    warm = sorted(timed(lambda: trace.core.incoming(random.randint(1, nodes),
                  random.randint(trace.last // 2, trace.last))) for _ in range(1000))
    print(json.dumps({"graph": graph, "first": first, "median": warm[500], "p99": warm[990]}))
"""
POINTED = {
    "who points to a node: the graph, then filtered": "graph",
    "… from the index, the first time": "first",
    "… then": "median",
    "… then, 99 of 100 at most": "p99",
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What a view costs.")
    parser.add_argument("--quick", action="store_true", help="tiny traces")
    parser.add_argument("--fresh", action="store_true", help="record again")
    parser.add_argument("--served", type=int, default=20_000_000, metavar="CHANGES")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", action="store_true", help=f"write the tables into {PAGE}")
    parser.add_argument("--heapstory", type=Path, metavar="COMMAND")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR")
    return parser.parse_args()


class Bench:
    """One heapstory and its traces."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder: Path = options.work / ("view-quick" if options.quick else "view")
        found = Heapstory.find(options.heapstory, REPOSITORY, self.folder)
        if not found:
            raise RunError("heapstory is not installed: make setup")
        self.heapstory = found
        beside = found.command.parent / "python"
        self.python = str(beside) if beside.exists() else sys.executable
        self.shop = Workshop(options.work, self.folder, options.quick)

    def trace(self, name: str, nodes: int, changes: int) -> Path:
        operations = max(1, int((changes - nodes * PER_NODE) / PER_OPERATION))
        command = [self.shop.compiled("million"), str(nodes), str(operations)]
        program = Program(name, "tree and lists", f"{nodes:,} nodes", command)
        trace = self.heapstory.trace_of(program)
        if self.options.fresh and trace.exists():
            shutil.rmtree(trace)
        if not trace.exists():
            print(f"{time.strftime('%H:%M:%S')} recording {name}", file=sys.stderr)
            self.heapstory.record(program, self.folder / "run", query=False)
        return trace

    def ask(self, program: str, trace: Path) -> Any:
        done = subprocess.run(
            [self.python, "-c", program, str(trace)], capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout.splitlines()[-1])  # behind what SQL says of its progress

    def exported(self, trace: Path) -> dict[str, Any]:
        written = self.folder / "page.html"
        command = [str(self.heapstory.command), "view", str(trace), "-o", str(written)]
        made = run(command, self.folder / "run", statuses=(0, 4))
        wall, cpu = self.ask(SQL, trace)
        return {
            **self.heapstory.facts(trace),
            "file": {"wall": made.wall, "cpu": made.cpu},
            "sql": {"wall": wall, "cpu": cpu},
            "megabytes": written.stat().st_size / 1e6,
        }


def measured(options: argparse.Namespace) -> dict[str, Any]:
    bench = Bench(options)
    nodes, changes, long = (
        (500, 20_000, 60_000) if options.quick else (NODES, CHANGES, options.served)
    )
    trace = bench.trace("view", nodes, changes)
    served_trace = bench.trace(f"served-{long}", nodes, long)
    return {
        "machine": f"{machine()}, revision {revision(REPOSITORY)}",
        "export": bench.exported(trace),
        "pointing": bench.ask(POINTING, trace),
        "served": served([str(bench.heapstory.command), "view", str(served_trace), "--serve"]),
    }


def rendered(figures: dict[str, Any]) -> str:
    """The tables of the page."""
    made, pointing = figures["export"], figures["pointing"]
    ratios = [made["file"][kind] / made["sql"][kind] for kind in ("wall", "cpu")]
    head = [f"{made['timestamps']:,} changes, {made['nodes']:,} nodes", "waited", "CPU"]
    rows = [
        [f"the file, {made['megabytes']:.1f} MB", *_seconds(made["file"])],
        ["one pass of SQL over `edges`", *_seconds(made["sql"])],
        ["ratio", *(f"{ratio:.2f}" for ratio in ratios)],
        *([name, *_milliseconds(pointing[key])] for name, key in POINTED.items()),
    ]
    return "\n\n".join(
        [f"{figures['machine']}.", page.table(head, rows), rendered_server(figures["served"])]
    )


def _seconds(figure: dict[str, float]) -> list[str]:
    return [f"{figure['wall']:.1f} s", f"{figure['cpu']:.1f} s"]


def _milliseconds(figure: list[float]) -> list[str]:
    return [f"{value:.3f} ms" if value < 1 else f"{value:.0f} ms" for value in figure]


def main() -> int:
    return report("view", PAGE, arguments(), measured, rendered)


if __name__ == "__main__":
    sys.exit(main())
