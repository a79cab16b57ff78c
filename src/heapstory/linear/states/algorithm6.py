"""Algorithm 6 of the thesis: can every valid history be reordered into a sequential one?

The closure follows the proof of Fig 6.14 (an element joins when it can *not* be swapped with one
already in); line 34 as printed says the opposite, which accepts wrong structures.
Lines 8 to 11, which forbid swapping operations that do not overlap, are one rule here: the pair
(step of the response, first step) is never reversible.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from heapstory.linear.program.steps import Program
from heapstory.linear.states.relations import Ref, Relations

Prefix = tuple[Ref, ...]


@dataclass(frozen=True)
class Reordering:
    """What the algorithm says. ``sequence`` is x, …, y, next(x) of the first failed check."""

    passes: bool
    milliseconds: float
    sequence: tuple[Prefix, ...] = ()


class _Check:
    def __init__(self, program: Program, relations: Relations) -> None:
        self.relations = relations
        self.operations: list[Prefix] = [
            tuple((number, pc) for pc in range(len(path.steps)))
            for number, path in enumerate(program.paths)
        ]
        self.prefixes = [op[: n + 1] for op in self.operations for n in range(len(op))]
        responses = {(n, path.response) for n, path in enumerate(program.paths)}
        self.boundary = {(r, op[0]) for r in responses for op in self.operations}
        self._swap: dict[tuple[Prefix, Prefix], bool] = {}
        self._valid: dict[tuple[Prefix, Prefix], bool] = {}

    def reverse(self, a: Ref, b: Ref) -> bool:
        """a ⊖ b for single steps, boundary pairs excluded."""
        return (a, b) not in self.boundary and self.relations.reverse(a, b)

    def swap(self, x: Prefix, y: Prefix) -> bool:
        """x ⊖ y (lines 8-11): every pair of their steps can be reversed."""
        found = self._swap.get((x, y))
        if found is None:
            found = self._swap[x, y] = all(self.reverse(a, b) for a in x for b in y)
        return found

    def valid(self, x: Prefix, y: Prefix) -> bool:
        """x ≀ y (line 7): x·y is a valid history in the sense of Definition 5.

        Swaps bring step i of x next to step j of y once all pairs between them have been swapped;
        each pair that can become adjacent must be ordered.
        """
        found = self._valid.get((x, y))
        if found is None:
            found = self._valid[x, y] = self._adjacent_ordered(x, y)
        return found

    def _adjacent_ordered(self, x: Prefix, y: Prefix) -> bool:
        swapped: set[tuple[int, int]] = set()
        last = len(x) - 1
        for i in range(last, -1, -1):
            for j in range(len(y)):
                meets = (i == last or (i + 1, j) in swapped) and (j == 0 or (i, j - 1) in swapped)
                if not meets:
                    continue
                if not self.relations.order(x[i], y[j]):
                    return False
                if self.reverse(x[i], y[j]):
                    swapped.add((i, j))
        return True

    def closure(self, x: Prefix) -> dict[Prefix, Prefix]:
        """Prefixes that can stand after x and not be moved before it, each with what it follows."""
        came: dict[Prefix, Prefix] = {}
        todo = [x]
        while todo:
            z = todo.pop()
            for w in self.prefixes:
                if w not in came and self.valid(z, w) and not self.swap(z, w):
                    came[w] = z
                    todo.append(w)
        return came

    def check(self, x: Prefix, following: Ref) -> tuple[Prefix, ...]:
        """Empty if x passes, else the sequence that fails."""
        came = self.closure(x)
        step = (following,)
        for y in came:
            if self.valid(y, step) and not self.swap(y, step):
                chain = [y]
                while (before := came[chain[-1]]) != x and before not in chain:
                    chain.append(before)
                return (x, *reversed(chain), step)
        return ()


def check_linearizability(program: Program, relations: Relations) -> Reordering:
    """Run the algorithm on all proper prefixes."""
    begin = time.perf_counter()
    check = _Check(program, relations)
    failed: tuple[Prefix, ...] = ()
    for operation in check.operations:
        for length in range(1, len(operation)):
            failed = check.check(operation[:length], operation[length])
            if failed:
                break
        if failed:
            break
    spent = (time.perf_counter() - begin) * 1000
    return Reordering(not failed, spent, failed)
