#!/usr/bin/env python3
"""What questions cost on long traces, asked of the core: opening, one field, one node, all versions
of a field, a whole graph as of a timestamp; and the same with less memory than the trace.

    python3 -m benchmarks.queries              records what is missing (minutes), then asks
    python3 -m benchmarks.queries --markdown   also into docs/evaluation/record.md
    python3 -m benchmarks.queries --quick      tiny traces: does it work at all?

Traces and what is asked of them are kept below build/bench/queries; --fresh makes them anew.
"""

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.programs.catalog import PROGRAMS, Program, Workshop
from benchmarks.support import limits, page
from benchmarks.support.measure import RunError, machine, revision
from benchmarks.support.peers import Heapstory
from benchmarks.support.report import report

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "record.md"
ASKING = Path(__file__).resolve().parent / "support" / "asking.py"
EVENTS = 50_000_000
# What each question may take, in milliseconds (median, warm).
TARGETS = {"open": 300.0, "field": 0.3, "node": 2.0, "versions": 5.0, "graph": 1000.0}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What questions cost on long traces.")
    parser.add_argument("--only", action="append", choices=["sqlite3", "million", "larger"])
    parser.add_argument("--quick", action="store_true", help="tiny traces")
    parser.add_argument("--fresh", action="store_true", help="record again")
    parser.add_argument("--count", type=int, default=2000, help="questions of each kind")
    parser.add_argument("--limit", type=float, default=0.6, metavar="SHARE",
                        help="memory limit as a share of the larger trace")  # fmt: skip
    parser.add_argument("--cgroup", type=Path, metavar="DIR", help="a memory cgroup to use")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", action="store_true", help=f"write the table into {PAGE}")
    parser.add_argument("--heapstory", type=Path, metavar="COMMAND")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR")
    return parser.parse_args()


def programs(shop: Workshop) -> dict[str, Program]:
    """What is recorded: a real program, a million live nodes, and the same for much longer."""

    def million(name: str, changes: int) -> Program:
        nodes, changes = (2_000, 20_000) if shop.quick else (1_000_000, changes)
        command = [shop.compiled("million"), str(nodes), str(changes)]
        return Program(name, "tree and lists", f"{nodes:,} nodes, {changes:,} changes", command)

    chosen = {} if shop.quick else {"sqlite3": PROGRAMS["sqlite3"](shop)}
    return {
        **chosen,
        "million": million("million", 20_000_000),
        "larger": million("larger", 80_000_000),
    }


class Questions:
    """Asks one heapstory about its traces, each time in a fresh process."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.folder: Path = options.work / ("queries-quick" if options.quick else "queries")
        self.options = options
        found = Heapstory.find(options.heapstory, REPOSITORY, self.folder)
        if not found:
            raise RunError("heapstory is not installed: make setup")
        self.heapstory = found
        beside = found.command.parent / "python"
        self.python = str(beside) if beside.exists() else sys.executable

    def trace(self, program: Program) -> Path:
        trace = self.heapstory.trace_of(program)
        if self.options.fresh and trace.exists():
            shutil.rmtree(trace)
        if not trace.exists():
            print(f"{time.strftime('%H:%M:%S')} recording {program.name}", file=sys.stderr)
            self.heapstory.record(program, self.folder / "run", query=False)
            self._samples(trace).unlink(missing_ok=True)
        return trace

    def about(self, program: Program, limited: bool) -> dict[str, Any]:
        trace = self.trace(program)
        facts = self.heapstory.facts(trace)
        samples = self._samples(trace)
        if not samples.exists():
            samples.write_text(self._run("sample", str(trace), str(self.options.count)))
        figures: dict[str, Any] = {"name": program.name, "work": program.work, "facts": facts}
        command = [self.python, str(ASKING), "ask", str(trace), str(samples)]
        if limited:
            size = int(facts["bytes"] * self.options.limit)
            done = limits.run(command, trace, size, self.options.cgroup)
            figures |= json.loads(done.output)
            figures |= {"limit": size, "way": done.way, "held": done.peak}
            figures["evictions"] = done.evictions
            figures["name"] += ", limited"
        else:
            figures |= json.loads(self._run("ask", str(trace), str(samples)))
            opened = sorted(json.loads(self._run("open", str(trace)))["ms"] for _ in range(7))
            figures["open"] = {"median": opened[3], "worst": opened[-1]}
        return figures

    def _samples(self, trace: Path) -> Path:
        return trace.with_suffix(".samples.json")

    def _run(self, *words: str) -> str:
        command = [self.python, str(ASKING), *words]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        if said.returncode:
            raise RunError((said.stderr.strip().splitlines() or [f"{words[0]} failed"])[-1])
        return said.stdout


def rendered(figures: dict[str, Any]) -> str:
    rows = [_row(one) for one in figures["traces"]]
    head = ["trace", "events", "MB", "open ms", "field ms", "node ms", "versions ms"]
    head += ["hottest words ms", "graph s", "of nodes / edges", "peak MiB"]
    parts = [
        f"Taken {figures['date']} at {figures['revision']} with `{figures['command']}`",
        f"on: {figures['machine']}.",
        "",
        *(f"- {line}" for line in verdicts(figures)),
        "",
        page.table(head, rows),
    ]
    return "\n".join(parts)


def _row(one: dict[str, Any]) -> list[str]:
    facts = one["facts"]
    hot = one["hot"]
    hottest = f"{max(word['ms'] for word in hot):.1f} ({hot[0]['versions']:,})" if hot else "–"
    return [
        one["name"],
        f"{facts['events']:,}",
        f"{facts['bytes'] / 1e6:,.0f}",
        f"{one['open']['median']:.0f}" if "open" in one else "–",
        *(f"{one[key]['median']:.3f} (p95 {one[key]['p95']:.2f})" for key in ("field", "node")),
        f"{one['versions']['median']:.2f} (p95 {one['versions']['p95']:.1f})",
        hottest,
        f"{one['graph']['median'] / 1000:.2f}",
        f"{one['graph']['nodes']:,} / {one['graph']['edges']:,}",
        f"{one.get('held', 0) / 2**20 or one['peak_kib'] / 1024:,.0f}",
    ]


def verdicts(figures: dict[str, Any]) -> list[str]:
    lines = []
    for one in figures["traces"]:
        if one["facts"]["events"] < EVENTS and not figures["quick"]:
            lines.append(f"MISSED: {one['name']} has fewer than {EVENTS:,} events")
        for key, most in TARGETS.items():
            if key in one and one[key]["median"] > most:
                lines.append(f"MISSED: {one['name']}: {key} {one[key]['median']:.2f} ms > {most}")
        if "limit" in one:
            lines.append(
                f"{one['name']}: {one['limit'] / 2**20:,.0f} MiB by {one['way']}, trace "
                f"{one['facts']['bytes'] / 2**20:,.0f} MiB, held {one['held'] / 2**20:,.0f} MiB "
                f"at most, pages taken away {one['evictions']:,} times"
            )
    return lines


def measured(options: argparse.Namespace) -> dict[str, Any]:
    questions = Questions(options)
    wanted = programs(Workshop(options.work, questions.folder, options.quick))
    traces = []
    for name, program in wanted.items():
        if name in (options.only or wanted):
            traces.append(questions.about(program, limited=False))
            if name == "larger":
                traces.append(questions.about(program, limited=True))
    return {
        "machine": machine(),
        "revision": revision(REPOSITORY),
        "command": shlex.join(["python3", "-m", "benchmarks.queries", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d"),
        "quick": options.quick,
        "traces": traces,
    }


if __name__ == "__main__":
    sys.exit(report("queries.py", PAGE, arguments(), measured, rendered))
