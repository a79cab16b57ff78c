"""The verdict on C as it stands: all interleavings of more and more calls, until a limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice

from heapstory._core import (
    MOST_ROUNDS,
    Interleaved,
    Interleaver,
    MachineCall,
    MachineEvent,
    MachineFault,
    Stop,
)
from heapstory.linear.budget import MIB
from heapstory.linear.ir import drawn, roles
from heapstory.linear.ir.answers import (
    ASSERTION,
    WEAKER,
    Answers,
    CannotTell,
    OtherType,
)
from heapstory.linear.ir.drawn import Drawing, Program
from heapstory.linear.ir.harness import Operation
from heapstory.linear.ir.roles import words_of

MOST_CALLS = 7
DRAW_AFTER = 2  # calls that were covered
CORES = 2  # searches at a time
ALONE = 4  # calls one after the other
SHARE = 0.1  # of the time, for these
LIMITS = ("time", "states", "memory")  # why a search ended early
DONE_, EMPTY, FULL, LOST = (-(1 << 63) + n for n in range(1, 5))

Call = MachineCall


class Weaker(Exception):
    """An access that is not sequentially consistent was executed, though all were taken to be."""


@dataclass
class Outcome:
    """What the search says; ``reason`` where it is unknown."""

    verdict: str
    reason: str = ""
    calls: int = 0  # every interleaving of so many was tried
    threads: int = 0
    covered: dict[int, int] = field(default_factory=dict)  # threads: calls
    states: int = 0
    seconds: float = 0.0
    strong: bool = True
    capacity: int = -1
    kind: str = ""
    operations: list[Operation] = field(default_factory=list)
    history: list[MachineCall] = field(default_factory=list)
    trail: list[MachineEvent] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    line: int = 1
    other_type: bool = False  # already calls one after the other answer otherwise
    keys: int = 0  # that were tried, of a set
    narrow: bool = False  # only small values were tried
    varied: list[str] = field(default_factory=list)  # functions that gave two results only
    program: Program = field(default_factory=list)  # of a history that was drawn
    drawn: int = 0  # random histories, beside those of the bound
    drawn_calls: int = 0  # at most, in one of them
    rounds: int = 0  # after so many, threads that saw nothing new waited; 0: none had to


@dataclass(frozen=True)
class _Job:
    """A search, or histories that are drawn. ``known``: what was when it began."""

    calls: int
    threads: int
    first: int = 0
    count: int = 0
    known: int = 0
    drawn: bool = False


class Judge(Answers):
    """Judges one harness."""

    def search_once(self, calls: int, threads: int, program: Program) -> str:
        """What a search comes to; ``program``: only of these calls."""
        return self._search(calls, threads, program=program).outcome

    def run(self, most: int | None = None) -> Outcome:
        """More and more calls, at most so many."""
        begin = time.monotonic()
        outcome = Outcome("unknown", strong=self.strong, capacity=self.capacity)
        outcome.operations, outcome.kind = self.harness.operations, self.harness.chosen.kind
        outcome.keys = self.keys if outcome.kind == roles.SET else 0
        library = self.harness.module.library
        outcome.varied = sorted(library.varied | library.clocks)
        try:
            self._alone()
            outcome.narrow, outcome.strong = self.narrow, self.strong
            try:
                self._levels(most, outcome)
            except Weaker:
                self.strong = outcome.strong = False
                outcome.covered, outcome.calls, outcome.reason = {}, 0, ""
                outcome.history, outcome.trail = [], []
                outcome.drawn = 0
                self._levels(most, outcome)
        except CannotTell as reason:
            outcome.verdict, outcome.reason = "unknown", str(reason)
            outcome.other_type = isinstance(reason, OtherType)
        if outcome.verdict == "not-linearizable" and self.harness.module.library.clocks:
            clocks = ", ".join(sorted(self.harness.module.library.clocks))
            outcome.verdict = "unknown"
            outcome.reason = (
                f"{self.path}: no order explains this history, in which {clocks} may give any time"
            )
        outcome.seconds = time.monotonic() - begin
        return outcome

    def _levels(self, asked: int | None, outcome: Outcome) -> None:
        """More and more calls, on all cores. What is found first counts, so a search that needs
        long does not hide what another has found. Behind the small ones, one core draws."""
        sizes = range(2, (asked or MOST_CALLS) + 1)
        bounds = ((n, t) for n in sizes for t in sorted({2, min(n, 3)}))
        levels = ((n, max(t, self._reserved())) for n, t in bounds)
        drawing = Drawing(self._reserved()) if asked is None else None
        running: dict[Future[Interleaved], _Job] = {}
        stop = Stop()
        more = True
        with ThreadPoolExecutor(CORES) as pool:
            try:
                while True:
                    drawn_now = any(job.drawn for job in running.values())
                    if drawing and outcome.calls >= DRAW_AFTER and not drawn_now:
                        job = _Job(*drawing.next(), self._known(), drawn=True)
                        running[pool.submit(self._drawing(job, stop))] = job
                    room = CORES - len(running) if more else 0
                    for calls, threads in islice(levels, room):
                        search = pool.submit(self._searching(calls, threads, stop))
                        running[search] = _Job(calls, threads, known=self._known())
                    if all(job.drawn for job in running.values()):
                        return
                    job = next(job for job in running.values() if not job.drawn)
                    of = f"{job.calls} calls by {job.threads} threads"
                    self.budget.doing = f"trying all interleavings of {of}"
                    for search in wait(running, return_when=FIRST_COMPLETED).done:
                        found, job = search.result(), running.pop(search)
                        if not self._taken(job, found, outcome):
                            return
                        if not job.drawn:
                            more = more and found.outcome not in LIMITS
            finally:
                stop.set()

    def _taken(self, job: _Job, found: Interleaved, outcome: Outcome) -> bool:
        """Take in one search; whether to go on."""
        if job.drawn:
            return self._drawn(job, found, outcome)
        if found.outcome == "odd" and job.known < self._known():
            found = self._search(job.calls, job.threads)  # begun before more was known
        return self._level(job.calls, job.threads, found, outcome)

    def _drawn(self, job: _Job, found: Interleaved, outcome: Outcome) -> bool:
        """Take in random histories; whether to go on."""
        outcome.drawn += found.histories
        outcome.drawn_calls = max(outcome.drawn_calls, job.calls)
        if found.outcome == "odd" and (job.known < self._known() or self._is_lost(found)):
            return True
        program = drawn.program_of(found.calls or found.fault_calls, job.threads)
        if found.outcome == "unexplained" or self._faults(found):
            found, program = drawn.shrunk(found, program, self._same(found))
        if self._wrong(drawn.size_of(program), job.threads, found, outcome):
            outcome.program = program
            return False
        if outcome.reason:
            outcome.verdict = "unknown"
        return True

    def _same(self, first: Interleaved) -> Callable[[Program], Interleaved | None]:
        """Looks for what went wrong in histories of a smaller program, for a while."""
        until = time.monotonic() + drawn.SHRINKING
        what = {(f.what, f.line) for f in self._faults(first)}

        def search(program: Program) -> Interleaved | None:
            if time.monotonic() > until or self.budget.left() <= 0:
                return None
            calls, threads = drawn.size_of(program), len(program)
            found = self._search(calls, threads, program=program, limits=drawn.TRIED)
            if found.outcome in LIMITS and not found.faults:
                job = _Job(calls, threads, 0, drawn.DRAWN, drawn=True)
                found = self._alone_in_thread(lambda stop: self._drawing(job, stop, program))
            if first.outcome == "unexplained":
                return found if found.outcome == "unexplained" else None
            return found if what & {(f.what, f.line) for f in found.faults[:1]} else None

        return search

    def _faults(self, found: Interleaved) -> list[MachineFault]:
        """Without assertions that fail without threads, too."""
        return [f for f in found.faults if not (f.what == ASSERTION and f.line in self.left_out)]

    def _known(self) -> int:
        """How many answers are known to say that nothing was done."""
        return sum(len(o.lost) for o in self.harness.operations)

    def _alone(self) -> None:
        """One call after the other must do what the type does, or it is another type."""
        found = self._search(ALONE, max(1, self._reserved()), alone=True)
        self.strong = all(f.what != WEAKER for f in found.faults)
        others = [f for f in found.faults if f.what not in (ASSERTION, WEAKER)]
        if others and self._narrowed():
            self._calibrate()
            found = self._search(ALONE, max(1, self._reserved()), alone=True)
        self.left_out = {f.line for f in found.faults if f.what == ASSERTION}
        if found.outcome == "unexplained":
            calls = ", ".join(self.harness.operations[c.operation].name for c in found.calls)
            kind = self.harness.chosen.kind
            raise OtherType(
                f"{self.path}: one after the other, {calls} do not behave like those of a {kind}: "
                "say --implements TYPE and --functions NAME=METHOD,…"
            )

    def _reserved(self) -> int:
        return max(o.role for o in self.harness.operations) + 1

    def _level(self, calls: int, threads: int, found: Interleaved, outcome: Outcome) -> bool:
        """Take in one search; whether to go on."""
        while found.outcome == "odd" and self._is_lost(found):
            found = self._search(calls, threads)
        if self._wrong(calls, threads, found, outcome):
            return False
        if found.outcome != "explained":
            if outcome.calls == 0 or outcome.reason:
                outcome.reason = outcome.reason or self._limit(found)
                outcome.verdict = "unknown"
            return True  # others may still come to an end
        never = [o.name for o, e in zip(self.harness.operations, found.ended, strict=True) if not e]
        if never and calls >= 3 and not outcome.reason:
            raise CannotTell(f"{self.path}: '{never[0]}' never ends")
        outcome.verdict = "unknown" if outcome.reason else "bounded-ok"
        outcome.covered[threads] = max(calls, outcome.covered.get(threads, 0))
        outcome.calls, outcome.threads = max((c, t) for t, c in outcome.covered.items())
        return not (outcome.reason and calls >= 4)

    def _limit(self, found: Interleaved) -> str:
        """Which one a search of two calls reached."""
        limits = {
            "time": f"the time limit of {self.budget.seconds:g} s",
            "states": f"{self.budget.states} states",
            "memory": f"{self.budget.memory // MIB} MiB of memory (--memory)",
        }
        which = limits.get(found.outcome, "a limit")
        return f"{which} reached with two calls already, after {found.states} states"

    def _wrong(self, calls: int, threads: int, found: Interleaved, outcome: Outcome) -> bool:
        """Whether a search refutes; faults that it found are noted."""
        if any(f.what == WEAKER for f in found.faults):
            raise Weaker
        outcome.states += found.states
        outcome.rounds = MOST_ROUNDS if found.waited else outcome.rounds
        if found.outcome == "unexplained":
            outcome.verdict, outcome.history, outcome.trail = (
                "not-linearizable", found.calls, found.trail,
            )  # fmt: skip
            outcome.calls, outcome.threads = calls, threads
            outcome.line = next((e.line for e in reversed(found.trail) if e.line), 1)
            return True
        if found.outcome == "odd":
            last = found.calls[-1]
            name = self.harness.operations[last.operation].name
            raise CannotTell(f"{self.path}: '{name}' answers {found.status}, whatever that means")
        faults = self._faults(found)
        if faults and not outcome.reason:
            fault = faults[0]
            outcome.reason = self._said(fault.what, fault.line, fault.detail, "in some histories")
            outcome.history, outcome.trail = found.fault_calls, found.fault_trail
            outcome.line = fault.line or 1
        return False

    def _search(
        self,
        calls: int,
        threads: int,
        alone: bool = False,
        program: Program | None = None,
        limits: tuple[int, float] | None = None,
    ) -> Interleaved:
        """All histories of so many calls; of a program, perhaps within limits of its own."""
        return self._alone_in_thread(
            lambda stop: self._searching(calls, threads, stop, alone, program, limits)
        )

    @staticmethod
    def _alone_in_thread(make: Callable[[Stop], Callable[[], Interleaved]]) -> Interleaved:
        """So that an interrupt is seen at once."""
        stop = Stop()
        with ThreadPoolExecutor(1) as pool:
            try:
                return pool.submit(make(stop)).result()
            except BaseException:
                stop.set()
                raise

    def _searching(
        self,
        calls: int,
        threads: int,
        stop: Stop,
        alone: bool = False,
        program: Program | None = None,
        limits: tuple[int, float] | None = None,
    ) -> Callable[[], Interleaved]:
        machine = Interleaver(self.harness.words(self.strong, self.capacity))

        def search() -> Interleaved:
            left = max(self.budget.left(), 0.0) * (SHARE if alone else 1)
            states, seconds = limits or (self.budget.states, left)
            of = (calls, threads, self.keys, states, self.budget.memory, min(seconds, left), alone)
            return machine.search(*of, stop, program or [])

        return search

    def _drawing(
        self, job: _Job, stop: Stop, program: Program | None = None
    ) -> Callable[[], Interleaved]:
        machine = Interleaver(self.harness.words(self.strong, self.capacity))

        def draw() -> Interleaved:
            seconds = min(max(self.budget.left(), 0.0), drawn.SECONDS)
            of = (job.calls, job.threads, self.keys, job.first, job.count, seconds)
            return machine.draw(*of, stop, program or [])

        return draw

    def _is_lost(self, found: Interleaved) -> bool:
        """Whether an answer that is neither the one nor the other says that nothing was done: a
        constant of a function that only tries."""
        operation = next(
            self.harness.operations[c.operation] for c in reversed(found.calls) if c.answer == LOST
        )
        words = set(words_of(operation.name))
        status = found.status
        if not words & {"try", "steal"} or status in operation.lost:
            return False
        operation.lost.append(status)
        return True


def is_lock(outcome: Outcome) -> bool:
    """Whether what was judged is a lock, by a counter that it protects."""
    return outcome.kind == roles.LOCK
