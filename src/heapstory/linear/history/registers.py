"""Is a register's history linearizable? Near-linear for distinct values (Gibbons and Korach).

The write of a value and the reads that answer it belong together: nothing else may come between.
Some of them surely come before others where one ends before another begins. Two values can not be
put in any order exactly if each has an operation that ends before one of the other's begins.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from heapstory.linear.budget import Budget
from heapstory.linear.history.frontier import Violation, frontier
from heapstory.linear.history.operations import Operation
from heapstory.linear.models.sequential import Register

INFINITY = float("inf")


@dataclass(slots=True)
class Zone:
    """A value: when the first of its operations ends and the last begins, and which these are."""

    low: float
    high: float
    first: Operation | None
    last: Operation | None

    def add(self, operation: Operation) -> None:
        """One more operation of this value."""
        if operation.end is not None and operation.end < self.low:
            self.low, self.first = operation.end, operation
        if operation.begin > self.high:
            self.high, self.last = operation.begin, operation


def register(operations: list[Operation], budget: Budget) -> None:
    """Judge a register's history; raises `Violation` or `OutOfBudget`."""
    model = Register()
    writes: dict[Any, Operation] = {}
    for operation in budget.paced(operations, "sorting the history"):
        if operation.method == "write":
            value = operation.arguments[0]
            if value in writes or value == model.initial():
                return frontier(operations, model, budget)  # equal values: whose was read?
            writes[value] = operation
        elif operation.method != "read":
            return frontier(operations, model, budget)
    zones = {model.initial(): Zone(-INFINITY, -INFINITY, None, None)}
    for value, write in writes.items():
        zones[value] = Zone(INFINITY if write.end is None else write.end, write.begin, write, write)
    for operation in budget.paced(operations, "sorting the history"):
        answered = operation.end is not None and operation.result is not None
        if operation.method == "read" and answered:
            _read(operation, writes, zones)
    budget.check("checking the order")
    _ordered(sorted(zones.values(), key=lambda zone: zone.low))
    return None


def _read(operation: Operation, writes: dict[Any, Operation], zones: dict[Any, Zone]) -> None:
    zone, write = zones.get(operation.result), writes.get(operation.result)
    if zone is None:
        raise Violation(f"{operation.result!r} was read and never written", [operation])
    if write is not None and operation.end is not None and operation.end < write.begin:
        raise Violation(f"{operation.result!r} was read before it was written", [operation, write])
    zone.add(operation)


def _ordered(zones: list[Zone]) -> None:
    """No two values have operations on both sides of each other."""
    wide = [zone for zone in zones if zone.low < zone.high]
    for one, other in pairwise(wide):
        if other.low < one.high:
            raise _between(one, other)
    lows = [zone.low for zone in wide]
    for zone in zones:
        if zone.low >= zone.high:
            at = bisect_left(lows, zone.high) - 1
            if at >= 0 and zone.low < wide[at].high:
                raise _between(wide[at], zone)


def _between(one: Zone, other: Zone) -> Violation:
    shown = [one.first, other.first, other.last, one.last]
    unique = {id(o): o for o in shown if o is not None}
    return Violation("a value was read after another was written over it", list(unique.values()))
