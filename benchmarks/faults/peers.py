"""What stands beside the campaign in the tables: correct programs, spectra, slices, how many
statements wrote the structure, and what recording and locating cost."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.faults.campaign import specifications
from benchmarks.faults.spectra import ranks
from benchmarks.support.measure import run
from tests.locating.faults.mutant import LIBRARY, NAMES, Mutant, MutantError, Program, draw
from tests.locating.faults.trial import CPOINTS, NOTHING, Heapstory

CORRECT_SEEDS = (1,)
RUNS = 3
SPECTRA = ("dropped write", "NULL", "lost subtree")
ANY = tuple(range(-64, 256))  # exit statuses: some mutants crash

# Statements that wrote an edge of the structure, or allocated or freed a node of it.
WRITERS = """
SELECT count(DISTINCT (s.path, s.line)) FROM (
  SELECT e.site FROM edges e JOIN nodes n ON e.node = n.node WHERE n.type IN ({types})
  UNION ALL SELECT created_site FROM nodes WHERE type IN ({types})
  UNION ALL SELECT freed_site FROM nodes WHERE type IN ({types}) AND freed IS NOT NULL
) w JOIN sites s ON w.site = s.site
"""

LOOPING = 20.0  # seconds after which a recorded run is taken to loop


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def correct(heapstory: Heapstory, work: Path) -> list[dict[str, Any]]:
    """The ten programs as they are: nothing may be reported."""
    rows = []
    for name in LIBRARY:
        program = Program(name, work / "correct" / name)
        for seed in CORRECT_SEEDS:
            mutant = Mutant(program, (), (), seed)
            trace = program.desk / f"{seed}.story"
            heapstory.record(trace, mutant.binary(), mutant.arguments, mutant.environment)
            for specification, spec in specifications(name).items():
                for points, options in CPOINTS.items():
                    status, said, _ = heapstory.locate(trace, spec, options)
                    clean = status == NOTHING
                    found = "" if clean else said if isinstance(said, str) else "inconsistencies"
                    rows.append({"program": name, "seed": seed, "found": found,
                                 "column": f"{specification}, {points}"})  # fmt: skip
        _say(f"correct: {name}")
    return rows


def spectra(work: Path, salt: int) -> dict[str, list[dict[str, int | None]]]:
    """Tarantula and Ochiai for a harmful mutant of each of some operators."""
    found: dict[str, list[dict[str, int | None]]] = {}
    for name in NAMES:
        program = Program(name, work / "spectra" / name)
        for operator in SPECTRA:
            mutants = islice(draw(program, operator, salt), 8)
            harmful = next((one for one in mutants if one.judged().problem), None)
            try:
                if harmful:
                    found.setdefault(name, []).append(ranks(harmful))
            except MutantError as error:
                _say(str(error))
        _say(f"spectra: {name}")
    return found


def slices(heapstory: Heapstory, work: Path, salt: int) -> dict[str, list[dict[str, Any]]]:
    """The slices of the faulty statements of a harmful mutant of each of some operators: how many
    statements the largest has, of the structure's program."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name in NAMES:
        program = Program(name, work / "slices" / name)
        for operator in SPECTRA:
            mutants = islice(draw(program, operator, salt), 8)
            harmful = next((one for one in mutants if one.judged().problem), None)
            if harmful:
                trace = harmful.binary().parent / "stream.story"
                heapstory.record(trace, harmful.binary(), harmful.arguments, harmful.environment,
                                 patience=LOOPING, options=["--stream"])  # fmt: skip
                _, said, wall = heapstory.locate(trace, LIBRARY[name], ["--slice"])
                row = {"operator": operator, "wall": wall, "largest": _largest(said)}
                found.setdefault(name, []).append(row)
                _say(f"slices: {harmful.name} {row}")
    return found


def _largest(said: Any) -> int | None:
    """None where nothing was found, or nothing could be sliced."""
    faults = [] if isinstance(said, str) else said["faults"]
    sizes = [len(fault["slice"]["statements"]) for fault in faults if "slice" in fault]
    return max(sizes, default=None)


def writers(heapstory: Heapstory, work: Path) -> dict[str, int]:
    """How many statements wrote the structure in a run."""
    found = {}
    for name in NAMES:
        program = Program(name, work / "correct" / name)
        mutant = Mutant(program, (), (), 1)
        trace = program.desk / "1.story"
        heapstory.record(trace, mutant.binary(), mutant.arguments, mutant.environment)
        types = ", ".join(f"'struct {node}'" for node in sorted(program.source.nodes))
        query = WRITERS.format(types=types)
        said = subprocess.run([heapstory.command, "query", str(trace), query, "--json"],
                              capture_output=True, text=True, check=True)  # fmt: skip
        found[name] = int(next(iter(json.loads(said.stdout)["rows"]))[0])
    return found


def times(heapstory: Heapstory, work: Path, salt: int) -> dict[str, dict[str, float]]:
    """Table 4.2: a faulty run native, under the null tool and recorded, in milliseconds, the best
    of three; then matching and location in milliseconds, the median over the runs."""
    found = {}
    for name in NAMES:
        program = Program(name, work / "times" / name)
        ends = partial(heapstory.record, work / "times" / f"{name}.story", patience=LOOPING)
        mutant = next(  # a run that loops has no time
            one for one in draw(program, "lost subtree", salt)
            if one.judged().problem and ends(one.binary(), one.arguments, one.environment)
        )  # fmt: skip
        binary = str(mutant.binary())
        command = [binary, *mutant.arguments]
        environment = {"FAULT_AT": mutant.environment["FAULT_AT"]}
        trace = Path(binary).parent / f"{name}.story"
        record = [str(heapstory.command), "record", "--force", "-o", str(trace), "--"]
        peers: dict[str, list[str]] = {
            "native": [],
            "null": ["valgrind", "-q", "--tool=none"],
            "recorded": record,
        }
        row = {peer: 1000 * min(run([*before, *command], work / "out", environment,
                                    statuses=ANY).wall for _ in range(RUNS))
               for peer, before in peers.items()}  # fmt: skip
        asked = [heapstory.locate(trace, LIBRARY[name], CPOINTS["end"])[1] for _ in range(RUNS)]
        for what in ("load", "check", "locate"):
            row[what] = 1000 * median(one["timing"][what] for one in asked)
        found[name] = row
        _say(f"times: {name}")
    return found
