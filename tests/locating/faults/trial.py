"""One mutant put before heapstory: recorded, located, and the answer held against the fault."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field
from io import StringIO
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.locating.faults.mutant import Mutant
from tests.locating.faults.oracles import Verdict

# How the two columns of the tables say where the constraints must hold.
CPOINTS: dict[str, list[str]] = {"default": [], "end": ["--cpoint", "end"]}
PATIENCE = 60.0  # seconds for a recorded program, and for one that is known to hang
HANGING = 10.0
TOO_LONG = 120.0  # seconds until a question counts as failed
FOUND, NOTHING, PARTLY = 1, 0, 4


class TrialError(Exception):
    """heapstory failed where it should have answered."""


@dataclass
class Answer:
    """What `heapstory locate` said with one choice of C-points."""

    detected: bool
    captured: bool
    statements: int
    rank: int | None  # of the first accepted statement, from 1
    inconsistencies: int
    seconds: dict[str, float]
    wall: float
    lines: list[int]
    problem: str | None = None  # it failed: its own words


@dataclass
class Trial:
    """A mutant's row."""

    program: str
    operator: str
    name: str
    executes: bool
    oracle: str | None
    ended: str
    accepted: list[int]
    trace: str
    answers: dict[str, Answer] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Trial:
        answers = {name: Answer(**one) for name, one in data.pop("answers").items()}
        return cls(**data, answers=answers)


class Heapstory:
    """The installed command. Every thread that asks has a worker of its own, which is ended with a
    question that takes too long."""

    def __init__(self, command: Path) -> None:
        self.command = command
        self.own = threading.local()

    def _worker(self) -> ProcessPoolExecutor:
        if not hasattr(self.own, "worker"):
            self.own.worker = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        return self.own.worker  # type: ignore[no-any-return]

    def _end_worker(self) -> None:
        for process in list(self.own.worker._processes.values()):
            process.kill()
        del self.own.worker

    def record(
        self,
        trace: Path,
        binary: Path,
        arguments: list[str],
        environment: dict[str, str],
        stdin: Path = Path(os.devnull),
        patience: float = PATIENCE,
        options: Sequence[str] = (),
    ) -> bool:
        """Records a run and says whether it ended by itself; one that hangs is ended by a signal,
        and whether it does can depend on what malloc hands out."""
        command = [str(self.command), "record", "--force", "-o", str(trace), *options]
        command += ["--", str(binary), *arguments]
        with stdin.open() as given:
            process = subprocess.Popen(
                command,
                env=environment,
                cwd=binary.parent,
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
        ended = True
        try:
            _, talk = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            ended = False
            process.send_signal(signal.SIGTERM)
            _, talk = process.communicate()
        if process.returncode == 125 or not trace.exists():
            raise TrialError(f"record: {talk.strip()}")
        return ended

    def locate(self, trace: Path, spec: str, cpoints: list[str]) -> tuple[int, Any, float]:
        """Exit status, answer and wall seconds; a failure is told in place of the answer."""
        command = ["locate", str(trace), "--spec", spec, "--json", *cpoints]
        try:
            return self._worker().submit(_asked, command).result(TOO_LONG)
        except TimeoutError:
            self._end_worker()
            return -1, f"no answer within {TOO_LONG:.0f} s", TOO_LONG
        except BrokenProcessPool:
            del self.own.worker
            return -1, "the command crashed", 0.0


def _asked(command: list[str]) -> tuple[int, Any, float]:
    """Runs the command in a worker, which need not start and import everything each time."""
    from heapstory.commands import main

    out, talk = StringIO(), StringIO()
    start = time.monotonic()
    with redirect_stdout(out), redirect_stderr(talk):
        status = main(command)
    wall = time.monotonic() - start
    if status in (FOUND, NOTHING, PARTLY):
        return status, json.loads(out.getvalue()), wall
    return status, (talk.getvalue().strip() or "no word").splitlines()[0], wall


def tried(mutant: Mutant, verdict: Verdict, heapstory: Heapstory) -> Trial:
    """Records a mutant. The trace is kept, so that it can be asked about more than once."""
    executes = mutant.faults[0].executes and not verdict.silent
    binary = mutant.binary()
    trace = binary.parent / f"{mutant.seed}-{'-'.join(map(str, mutant.at))}.story"
    patience = HANGING if verdict.ended == "hang" else PATIENCE
    heapstory.record(trace, binary, mutant.arguments, mutant.environment, patience=patience)
    return Trial(mutant.program.name, mutant.faults[0].operator, mutant.name,
                 executes, verdict.problem, verdict.ended, sorted(mutant.accepted(verdict)),
                 str(trace))  # fmt: skip


def ask(trial: Trial, heapstory: Heapstory, specs: dict[str, str]) -> None:
    """With every specification and with every choice of C-points."""
    for (name, spec), (points, options) in product(specs.items(), CPOINTS.items()):
        status, said, wall = heapstory.locate(Path(trial.trace), spec, options)
        answer = judged(status, said, wall, frozenset(trial.accepted), trial.program)
        trial.answers[f"{name}, {points}"] = answer


def judged(status: int, said: Any, wall: float, accepted: frozenset[int], program: str) -> Answer:
    if isinstance(said, str):
        return Answer(False, False, 0, None, 0, {}, wall, [], f"exit {status}: {said}")
    lines = [place["line"] if place["file"] == f"{program}.c" else 0
             for place in said["statements"]]  # fmt: skip
    hits = [number for number, line in enumerate(lines, 1) if line in accepted]
    found = bool(said["inconsistencies"])
    return Answer(found, bool(hits), len(lines), hits[0] if hits else None,
                  len(said["inconsistencies"]), said["timing"], wall, lines)  # fmt: skip
