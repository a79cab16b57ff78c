"""Where Tarantula and Ochiai rank a fault: from gcov's line counts of one failing run and nine
passing ones, as the thesis' comparison had it."""

from __future__ import annotations

import gzip
import json
import math
import os
import subprocess
from pathlib import Path

from tests.locating.faults.mutant import HERE, Mutant, MutantError

PASSING = 9
FLAGS = ["--coverage", "-DCOVERAGE", "-include", str(HERE / "dump.h")]


def _covered(binary: Path, arguments: list[str], environment: dict[str, str]) -> set[int]:
    """The lines of the program that a run executed."""
    folder = binary.parent
    for old in folder.glob("*.gcda"):
        old.unlink()
    subprocess.run([binary, *arguments], stdout=subprocess.DEVNULL, env=environment, cwd=folder)
    notes = next(folder.glob("*.gcda"), None)
    if notes is None:
        raise MutantError(f"{binary}: no coverage was written")
    subprocess.run(["gcov", "--json-format", notes.name], cwd=folder, check=True,
                   capture_output=True)  # fmt: skip
    report = next(folder.glob("*.gcov.json.gz"))
    with gzip.open(report, "rt") as file:
        files = json.load(file)["files"]
    own = next(one for one in files if one["file"].endswith(f"{binary.name}.c"))
    return {line["line_number"] for line in own["lines"] if line["count"]}


def ranks(mutant: Mutant) -> dict[str, int | None]:
    """How many lines are examined, from the most suspicious down, until one of the fault's: all
    lines of one suspicion are examined together. None where none of them ran in the failing run.

    Coverage cannot tell one execution of a line from the others, so `alone` is what both rankings
    would ask for at best: if what the fault does stood on a line of its own that no passing run
    executes.
    """
    binary = mutant.program.build(mutant.faults, FLAGS)
    failing = _covered(binary, mutant.arguments, mutant.environment)
    quiet = dict(os.environ)
    passing = [
        _covered(binary, [str(mutant.seed + number), *mutant.arguments[1:]], quiet)
        for number in range(1, PASSING + 1)
    ]
    passed = {line: sum(line in run for run in passing) for line in failing}
    lines = {line for fault in mutant.faults for line in fault.span.lines}
    scores = {
        "tarantula": {line: 1 / (1 + passed[line] / PASSING) for line in failing},
        "ochiai": {line: 1 / math.sqrt(1 + passed[line]) for line in failing},
    }
    alone = 1 + sum(count == 0 for count in passed.values())
    return {name: _examined(score, lines) for name, score in scores.items()} | {"alone": alone}


def _examined(score: dict[int, float], wanted: set[int]) -> int | None:
    best = max((score[line] for line in wanted if line in score), default=None)
    return None if best is None else sum(value >= best for value in score.values())
