"""The fixpoint over one function: a worklist of blocks, all states of a block in step."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Final

from heapstory.cfront import program as op
from heapstory.cfront.program import Block, Function, Place, Statement, Terminator
from heapstory.static.function.frame import FunctionFrame
from heapstory.static.function.points import Points
from heapstory.static.function.questions import asks_if_set
from heapstory.static.heap.canonical import FINE, Key
from heapstory.static.heap.conditions import assume, assume_equal, compare, is_null
from heapstory.static.heap.doubt import Doubt
from heapstory.static.heap.names import Named, parameter, slot
from heapstory.static.heap.reducing import fold, prune
from heapstory.static.heap.state import GLOBAL, HEAP, PRE, STACK, Cell, State
from heapstory.static.heap.values import (
    ANYWHERE,
    CellId,
    Comparison,
    Offset,
    Pointer,
    Symbol,
    Value,
    known,
)
from heapstory.static.summaries.making import summarise_returns
from heapstory.static.summaries.summary import Summary, unknown_summary
from heapstory.static.transfer import rules
from heapstory.static.transfer.calls import UNASKED
from heapstory.static.transfer.frame import ProgramView
from heapstory.static.transfer.losses import LOCAL_LOST, Suspects
from heapstory.static.transfer.rules import Infeasible
from heapstory.static.transfer.statements import HANDLERS

FEW_STATES: Final = 3  # in the middle of a block; beyond it they are joined
MANY_CASES: Final = 16  # of a switch; beyond it the default learns nothing from them
# Visits of blocks in one function before it is given up: a part for every function, a part for
# every block of it.
BASE_VISITS, BLOCK_VISITS = 1_000, 6
# Statements executed and rows applied in one function before each of its allocations is followed
# on its own: a part for every function, a part for every statement of it.
BASE_WORK, STATEMENT_WORK, MAX_WORK = 2_000, 6, 12_000
PATIENT_SHARE: Final = 3  # the part of the budget (a third) after which progress is looked at
# Called after every statement, for those who want to see the states.
Watch = Callable[[str, int, Statement, list[State]], None]


class Attention:
    """Which of the memory that a function makes is followed: all of it. Others follow less."""

    grain = FINE  # how finely states are told apart from the start
    patience = 1  # how often the usual budget of work may be spent
    hurried = True  # give up as soon as the budget will not do
    watches_calls = False
    frame: FunctionFrame  # of the function, given by the fixpoint

    def before_call(self, states: list[State]) -> None:
        """Some states are about to meet a call."""

    def after_call(self, block: Block, index: int, states: list[State]) -> None:
        """The states after the call."""

    def worth_following(self, state: State) -> bool:
        """Whether a state is followed into the next block."""
        return True


class Fixpoint:
    """Analyses one function. ``frame`` holds the losses that were found; ``limited`` says that not
    all of it was seen."""

    def __init__(
        self, function: Function, program: ProgramView, attention: Attention | None = None
    ) -> None:
        self.frame = FunctionFrame(function, program)
        self.function = function
        self.limited = False
        self.watch: Watch | None = None
        self._attention = attention or Attention()
        usual = min(BASE_WORK + STATEMENT_WORK * function.count, MAX_WORK)
        self.budget = self._attention.patience * usual
        self._attention.frame = self.frame
        self._points = Points(self.frame, self._attention.grain)
        self._numbers: dict[int, Symbol] = {}
        self.returns: list[tuple[State, Value | None]] = []  # the states at the ends of ways
        self._queue: list[tuple[int, int, str, Key | None, State | None]] = []
        self._sequence = 0
        self._reached: set[str] = set()
        self._numbers_at: dict[str, dict[tuple[Named, Offset], int]] = {}
        self._asks_if_set: dict[str, bool] = {}

    # --- the worklist

    def run(self) -> Summary:
        """Analyse the function to its fixpoint."""
        self._push(self.function.entry, None, self._entry_state())
        self.work_off()
        return self._summarise()

    def work_off(self) -> None:
        """Follow all states that wait."""
        visits, most = 0, BASE_VISITS + BLOCK_VISITS * len(self.function.blocks)
        while self._queue:
            visits += 1
            if visits > most or self.frame.work > self.budget or self._hopeless():
                self.limited = True
                break
            _, _, label, key, state = heapq.heappop(self._queue)
            self._reached.add(label)
            if state is None and key is not None:
                state = self._points.take(label, key)
            if state is not None:
                self.block(self.function.blocks[label], state)
        self.limited = self.limited or self._points.crowded
        self.frame.sift()

    def _hopeless(self) -> bool:
        """Whether the budget will be spent before all blocks were reached, as far as can be told
        after a third of it."""
        work = self.frame.work
        if not self._attention.hurried or PATIENT_SHARE * work < self.budget:
            return False
        return len(self._reached) * self.budget < len(self.function.blocks) * work

    def _entry_state(self) -> State:
        state = State()
        for number, (register, pointer) in enumerate(self.function.parameters):
            if pointer:
                state.cells[parameter(number)] = Cell(PRE)
                state.env[register] = Pointer(parameter(number), 0)
            else:
                symbol = self.frame.parameter_symbol(number)
                self._numbers[number] = symbol
                state.env[register] = symbol
        for name in self.function.stack:
            state.cells[slot(name)] = Cell(STACK)
        return state

    def _push(self, label: str, key: Key | None, state: State | None) -> None:
        self._sequence += 1
        order = self.function.order[label]
        heapq.heappush(self._queue, (order, self._sequence, label, key, state))

    def _summarise(self) -> Summary:
        function = self.function
        if self.limited:
            return unknown_summary(function.name, len(function.parameters))
        return summarise_returns(
            function.name,
            len(function.parameters),
            function.variadic,
            self.returns,
            self._numbers,
            function.name in self.frame.program.recursive,
        )

    # --- one block

    def block(self, block: Block, state: State, first: int = 0) -> None:
        """All states go through the block in step, so that those that become alike are joined."""
        states = [state]
        frame = self.frame
        frame.at = block.label
        deaths = block.deaths
        for index in range(first, len(block.statements)):
            statement = block.statements[index]
            frame.work += len(states)
            if frame.work > self.budget:
                return
            after, split = self._statement(block, index, statement, states)
            if index in deaths:
                for each in after:
                    rules.forget(frame, each, deaths[index], statement[1])
            if self.watch is not None:
                self.watch(block.label, index, statement, after)
            if split:
                if not after:
                    return
                if len(after) > FEW_STATES:
                    after = self._points.unite(after)
            states = after
        for each in states:
            self._leave(block, each)

    def _statement(
        self, block: Block, index: int, statement: Statement, states: list[State]
    ) -> tuple[list[State], bool]:
        """The states after a statement, and whether they are others than before."""
        handler = HANDLERS[statement[0]]
        if statement[1] is not None:
            self.frame.last = statement[1]
        watched = self._attention.watches_calls and statement[0] == op.CALL
        if watched:
            self._attention.before_call(states)
        split = False
        after: list[State] = []
        for each in states:
            try:
                made = handler(self.frame, each, statement)
            except Infeasible:
                split = True
                continue
            if made is None:
                after.append(each)
            else:
                after.extend(made)
                split = True
        if watched:
            self._attention.after_call(block, index, after)
        return after, split

    def _leave(self, block: Block, state: State) -> None:
        terminator = block.terminator
        kind = terminator[0]
        if kind == op.JUMP:
            self._enter(block, terminator[2], state)
        elif kind == op.BRANCH:
            self._branch(block, state, terminator)
        elif kind == op.SWITCH:
            self._switch(block, state, terminator)
        elif kind == op.RETURN:
            self._return(state, terminator)

    def _branch(self, block: Block, state: State, terminator: Terminator) -> None:
        _, place, operand, yes, no = terminator
        condition = self.frame.value(state, operand)
        if isinstance(condition, int):
            self._enter(block, yes if condition else no, state)
            return
        if isinstance(condition, Comparison) and isinstance(condition.left, Symbol):
            self.frame.doubts.asked.add(condition.left)
        guess = self._null_is_guess(block, state, condition)
        other = state.copy()
        if assume(state, condition, True):
            _note_branch(state, place, self.function.said(terminator, True), True, guess == "eq")
            self._enter(block, yes, state)
        if assume(other, condition, False):
            _note_branch(other, place, self.function.said(terminator, False), False, guess == "ne")
            self._enter(block, no, other)

    def _null_is_guess(self, block: Block, state: State, condition: Value) -> str:
        """The predicate of a branch that asks whether a variable was set, where it was: that what
        it was set to is null, and nobody asked for that, is a guess. Else nothing."""
        if not isinstance(condition, Comparison) or condition.right != 0:
            return ""
        pointer = condition.left
        if not isinstance(pointer, Pointer) or not isinstance(pointer.cell, Named):
            return ""
        if is_null(state, pointer) is not None:
            return ""
        if block.label not in self._asks_if_set:
            self._asks_if_set[block.label] = asks_if_set(self.function, block)
        return condition.predicate if self._asks_if_set[block.label] else ""

    def _switch(self, block: Block, state: State, terminator: Terminator) -> None:
        _, place, operand, default, cases = terminator
        value = self.frame.value(state, operand)
        if isinstance(value, int):
            label = next((label for number, label in cases if number == value), default)
            self._enter(block, label, state)
            return
        rest = state.copy()
        possible = True
        for number, label in cases:
            taken = state.copy()
            if assume_equal(taken, value, number):
                taken.note(place, "", number)
                self._enter(block, label, taken)
            if possible and len(cases) <= MANY_CASES:
                possible = assume(rest, compare(rest, "ne", value, number), True)
        if possible:
            rest.note(place, "default", None)
            self._enter(block, default, rest)

    def _ends(self, block: Block) -> bool:
        """Whether the program ends after a block, before another way joins in."""
        while block.terminator[0] == op.JUMP and not block.joins:
            block = self.function.blocks[block.terminator[2]]
        return block.terminator[0] == op.DEAD and not block.joins

    def _enter(self, origin: Block, label: str, state: State) -> None:
        block = self.function.blocks[label]
        followed = self._attention.worth_following(state)
        if self.frame.failing and (block.joins or not (followed or self._ends(block))):
            self.frame.goes_on(state)
        if not followed:
            return
        if block.phis:
            self._hand_on(origin, block, state)
        if not block.joins:
            self._push(label, None, state)
            return
        if block.terminator[0] == op.RETURN and self._returns_value(origin):
            state.note_return(origin.terminator[1])
        prune(state, block.live)
        if block.loops:
            back = self.function.order[origin.label] >= self.function.order[label]
            self._count_unknown(block, state, back)
            fold(state)
        for key in self._points.merge(block, state):
            self._push(label, key, None)

    def _hand_on(self, origin: Block, block: Block, state: State) -> None:
        values = [
            (name, self.frame.value(state, sources.get(origin.label)))
            for name, sources in block.phis
        ]
        for _, sources in block.phis:  # a temporary ends where it is handed on
            source = sources.get(origin.label)
            if not isinstance(source, str):
                continue
            if source not in block.live and source not in self.function.variables:
                state.env.pop(source, None)
        for name, value in values:
            state.env[name] = value

    def _returns_value(self, origin: Block) -> bool:
        """Whether a block ends in ``return value;``: it fills the slot of the result and goes to
        the common exit."""
        if origin.terminator[0] != op.JUMP or not origin.statements:
            return False
        last = origin.statements[-1]
        return last[0] == op.ASSIGN and not self.function.variables.get(last[2])

    def _count_unknown(self, block: Block, state: State, back: bool) -> None:
        """Numbers that a loop changes are symbols from the start: its rounds are all alike, so
        that an array filled by one loop and freed by another is understood."""
        env = state.env
        for name in block.changes:
            value = env.get(name)
            if isinstance(value, int):
                symbol = env[name] = Symbol()
                state.facts[symbol] = known(value)
            elif isinstance(value, Pointer) and name in block.steps:
                env[name] = Pointer(value.cell, ANYWHERE)
        first = self._numbers_at.setdefault(block.label, {})
        for identity, cell in list(state.cells.items()):
            if isinstance(identity, Named):
                _count_members(first, state, identity, cell, back)

    # --- the end of a way

    def _return(self, state: State, terminator: Terminator) -> None:
        """The end of a way."""
        _, place, operand = terminator
        self._tell_apart(
            state, None if operand is None else self.frame.value(state, operand), place
        )

    def _tell_apart(self, state: State, result: Value | None, place: Place | None) -> None:
        """``return p != NULL`` of new memory, or ``*ok = p != NULL``, is the end of two ways;
        ``return IS_ERR(p)`` of three: an error, null and memory."""
        asked = _asked_by_caller(state, result)
        if asked is None:
            self._end(state, result, place)
            return
        for way, answer in ((state.copy(), True), (state, False)):
            if not assume(way, asked, answer):
                continue
            _settle(way, asked, int(answer))
            for each in _null_or_not(way, asked.left):
                self._tell_apart(each, int(answer) if result == asked else result, place)

    def _names(self, state: State) -> dict[CellId, str]:
        """What the source calls the cells that variables lead to."""
        names: dict[CellId, str] = {}
        for variable, value in state.env.items():
            if isinstance(value, Pointer):
                names.setdefault(value.cell, self.function.variables.get(variable, ""))
        for name, (_, said) in self.function.stack.items():  # those whose address is taken
            cell = state.cells.get(slot(name))
            for value in cell.fields.values() if cell is not None else ():
                if isinstance(value, Pointer) and not names.get(value.cell):
                    names[value.cell] = said
        return names

    def _end(self, state: State, result: Value | None, place: Place | None) -> None:
        """Rule 1 for every local: only the result, the caller's cells and globals are kept."""
        keep: list[Value] = [] if result is None else [result]
        for identity, cell in state.cells.items():
            if cell.kind in (PRE, GLOBAL) or (cell.escaped and cell.kind == HEAP):
                keep.append(Pointer(identity, 0))
        alive = state.reachable(keep)
        suspects: Suspects = {}
        names = self._names(state)
        where = _return_place(state, place)
        for identity, cell in state.cells.items():
            if cell.tracked and identity not in alive:
                suspects[identity] = (LOCAL_LOST, where, names.get(identity) or "")
        if suspects:
            rules.report_unreachable(self.frame, state, alive, suspects)
        if self.frame.failing:  # perhaps only since these losses
            self.frame.goes_on(state)
        self.returns.append((state, result))


def _note_branch(state: State, place: Place | None, said: str, taken: bool, guess: bool) -> None:
    doubt = Doubt.NULL_UNASKED if guess else None
    state.note(place, UNASKED if guess else said, taken, doubt)


def _count_members(
    first: dict[tuple[Named, Offset], int], state: State, identity: Named, cell: Cell, back: bool
) -> None:
    for offset, value in list(cell.fields.items()):
        if not isinstance(value, int):
            continue
        if not back:
            first.setdefault((identity, offset), value)
        elif first.get((identity, offset)) != value:
            symbol = state.change(identity).fields[offset] = Symbol()
            state.facts[symbol] = known(value)


def _return_place(state: State, place: Place | None) -> Place | None:
    """The return statement: the common exit block has the line of the closing brace."""
    if state.trace is not None and state.trace.step.returns:
        return state.trace.step.place
    return place


def _asked_by_caller(state: State, result: Value | None) -> Comparison | None:
    """A comparison that the caller will see, and that asks if new memory was had, or if what the
    caller passed is an error."""
    if isinstance(result, Comparison) and _asks_for_memory(state, result):
        return result
    for cell in state.cells.values():
        if cell.kind in (PRE, GLOBAL):
            for value in cell.fields.values():
                if isinstance(value, Comparison) and _asks_for_memory(state, value):
                    return value
    return None


def _asks_for_memory(state: State, asked: Comparison) -> bool:
    pointer = asked.left
    if not isinstance(pointer, Pointer) or not isinstance(asked.right, int):
        return False
    cell = state.cells.get(pointer.cell)
    return cell is not None and cell.kind == (HEAP if asked.right == 0 else PRE)


def _null_or_not(state: State, pointer: Value) -> list[State]:
    """A pointer of the caller is null on one way, and not on another, unless it is known."""
    held = state.cells.get(pointer.cell) if isinstance(pointer, Pointer) else None
    if held is None or held.kind != PRE or held.null != 0:
        return [state]
    null = state.copy()
    return [way for way, answer in ((null, False), (state, True)) if assume(way, pointer, answer)]


def _settle(state: State, asked: Comparison, answer: int) -> None:
    """Members that hold a comparison hold its answer."""
    for identity, cell in list(state.cells.items()):
        for offset, value in list(cell.fields.items()):
            if value == asked:
                state.change(identity).fields[offset] = answer
