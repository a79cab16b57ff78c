#!/usr/bin/env python3
"""How well `heapstory locate` finds injected faults: the programs of the thesis' Table 4.1, faults
drawn from named operators, and an oracle that knows nothing of heapstory.

    python3 -m benchmarks.locate                       every operator in every program
    python3 -m benchmarks.locate --only avl --operator NULL --each 2
    python3 -m benchmarks.locate --markdown            also into docs/evaluation/locate.md
    python3 -m benchmarks.locate --misses              which mutants were not found, and which
                                                       answers miss the fault
"""

import argparse
import json
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.faults import figures, inferred
from benchmarks.faults.campaign import TEN, Campaign, Cell, all_cells
from benchmarks.faults.peers import correct, slices, spectra, times, writers
from benchmarks.faults.scaling import scaling, tabled
from benchmarks.support import page
from benchmarks.support.measure import RunError, machine, revision
from tests.locating.faults.mutant import NAMES
from tests.locating.faults.operators import OPERATORS
from tests.locating.faults.trial import Heapstory

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "locate.md"
PARTS = ["correct", "writers", "spectra", "slices", "times", "scaling", "inferred"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How well injected faults are located.")
    parser.add_argument("--only", action="append", choices=list(NAMES), metavar="PROGRAM",
                        help=f"this program alone (repeatable): {', '.join(NAMES)}")  # fmt: skip
    parser.add_argument("--operator", action="append", choices=[*OPERATORS, TEN], metavar="NAME",
                        help=f"this operator alone: {', '.join([*OPERATORS, TEN])}")  # fmt: skip
    parser.add_argument("--each", type=int, default=5, help="mutants of each operator (default 5)")
    parser.add_argument("--salt", type=int, default=1, help="draw other mutants (default 1)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true",
                        help="ask about the traces of an earlier run once more")  # fmt: skip
    parser.add_argument("--record-only", action="store_true",
                        help="record the mutants, ask nothing (then: --again --kept)")  # fmt: skip
    parser.add_argument("--kept", action="store_true", help="only what an earlier run has kept")
    parser.add_argument("--part", action="append", choices=PARTS, metavar="PART",
                        help=f"what to measure beside the faults: {', '.join(PARTS)} (repeatable; "
                        "default: all)")  # fmt: skip
    parser.add_argument("--faults-only", action="store_true", help="nothing beside the faults")
    parser.add_argument("--misses", action="store_true", help="list what was missed")
    parser.add_argument("--markdown", action="store_true", help=f"write the tables into {PAGE}")
    parser.add_argument("--heapstory", type=Path, default=REPOSITORY / ".venv/bin/heapstory")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "bench" / "locate")
    options = parser.parse_args()
    options.part = [] if options.faults_only else options.part or PARTS
    return options


def measured(options: argparse.Namespace, cells: list[Cell]) -> dict[str, Any]:
    """The parts beside the campaign, each kept in a file until that is removed."""
    heapstory = Heapstory(options.heapstory)
    parts: dict[str, Callable[[], Any]] = {
        "correct": lambda: correct(heapstory, options.work),
        "spectra": lambda: spectra(options.work, options.salt),
        "slices": lambda: slices(heapstory, options.work, options.salt),
        "writers": lambda: writers(heapstory, options.work),
        "times": lambda: times(heapstory, options.work, options.salt),
        "scaling": lambda: scaling(heapstory, options.work, options.salt),
        "inferred": lambda: inferred.inferred(heapstory, options.work, cells),
    }
    found = {}
    for name, measure in parts.items():
        kept = options.work / f"{name}.json"
        if name in options.part and not kept.exists():
            kept.write_text(json.dumps(measure(), indent=1) + "\n")
        if kept.exists():
            found[name] = json.loads(kept.read_text())
    return found


def main() -> int:
    options = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    heapstory = Heapstory(options.heapstory)
    campaign = Campaign(heapstory, options.work, options.each, options.salt,
                        not options.record_only)  # fmt: skip
    try:
        if options.again:
            campaign.again(options.jobs)
        programs, operators = options.only or list(NAMES), options.operator or [*OPERATORS, TEN]
        if not options.kept:
            all_cells(campaign, programs, operators, options.jobs)
        if options.record_only:
            return 0
        cells = [cell for cell in campaign.kept_cells()
                 if cell.program in programs and cell.operator in operators]  # fmt: skip
        peers = measured(options, cells)
    except RunError as error:
        print(f"locate.py: {error}", file=sys.stderr)
        return 1
    if options.misses:
        for column in figures.COLUMNS:
            print(f"\n{column}:", *figures.misses(cells, column), sep="\n  ")
    text = rendered(options, cells, peers)
    if options.markdown:
        page.put(PAGE, "figures of locate.py", text)
    print(text)
    return 0


def rendered(options: argparse.Namespace, cells: list[Cell], peers: dict[str, Any]) -> str:
    """Median and, in brackets, the greatest wherever a cell has two numbers."""
    sections = {
        "Table 4.1: statements": figures.precision(cells, peers),
        "The shipped specifications, by structure": figures.by_program(cells, "shipped"),
        "The programs' own specifications, by structure": figures.by_program(cells, "own"),
        "By operator": figures.by_operator(cells),
        "Faults that write and faults that execute nothing": figures.by_kind(cells),
        "Mutants that were left out": figures.left_out(cells),
        "Table 2.2: statements of the specifications": figures.sizes(),
    }
    shown: dict[str, tuple[str, Callable[[Any], str]]] = {
        "correct": ("Correct programs", figures.correct),
        "times": ("Table 4.2: the thesis' times, then ours", figures.times),
        "scaling": ("Growth", tabled),
        "inferred": ("Inferred specifications", inferred.tabled),
    }
    sections |= {title: show(peers[name]) for name, (title, show) in shown.items() if name in peers}
    parts = [
        f"Taken {time.strftime('%Y-%m-%d')} at {revision(REPOSITORY)} with",
        f"`{shlex.join(['python3', '-m', 'benchmarks.locate', *sys.argv[1:]])}` on: {machine()}.",
        "A number in brackets is the greatest, the one before it the median.",
        "",
        *("- " + line for line in figures.verdicts(cells)),
        *(f"\n### {title}\n\n{text}" for title, text in sections.items()),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
