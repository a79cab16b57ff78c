"""How matching and location grow with the structure: one fault in lists and trees of a thousand to
a million nodes."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import Any

from faults.campaign import LIBRARY
from faults.mutant import NAMES, Program, draw
from faults.trial import CPOINTS, FOUND, Heapstory
from support.page import table

SIZES = (1_000, 100_000, 1_000_000)
# What the issue asks for, in milliseconds: location, and one full check.
GOALS = {1_000: (5, 2), 100_000: (100, 100), 1_000_000: (1000, 1000)}
STRUCTURES = ("doubly", "avl")
PATIENCE = 900.0


def scaling(heapstory: Heapstory, work: Path, salt: int) -> list[dict[str, Any]]:
    """A lost subtree in structures of each size; the crash or the end is the only C-point."""
    rows = []
    for name in STRUCTURES:
        for size in SIZES:
            program = Program(name, work / "scaling" / f"{name}-{size}", str(size))
            trace = program.desk / "scaling.story"
            for mutant in islice(draw(program, "lost subtree", salt), 5):
                heapstory.record(trace, mutant.binary(), mutant.arguments, mutant.environment,
                                 patience=PATIENCE)  # fmt: skip
                status, said, wall = heapstory.locate(trace, LIBRARY[name], CPOINTS["end"])
                if status == FOUND:
                    break
            row = {"program": name, "size": size, "wall": wall}
            if isinstance(said, str):
                row["problem"] = said
            else:
                row |= {"nodes": said["nodes"], "timing": said["timing"],
                        "statements": len(said["statements"])}  # fmt: skip
            rows.append(row)
            print(f"scaling: {row}", file=sys.stderr, flush=True)
    return rows


def tabled(rows: list[dict[str, Any]]) -> str:
    head = ["structure", "nodes", "loading ms", "check ms", "goal", "location ms", "goal",
            "statements", "the command, s"]  # fmt: skip
    body = []
    for row in rows:
        location, check = GOALS[row["size"]]
        first = [NAMES[row["program"]], f"{row['size']:,}"]
        if "problem" in row:
            body.append([*first, row["problem"], "", "", "", "", "", f"{row['wall']:.1f}"])
            continue
        timing = {key: f"{1000 * value:.3g}" for key, value in row["timing"].items()}
        body.append([*first, timing["load"], timing["check"], str(check), timing["locate"],
                     str(location), str(row["statements"]), f"{row['wall']:.1f}"])  # fmt: skip
    return table(head, body)
