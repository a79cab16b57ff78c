#!/usr/bin/env python3
"""What recording costs: the programs of the paper's Table I, native, under Valgrind's null tool,
under Memcheck and under ``heapstory record``, in turn, best of three.

    python3 -m benchmarks.record                      all programs, tables on stdout
    python3 -m benchmarks.record --only tidy --runs 1
    python3 -m benchmarks.record --markdown           also into docs/evaluation/record.md
    python3 -m benchmarks.record --quick              tiny inputs, one run: does it work at all?

Without an installed heapstory the three peers are measured alone.
"""

import argparse
import json
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.programs import catalog
from benchmarks.programs.catalog import Program, Workshop, require_packages, start_up
from benchmarks.programs.others import OTHERS, lacking
from benchmarks.support import tables
from benchmarks.support.measure import Run, RunError, machine, revision
from benchmarks.support.peers import PEERS, Heapstory, Recording, run_peer
from benchmarks.support.report import report
from benchmarks.support.results import Result, verdicts

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "record.md"
PROGRAMS = {**catalog.PROGRAMS, **OTHERS}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What recording costs, peers side by side.")
    parser.add_argument("--only", action="append", choices=list(PROGRAMS), metavar="NAME",
                        help=f"this program alone (repeatable): {', '.join(PROGRAMS)}")  # fmt: skip
    parser.add_argument("--peers", default=",".join([*PEERS, "record"]), metavar="LIST",
                        help="which of native,none,memcheck,record to run")  # fmt: skip
    parser.add_argument("--runs", type=int, help="runs of each, the best counts (default 3)")
    parser.add_argument("--quick", action="store_true", help="tiny inputs, one run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure")
    parser.add_argument("--from", dest="sources", action="append", type=Path, metavar="FILE",
                        help="figures written by --json instead of a run (repeatable, "
                        "later files win)")  # fmt: skip
    parser.add_argument("--markdown", action="store_true", help=f"write the tables into {PAGE}")
    parser.add_argument("--heapstory", type=Path, metavar="COMMAND")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR")
    parser.add_argument("--keep", action="store_true", help="keep the traces")
    return parser.parse_args()


class Bench:
    """Measures programs one after the other, the peers of each in turn."""

    def __init__(self, options: argparse.Namespace, desk: Path) -> None:
        self.shop = Workshop(options.work, desk, options.quick)
        self.folder = desk
        self.runs = options.runs or (1 if options.quick else 3)
        self.keep = options.keep
        wanted = options.peers.split(",")
        traces = options.work / "traces" if options.keep else desk / "traces"
        self.peers = [peer for peer in PEERS if peer in wanted]
        found = Heapstory.find(options.heapstory, REPOSITORY, traces)
        self.heapstory = found if "record" in wanted else None

    def measure(self, program: Program) -> Result:
        runs: dict[str, list[Run]] = {peer: [] for peer in self.peers}
        recordings: list[Recording] = []
        outputs: dict[str, str] = {}
        for number in range(self.runs):
            self._say(f"{program.name}: run {number + 1} of {self.runs}")
            for peer in self.peers:
                done = run_peer(program, peer, self.folder)
                runs[peer].append(done)
                outputs[peer] = done.output
            if self.heapstory:
                recording = self.heapstory.record(program, self.folder)
                recordings.append(recording)
                outputs["record"] = recording.record.output
            if len(set(outputs.values())) > 1:
                raise RunError(f"{program.name} wrote different output under {', '.join(outputs)}")
        result = Result.of(program.name, program.structure, program.work, runs)
        if self.heapstory:
            result.add_recordings(recordings)
            trace = self.heapstory.trace_of(program)
            result.trace = self.heapstory.facts(trace)
            if not self.keep:
                shutil.rmtree(trace)
        self._say(f"{program.name}: " + ", ".join(self._brief(result)))
        return result

    def _brief(self, result: Result) -> list[str]:
        said = [f"{peer} {wall:.2f} s" for peer, wall in result.wall.items()]
        return said + ([f"record {result.record['wall']:.2f} s"] if result.record else [])

    def _say(self, text: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def installed(names: Iterable[str]) -> list[str]:
    there = []
    for name in names:
        if package := lacking(name):
            print(f"{name}: left out (apt-get install {package})", file=sys.stderr)
        else:
            there.append(name)
    return there


def measured(options: argparse.Namespace) -> dict[str, Any]:
    require_packages()
    options.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=options.work) as desk:
        bench = Bench(options, Path(desk))
        names = installed(name for name in PROGRAMS if name in (options.only or PROGRAMS))
        start = bench.measure(start_up(bench.shop))
        results = [bench.measure(PROGRAMS[name](bench.shop)) for name in names]
    return {
        "machine": machine(),
        "revision": revision(REPOSITORY),
        "command": shlex.join(["python3", "-m", "benchmarks.record", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d"),
        "runs": bench.runs,
        "quick": options.quick,
        "start": start.to_json(),
        "programs": [result.to_json() for result in results],
    }


def loaded(sources: list[Path]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    programs: dict[str, Any] = {}
    for source in sources:
        figures = json.loads(source.read_text())
        programs |= {one["name"]: one for one in figures["programs"]}
    order = list(PROGRAMS)
    figures["programs"] = sorted(programs.values(), key=lambda one: order.index(one["name"]))
    return figures


def figures_of(options: argparse.Namespace) -> dict[str, Any]:
    return loaded(options.sources) if options.sources else measured(options)


def rendered(figures: dict[str, Any]) -> str:
    results = [Result(**one) for one in figures["programs"]]
    start = Result(**figures["start"])
    parts = [
        f"Taken {figures['date']} at {figures['revision']}, best of {figures['runs']}, with",
        f"`{figures['command']}` on: {figures['machine']}.",
        "",
        *("- " + line for line in ([] if figures["quick"] else verdicts(results, start))),
        "",
        tables.times(results, start),
        "",
        tables.cpu(results, start),
        "",
        tables.space(results),
        "",
        tables.programs(results),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(report("record.py", PAGE, arguments(), figures_of, rendered))
