"""Histories of the running code, judged one by one. They can refute, never more."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from heapstory.cfront.clang import find_clang
from heapstory.errors import UsageError
from heapstory.linear.budget import Budget
from heapstory.linear.history.frontier import calls_of, in_order
from heapstory.linear.history.operations import Operation as Recorded
from heapstory.linear.history.wgl import linearizable
from heapstory.linear.ir import roles
from heapstory.linear.ir.abstract import EMPTY, FULL, LOST, Object
from heapstory.linear.ir.answers import Answers, CannotTell
from heapstory.linear.ir.harness import (
    DONE,
    INSERT,
    NUMBER,
    SILENT,
    STATUS,
    TRUTH,
    VALUE,
    Harness,
    Operation,
)
from heapstory.linear.ir.unit import is_cplusplus
from heapstory.linear.ir.verdict import Wanted, harness_of
from heapstory.linear.run.driver import driver

THREADS, CALLS, ROUNDS = 3, 3, 20
_SWITCHED = ("valgrind", "-q", "--tool=none", "--fair-sched=try", "--vgdb=no")
_HOOKS = "-fsanitize-coverage=trace-pc,trace-loads,trace-stores"


@dataclass
class Ran:
    """What running showed: a history that no order explains, or only how many were right."""

    histories: int
    wrong: list[Recorded]
    order: list[tuple[Recorded, str]] = field(default_factory=list)  # the most, with states
    seed: int = 0
    trouble: str = ""
    seconds: float = 0.0


class Runner(Answers):
    """Learns what the answers mean from the running program, then runs it with threads."""

    def __init__(self, harness: Harness, budget: Budget, folder: Path) -> None:
        self.program = _compiled(harness, folder)
        super().__init__(harness, 2, budget)

    def _run(self, *calls: tuple[Operation, int]) -> list[tuple[int, int]] | None:
        words = [str(w) for o, a in calls for w in (self.harness.operations.index(o), a)]
        try:
            done = subprocess.run(
                [self.program, "alone", *words], capture_output=True, text=True, timeout=2,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
        if done.returncode < 0:
            raise CannotTell(f"{self.path}: ends with signal {-done.returncode} already alone")
        answers = [(int(a), int(b)) for a, b in map(str.split, done.stdout.splitlines())]
        return answers if len(answers) == len(calls) else None

    def histories(self) -> Ran:
        """Run until the time is over, or something is wrong."""
        ran, begin = Ran(0, []), time.monotonic()
        self._rounds(ran)
        ran.seconds = time.monotonic() - begin
        return ran

    def _rounds(self, ran: Ran) -> None:
        """By turns with sleeps, and with switches under Valgrind, if it is there."""
        ways = (False, True) if shutil.which("valgrind") else (False,)
        for number in count():
            if self.budget.left() <= 0 or ran.trouble:
                return
            self.budget.doing = f"running it ({ran.histories} histories were right)"
            if self.some(number * ROUNDS, ways[number % len(ways)], ran):
                return

    def some(self, first: int, switched: bool, ran: Ran) -> bool:
        """Some histories, from a seed on; whether something is wrong. Valgrind runs one thread at a
        time: there a pause is a switch to another."""
        words = [str(n) for n in (self._threads(), CALLS, first, first + ROUNDS)]
        command = [str(self.program), "switches" if switched else "sleeps", *words]
        if switched:
            command = [*_SWITCHED, *command]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False,
                timeout=max(self.budget.left(), 1.0),
            )  # fmt: skip
            output, status = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            lines = (late.stdout or b"").decode(errors="replace").splitlines()
            whole = len(lines) - len(lines) % (self._threads() * CALLS)
            output, status = "\n".join(lines[:whole]), 0
        if self._judge(output, ran):
            return True
        if status < 0:
            ran.trouble = f"ends with signal {-status} (seeds from {first})"
        return False

    def _threads(self) -> int:
        """So many that each has something to call."""
        roles_ = [o.role for o in self.harness.operations]
        return max(roles_) + 1 if min(roles_) >= 0 else max(THREADS, max(roles_) + 2)

    def _judge(self, output: str, ran: Ran) -> bool:
        rounds: dict[int, list[list[int]]] = {}
        for line in output.splitlines():
            seed, *rest = map(int, line.split())
            rounds.setdefault(seed, []).append(rest)
        model = Object(self.harness.chosen.kind, self.capacity)
        for seed, calls in rounds.items():
            history = [self._recorded(*call) for call in calls]
            found = linearizable(calls_of(history), model)
            if not found.accepted:
                ran.wrong, ran.seed = sorted(history, key=lambda o: o.begin), seed
                ran.order = in_order(history, found, model)
                return True
            ran.histories += 1
        return False

    def _recorded(
        self, op: int, thread: int, argument: int, status: int, value: int, begin: int, end: int
    ) -> Recorded:
        operation = self.harness.operations[op]
        lock = self.harness.chosen.kind == roles.LOCK
        method = "increment" if lock else list(self.harness.chosen.methods)[op]
        given = (argument,) if operation.argument else ()
        return Recorded(method, given, self._answer(operation, status, value), begin, end, 0)

    def _answer(self, operation: Operation, status: int, value: int) -> Any:
        if operation.says == NUMBER:
            return status
        if operation.says == SILENT:
            return "done" if operation.method == INSERT else None
        if operation.says == TRUTH and status in (operation.yes, operation.no):
            return int(status == operation.yes)
        if operation.says == DONE and status in (operation.yes, operation.no):
            return "done" if status == operation.yes else FULL
        if status == operation.no and operation.says in (STATUS, VALUE):
            return EMPTY
        if operation.says == STATUS:
            return status
        if operation.says == VALUE and status == operation.yes:
            return value
        if {"try", "steal"} & set(roles.words_of(operation.name)):
            return LOST
        raise CannotTell(f"{self.path}: '{operation.name}' answers {status}, whatever that means")


def _compiled(harness: Harness, folder: Path) -> Path:
    cplusplus = is_cplusplus(harness.module.path)
    source, program = folder / f"driver.{'cc' if cplusplus else 'c'}", folder / "driver"
    source.write_text(driver(harness), encoding="utf-8")
    hooks = [_HOOKS, "-fno-sanitize-link-runtime", "-Wno-everything", "-O0", "-g", "-pthread"]
    libraries = ["-latomic", *(["-lstdc++"] if cplusplus else [])]
    command = [
        find_clang(),
        *hooks,
        *harness.module.options,
        str(source),
        "-o",
        str(program),
        *libraries,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        raise UsageError(f"{harness.module.path}: cannot be run: {(lines or ['?'])[0]}")
    return program


def run_source(wanted: Wanted, budget: Budget) -> tuple[Ran | None, str]:
    """Run it; or the reason why not."""
    with tempfile.TemporaryDirectory(prefix="heapstory-") as folder:
        try:
            return Runner(harness_of(wanted), budget, Path(folder)).histories(), ""
        except CannotTell as reason:
            return None, str(reason)
