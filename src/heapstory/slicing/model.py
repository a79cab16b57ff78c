"""A slice: statements, the moments at which they ran, and what each depended on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from heapstory.store.places import Place

KINDS = ("criterion", "memory", "register", "control", "call")
SAME = 2  # times that a statement is shown below a moment
CRITERION = 0  # the number of the moment that stands for the criterion


class Moment(NamedTuple):
    """An execution of a statement, as far as it is in the slice.

    ``statement`` is its index in `Slice.statements`; None for the criterion itself and for code
    that no statement of the program called. ``many``: early executions, counted as one.
    """

    number: int
    statement: int | None
    thread: int
    step: int
    many: bool


class Dependence(NamedTuple):
    """A moment depends on an earlier one.

    ``kind`` is 'memory' (what it stored was read), 'register', 'control' (it decided that the other
    ran), 'call' (it called the function the other is in) or 'criterion' (it was asked for).
    ``name`` is the variable, field or register, ``value`` what was stored and ``text`` the same as
    a C programmer would write it.
    """

    user: int
    definer: int
    kind: str
    name: str | None
    address: int | None
    value: int | None
    text: str | None
    times: int


@dataclass(frozen=True, slots=True)
class StatementEdge:
    """The dependences between the executions of two statements, through one thing. ``user`` is None
    for the criterion; ``value`` is the last one that flowed."""

    user: int | None
    definer: int
    kind: str
    name: str | None
    value: int | None
    text: str | None
    count: int


@dataclass(frozen=True, slots=True)
class Slice:
    """What led to a value. ``statements`` are in the order of the source, ``moments`` in that of
    time, the criterion (number 0) last."""

    criterion: str
    words: str  # what was sliced
    place: Place | None  # of the criterion
    statements: list[Place]
    moments: list[Moment]
    dependences: list[Dependence]
    instructions: int
    trace_instructions: int
    seconds: float
    cut: int = 0  # statements that were left out
    beyond: list[str] = field(default_factory=list)  # what was there before the stream
    signals: int = 0  # whose cause or effect is not followed
    aliased: bool = False  # what was written through another address is not followed
    undecided: bool = False  # why the statement that crashed ran was not found
    open_end: bool = False  # more may have run after the stream, of which nothing is known
    notes: list[str] = field(default_factory=list)
    about: list[str] = field(default_factory=list)  # the edge that was asked about
    # What libraries' headers put into statements, by their index, as far as it is in the slice.
    inlined: dict[int, list[Place]] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether everything that led there, or that was influenced, is in the slice."""
        return not (
            self.beyond
            or self.cut
            or self.signals
            or self.aliased
            or self.undecided
            or self.open_end
        )

    def moment(self, number: int) -> Moment:
        """The moment of a number."""
        return next(moment for moment in self.moments if moment.number == number)

    def place_of(self, moment: Moment) -> Place | None:
        """The statement of a moment."""
        return None if moment.statement is None else self.statements[moment.statement]

    def edges(self) -> list[StatementEdge]:
        """The dependences between statements, those nearest to the criterion first."""
        statement = {moment.number: moment.statement for moment in self.moments}
        found: dict[tuple[int | None, int, str, str | None], StatementEdge] = {}
        for one in self.dependences:
            user, definer = statement[one.user], statement[one.definer]
            if definer is None:
                continue
            key = (user, definer, one.kind, one.name)
            made = StatementEdge(user, definer, one.kind, one.name, one.value, one.text, one.times)
            first = found.get(key)
            found[key] = made if first is None else replace(first, count=first.count + one.times)
        return list(found.values())

    def causes(self) -> dict[int, list[Dependence]]:
        """The dependences of each moment, by its number."""
        found: dict[int, list[Dependence]] = {}
        for one in self.dependences:
            found.setdefault(one.user, []).append(one)
        return found

    def tree(self) -> Iterator[Branch]:
        """Every moment below the first one that waited for it, from the criterion on.

        Loops make long chains of the same statements. Below a moment, its own statement is not
        shown and any other a few times; what those left out depended on is shown in their place.
        """
        causes = self.causes()
        moments = {moment.number: moment for moment in self.moments}
        seen = {CRITERION}
        shown: Counter[tuple[int, int | None]] = Counter()
        stack = [(0, moments[CRITERION], one) for one in _last_first(causes.get(CRITERION, []))]
        while stack:
            depth, above, one = stack.pop()
            moment = moments[one.definer]
            again = moment.number in seen
            seen.add(moment.number)
            key = (above.number, moment.statement)
            below = (depth, above)
            own = moment.statement is not None and moment.statement == above.statement
            if not own and shown[key] < SAME:
                shown[key] += 1
                yield Branch(depth, one, moment, again)
                below = (depth + 1, moment)
            if not again:
                stack += [(*below, each) for each in _last_first(causes.get(moment.number, []))]


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of the tree; ``again``: the moment was shown before, with what is below it."""

    depth: int
    dependence: Dependence
    moment: Moment
    again: bool


def _last_first(dependences: list[Dependence]) -> list[Dependence]:
    """One for each moment, values before decisions, in the order in which they go on a stack."""
    first: dict[int, Dependence] = {}
    for one in sorted(dependences, key=lambda each: KINDS.index(each.kind)):
        first.setdefault(one.definer, one)
    return list(reversed(first.values()))
