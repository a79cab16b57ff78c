"""Runs the mutants of all programs and operators and keeps what came of them, so that a campaign
that was broken off goes on where it stopped."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.locating.faults.mutant import (
    LIBRARY,
    NAMES,
    STRUCTURES,
    Mutant,
    MutantError,
    Program,
    draw,
    draw_ten,
)
from tests.locating.faults.operators import OPERATORS
from tests.locating.faults.trial import Heapstory, Trial, TrialError, ask, tried

TEN = "ten faults"
TRIES = 8  # draws for every mutant that is wanted, until an operator counts as exhausted


def specifications(program: str) -> dict[str, str]:
    """The shipped one and the program's own, which was written before the operators."""
    return {"shipped": LIBRARY[program], "own": str(STRUCTURES / f"{program}.spec")}


@dataclass
class Cell:
    """What came of one operator in one program."""

    program: str
    operator: str
    left_out: dict[str, int] = field(default_factory=dict)
    trials: list[Trial] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        trials = [trial.to_json() for trial in self.trials]
        return {"program": self.program, "operator": self.operator,
                "left_out": self.left_out, "trials": trials}  # fmt: skip

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Cell:
        trials = [Trial.from_json(one) for one in data["trials"]]
        return cls(data["program"], data["operator"], data["left_out"], trials)


class Campaign:
    """`each` harmful mutants of every operator in every program."""

    def __init__(
        self, heapstory: Heapstory, work: Path, each: int, salt: int, asks: bool = True
    ) -> None:
        self.heapstory = heapstory
        self.work = work
        self.each = each
        self.salt = salt
        self.asks = asks
        self.kept = work / f"cells-{each}-{salt}.jsonl"
        self.lock = threading.Lock()

    def run(self, programs: list[str], operators: list[str], jobs: int) -> list[Cell]:
        done = {(cell.program, cell.operator): cell for cell in self.kept_cells()}
        wanted = [(one, operator) for operator in operators for one in programs]
        with ThreadPoolExecutor(jobs) as pool:
            fresh = [pair for pair in wanted if pair not in done]
            for cell in pool.map(lambda pair: self._cell(*pair), fresh):
                done[cell.program, cell.operator] = cell
        return [done[pair] for pair in wanted]

    def again(self, jobs: int) -> None:
        """Asks about all traces that were kept once more."""
        cells = self.kept_cells()
        trials = [trial for cell in cells for trial in cell.trials]
        with ThreadPoolExecutor(jobs) as pool:
            for _ in pool.map(self._ask, trials):
                pass
        self.kept.write_text("".join(json.dumps(cell.to_json()) + "\n" for cell in cells))

    def _ask(self, trial: Trial) -> None:
        ask(trial, self.heapstory, specifications(trial.program))
        print(f"{time.strftime('%H:%M:%S')} {trial.name}", file=sys.stderr, flush=True)

    def kept_cells(self) -> list[Cell]:
        lines = self.kept.read_text().splitlines() if self.kept.exists() else []
        cells = [Cell.from_json(json.loads(line)) for line in lines]
        return list({(cell.program, cell.operator): cell for cell in cells}.values())

    def _cell(self, name: str, operator: str) -> Cell:
        # A desk for each cell: two threads never build or record in one folder.
        program = Program(name, self.work / "mutants" / name / operator.replace(" ", "-"))
        cell = Cell(name, operator)
        left_out: Counter[str] = Counter()
        mutants = draw_ten(program, self.salt) if operator == TEN else draw(
            program, operator, self.salt)  # fmt: skip
        for _, mutant in zip(range(self.each * TRIES), mutants, strict=False):
            why = self._one(mutant, cell)
            left_out.update([why] if why else [])
            if len(cell.trials) == self.each:
                break
        cell.left_out = dict(left_out)
        self._keep(cell)
        return cell

    def _one(self, mutant: Mutant, cell: Cell) -> str | None:
        """Tries a mutant, or says why it is left out."""
        verdict = mutant.judged()
        if verdict.problem is None:
            if verdict.ended != "exit":
                return f"{verdict.ended}, structure whole"
            correct = mutant.program.correct_output(mutant.seed)
            return "harmless" if verdict.output == correct else "wrong output, structure whole"
        try:
            trial = tried(mutant, verdict, self.heapstory)
            if self.asks:
                ask(trial, self.heapstory, specifications(trial.program))
            cell.trials.append(trial)
        except (TrialError, MutantError) as error:
            print(f"{mutant.name}: {error}", file=sys.stderr)
            return "heapstory failed"
        return None

    def _keep(self, cell: Cell) -> None:
        with self.lock, self.kept.open("a") as file:
            file.write(json.dumps(cell.to_json()) + "\n")
        said = f"{cell.program}/{cell.operator}: {len(cell.trials)} mutants"
        print(f"{time.strftime('%H:%M:%S')} {said}", file=sys.stderr, flush=True)


def all_cells(
    campaign: Campaign, programs: list[str], operators: list[str], jobs: int
) -> list[Cell]:
    names = [name for name in NAMES if name in programs]
    return campaign.run(names, [one for one in [*OPERATORS, TEN] if one in operators], jobs)
