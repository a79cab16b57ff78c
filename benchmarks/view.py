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
import random
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from benchmarks.programs.catalog import Program, Workshop
from benchmarks.support import page
from benchmarks.support.measure import RunError, machine, revision
from benchmarks.support.peers import Heapstory

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "view.md"
NODES = 200_000
CHANGES = 5_000_000
# Making a node of the program takes about 6 changes, an operation 2.7.
PER_NODE, PER_OPERATION = 6.0, 2.7
REQUESTS = 20
SPAN = 400_000  # changes that a page asks for at once
SQL = """
import sys, time, heapstory
with heapstory.open(sys.argv[1]) as trace:
    begin = time.perf_counter()
    trace.query("SELECT count(*), sum(value) FROM edges")
    print(time.perf_counter() - begin)
"""
POINTING = """
import json, random, sys, time, heapstory
with heapstory.open(sys.argv[1]) as trace:
    def timed(work):
        begin = time.perf_counter()
        work()
        return (time.perf_counter() - begin) * 1000
    nodes = len(trace.core.table("nodes"))
    graph = timed(lambda: trace.core.graph(trace.last).edges())
    first = timed(lambda: trace.core.incoming(1, trace.last))
    random.seed(1)
    warm = sorted(timed(lambda: trace.core.incoming(random.randint(1, nodes),
                  random.randint(trace.last // 2, trace.last))) for _ in range(1000))
    print(json.dumps({"graph": graph, "first": first, "median": warm[500], "p99": warm[990]}))
"""


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
        page_file = self.folder / "page.html"
        begin = time.perf_counter()
        subprocess.run(
            [self.heapstory.command, "view", trace, "-o", page_file],
            check=True,
            capture_output=True,
        )
        seconds = time.perf_counter() - begin
        facts = self.heapstory.facts(trace)
        sql = self.ask(SQL, trace)
        return {
            "timestamps": facts["timestamps"],
            "nodes": facts["nodes"],
            "seconds": seconds,
            "megabytes": page_file.stat().st_size / 1e6,
            "sql": sql,
        }

    def served(self, trace: Path) -> dict[str, Any]:
        begin = time.perf_counter()
        server = subprocess.Popen(
            [self.heapstory.command, "view", trace, "--serve"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert server.stdout
            address = server.stdout.readline().strip()
            started = time.perf_counter() - begin
            head = json.loads(_get(address + "head")[1])
            figures: dict[str, Any] = {"timestamps": head["last"], "nodes": head["nodes"]}
            figures |= {"start": started, "requests": _requests(address, head)}
            figures["resident"] = _resident(server.pid)
            return figures
        finally:
            server.terminate()
            server.wait()


def _get(address: str) -> tuple[float, bytes]:
    begin = time.perf_counter()
    with urllib.request.urlopen(address, timeout=600) as answer:
        body = answer.read()
    return (time.perf_counter() - begin) * 1000, body


def _requests(address: str, head: dict[str, Any]) -> dict[str, dict[str, float]]:
    random.seed(1)
    last, span = head["last"], min(head["last"] // 4, SPAN)

    def window() -> str:
        first = random.randint(0, last - span)
        return f"window?first={first}&last={first + span}&limit=500"

    def around_node() -> str:
        first = random.randint(last // 2, last - span)
        return f"window?start={random.randint(1, head['nodes'])}&first={first}&last={first + span}"

    def zoom() -> str:
        first = random.randint(0, last - span)
        return f"bands?first={first}&last={first + span}"

    kinds = {
        "bands of all time": lambda: "bands",
        f"bands of {span:,} changes": zoom,
        f"window of 500 nodes, {span:,} changes": window,
        "window around a node": around_node,
        "find": lambda: f"find?text={random.randint(1, head['nodes'])}",
    }
    while json.loads(_header(_get(address + "bands")[1]))["complete"] is False:
        time.sleep(0.5)  # the changes of each chunk are counted in the background
    figures = {}
    for name, make in kinds.items():
        taken = sorted(_get(address + make())[0] for _ in range(REQUESTS))
        figures[name] = {"median": statistics.median(taken), "worst": taken[-1]}
    return figures


def _header(answer: bytes) -> bytes:
    return answer[8 : 8 + int.from_bytes(answer[4:8], "little")]


def _resident(process: int) -> dict[str, float]:
    """Megabytes of its own, and of files."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    return {
        name: int(fields[key].split()[0]) / 1024
        for name, key in (("own", "RssAnon"), ("files", "RssFile"))
    }


def tables(answers: dict[str, Any]) -> str:
    made, pointing, served = answers["export"], answers["pointing"], answers["served"]
    ratio = made["seconds"] / made["sql"]
    lines = [
        f"| {made['timestamps']:,} changes, {made['nodes']:,} nodes | |",
        "|---|---|",
        f"| the file | {made['seconds']:.1f} s, {made['megabytes']:.1f} MB |",
        f"| one pass of SQL over `edges` | {made['sql']:.1f} s |",
        f"| ratio | {ratio:.2f} |",
        f"| who points to a node: the graph, then filtered | {pointing['graph']:.0f} ms |",
        f"| … from the index, the first time | {pointing['first']:.0f} ms |",
        f"| … then | {pointing['median']:.3f} ms (99 of 100: {pointing['p99']:.3f} ms) |",
        "",
        f"| served: {served['timestamps']:,} changes, {served['nodes']:,} nodes | median | worst |",
        "|---|---|---|",
        *(
            f"| {name} | {figure['median']:.0f} ms | {figure['worst']:.0f} ms |"
            for name, figure in served["requests"].items()
        ),
        "",
        f"Ready after {served['start']:.1f} s; {served['resident']['own']:.0f} MB of its own, "
        f"{served['resident']['files']:.0f} MB of mapped files.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    options = arguments()
    bench = Bench(options)
    nodes, changes, served = (
        (500, 20_000, 60_000) if options.quick else (NODES, CHANGES, options.served)
    )
    trace = bench.trace("view", nodes, changes)
    answers = {"export": bench.exported(trace), "pointing": bench.ask(POINTING, trace)}
    answers["served"] = bench.served(bench.trace("served", nodes, served))
    if options.json:
        options.json.write_text(json.dumps(answers, indent=1) + "\n")
    text = tables(answers)
    print(text)
    if options.markdown:
        page.put(PAGE, "core", f"{machine()}, {revision(REPOSITORY)}.\n\n{text}")


if __name__ == "__main__":
    main()
