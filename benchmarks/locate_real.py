#!/usr/bin/env python3
"""The thesis' Table 4.3 on programs of today: faults injected into `ls`, libiberty's splay tree,
libgd's images and bison, located with the crash as the only C-point.

    python3 -m benchmarks.locate_real                  all four; fetches and builds them first
    python3 -m benchmarks.locate_real --only ls --markdown
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from benchmarks.programs.real_programs import HERE, REALS, Real, RealError, edited, fetch
from benchmarks.support import page
from tests.locating.faults.trial import CPOINTS, HANGING, PATIENCE, Heapstory, TrialError

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "locate.md"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Faults in real programs, located.")
    parser.add_argument("--only", action="append", choices=[real.name for real in REALS])
    parser.add_argument("--markdown", action="store_true", help=f"write the table into {PAGE}")
    parser.add_argument("--heapstory", type=Path, default=REPOSITORY / ".venv/bin/heapstory")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "bench" / "real")
    return parser.parse_args()


def tried(real: Real, heapstory: Heapstory, work: Path) -> list[str]:
    """A row of the table."""
    tree = fetch(real.package, work)
    accepted = edited(tree, real.rule)
    program = real.build(tree)
    _, *given = real.command(program, tree)
    stdin = tree / real.stdin if real.stdin else Path(os.devnull)
    trace = work / f"{real.name}.story"
    patience = HANGING if real.hangs else PATIENCE
    heapstory.record(trace, program, given, dict(os.environ), stdin, patience)
    spec = str(HERE / f"{real.name}.spec")
    status, said, _ = heapstory.locate(trace, spec, CPOINTS["end"])
    return [real.name, real.structure, str(real.thesis), *_answer(status, said, real, accepted)]


def _answer(status: int, said: Any, real: Real, accepted: frozenset[int]) -> list[str]:
    if isinstance(said, str):
        return [f"exit {status}: {said}", "", "", "", ""]
    file = Path(real.rule.file).name
    lines = [place["line"] if place["file"] == file else 0 for place in said["statements"]]
    ranks = [rank for rank, line in enumerate(lines, 1) if line in accepted]
    timing = said["timing"]
    return [
        str(len(lines)),
        str(ranks[0]) if ranks else "missed",
        str(said["nodes"]),
        f"{1000 * timing['check']:.3g}",
        f"{1000 * timing['locate']:.3g}",
    ]


def main() -> int:
    options = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    heapstory = Heapstory(options.heapstory)
    rows = []
    for real in REALS:
        if real.name in (options.only or [one.name for one in REALS]):
            try:
                rows.append(tried(real, heapstory, options.work))
            except (RealError, TrialError) as error:
                print(f"locate_real.py: {error}", file=sys.stderr)
                return 1
    head = ["program", "structure", "thesis' statements", "statements", "rank of the fault",
            "nodes", "matching ms", "location ms"]  # fmt: skip
    text = page.table(head, rows)
    if options.markdown:
        page.put(PAGE, "figures of locate_real.py", text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
