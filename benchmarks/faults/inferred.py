"""Specifications that `heapstory infer` learns from good runs, held against other good runs and
against the mutants of the campaign."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.faults.campaign import Cell
from benchmarks.faults.figures import percent, singles
from benchmarks.support.page import table
from tests.locating.faults.mutant import LIBRARY, NAMES, Mutant, Program
from tests.locating.faults.trial import CPOINTS, NOTHING, Heapstory, TrialError

GOOD_SEEDS = (101, 102, 103)
OTHER_SEED = 104


def _recorded(heapstory: Heapstory, program: Program, seed: int) -> Path:
    correct = Mutant(program, (), (), seed)
    trace = program.desk / f"{seed}.story"
    if not trace.exists():
        heapstory.record(trace, correct.binary(), correct.arguments, correct.environment)
    return trace


def _learnt(heapstory: Heapstory, program: Program) -> Path:
    """The specification from three good runs."""
    spec = program.desk / f"{program.name}.spec"
    traces = [str(_recorded(heapstory, program, seed)) for seed in GOOD_SEEDS]
    done = subprocess.run([str(heapstory.command), "infer", *traces, "-o", str(spec)],
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        raise TrialError(f"infer: {done.stderr.strip()}")
    return spec


def inferred(heapstory: Heapstory, work: Path, cells: list[Cell]) -> list[dict[str, Any]]:
    """For each program and choice of C-points: is another good run left alone, and how many of the
    mutants are found."""
    rows = []
    for name in LIBRARY:
        program = Program(name, work / "inferred" / name)
        spec = str(_learnt(heapstory, program))
        good = _recorded(heapstory, program, OTHER_SEED)
        mutants = [trial for trial in singles(cells) if trial.program == name]
        for points, options in CPOINTS.items():
            status, said, _ = heapstory.locate(good, spec, options)
            asked = [heapstory.locate(Path(one.trace), spec, options)[1] for one in mutants]
            found = sum(not isinstance(one, str) and bool(one["inconsistencies"]) for one in asked)
            rows.append({"program": name, "points": points, "alarm": status != NOTHING,
                         "mutants": len(mutants), "found": found,
                         "said": said if isinstance(said, str) else ""})  # fmt: skip
        print(f"inferred: {rows[-2:]}", file=sys.stderr, flush=True)
    return rows


def tabled(rows: list[dict[str, Any]]) -> str:
    head = [""] + [f"{points}: {what}" for points in CPOINTS
                   for what in ("false alarm", "detected")]  # fmt: skip
    head.insert(1, "mutants")
    body = []
    for name in dict.fromkeys(row["program"] for row in rows):
        mine = {row["points"]: row for row in rows if row["program"] == name}
        row = [NAMES.get(name, "Hash table"), str(mine["end"]["mutants"])]
        for points in CPOINTS:
            one = mine[points]
            row += ["yes" if one["alarm"] else "no", percent(one["found"], one["mutants"])]
        body.append(row)
    total = ["**all**", str(sum(r["mutants"] for r in rows if r["points"] == "end"))]
    for points in CPOINTS:
        these = [row for row in rows if row["points"] == points]
        found, mutants = (sum(row[key] for row in these) for key in ("found", "mutants"))
        alarms = sum(row["alarm"] for row in these)
        total += [f"{alarms} of {len(these)}", percent(found, mutants)]
    return table(head, [*body, total])
