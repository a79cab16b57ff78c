"""A program: units linked by symbol at the level of summaries."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from hashlib import sha256

from heapstory.cfront.program import Function, Unit
from heapstory.static.callgraph import components
from heapstory.static.canonical import canonical_key
from heapstory.static.interpreter import FunctionAnalysis, Loss
from heapstory.static.models import Models
from heapstory.static.narrow import Narrow, narrow
from heapstory.static.state import Cell, State
from heapstory.static.summary import RESULT, Summary, closed, unknown_summary
from heapstory.static.values import CellId, Value

MAX_GROUP = 8  # functions that call each other and are iterated together
MAX_ANEW = 2  # levels of callees that are analysed anew where summaries are switched off
LARGE = 1_500  # statements of a function that is analysed narrowly at once
MAX_ROUNDS = 4  # of a recursive component, before its functions count as unknown


@dataclass(slots=True)
class Index:
    """What every function must know of the others, small enough to send to every worker."""

    models: Models
    tables: dict[tuple[str, int], str] = field(default_factory=dict)
    internals: set[str] = field(default_factory=set)
    members: dict[str, set[str]] = field(default_factory=dict)
    by_signature: dict[str, set[str]] = field(default_factory=dict)
    # Names that a unit defines for itself although another one has them too.
    aliases: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, unit: Unit, members: dict[str, set[str]]) -> None:
        """Add what one unit contributes."""
        self.tables.update(unit.tables)
        self.internals.update(unit.internals)
        for key, names in members.items():
            self.members.setdefault(key, set()).update(names)
        for name in unit.addressed:
            self.by_signature.setdefault(unit.signatures.get(name, ""), set()).add(name)

    def table(self, pointer: tuple[str, int]) -> str | None:
        """The function at an address inside a constant table."""
        return self.tables.get(pointer)

    def private(self, name: str) -> bool:
        """Whether only one unit sees a global."""
        return name in self.internals

    def targets(self, member: str, signature: str) -> list[str]:
        """Functions a call through a pointer can reach: by the member it was read from, or else
        by its type."""
        stored = self.members.get(member) if member else None
        return sorted(stored or self.by_signature.get(signature) or set())


class View:
    """The index with the summaries that one component needs."""

    def __init__(self, index: Index, summaries: dict[str, Summary]) -> None:
        self.models = index.models
        self.table = index.table
        self.private = index.private
        self.targets = index.targets
        self.summaries = summaries
        self._aliases = index.aliases
        self.recursive: frozenset[str] = frozenset()  # functions analysed together

    def summary(self, name: str, unit: str) -> Summary | None:
        """The summary of what a unit means by a name."""
        return self.summaries.get(self._aliases.get((unit, name), name))


class AnewView(View):
    """Without summaries: a callee is analysed anew at every call, down to a few levels. Only there
    to show what summaries save."""

    def __init__(
        self,
        index: Index,
        summaries: dict[str, Summary],
        functions: dict[str, Function],
        depth: int = 0,
    ) -> None:
        super().__init__(index, summaries)
        self._index, self._functions, self._depth = index, functions, depth

    def summary(self, name: str, unit: str) -> Summary | None:
        """Analyse the callee again."""
        function = self._functions.get(self._aliases.get((unit, name), name))
        if function is None or self._depth >= MAX_ANEW or name not in self.summaries:
            return super().summary(name, unit)
        below = AnewView(self._index, self.summaries, self._functions, self._depth + 1)
        return analyse_function(function, below).summary


@dataclass(slots=True)
class Answer:
    """What the analysis of one function gave."""

    summary: Summary
    losses: list[Loss]
    misuses: list[Loss]
    limited: bool


def callees(function: Function, index: Index) -> set[str]:
    """All functions a function may call."""
    found = {index.aliases.get((function.unit, name), name) for name in function.callees}
    for each in function.indirect:
        member, _, signature = each.partition("|")
        targets = index.targets(member, signature)
        if len(targets) <= 24:
            found.update(targets)
    return found


def groups_in_order(functions: dict[str, Function], index: Index) -> list[list[str]]:
    """Functions to analyse together, callees first.

    Calls through pointers tie large parts of a program into one knot. A knot is cut: first its
    indirect calls, then, if direct calls alone still make one, it is taken function by function.
    A call to a function whose summary is not there yet may do anything.
    """
    edges = {name: callees(function, index) for name, function in functions.items()}
    found: list[list[str]] = []
    for group in components(edges):
        if len(group) <= MAX_GROUP:
            found.append(group)
            continue
        inside = set(group)
        direct = {name: functions[name].callees & inside for name in sorted(group)}
        for part in components(direct):
            if len(part) <= MAX_GROUP:
                found.append(part)
            else:
                found.extend([name] for name in part)
    return found


def analyse_component(
    functions: list[Function],
    index: Index,
    summaries: dict[str, Summary],
    anew: dict[str, Function] | None = None,
) -> dict[str, Answer]:
    """Analyse functions that call each other until their summaries stay the same."""
    names = {function.name for function in functions}
    kept = dict(summaries)
    view = View(index, kept) if anew is None else AnewView(index, kept, anew)
    recursive = len(functions) > 1 or any(
        callees(function, index) & names for function in functions
    )
    if recursive:
        view.recursive = frozenset(names)
    for function in functions:
        view.summaries.pop(function.name, None)
        if recursive:  # the least fixpoint: a call that never returned yet
            view.summaries[function.name] = Summary(function.name, len(function.parameters))
    answers: dict[str, Answer] = {}
    shapes: dict[str, object] = {}
    for number in range(MAX_ROUNDS + 1):
        stable = True
        for function in functions:
            answers[function.name] = analyse_function(function, view)
            summary = answers[function.name].summary
            if recursive and shapes.get(function.name) != shape(summary):
                stable = False
                if number == MAX_ROUNDS - 1:
                    summary = unknown_summary(function.name, len(function.parameters))
                shapes[function.name] = shape(summary)
            if recursive:
                view.summaries[function.name] = closed(summary)
        if stable or not recursive:
            break
    return answers


def analyse_function(function: Function, view: View) -> Answer:
    """Analyse one function with the summaries at hand."""
    analysis = FunctionAnalysis(function, view)
    try:
        if function.count > LARGE:
            analysis.limited = True
        else:
            summary = analysis.run()
        if analysis.limited or analysis.weakened:  # blocks were let go in states too many to keep
            found = narrow(function, view)
            if not analysis.limited:
                found.summary = summary
            return _narrowed(analysis, found)
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        # A mistake of ours in one function must not cost the answers about all others; it is
        # counted among those that could not be followed, and HEAPSTORY_STRICT shows it.
        if os.environ.get("HEAPSTORY_STRICT"):
            raise
        return Answer(unknown_summary(function.name, len(function.parameters)), [], [], True)
    return Answer(
        summary, list(analysis.losses.values()), list(analysis.misuses.values()), analysis.limited
    )


def _narrowed(given_up: FunctionAnalysis, narrow: Narrow) -> Answer:
    """What is known of a function beyond its budget."""
    losses, misuses = given_up.losses | narrow.losses, given_up.misuses | narrow.misuses
    return Answer(narrow.summary, list(losses.values()), list(misuses.values()), narrow.limited)


def shape(summary: Summary) -> object:
    """What must stay the same for a recursive summary to be final. New cells are named in the
    order in which they are met, not as this analysis happened to name them."""
    rows = []
    for outcome in summary.outcomes:
        state = State()
        state.cells, state.env = outcome.cells, {RESULT: outcome.result}
        key, order = canonical_key(state)
        names = {identity: number for number, identity in enumerate(order)}
        outer = [
            (identity, cell.freed is not None, cell.escaped, cell.deep, cell.null,
             sorted(map(str, cell.same)), _members(cell, names))
            for identity, cell in sorted(outcome.cells.items(), key=lambda item: str(item[0]))
            if type(identity) is str
        ]  # fmt: skip
        new = [_members(outcome.cells[identity], names) for identity in order]
        rows.append(str((key, outer, new, _kind_of(outcome.result, names))))
    return summary.unknown, sorted(rows)


def _members(cell: Cell, names: dict[CellId, int]) -> list[tuple[int, str]]:
    return sorted((o, _kind_of(v, names)) for o, v in cell.fields.items() if type(o) is int)


def _kind_of(value: Value, names: dict[CellId, int]) -> str:
    if type(value) is not tuple:
        return type(value).__name__
    return str(names.get(value[0], value[0])) + str(value[1] if type(value[1]) is int else "x")


def fingerprint(summary: Summary) -> str:
    """A digest of everything in a summary that can show in an answer about a caller."""
    places = []
    for outcome in summary.outcomes:
        for cell in outcome.cells.values():
            writes = sorted((o, w) for o, w in cell.writes.items() if type(o) is int)
            places.append(repr((cell.site, cell.freed, writes)))
        places.append(str(sorted(repr(fact) for fact in outcome.facts.values())))
    text = repr((shape(summary), sorted(places), sorted(summary.touched), summary.returns_new))
    return sha256(text.encode()).hexdigest()[:32]
