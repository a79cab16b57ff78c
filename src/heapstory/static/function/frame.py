"""The frame of a function that is analysed for callers in general: its losses, and the doubts."""

from __future__ import annotations

from heapstory.cfront.liveness import reaches, read_names
from heapstory.cfront.program import Function, Place
from heapstory.static.function.doubts import Doubts
from heapstory.static.function.questions import unasked_results
from heapstory.static.heap.doubt import Doubt
from heapstory.static.heap.state import Site, State
from heapstory.static.heap.values import CellId
from heapstory.static.summaries.applied import Applied
from heapstory.static.summaries.summary import Summary
from heapstory.static.transfer.frame import Frame, ProgramView
from heapstory.static.transfer.losses import LOCAL_LOST, Container, Loss, LossKey, loss_key


class FunctionFrame(Frame):
    """``losses`` and ``misuses`` are what was found."""

    def __init__(self, function: Function, program: ProgramView) -> None:
        super().__init__(function, program)
        self.losses: dict[LossKey, Loss] = {}
        self.misuses: dict[LossKey, Loss] = {}
        self.handed: set[tuple[str, Site]] = set()  # to functions nobody has, and what
        self.doubts = Doubts(function)
        self.at = function.entry  # the block at hand
        # One cell is followed: what becomes of it once it is put among others depends on those.
        self.watches_elements = False
        self.weakened = False  # some states were merged beyond what is certain
        self._blindly: set[CellId] = set()
        # Containers of which some element is freed, and the blocks that do it.
        self._freed_in: dict[Container, set[str]] = {}
        self._names_read: set[str] | None = None
        self._unasked: frozenset[str] | None = None
        # Losses suppose that realloc fails; where it does, the function went on after these places.
        self.failing = False
        self._went_on: set[Place | None] = set()

    def new_cell(self) -> int:
        self.cells += 1
        self.doubts.born[self.cells] = self.at
        return self.cells

    def reads(self, name: str) -> bool:
        if self._names_read is None:
            self._names_read = read_names(self.function)
        return name in self._names_read

    def asks(self, register: str) -> bool:
        if self._unasked is None:
            self._unasked = unasked_results(self.function)
        return register not in self._unasked

    def not_looked_at(self, cell: CellId) -> None:
        self._blindly.add(cell)

    def replaced(self, cell: CellId) -> None:
        self.doubts.replaced.add(cell)

    def element_freed(self, container: Container) -> None:
        self._freed_in.setdefault(container, set()).add(self.at)

    def stored(self, state: State, cell: CellId) -> None:
        self.doubts.stored(cell, self.at)
        held = state.cells.get(cell) if self.watches_elements else None
        if held is not None and held.tracked and not state.doubted(Doubt.ELEMENT):
            state.note(None, "put into another block", doubt=Doubt.ELEMENT)

    def called(self, summary: Summary, rows: list[Applied]) -> None:
        self.doubts.called(summary, rows)

    def handed_on(self, function: str, site: Site) -> None:
        self.handed.add((function, site))

    def lost(self, state: State, cell: CellId, kind: str, place: Place | None, label: str) -> None:
        self._record(self.losses, state, cell, kind, place or self.last, label)

    def misuse(
        self, state: State, cell: CellId, kind: str, place: Place | None, label: str
    ) -> None:
        self._record(self.misuses, state, cell, kind, place or self.last, label)

    def _record(
        self,
        found: dict[LossKey, Loss],
        state: State,
        cell: CellId,
        kind: str,
        place: Place | None,
        label: str,
    ) -> None:
        lost = state.cells[cell]
        key = loss_key(kind, lost, place)
        doubts = self.doubts.about(state, cell, kind)
        if state.doubted(Doubt.ELEMENT) and self.doubts.element(cell):
            doubts.add(Doubt.ELEMENT)
        known = found.get(key)
        if known is not None and (doubts or not known.doubts - {Doubt.MERGED_STATES}):
            return
        if self.weakened:
            doubts.add(Doubt.MERGED_STATES)
        found[key] = Loss(
            kind, self.function.place.function, place, label, lost, state.steps(), cell,
            self.container, doubts, reaches(self.function, self.at, self.at), self.at,
            cell in self._blindly,
        )  # fmt: skip
        self.failing = self.failing or state.doubted(Doubt.REALLOC_FAILED)

    def goes_on(self, state: State) -> None:
        """A way reaches a join or its end: whoever failed on it did not end the program."""
        self._went_on |= {s.place for s in state.steps() if s.doubt is Doubt.REALLOC_FAILED}

    def _ended(self, loss: Loss) -> bool:
        """Whether the program ends where the realloc fails that a loss supposes to fail."""
        failed = {s.place for s in loss.steps if s.doubt is Doubt.REALLOC_FAILED}
        return not failed <= self._went_on

    def sift(self) -> None:
        """Take losses out that are none, now that the whole function was seen: where the program
        ends, and of elements of a container whose elements are freed somewhere before."""
        self.losses = {
            key: loss
            for key, loss in self.losses.items()
            if not self._ended(loss)
            and not any(
                reaches(self.function, freed, loss.block)
                for freed in self._freed_in.get(loss.container, ())
            )
        }
        for loss in self.losses.values():
            if self.watches_elements and self.doubts.element(loss.identity):
                loose = loss.kind == LOCAL_LOST
                loss.doubts.add(Doubt.LOOSE_ELEMENT if loose else Doubt.ELEMENT)
            if loss.kind == LOCAL_LOST and self.doubts.kept(loss.identity):
                loss.doubts.add(Doubt.KEPT_BY_LOOP)
