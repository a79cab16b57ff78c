"""The search for a history that is not linearizable, with more and more operations.

It goes on beside the proof, in a thread of its own: the search is native and z3 is, too.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from heapstory.linear.budget import Budget
from heapstory.linear.language.syntax import Specification
from heapstory.linear.states.exhaustive import MOST_OPERATIONS, Checker, Search
from heapstory.linear.verdict.coverage import coverage_of
from heapstory.linear.verdict.report import Options

FIRST = 3  # operations, before a proof is tried
MORE_KEYS = 2  # are tried where a step has not run yet
FEW = 2  # operations at a time: most mistakes need no more
FAVOUR = 4  # so many times more states are spent on few at a time
GROWTH = 8  # from one number of operations to the next, before it is known


class _Ladder:
    """More and more operations, a ``few`` at a time or all together."""

    def __init__(self, few: bool) -> None:
        self.few, self.operations = few, FIRST
        self.sizes: list[int] = []
        self.over = False

    def cost(self) -> float:
        """What the next rung is likely to cost: as much more as the last one did."""
        if not self.sizes:
            return 0.0 if self.few else 1.0
        grown = self.sizes[-1] / max(self.sizes[-2], 1) if len(self.sizes) > 1 else GROWTH
        return self.sizes[-1] * max(grown, 1) / (FAVOUR if self.few else 1)

    def climbed(self, search: Search) -> None:
        """Take in the search of the next rung."""
        self.operations += 1
        self.sizes.append(search.states)
        self.over = not search.complete or self.operations == MOST_OPERATIONS


class Deepening:
    """One specification's search. ``found`` is the last one: with a trail, or how far it came."""

    def __init__(self, spec: Specification, options: Options, budget: Budget) -> None:
        self.spec, self.options, self.budget = spec, options, budget
        self.checker = Checker(spec, options.keys, options.reuse)
        self.coverage = coverage_of(spec, options.keys, options.reuse)
        self.found: Search | None = None
        self._ladders = [_Ladder(few=True), _Ladder(few=False)]

    def begin(self) -> Search:
        """The bound that was asked for, or the first one."""
        asked = self.options.exhaustive or self.options.bound or FIRST
        found = self._take(self.checker.search(asked, self.budget))
        if found.trail is None and found.complete and self.coverage.keys is not None:
            self._more_keys(asked)
        assert self.found is not None
        return self.found

    def _more_keys(self, operations: int) -> None:
        """A step may only run with more keys: between two others there is none."""
        for keys in range(self.options.keys + 1, self.options.keys + 1 + MORE_KEYS):
            if not self.coverage.never(self.spec):
                break
            found = self.checker.search(operations, self.budget, keys=keys)
            if found.trail is not None:
                self.found = found
                break
            self.coverage.saw(found)

    def go_on(self) -> None:
        """Deepen until something is found or a limit is reached: the cheaper rung next."""
        while self.found is None or self.found.trail is None:
            left = [ladder for ladder in self._ladders if not ladder.over]
            if not left or self.budget.left() <= 0:
                break
            ladder = min(left, key=_Ladder.cost)
            operations = ladder.operations + 1
            width = FEW if ladder.few else operations
            ladder.climbed(self._take(self.checker.search(operations, self.budget, width)))

    def _take(self, search: Search) -> Search:
        self.found = search
        if search.trail is None:
            self.coverage.add(search)
        return search

    def beside(self) -> Beside:
        """Go on in another thread."""
        return Beside(self)


class Beside:
    """A search that goes on in another thread until it is over, or the block ends."""

    def __init__(self, search: Deepening) -> None:
        self.search = search
        self._pool = ThreadPoolExecutor(1)
        self._running: Future[None] | None = None

    def __enter__(self) -> Beside:
        self._running = self._pool.submit(self._run)
        return self

    def _run(self) -> None:
        self.search.go_on()
        found = self.search.found
        if found is not None and found.trail is not None:
            self.search.budget.over = "a history that is not linearizable was found"

    def wait(self) -> None:
        """Until the search is over."""
        assert self._running is not None
        self._running.result()

    def __exit__(self, *_: object) -> None:
        self.search.checker.stop.set()
        self._pool.shutdown(wait=True)
