"""Functions beyond their budget: each allocation is followed on its own.

What multiplies states is that every block may be held, freed or null, each independently of the
others. So the function is first analysed without following any of them, which gives its effects
on the caller and the states before every statement that makes memory; from there, one such
statement at a time, only what it makes is followed, until it has ended. What is not seen is what
ties two blocks together. A block that is the result, wherever the function ends with it, is told to
callers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from heapstory.cfront.program import Block, Function
from heapstory.static.function.fixpoint import Attention, Fixpoint
from heapstory.static.heap.canonical import COARSEST
from heapstory.static.heap.doubt import Doubt
from heapstory.static.heap.escaping import escape
from heapstory.static.heap.names import Named
from heapstory.static.heap.reducing import collect
from heapstory.static.heap.state import OPAQUE, Cell, Site, State
from heapstory.static.heap.values import CellId, Pointer, Value
from heapstory.static.summaries.making import add_rows
from heapstory.static.summaries.summary import Summary
from heapstory.static.transfer.frame import Frame, ProgramView
from heapstory.static.transfer.losses import Loss, LossKey

MAX_STATES = 1  # kept before every statement that makes memory


@dataclass(slots=True)
class OneByOne:
    """What following each allocation on its own gave."""

    summary: Summary
    losses: dict[LossKey, Loss] = field(default_factory=dict)
    misuses: dict[LossKey, Loss] = field(default_factory=dict)
    handed: set[tuple[str, Site]] = field(default_factory=set)
    limited: bool = False


def follow_one_by_one(function: Function, program: ProgramView) -> OneByOne:
    """What the function does to its caller, then what becomes of each block it makes."""
    nothing = NoAllocation()
    before = Fixpoint(function, program, nothing)
    found = OneByOne(before.run(), limited=before.limited)
    spent = 0
    returned: dict[Site | None, Cell] = {}
    for (label, index), states in nothing.makers.items():
        if spent > before.budget:
            found.limited = True
            break
        one = OneAllocation()
        analysis = Fixpoint(function, program, one)
        analysis.frame.watches_elements = True
        analysis.frame.cells = before.frame.cells  # those cells keep their names
        for state in states:
            one.begin()
            analysis.block(function.blocks[label], _bare(state), index)
            analysis.work_off()
        spent += analysis.frame.work
        found.losses |= analysis.frame.losses
        found.misuses |= analysis.frame.misuses
        found.handed |= analysis.frame.handed
        found.limited |= analysis.limited
        if not analysis.limited:
            _note_returned(analysis.returns, returned)
    if not found.summary.unknown:
        add_rows(found.summary, list(returned.values()))
    return found


def _note_returned(
    returns: list[tuple[State, Value | None]], returned: dict[Site | None, Cell]
) -> None:
    """The blocks that are the result, and nobody else has, wherever the function ends with them."""
    for state, result in returns:
        for identity, cell in state.cells.items():
            if cell.tracked:
                alone = isinstance(result, Pointer) and result == Pointer(identity, 0)
                if not alone or _kept_by_caller(state, identity):
                    return
    for state, result in returns:
        made = state.cells.get(result.cell) if isinstance(result, Pointer) else None
        if made is not None and made.tracked and not made.summary:
            returned.setdefault(made.site, made)


def _kept_by_caller(state: State, identity: CellId) -> bool:
    outer = [Pointer(i, 0) for i in state.cells if isinstance(i, Named)]
    return identity in state.reachable(outer)


class NoAllocation(Attention):
    """Follows no memory that the function makes."""

    grain = COARSEST
    patience = 2
    hurried = False
    watches_calls = True

    def __init__(self) -> None:
        # The last states before statements that make memory, by block and number.
        self.makers: dict[tuple[str, int], list[State]] = {}
        self._states: list[State] = []
        self._made = 0

    def before_call(self, states: list[State]) -> None:
        self._states = [state.copy() for state in states]
        self._made = self.frame.cells

    def after_call(self, block: Block, index: int, states: list[State]) -> None:
        if self.frame.cells == self._made:
            return
        kept = self.makers.setdefault((block.label, index), [])
        sure = [state for state in self._states if not state.doubted(Doubt.NULL_UNASKED)]
        kept[:] = [*kept, *(sure or self._states)][-MAX_STATES:]
        look_away(self.frame, self._made, states)


class OneAllocation(Attention):
    """Follows what one execution of one statement makes."""

    grain = COARSEST
    patience = 2
    hurried = False
    watches_calls = True

    def __init__(self) -> None:
        self._made = 0
        self._first = True  # the next call makes what is followed

    def begin(self) -> None:
        """The next call makes what is followed."""
        self._first = True

    def before_call(self, states: list[State]) -> None:
        self._made = self.frame.cells

    def after_call(self, block: Block, index: int, states: list[State]) -> None:
        if not self._first:
            look_away(self.frame, self._made, states)
        self._first = False

    def worth_following(self, state: State) -> bool:
        return any(cell.tracked for cell in state.cells.values())


def look_away(frame: Frame, before: int, states: list[State]) -> None:
    """Cells made since then are not followed."""
    for identity in range(before + 1, frame.cells + 1):
        for state in states:
            if identity in state.cells:
                escape(state, Pointer(identity, 0))


def _bare(state: State) -> State:
    """The state without what is known of memory that others can change."""
    bare = state.copy()
    for identity, cell in state.cells.items():
        if (cell.escaped or cell.kind == OPAQUE) and cell.fields:
            bare.change(identity).fields = {}
    collect(bare)
    return bare
