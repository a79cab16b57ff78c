#!/usr/bin/env python3
"""What the instruction stream costs, and slices of it: the algorithms of the thesis' chapter 5 and
ours, on programs of the PARSEC kind.

    python3 -m benchmarks.slice                         4, 40 and 170 million instructions
    python3 -m benchmarks.slice --size 4 --only fluid
    python3 -m benchmarks.slice --markdown              also into docs/evaluation/slice.md

On two quiet cores all of it takes about a quarter of an hour: what takes long is bounded by
--limit, --most, --reasons and --lackey.
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.programs.catalog import Program
from benchmarks.programs.kernels import KERNELS, SIZES, Kernel, KernelShop
from benchmarks.support.measure import Run, RunError, machine, revision
from benchmarks.support.peers import Heapstory, run_peer
from benchmarks.support.report import report
from benchmarks.support.slice_tables import differences, rendered

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "slice.md"
LACKEY = ["valgrind", "-q", "--tool=lackey", "--trace-mem=yes", "--log-file=/dev/null"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What the stream and slices of it cost.")
    parser.add_argument("--only", action="append", choices=list(KERNELS), metavar="NAME",
                        help=f"this program alone (repeatable): {', '.join(KERNELS)}")  # fmt: skip
    parser.add_argument("--size", action="append", choices=SIZES,
                        help="million instructions (repeatable; default: all)")  # fmt: skip
    parser.add_argument("--runs", type=int, default=1, help="recordings of each, the best counts")
    parser.add_argument("--lackey", type=float, default=4, metavar="MILLION",
                        help="instructions up to which lackey is run: it takes 0.4 s for each "
                        "million")  # fmt: skip
    parser.add_argument("--limit", type=float, default=6, metavar="SECONDS",
                        help="for one slice by an algorithm of the thesis; 0: none")  # fmt: skip
    parser.add_argument("--most", type=float, default=10, metavar="MILLION",
                        help="instructions up to which the thesis' algorithms are tried: their "
                        "list takes about 200 bytes for each")  # fmt: skip
    parser.add_argument("--reasons", type=float, default=4, metavar="MILLION",
                        help="instructions up to which slices are also taken with reasons, each "
                        "alone and after others")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure")
    parser.add_argument("--from", dest="sources", action="append", type=Path, metavar="FILE",
                        help="figures written by --json instead of a run (repeatable)")  # fmt: skip
    parser.add_argument("--markdown", action="store_true", help=f"write the tables into {PAGE}")
    parser.add_argument("--heapstory", type=Path, metavar="COMMAND")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR")
    return parser.parse_args()


class Bench:
    """Records programs and asks their traces, one after the other."""

    def __init__(self, options: argparse.Namespace, desk: Path) -> None:
        self.options, self.desk = options, desk
        self.shop = KernelShop(options.work)
        found = Heapstory.find(options.heapstory, REPOSITORY, desk / "traces")
        if not found:
            raise RunError("heapstory is not installed (make setup)")
        self.heapstory = found

    def measure(self, kernel: Kernel, size: str) -> dict[str, Any]:
        program = self.shop.program(kernel, size)
        self._say(f"{program.name}: recording")
        result: dict[str, Any] = {"name": kernel.name, "after": kernel.after, "size": size}
        result["threads"] = kernel.threads
        result["wall"] = self._walls(program, float(size) <= self.options.lackey)
        self._say(f"{program.name}: slicing")
        result["limit"] = self.options.limit
        result |= self._asked(self.heapstory.trace_of(program), size)
        return result

    def _walls(self, program: Program, with_lackey: bool) -> dict[str, float]:
        walls: dict[str, list[float]] = {}
        for _ in range(self.options.runs):
            for peer in ("native", "none", "memcheck"):
                walls.setdefault(peer, []).append(run_peer(program, peer, self.desk).wall)
            if with_lackey:
                walls.setdefault("lackey", []).append(self._lackey(program).wall)
            done = self.heapstory.record(program, self.desk, query=False, options=["--stream"])
            walls.setdefault("stream", []).append(done.record.wall)
        return {peer: min(all_of) for peer, all_of in walls.items()}

    def _lackey(self, program: Program) -> Run:
        from benchmarks.support.measure import run

        command = [*LACKEY, *program.command]
        return run(command, self.desk, program.environment, program.stdin, program.statuses)

    def _asked(self, trace: Path, size: str) -> dict[str, Any]:
        python = self.heapstory.command.parent / "python"
        command = [str(python), "-m", "benchmarks.support.slicing", str(trace)]
        if float(size) <= self.options.reasons:
            command.append("--reasons")
        if self.options.limit and float(size) <= self.options.most:
            command += ["--lists", str(self.options.limit)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
        if done.returncode:
            raise RunError(f"slices of {trace}: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def _say(self, text: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def measured(options: argparse.Namespace) -> dict[str, Any]:
    options.work.mkdir(parents=True, exist_ok=True)
    sizes = options.size or SIZES
    results = []
    for size in sizes:
        for name in options.only or KERNELS:
            with tempfile.TemporaryDirectory(prefix="slice-", dir=options.work) as desk:
                results.append(Bench(options, Path(desk)).measure(KERNELS[name], size))
    return {
        "machine": machine(),
        "revision": revision(REPOSITORY),
        "command": shlex.join(["python3", "-m", "benchmarks.slice", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d"),
        "limit": options.limit,
        "most": options.most,
        "programs": results,
    }


def loaded(sources: list[Path]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    programs: dict[tuple[str, str], Any] = {}
    for source in sources:
        figures = json.loads(source.read_text())
        programs |= {(one["size"], one["name"]): one for one in figures["programs"]}
    order = list(KERNELS)
    figures["programs"] = sorted(
        programs.values(), key=lambda one: (SIZES.index(one["size"]), order.index(one["name"]))
    )
    return figures


def figures_of(options: argparse.Namespace) -> dict[str, Any]:
    figures = loaded(options.sources) if options.sources else measured(options)
    for line in differences(figures["programs"]):
        print(f"ERROR: {line}", file=sys.stderr)
    return figures


if __name__ == "__main__":
    sys.exit(report("slice.py", PAGE, arguments(), figures_of, rendered))
