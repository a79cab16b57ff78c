"""Histories of the running code, judged one by one. They can refute, never more."""

from __future__ import annotations

import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heapstory.cfront.clang import find_clang
from heapstory.errors import UsageError
from heapstory.linear.budget import Budget
from heapstory.linear.history.operations import Operation as Recorded
from heapstory.linear.history.wgl import Call, linearizable
from heapstory.linear.ir import roles
from heapstory.linear.ir.harness import (
    DONE,
    INSERT,
    SILENT,
    STATUS,
    TRUTH,
    VALUE,
    Harness,
    Operation,
)
from heapstory.linear.ir.judge import CannotTell, Judge
from heapstory.linear.models.sequential import Set, listed
from heapstory.linear.run.driver import driver

THREADS, CALLS, ROUNDS = 3, 3, 20
FULL, LOST, EMPTY = "full", "nothing done", "EMPTY"
_HOOKS = "-fsanitize-coverage=trace-pc,trace-loads,trace-stores"


@dataclass
class Ran:
    """What running showed: a history that no order explains, or only how many were right."""

    histories: int
    wrong: list[Recorded]
    seed: int = 0
    trouble: str = ""
    seconds: float = 0.0


class Object:
    """The abstract object, with the room that the real one has."""

    def __init__(self, kind: str, capacity: int) -> None:
        self.kind, self.capacity = kind, capacity

    def initial(self) -> Any:
        return frozenset() if self.kind == roles.SET else ()

    def apply(
        self, state: Any, method: str, arguments: tuple[Any, ...], who: int = 1
    ) -> list[tuple[Any, Any]]:
        if method in ("enqueue", "push"):
            if 0 <= self.capacity <= len(state):
                return [(FULL, state), (LOST, state)]
            return [("done", (*state, arguments[0])), (LOST, state)]
        if method in ("dequeue", "pop", "steal"):
            if not state:
                return [(EMPTY, state), (LOST, state)]
            first = method == "steal" or self.kind == roles.QUEUE
            taken, rest = (state[0], state[1:]) if first else (state[-1], state[:-1])
            return [(taken, rest), (LOST, state)]
        return Set().apply(state, method, arguments)

    def shown(self, state: Any) -> str:
        return Set().shown(state) if self.kind == roles.SET else listed(state)


class Runner(Judge):
    """Learns what the answers mean from the running program, then runs it with threads."""

    def __init__(self, harness: Harness, budget: Budget, folder: Path, options: tuple[str, ...]):
        self.program = _compiled(harness, folder, options)
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
        if self.harness.chosen.kind not in (roles.QUEUE, roles.STACK, roles.DEQUE, roles.SET):
            raise CannotTell(f"{self.path}: a {self.harness.chosen.kind} is not run yet")
        ran, begin = Ran(0, []), time.monotonic()
        self._rounds(ran)
        ran.seconds = time.monotonic() - begin
        return ran

    def _rounds(self, ran: Ran) -> None:
        first = 0
        while self.budget.left() > 0 and not ran.trouble:
            self.budget.doing = f"running it ({ran.histories} histories were right)"
            words = [str(n) for n in (self._threads(), CALLS, first, first + ROUNDS)]
            command = [str(self.program), "threads", *words]
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, check=False,
                    timeout=max(self.budget.left(), 1.0),
                )  # fmt: skip
                output, status = done.stdout, done.returncode
            except subprocess.TimeoutExpired:
                return
            if self._judge(output, ran):
                return
            if status < 0:
                ran.trouble = f"ends with signal {-status} (seeds from {first})"
            first += ROUNDS

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
            found = [
                Call(n, o.method, o.arguments, o.result, o.begin, o.end)
                for n, o in enumerate(history)
            ]
            if not linearizable(found, model).accepted:
                ran.wrong, ran.seed = sorted(history, key=lambda o: o.begin), seed
                return True
            ran.histories += 1
        return False

    def _recorded(
        self, op: int, thread: int, argument: int, status: int, value: int, begin: int, end: int
    ) -> Recorded:
        operation = self.harness.operations[op]
        method = list(self.harness.chosen.methods)[op]
        given = (argument,) if operation.argument else ()
        return Recorded(method, given, self._answer(operation, status, value), begin, end, 0)

    def _answer(self, operation: Operation, status: int, value: int) -> Any:
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


def _compiled(harness: Harness, folder: Path, options: tuple[str, ...]) -> Path:
    source, program = folder / "driver.c", folder / "driver"
    source.write_text(driver(harness), encoding="utf-8")
    hooks = [_HOOKS, "-fno-sanitize-link-runtime", "-Wno-everything", "-O0", "-g", "-pthread"]
    command = [find_clang(), *hooks, *options, str(source), "-o", str(program), "-latomic"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        raise UsageError(f"{harness.module.path}: cannot be run: {(lines or ['?'])[0]}")
    return program


def run_source(
    harness: Harness, budget: Budget, options: tuple[str, ...]
) -> tuple[Ran | None, str]:
    """Run it; or the reason why not."""
    with tempfile.TemporaryDirectory(prefix="heapstory-") as folder:
        try:
            return Runner(harness, budget, Path(folder), options).histories(), ""
        except CannotTell as reason:
            return None, str(reason)
