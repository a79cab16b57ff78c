#!/usr/bin/env python3
"""What mode portable finds of the real programs' blocks and pointers, against what malloc and free
did in the same run (support/truth.py says what counts as found).

    .venv/bin/python -m benchmarks.truth --markdown     the table in docs/evaluation/portable.md

The small inputs, since every block is looked at in Python; python runs with PYTHONMALLOC=malloc.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import heapstory
from benchmarks.programs.catalog import PROGRAMS, Workshop
from benchmarks.support import page
from benchmarks.support.measure import machine, revision
from benchmarks.support.peers import Heapstory
from tests.discovery.truth import Comparison, compare

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "evaluation" / "portable.md"
NAMES = ("ls", "tidy", "bison", "python-malloc", "perl")
GOALS = {"node recall": 0.98, "node precision": 0.95, "edge recall": 0.99, "edge precision": 0.95}


def compared(name: str, work: Path, desk: Path) -> Comparison:
    """Records a program with the truth beside, and compares."""
    recorder = Heapstory(Path(sys.executable).with_name("heapstory"), desk / "traces")
    program = PROGRAMS[name](Workshop(work, desk, quick=True))
    recorder.record(program, desk, query=False, options=("--mode", "portable", "--truth"))
    with heapstory.open(recorder.trace_of(program)) as trace:
        return compare(trace)


def main() -> None:
    parser = argparse.ArgumentParser(description="What mode portable finds, against malloc.")
    parser.add_argument("--markdown", action="store_true", help=f"write the table into {PAGE}")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR")
    options = parser.parse_args()
    rows = []
    for name in NAMES:
        with tempfile.TemporaryDirectory() as desk:
            found = compared(name, options.work, Path(desk))
        shares = [f"{100 * share:.2f} %{'' if share >= GOALS[what] else ' (missed)'}"
                  for what, share in found.shares().items()]  # fmt: skip
        differs = ", ".join(f"{why} {count:,}" for why, count in found.differences.most_common(3))
        rows.append([name, f"{found.blocks:,}", f"{found.edges:,}", *shares, differs])
        print(rows[-1], file=sys.stderr, flush=True)
    head = ["", "blocks", "edges", *GOALS, "what differs"]
    text = f"Taken at {revision(REPOSITORY)} on: {machine()}.\n\n{page.table(head, rows)}"
    if options.markdown:
        page.put(PAGE, "figures of truth.py", text)
    print(text)


if __name__ == "__main__":
    main()
