"""How matching and location grow with the structure: one fault in trees of a thousand to a million
nodes."""

from __future__ import annotations

import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.support.page import table
from heapstory import open as open_trace
from tests.locating.faults.mutant import LIBRARY, NAMES, Program, draw
from tests.locating.faults.trial import CPOINTS, FOUND, Heapstory

SIZES = (1_000, 100_000, 1_000_000)
# What the issue asks for, in milliseconds: location, and one full check.
GOALS = {1_000: (5, 2), 100_000: (100, 100), 1_000_000: (1000, 1000)}
STRUCTURES = ("avl",)


def scaling(heapstory: Heapstory, work: Path, salt: int) -> list[dict[str, Any]]:
    """A lost subtree in structures of each size; the crash or the end is the only C-point."""
    rows = []
    for name in STRUCTURES:
        for size in SIZES:
            program = Program(name, work / "scaling" / f"{name}-{size}", str(size))
            row = {"program": name, "size": size, **measured(heapstory, program, salt)}
            rows.append(row)
            print(f"scaling: {row}", file=sys.stderr, flush=True)
    return rows


def measured(heapstory: Heapstory, program: Program, salt: int) -> dict[str, Any]:
    """The stages of one mutant that is detected, in seconds."""
    trace = program.desk / "scaling.story"
    row: dict[str, Any] = {}
    patience = 20 + int(program.nodes) / 5000  # a run that takes longer loops
    for mutant in islice(draw(program, "lost subtree", salt), 5):
        binary, start = mutant.binary(), time.perf_counter()
        if not heapstory.record(trace, binary, mutant.arguments, mutant.environment,
                                patience=patience):  # fmt: skip
            continue
        row["record"] = time.perf_counter() - start
        start = time.perf_counter()
        with open_trace(str(trace)):
            row["open"] = time.perf_counter() - start
        status, said, row["wall"] = heapstory.locate(trace, LIBRARY[program.name], CPOINTS["end"])
        if status == FOUND:
            break
    if isinstance(said, str):
        return {**row, "problem": said}
    return {**row, "timing": said["timing"], "statements": len(said["statements"])}


def tabled(rows: list[dict[str, Any]]) -> str:
    head = ["structure", "nodes", "recording s", "opening ms", "compiling ms", "loading ms",
            "check ms", "goal", "location ms", "goal", "statements", "the command, s"]  # fmt: skip
    body = []
    for row in rows:
        location, check = GOALS[row["size"]]
        line = [NAMES[row["program"]], f"{row['size']:,}", f"{row['record']:.1f}",
                f"{1000 * row['open']:.3g}"]  # fmt: skip
        if "problem" in row:
            line += [row["problem"], *[""] * 6, f"{row['wall']:.1f}"]
        else:
            timing = {key: f"{1000 * value:.3g}" for key, value in row["timing"].items()}
            line += [timing["compile"], timing["load"], timing["check"], str(check),
                     timing["locate"], str(location), str(row["statements"]),
                     f"{row['wall']:.1f}"]  # fmt: skip
        body.append(line)
    return table(head, body)
