"""Where the analysis of a function knows that it is guessing (see ``Doubt``).

* A callee hands out memory and returns what it also returns where it made none: a caller takes
  that for failure and does not expect any. It is no guess where the callee cleans up on this way:
  it releases members that it fills on others.
* A callee goes the way of a null pointer, and only the callee asked whether it is null.
* A constructor makes a member on some ways only, by something its caller cannot tell.
* A callee puts new memory into a member after having looked at it, or having found a number beside
  it to be 0: it has made sure of the old.
* A number that came with the memory (a length, a count) is found to be 0: whoever made both knows
  that there is no memory then.
* A loop keeps the cell in another one, itself or by a callee; how often loops run is not known,
  least of all whether they run at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from heapstory.cfront.liveness import reaches
from heapstory.cfront.program import Function
from heapstory.static.heap.conditions import fact_of
from heapstory.static.heap.doubt import Doubt
from heapstory.static.heap.names import Named
from heapstory.static.heap.state import HEAP, WHOLE, State
from heapstory.static.heap.values import CellId, Fact, Offset, Pointer, Symbol, Value
from heapstory.static.summaries.applied import Applied
from heapstory.static.summaries.summary import Row, Summary
from heapstory.static.transfer import rules
from heapstory.static.transfer.losses import FIELD_LOST

Member = tuple[CellId, Offset]
Result = tuple[Row, bool, Fact]  # a row, whether it makes memory, and what it returns


@dataclass(slots=True)
class Doubts:
    """What one function is not sure of, by cell."""

    function: Function
    born: dict[CellId, str] = field(default_factory=dict)  # the block that made a cell
    asked: set[Symbol] = field(default_factory=set)  # numbers that branches ask for
    # Cells whose reference a callee looked at before it put new memory in its place.
    replaced: set[CellId] = field(default_factory=set)
    _linked: set[CellId] = field(default_factory=set)
    _kept: set[CellId] = field(default_factory=set)
    _sometimes: set[CellId] = field(default_factory=set)
    # The result of the call that handed a cell out, and what signs it has where it succeeds.
    _results: dict[CellId, tuple[Value, set[int]]] = field(default_factory=dict)
    # Numbers that a callee wrote where it handed a cell out: its length, a count.
    _numbers: dict[CellId, tuple[Symbol, ...]] = field(default_factory=dict)
    _loops: dict[tuple[str, str], bool] = field(default_factory=dict)

    def stored(self, cell: CellId, block: str) -> None:
        """A block puts a cell into another one."""
        self._linked.add(cell)
        born = self.born.get(cell)
        if born is not None and cell not in self._kept and self._repeats(block, born):
            self._kept.add(cell)

    def element(self, cell: CellId) -> bool:
        """Whether a loop makes cells and puts them into others: lists, tables."""
        born = self.born.get(cell)
        return born is not None and cell in self._linked and reaches(self.function, born, born)

    def kept(self, cell: CellId) -> bool:
        """Whether a loop that did not make the cell puts it into another one."""
        return cell in self._kept

    def _repeats(self, block: str, without: str) -> bool:
        """Whether a block can be reached from itself without passing another one."""
        key = (block, without)
        if key not in self._loops:
            self._loops[key] = block != without and reaches(self.function, block, block, without)
        return self._loops[key]

    def called(self, summary: Summary, rows: list[Applied]) -> None:
        """Rows of a summary were applied."""
        for row in rows:
            state, value, new = row.state, row.result, row.new
            self.asked.update(row.asked)
            returned = rules.cells_in(state, value)
            handed = [c for c in new if c not in returned]
            if not handed:
                continue
            if row.numbers:
                self._numbers.update((cell, row.numbers) for cell in handed)
            success = _success(summary, rows)
            if success and value is not None and not _cleans_up(summary, row.row):
                self._results.update((cell, (value, success)) for cell in handed)
                if isinstance(value, Symbol) and value.path is None:
                    value.path = "result"  # what is learnt of it is kept
            if returned and any(
                isinstance(other.result, Pointer) and len(other.new) < len(new) for other in rows
            ):
                self._sometimes.update(c for c in handed if not _alike(state, c, returned[0]))

    def about(self, state: State, cell: CellId, kind: str) -> set[Doubt]:
        """Why the loss of a cell is a guess, if it is."""
        found: set[Doubt] = set()
        if kind == FIELD_LOST and cell in self._sometimes:
            found.add(Doubt.SOMETIMES_MADE)
        for doubt in (Doubt.NULL_UNASKED, Doubt.FAILURE_SUPPOSED):
            if state.doubted(doubt):
                found.add(doubt)
        if cell in self.replaced:
            found.add(Doubt.LOOKED_AT)
        known = self._results.get(cell)
        if known is not None and not known[1] & _signs(fact_of(state, known[0])):
            found.add(Doubt.CALLEE_FAILED)
        empty = {number.source for number in self.asked if _empty(state, number)}
        if empty and not empty.isdisjoint(self._beside(state, cell)):
            found.add(Doubt.COUNT_ZERO)
        return found

    def _beside(self, state: State, lost: CellId) -> list[Symbol]:
        """The numbers that came with a cell, and those that lie beside a reference to it."""
        found = list(self._numbers.get(lost, ()))
        for cell in state.cells.values():
            if lost in cell.leads:
                found += cell.held
        return found


def _alike(state: State, one: CellId, other: CellId) -> bool:
    """Whether two cells are nodes of one structure."""
    sites = [state.cells[c].site for c in (one, other) if c in state.cells]
    return len(sites) == 2 and sites[0] == sites[1]


def _empty(state: State, number: Symbol) -> bool:
    """Whether a number was found to be 0, or not to be positive."""
    fact = state.facts.get(number)
    return fact is not None and fact.low <= 0 >= fact.high


def _signs(fact: Fact) -> set[int]:
    """The signs that a number can have."""
    found = {sign for sign, some in ((-1, fact.low < 0), (1, fact.high > 0)) if some}
    return found | {0} if fact.low <= 0 <= fact.high and 0 not in fact.not_in else found


def _success(summary: Summary, rows: list[Applied]) -> set[int]:
    """The signs of the results that tell success: rows that make memory return them, rows that
    make nothing do not. Rows in general are asked first, then those that this call allows; at
    last rows that perhaps make memory which is not followed are left out."""
    general = [(o, _makes(o), _result(o)) for o in summary.rows]
    here = [(row.row, bool(row.new), fact_of(row.state, row.result)) for row in rows]
    places = {place for row in summary.rows for place in _filled(row)}
    for results in (general, here, _clear(general, places), _clear(here, places)):
        failing = {sign for _, made, fact in results if not made for sign in _signs(fact)}
        making = {sign for _, made, fact in results if made for sign in _signs(fact)}
        if failing and making - failing:
            return making - failing
    return set()


def _clear(results: list[Result], places: set[Member]) -> list[Result]:
    """Rows that make memory, or write nothing where others put it."""
    return [each for each in results if each[1] or not _writes(each[0], places)]


def _makes(row: Row) -> bool:
    return any(cell.kind == HEAP for cell in row.cells.values())


def _filled(row: Row) -> list[Member]:
    """The members of the caller's cells that a row puts new memory into."""
    return [
        (identity, offset)
        for identity, cell in row.cells.items()
        if cell.kind not in (HEAP, WHOLE)
        for offset, value in cell.fields.items()
        if isinstance(value, Pointer) and isinstance(value.cell, int)
    ]


def _cleans_up(summary: Summary, row: Row) -> bool:
    """Whether a row releases what the caller has in a member that other rows fill as it is."""
    return any(
        isinstance(identity, Named)
        and isinstance(offset, int)
        and _released(row, identity, offset)
        and not _released(other, identity, offset)
        for other in summary.rows
        for identity, offset in _filled(other)
    )


def _released(row: Row, identity: Named, offset: int) -> bool:
    """Whether a row frees what a member of the caller's holds."""
    below = row.cells.get(identity.below(offset))
    return below is not None and below.freed is not None


def _writes(row: Row, places: set[Member]) -> bool:
    """Whether a row writes something there that is perhaps memory as well."""
    return any(
        (cell := row.cells.get(identity)) is not None
        and offset in cell.writes
        and cell.fields.get(offset) != 0
        for identity, offset in places
    )


def _result(row: Row) -> Fact:
    state = State()
    state.facts = row.facts
    return fact_of(state, row.result)
