"""The verdict on C as it stands: all interleavings of more and more calls, until a limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice

from heapstory._core import Interleaved, Interleaver, MachineCall, MachineEvent, Stop
from heapstory.linear.budget import Budget
from heapstory.linear.ir import roles
from heapstory.linear.ir.harness import (
    ADD,
    CONTAINS,
    DONE,
    INSERT,
    NUMBER,
    REMOVE,
    SILENT,
    STATUS,
    TAKE_FRONT,
    TRUTH,
    VALUE,
    Harness,
    Operation,
)
from heapstory.linear.ir.instructions import address_of
from heapstory.linear.ir.locks import NOT_HELD
from heapstory.linear.ir.roles import words_of

NEVER = -(1 << 62)  # a status that is never given
FIRST_VALUE = 1 << 18
FIRST_ARGUMENT = 11
MOST_CALLS = 7
CORES = 2  # searches at a time
ALONE = 4  # calls one after the other
SHARE = 0.1  # of the time, for these
FULL_AFTER = 8  # insertions that are tried
DONE_, EMPTY, FULL, LOST = (-(1 << 63) + n for n in range(1, 5))
TROUBLE = {
    1: "follows NULL",
    2: "uses a wild pointer, or divides by 0",
    3: "uses freed memory",
    4: "frees memory twice",
    5: "uses a value that was never written",
    6: "races with another access",
    7: "fails an assertion or ends the program",
    8: "does not end",
    10: "uses memory whose address was hidden",
}
ASSERTION, ENDLESS, UNKNOWN_TROUBLE, WEAKER = 7, 8, 9, 11


Call = MachineCall


class CannotTell(Exception):
    """Why there is no verdict."""


class Weaker(Exception):
    """An access that is not sequentially consistent was executed, though all were taken to be."""


class Faulty(CannotTell):
    """Calls one after the other do what C gives no meaning, or this machine none."""

    def __init__(self, message: str, known: bool) -> None:
        super().__init__(message)
        self.known = known  # what it is


class OtherType(CannotTell):
    """Calls one after the other do not answer like those of the abstract type."""


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


class Judge:
    """Judges one harness."""

    def __init__(self, harness: Harness, keys: int, budget: Budget) -> None:
        self.harness, self.keys, self.budget = harness, keys, budget
        self.capacity = -1
        self.strong = True  # until a weaker access is executed: headers have code for all orders
        self.path = harness.module.path
        self.left_out: set[int] = set()  # lines of assertions that fail without threads
        self.narrow = False
        try:
            self._calibrate()
        except Faulty:  # values may be indices
            if not self._narrowed():
                raise
            self._calibrate()

    def _narrowed(self) -> bool:
        """Try small values only; whether that makes a difference."""
        wide = [o for o in self.harness.operations if o.spread > 1]
        for operation in wide:
            operation.spread = 1
        self.narrow = bool(wide)
        return self.narrow

    @classmethod
    def like(cls, other: Judge, strong: bool) -> Judge:
        """Another that knows what the answers mean, perhaps with strong memory."""
        made = cls.__new__(cls)
        made.harness, made.keys, made.budget = other.harness, other.keys, other.budget
        made.capacity, made.strong, made.path = other.capacity, strong, other.path
        made.left_out, made.narrow = other.left_out, other.narrow
        return made

    def search_once(self, calls: int, threads: int) -> str:
        """What a search comes to."""
        return self._search(calls, threads).outcome

    # -- what the answers mean --------------------------------------------------------------------

    def _run(self, *calls: tuple[Operation, int]) -> list[tuple[int, int]] | None:
        """Answers of calls one after the other; None where they do not all end."""
        numbers = [(self.harness.operations.index(o), a) for o, a in calls]
        machine = Interleaver(self.harness.words(self.strong, -1))
        found = machine.one_by_one(numbers)
        others = [f for f in found.faults if f.what not in (ENDLESS,)]
        if others:
            fault = others[0]
            said = self._said(fault.what, fault.line, fault.detail, "already alone")
            raise Faulty(said, fault.what != UNKNOWN_TROUBLE)
        return found.answers if len(found.answers) == len(calls) else None

    def _said(self, what: int, line: int, detail: int, when: str) -> str:
        where = f"{self.path}:{line}: " if line else f"{self.path}: "
        if what == UNKNOWN_TROUBLE:
            return f"{where}cannot be modelled: {self.harness.module.why(detail)}"
        return f"{where}{TROUBLE[what]} {when}"

    def _calibrate(self) -> None:
        """A new structure tells what an empty one answers, a second call what a full one does."""
        if self._run() is None:
            raise CannotTell(f"{self.path}: the initialiser does not end")
        for operation in self.harness.operations:
            if operation.says == NUMBER:
                continue
            if operation.method == INSERT:
                self._insert(operation)
            elif operation.method in (ADD, REMOVE, CONTAINS):
                self._truth(operation)
            elif operation.silent and not operation.by_pointer:
                operation.says = SILENT
        if NOT_HELD in self.harness.operations[0].lost:
            self._locks(self.harness.operations[0])
        inserts = [o for o in self.harness.operations if o.method == INSERT]
        for operation in self.harness.operations:
            if operation.by_pointer or operation.method in (1, 2):
                self._take(operation, inserts)
            elif operation.says == SILENT and not operation.silent:
                operation.says = NUMBER
        if all(o.says == SILENT for o in self.harness.operations):
            raise OtherType(
                f"{self.path}: no operation answers anything, so none can be wrong: "
                "say --functions NAME=METHOD,… with one that does"
            )

    def _locks(self, section: Operation) -> None:
        """A lock that may refuse must be given where it is free, as often as it is asked for."""
        answers = self._run((section, 0), (section, 0))
        if answers is None or [status for status, _ in answers] != [0, 1]:
            raise OtherType(f"{self.path}: '{section.name}' do not lock and unlock one by one")

    def _insert(self, operation: Operation) -> None:
        first_value = FIRST_ARGUMENT * operation.spread
        values = [(operation, first_value + n * operation.spread) for n in range(FULL_AFTER)]
        first = self._run(values[0])
        if first is None:
            raise CannotTell(f"{self.path}: '{operation.name}' alone does not end")
        if operation.silent:
            operation.says = SILENT
            return
        operation.says, operation.yes, operation.no = DONE, first[0][0], NEVER
        for count in range(2, FULL_AFTER + 1):
            answers = self._filled(values[:count])
            if answers is None:
                return
            if answers[-1][0] != operation.yes:
                self.capacity, operation.no = count - 1, answers[-1][0]
                return

    def _filled(self, values: list[tuple[Operation, int]]) -> list[tuple[int, int]] | None:
        """Answers of many insertions; None where it waits, or fails, when it is full."""
        try:
            return self._run(*values)
        except CannotTell:
            return None

    def _take(self, operation: Operation, inserts: list[Operation]) -> None:
        none = self._run((operation, 0))
        if not inserts:
            return
        given = FIRST_ARGUMENT * inserts[0].spread
        some = self._run((inserts[0], given), (operation, 0))
        if some is None:
            raise CannotTell(f"{self.path}: '{operation.name}' does not end where there is a value")
        status, value = some[1]
        wanted = (given, address_of(FIRST_VALUE + given))
        operation.no = none[0][0] if none else NEVER
        if operation.by_pointer and value in wanted and not operation.silent:
            operation.says, operation.yes = VALUE, status
            if none and status == operation.no:
                raise CannotTell(
                    f"{self.path}: '{operation.name}' answers alike with and without a value"
                )
        elif status in wanted:
            operation.says = STATUS
        else:
            answer = value if operation.by_pointer else status
            raise OtherType(
                f"{self.path}: '{operation.name}' answers {answer} where only {given} was inserted"
            )
        self._in_order(operation, inserts[0])

    def _in_order(self, operation: Operation, insert: Operation) -> None:
        """What is taken first must not depend on the values: that would be a priority queue."""
        low, high = ((FIRST_ARGUMENT + n) * insert.spread for n in (0, 1))
        taken = []
        for pair in ((low, high), (high, low)):
            answers = self._filled([*((insert, value) for value in pair), (operation, 0)])
            taken.append(answers[-1][operation.says == VALUE] if answers else None)
        same = low if operation.method == TAKE_FRONT else high
        if self.capacity != 1 and all(t in (same, address_of(FIRST_VALUE + same)) for t in taken):
            raise OtherType(
                f"{self.path}: '{operation.name}' takes values by their size, not by when they "
                f"were inserted: this is no {self.harness.chosen.kind}"
            )

    def _truth(self, operation: Operation) -> None:
        add = next(o for o in self.harness.operations if o.method == ADD)
        before, alone = ((add, 1), (operation, 1)), ((operation, 1),)
        yes, no = (alone, before) if operation.method == ADD else (before, alone)
        answers = self._run(*yes), self._run(*no)
        if None in answers:
            raise CannotTell(f"{self.path}: '{operation.name}' alone does not end")
        one, other = (a[-1][0] for a in answers if a)
        if one == other and operation.method == CONTAINS:
            raise OtherType(
                f"{self.path}: '{operation.name}' answers {one} with and without the key"
            )
        operation.says = SILENT if operation.silent or one == other else TRUTH
        operation.yes, operation.no = one, other

    # -- the search -------------------------------------------------------------------------------

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
                self._levels(most or MOST_CALLS, outcome)
            except Weaker:
                self.strong = outcome.strong = False
                outcome.covered, outcome.calls, outcome.reason = {}, 0, ""
                outcome.history, outcome.trail = [], []
                self._levels(most or MOST_CALLS, outcome)
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

    def _levels(self, most: int, outcome: Outcome) -> None:
        """More and more calls, on all cores. What is found first counts, so a search that needs
        long does not hide what another has found."""
        bounds = ((n, t) for n in range(2, most + 1) for t in sorted({2, min(n, 3)}))
        levels = ((n, max(t, self._reserved())) for n, t in bounds)
        running: dict[Future[Interleaved], tuple[int, int, int]] = {}
        stop = Stop()
        more = True
        with ThreadPoolExecutor(CORES) as pool:
            try:
                while True:
                    room = CORES - len(running) if more else 0
                    for calls, threads in islice(levels, room):
                        search = pool.submit(self._searching(calls, threads, stop))
                        running[search] = (calls, threads, self._known())
                    if not running:
                        return
                    calls, threads, _ = next(iter(running.values()))
                    doing = f"trying all interleavings of {calls} calls by {threads} threads"
                    self.budget.doing = doing
                    for search in wait(running, return_when=FIRST_COMPLETED).done:
                        found = search.result()
                        if not self._taken(*running.pop(search), found, outcome):
                            return
                        more = more and found.outcome not in ("time", "states")
            finally:
                stop.set()

    def _taken(
        self, calls: int, threads: int, known: int, found: Interleaved, outcome: Outcome
    ) -> bool:
        """Take in one search; whether to go on."""
        if found.outcome == "odd" and known < self._known():
            found = self._search(calls, threads)  # begun before more was known
        return self._level(calls, threads, found, outcome)

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
        if any(f.what == WEAKER for f in found.faults):
            raise Weaker
        outcome.states += found.states
        if found.outcome == "unexplained":
            outcome.verdict, outcome.history, outcome.trail = (
                "not-linearizable", found.calls, found.trail,
            )  # fmt: skip
            outcome.calls, outcome.threads = calls, threads
            outcome.line = next((e.line for e in reversed(found.trail) if e.line), 1)
            return False
        if found.outcome == "odd":
            last = found.calls[-1]
            name = self.harness.operations[last.operation].name
            raise CannotTell(f"{self.path}: '{name}' answers {found.status}, whatever that means")
        faults = [f for f in found.faults if not (f.what == ASSERTION and f.line in self.left_out)]
        if faults and not outcome.reason:
            fault = faults[0]
            outcome.reason = self._said(fault.what, fault.line, fault.detail, "in some histories")
            outcome.history, outcome.trail = found.fault_calls, found.fault_trail
            outcome.line = fault.line or 1
        if found.outcome != "explained":
            if outcome.calls == 0 or outcome.reason:
                outcome.reason = outcome.reason or "a limit was reached with two calls already"
                outcome.verdict = "unknown"
            return True  # others may still come to an end
        never = [o.name for o, e in zip(self.harness.operations, found.ended, strict=True) if not e]
        if never and calls >= 3 and not outcome.reason:
            raise CannotTell(f"{self.path}: '{never[0]}' never ends")
        outcome.verdict = "unknown" if outcome.reason else "bounded-ok"
        outcome.covered[threads] = max(calls, outcome.covered.get(threads, 0))
        outcome.calls, outcome.threads = max((c, t) for t, c in outcome.covered.items())
        return not (outcome.reason and calls >= 4)

    def _search(self, calls: int, threads: int, alone: bool = False) -> Interleaved:
        """In a thread of its own, so that an interrupt is seen at once."""
        stop = Stop()
        with ThreadPoolExecutor(1) as pool:
            try:
                return pool.submit(self._searching(calls, threads, stop, alone)).result()
            except BaseException:
                stop.set()
                raise

    def _searching(
        self, calls: int, threads: int, stop: Stop, alone: bool = False
    ) -> Callable[[], Interleaved]:
        machine = Interleaver(self.harness.words(self.strong, self.capacity))

        def search() -> Interleaved:
            seconds = max(self.budget.left(), 0.0) * (SHARE if alone else 1)
            limits = (calls, threads, self.keys, self.budget.states, seconds, alone)
            return machine.search(*limits, stop)

        return search

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
