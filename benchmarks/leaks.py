"""Leaks found and missed, false alarms, time and memory: heapstory and its peers side by side.

    python -m benchmarks.leaks pairs                     every tool on the generated pairs
    python -m benchmarks.leaks twins                     every tool on independent twins (--seen)
    python -m benchmarks.leaks confirm                   what runs of these say of the findings
    python -m benchmarks.leaks program NAME DATABASE     heapstory on a compile_commands.json
    python -m benchmarks.leaks peers NAME DATABASE       its peers on the same
    python -m benchmarks.leaks inject NAME DATABASE      delete a release, add an early return
    python -m benchmarks.leaks scale DATABASE...         time over size, 10 to 200 KLOC (--figure)

Peers: gcc -fanalyzer per unit and with -flto, clang --analyze, cppcheck; one that is not installed
is left out. The tables in docs/evaluation/leaks.md were made by these commands.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.leak_confirm import run_confirm
from benchmarks.leak_inject import run_inject
from benchmarks.leak_peers import run_peers
from benchmarks.leak_scale import run_scale
from benchmarks.leak_tools import installed
from heapstory.cfront.capture import from_database
from heapstory.static import Options, Sources, analyse, collect_findings, load_models
from tests.static.pairs import SEPARATOR, pairs
from tests.static.twin import FOLDER, twins

UNSEEN = Path(__file__).parent / "programs" / "twins"


def _seconds() -> float:
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


@dataclass(frozen=True, slots=True)
class Case:
    """A leaking program and its correct twin: files and compiler options of each."""

    name: str
    bad: tuple[tuple[Path, ...], tuple[str, ...]]
    good: tuple[tuple[Path, ...], tuple[str, ...]]


def run_pairs(folder: Path, every: int) -> None:
    """Recall and false alarms of every tool on the generated pairs."""
    cases = []
    for pair in list(pairs())[::every]:
        written = []
        for twin, text in (("bad", pair.bad), ("good", pair.good)):
            home = folder / pair.name / twin
            home.mkdir(parents=True)
            files = []
            for number, part in enumerate(text.split(SEPARATOR)):
                files.append(home / f"case{number}.c")
                files[-1].write_text(part)
            written.append((tuple(files), ()))
        cases.append(Case(pair.name, *written))
    _compare(cases)


def run_twins(folder: Path, half: str, only: list[str]) -> None:
    """Recall and false alarms of every tool on independent twins, or on every other one of them."""
    cases = [Case(t.name, (t.files, ("-DLEAK",)), (t.files, ())) for t in twins(folder)]
    _compare({"even": cases[::2], "odd": cases[1::2]}.get(half, cases), only)


def _compare(cases: list[Case], only: list[str] | None = None) -> None:
    count = len(cases)
    print(f"{count} pairs\n\n| tool | recall | false alarms on twins | CPU s |")
    print("|---|---|---|---|")
    for name, tool in installed().items():
        if only and name not in only:
            continue
        started = _seconds()
        missed = [case.name for case in cases if tool(*case.bad) == 0]
        alarms = [case.name for case in cases if tool(*case.good) > 0]
        print(
            f"| {name} | {count - len(missed)} ({100 * (1 - len(missed) / count):.1f} %) | "
            f"{len(alarms)} ({100 * len(alarms) / count:.1f} %) | {_seconds() - started:.1f} |",
            flush=True,
        )
        print(f"  missed: {missed}\n  alarms: {alarms}", file=sys.stderr)


def run_program(name: str, database: Path, summaries: bool) -> None:
    """One row: size, alarms, CPU time, peak memory."""
    started = _seconds()
    options = Options(load_models([]), processes=1, summaries=summaries)
    result = analyse(from_database(database).jobs, options)
    found = [f for f in collect_findings(result.results, False, Sources()) if f.confidence != "low"]
    cpu = _seconds() - started
    peak = max(
        resource.getrusage(w).ru_maxrss for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    thousand = result.lines / 1000
    print(
        f"| {name} | {thousand:.1f} | {result.functions} | {len(result.limited)} "
        f"| {len(found)} | "
        f"{100 * len(found) / thousand:.1f} | {cpu:.1f} | {thousand / cpu:.1f} | {peak // 1024} |"
    )
    for finding in found:
        print(
            f"  {Path(finding.place.path).name}:{finding.place.line} {finding.function} "
            f"{finding.kind} {finding.variable} from {finding.allocated.line} "
            f"[{finding.confidence}]",
            file=sys.stderr,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    each = commands.add_parser("pairs")
    each.add_argument("--every", type=int, default=1, help="take every Nth pair")
    each = commands.add_parser("twins")
    each.add_argument("--seen", action="store_true")
    each.add_argument("--half", choices=("all", "even", "odd"), default="all")
    each.add_argument("--only", action="append", default=[], metavar="TOOL")
    commands.add_parser("confirm")
    each = commands.add_parser("program")
    each.add_argument("name")
    each.add_argument("database", type=Path)
    each.add_argument("--no-summaries", action="store_true")
    each = commands.add_parser("peers")
    each.add_argument("name")
    each.add_argument("database", type=Path)
    each.add_argument("--only", action="append", default=[], metavar="PEER")
    each = commands.add_parser("inject")
    each.add_argument("name")
    each.add_argument("database", type=Path)
    each.add_argument("--places", type=int, default=100)
    each.add_argument("--seed", type=int, default=1)
    each = commands.add_parser("scale")
    each.add_argument("databases", type=Path, nargs="+")
    each.add_argument("--figure", type=Path, metavar="FILE", help="an SVG picture (matplotlib)")
    args = parser.parse_args()
    if args.command == "pairs":
        with tempfile.TemporaryDirectory() as folder:
            run_pairs(Path(folder), args.every)
    elif args.command == "twins":
        run_twins(FOLDER if args.seen else UNSEEN, args.half, args.only)
    elif args.command == "confirm":
        run_confirm()
    elif args.command == "program":
        run_program(args.name, args.database, not args.no_summaries)
    elif args.command == "inject":
        run_inject(args.name, args.database, args.places, args.seed)
    elif args.command == "peers":
        run_peers(args.name, args.database, args.only)
    else:
        run_scale(args.databases, args.figure, _seconds)


if __name__ == "__main__":
    main()
    print(
        json.dumps({"python": sys.version.split()[0], "when": time.strftime("%Y-%m-%d")}),
        file=sys.stderr,
    )
