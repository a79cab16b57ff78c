"""What the answers of a structure mean: learned from calls one after the other."""

from __future__ import annotations

from typing import Self

from heapstory._core import Interleaver
from heapstory.linear.budget import Budget
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

NEVER = -(1 << 62)  # a status that is never given
FIRST_VALUE = 1 << 18
FIRST_ARGUMENT = 11
FULL_AFTER = 8  # insertions that are tried
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


class CannotTell(Exception):
    """Why there is no verdict."""


class Faulty(CannotTell):
    """Calls one after the other do what C gives no meaning, or this machine none."""

    def __init__(self, message: str, known: bool) -> None:
        super().__init__(message)
        self.known = known  # what it is


class OtherType(CannotTell):
    """Calls one after the other do not answer like those of the abstract type."""


class Answers:
    """Of one harness, and how many values it has room for."""

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
    def like(cls, other: Answers, strong: bool) -> Self:
        """Another that knows what the answers mean, perhaps with strong memory."""
        made = cls.__new__(cls)
        made.harness, made.keys, made.budget = other.harness, other.keys, other.budget
        made.capacity, made.strong, made.path = other.capacity, strong, other.path
        made.left_out, made.narrow = other.left_out, other.narrow
        return made

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
