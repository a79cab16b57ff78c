"""Functions beyond their budget: each block they make is followed on its own.

What multiplies states is that every block may be held, freed or null, each independently of the
others. So the function is first analysed without following any of them, which gives its effects
on the caller and the states before every statement that makes memory; from there, one such
statement at a time, only what it makes is followed, until it has ended. What is not seen is what
ties two blocks together.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from heapstory.cfront.program import Block, Function, Statement
from heapstory.static import rules
from heapstory.static.canonical import COARSEST
from heapstory.static.interpreter import FunctionAnalysis, Loss, ProgramView
from heapstory.static.reducing import collect
from heapstory.static.state import OPAQUE, State
from heapstory.static.summary import Summary

MAX_STATES = 1  # kept before every statement that makes memory


@dataclass(slots=True)
class Narrow:
    """The answers of all the narrow analyses of a function."""

    summary: Summary
    losses: dict[tuple[object, ...], Loss] = field(default_factory=dict)
    misuses: dict[tuple[object, ...], Loss] = field(default_factory=dict)
    limited: bool = False


def narrow(function: Function, program: ProgramView) -> Narrow:
    """What the function does to its caller, then what becomes of each block it makes."""
    nothing = _Nothing(function, program)
    found = Narrow(nothing.run(), limited=nothing.limited)
    spent = 0
    for (label, index), states in nothing.makers.items():
        if spent > nothing.budget:
            found.limited = True
            break
        one = _One(function, program)
        one.name_cells_after(nothing)
        one.follow(function.blocks[label], index, states)
        spent += one.work
        found.losses |= one.losses
        found.misuses |= one.misuses
        found.limited |= one.limited
    return found


class _Nothing(FunctionAnalysis):
    """Follows no memory that the function makes."""

    narrow = True
    coarse = COARSEST
    patience = 2

    def __init__(self, function: Function, program: ProgramView) -> None:
        super().__init__(function, program)
        # The last states before statements that make memory, by block and number.
        self.makers: dict[tuple[str, int], list[State]] = {}
        self._states: list[State] = []
        self._made = 0

    def _before_call(self, statement: Statement, states: list[State]) -> None:
        self._states, self._made = [state.copy() for state in states], self._cells

    def _after_call(self, block: Block, index: int, states: list[State]) -> None:
        if self._cells > self._made:
            kept = self.makers.setdefault((block.label, index), [])
            sure = [state for state in self._states if not state.guessed()]
            kept[:] = [*kept, *(sure or self._states)][-MAX_STATES:]
            self._look_away(states)

    def _look_away(self, states: list[State]) -> None:
        for identity in range(self._made + 1, self._cells + 1):
            for state in states:
                if identity in state.cells:
                    rules.escape(state, (identity, 0))


class _One(_Nothing):
    """Follows what one execution of one statement makes."""

    def follow(self, block: Block, index: int, states: list[State]) -> None:
        """Follow it from the states before the statement on."""
        for state in states:
            self._followed = True
            self._block(block, _bare(state), index)
            self._work_off()
        for loss in self.losses.values():
            # What becomes of an element depends on those before it, which are not followed.
            loss.guessed |= self.doubts.element(loss.identity)

    def _after_call(self, block: Block, index: int, states: list[State]) -> None:
        if self._followed:
            self._followed = False
        else:
            self._look_away(states)

    def _enter(self, origin: Block, label: str, state: State) -> None:
        if any(cell.tracked for cell in state.cells.values()):
            super()._enter(origin, label, state)


def _bare(state: State) -> State:
    """The state without what is known of memory that others can change."""
    bare = state.copy()
    for identity, cell in state.cells.items():
        if (cell.escaped or cell.kind == OPAQUE) and cell.fields:
            bare.change(identity).fields = {}
    collect(bare)
    return bare
