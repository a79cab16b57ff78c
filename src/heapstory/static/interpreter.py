"""The fixpoint over one function: a worklist of blocks, a bounded set of states at each join."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from heapstory.cfront import program as op
from heapstory.cfront.liveness import reaches, read_names
from heapstory.cfront.program import Block, Function, Operand, Place, Statement
from heapstory.static import rules
from heapstory.static.canonical import COARSEST, FINE, Key, canonical_key, null_parameters
from heapstory.static.conditions import assume, assume_equal, compare, is_null
from heapstory.static.doubts import Doubts
from heapstory.static.joining import Effects, Join
from heapstory.static.models import Models
from heapstory.static.questions import asked_again, asks_if_set
from heapstory.static.reducing import drop_dead, fold, prune
from heapstory.static.rules import LOCAL_LOST, Infeasible
from heapstory.static.state import GLOBAL, HEAP, PRE, STACK, UNASKED, Cell, State, Step
from heapstory.static.statements import HANDLERS
from heapstory.static.summary import Summary, summarise_returns, unknown_summary
from heapstory.static.values import ANYWHERE, CellId, Comparison, Symbol, Value, known

MAX_STATES: Final = 16  # at one join; beyond it states are weakened
FEW_STATES: Final = 3  # in the middle of a block; beyond it they are joined
MANY_STATES: Final = 4  # at one join; beyond it the caller's cells are not told apart
VERY_MANY_STATES: Final = 8  # beyond it, nor is what was done to them
# Visits of blocks in one function before it is given up: a part for every function, a part for
# every block of it.
BASE_VISITS, BLOCK_VISITS = 1_000, 6
# Statements executed and rows applied in one function before it is analysed narrowly: a part for
# every function, a part for every statement of it.
BASE_WORK, STATEMENT_WORK, MAX_WORK = 2_000, 6, 12_000
PATIENT_SHARE: Final = 3  # the part of the budget (a third) after which progress is looked at
WIDEN_AFTER: Final = 3
SMALL: Final = 200  # statements of a function that can afford more states


class ProgramView(Protocol):
    """What the analysis of a function needs of the rest of the program."""

    models: Models
    recursive: frozenset[str]  # functions that call each other, this one included

    def table(self, pointer: tuple[str, int]) -> str | None: ...

    def private(self, name: str) -> bool: ...

    def targets(self, member: str, signature: str) -> list[str]: ...

    def summary(self, name: str, unit: str) -> Summary | None: ...


@dataclass(slots=True)
class Loss:
    """A cell that was lost, as the interpreter saw it."""

    kind: str
    function: str
    place: Place | None
    label: str
    cell: Cell
    steps: list[Step]
    container: Any
    weakened: bool  # some states were merged beyond what is certain
    looped: bool = False  # it happens in a loop, where rounds are alike
    guessed: bool = False  # the analysis knows that it is guessing
    identity: CellId = None  # the cell's, in the function
    block: str = ""  # the block of the loss
    blindly: bool = False  # a callee overwrote the reference without having looked at it


class _Point:
    __slots__ = ("order", "queued", "state", "visits")

    def __init__(self, state: State, order: list[CellId]) -> None:
        self.state, self.order = state, order
        self.visits = 0
        self.queued = True


class FunctionAnalysis:
    """Analyses one function; ``losses`` and ``summary`` are the answers."""

    narrow = False  # a subclass follows part of the memory only
    coarse = FINE  # how finely states are told apart from the start
    patience = 1  # how often the usual budget of work may be spent

    def __init__(self, function: Function, program: ProgramView) -> None:
        self.function, self.program = function, program
        self.losses: dict[tuple[object, ...], Loss] = {}
        self.misuses: dict[tuple[object, ...], Loss] = {}
        self.limited = False
        self.work = 0
        usual = min(BASE_WORK + STATEMENT_WORK * function.count, MAX_WORK)
        self.budget = self.patience * usual
        self.container: object = None
        self.elements_freed: dict[object, set[str]] = {}
        self.weakened = False
        # Called after every statement, for those who want to see the states.
        self.watch: Callable[[str, int, Statement, list[State]], None] | None = None
        self._at = function.entry
        self.doubts = Doubts(function)
        self._blindly: set[CellId] = set()
        self._cells = 0
        self._symbols: dict[str, Symbol] = {}
        self._numbers: dict[int, Symbol] = {}
        self._returns: list[tuple[State, Value]] = []
        self._points: dict[str, dict[Key, _Point]] = {}
        self._queue: list[tuple[int, int, str, Key | None, State | None]] = []
        self._sequence = 0
        self._reached: set[str] = set()
        self._grain: dict[str, int] = {}
        self._effects: dict[str, Effects] = {}
        self._numbers_at: dict[str, dict[object, int]] = {}
        self._last: Place | None = None
        self._names_read: set[str] | None = None
        self._asked_again = asked_again(function) if function.count > SMALL else ()
        self._asks_if_set: dict[str, bool] = {}

    # --- what the rules ask for (Frame)

    def new_cell(self) -> int:
        """A name for a new cell."""
        self._cells += 1
        self.doubts.born[self._cells] = self._at
        return self._cells

    def name_cells_after(self, other: FunctionAnalysis) -> None:
        """Go on from another analysis' states: its cells keep their names."""
        self._cells = other._cells

    def not_looked_at(self, cell: CellId) -> None:
        """A callee overwrites the reference to a cell without having looked at it."""
        self._blindly.add(cell)

    def replaced(self, cell: CellId) -> None:
        """A callee looked at the reference to a cell and put new memory in its place."""
        self.doubts.replaced.add(cell)

    def element_freed(self, container: object) -> None:
        """An element of a container was freed, nobody knows which."""
        self.elements_freed.setdefault(container, set()).add(self._at)

    def stored(self, cell: CellId) -> None:
        """A cell was put into another one."""
        self.doubts.stored(cell, self._at)

    def entry_symbol(self, path: str) -> Symbol:
        """The symbol of a number that the caller's memory held at the entry."""
        known = self._symbols.get(path)
        if known is None:
            known = self._symbols[path] = Symbol(None, path)
        return known

    def lost(self, state: State, cell: CellId, kind: str, place: Place | None, label: str) -> None:
        """A rule found a leak."""
        self._record(self.losses, state, cell, kind, place or self._last, label)

    def misuse(
        self, state: State, cell: CellId, kind: str, place: Place | None, label: str
    ) -> None:
        """A rule found another misuse of memory."""
        self._record(self.misuses, state, cell, kind, place or self._last, label)

    def _record(
        self,
        found: dict[tuple[object, ...], Loss],
        state: State,
        cell: CellId,
        kind: str,
        place: Place | None,
        label: str,
    ) -> None:
        lost = state.cells[cell]
        key = (kind, lost.site, place and place[:2])
        guessed = self.doubts.about(state, cell, kind)
        if key not in found or (found[key].guessed and not guessed):
            name = self.function.place.function
            steps = state.steps()
            found[key] = Loss(
                kind, name, place, label, lost, steps, self.container, self.weakened,
                self._in_loop(), guessed, cell, self._at,
                cell in self._blindly,
            )  # fmt: skip

    def reads(self, name: str) -> bool:
        """Whether anything in the function reads a name."""
        if self._names_read is None:
            self._names_read = read_names(self.function)
        return name in self._names_read

    def _in_loop(self) -> bool:
        """Whether the block at hand can be reached from itself."""
        return reaches(self.function, self._at, self._at)

    def summary(self, name: str) -> Summary | None:
        """The summary of a function the program defines."""
        return self.program.summary(name, self.function.unit)

    def value(self, state: State, operand: Operand) -> Value:
        """The value of an operand."""
        kind = type(operand)
        if kind is str:
            found = state.env.get(operand)  # type: ignore[arg-type]
            if found is None:
                found = state.env[operand] = Symbol()  # type: ignore[index]
            return found
        return Symbol() if operand is None else operand

    # --- the worklist

    def run(self) -> Summary:
        """Analyse the function to its fixpoint."""
        self._push(self.function.entry, None, self._entry_state())
        self._work_off()
        return self._summarise()

    def _work_off(self) -> None:
        visits, most = 0, BASE_VISITS + BLOCK_VISITS * len(self.function.blocks)
        while self._queue:
            visits += 1
            if visits > most or self.work > self.budget or self._hopeless():
                self.limited = True
                break
            _, _, label, key, state = heapq.heappop(self._queue)
            block = self.function.blocks[label]
            self._reached.add(label)
            if state is None and key is not None:
                point: _Point | None = self._points[label].get(key)
                if point is None or not point.queued:
                    continue
                point.queued = False
                state = point.state.copy()
            if state is not None:
                self._block(block, state)
        self.losses = {
            key: loss
            for key, loss in self.losses.items()
            if not any(
                reaches(self.function, freed, loss.block)
                for freed in self.elements_freed.get(loss.container, ())
            )
        }
        for loss in self.losses.values():
            loss.guessed |= loss.kind == LOCAL_LOST and self.doubts.kept(loss.identity)

    def _hopeless(self) -> bool:
        """Whether the budget will be spent before all blocks were reached, as far as can be told
        after a third of it."""
        if self.narrow or PATIENT_SHARE * self.work < self.budget:
            return False
        return len(self._reached) * self.budget < len(self.function.blocks) * self.work

    def _entry_state(self) -> State:
        state = State()
        for number, (register, pointer) in enumerate(self.function.parameters):
            if pointer:
                state.cells[f"P{number}"] = Cell(PRE)
                state.env[register] = (f"P{number}", 0)
            else:
                symbol = self.entry_symbol(f"P{number}")
                self._numbers[number] = symbol
                state.env[register] = symbol
        for slot in self.function.stack:
            state.cells[slot] = Cell(STACK)
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
            self._returns,
            self._numbers,
            function.name in self.program.recursive,
        )

    # --- one block

    def _block(self, block: Block, state: State, first: int = 0) -> None:
        """All states go through the block in step, so that those that become alike are joined."""
        states = [state]
        self._at = block.label
        deaths = block.deaths
        for index in range(first, len(block.statements)):
            statement = block.statements[index]
            handler = HANDLERS[statement[0]]
            if statement[1] is not None:
                self._last = statement[1]
            split = False
            after: list[State] = []
            self.work += len(states)
            if self.work > self.budget:
                return
            watched = self.narrow and statement[0] == op.CALL
            if watched:
                self._before_call(statement, states)
            for each in states:
                try:
                    made = handler(self, each, statement)
                except Infeasible:
                    split = True
                    continue
                if made is None:
                    after.append(each)
                else:
                    after.extend(made)
                    split = True
            if watched:
                self._after_call(block, index, after)
            if index in deaths:
                for each in after:
                    rules.forget(self, each, deaths[index], statement[1])
            if self.watch is not None:
                self.watch(block.label, index, statement, after)
            if split:
                if not after:
                    return
                if len(after) > FEW_STATES:
                    after = self._unite(after)
            states = after
        for each in states:
            self._leave(block, each)

    def _before_call(self, statement: Statement, states: list[State]) -> None:
        """For a subclass."""

    def _after_call(self, block: Block, index: int, states: list[State]) -> None:
        """For a subclass."""

    def _unite(self, states: list[State]) -> list[State]:
        """Join states with the same pointer structure in the middle of a block."""
        effects = Effects()
        for state in states:
            effects.learn(state)
        kept: dict[Key, tuple[State, list[CellId]]] = {}
        grain = self._grain_for(len(states))
        for state in states:
            effects.adopt(state)
            key, order = canonical_key(state, grain)
            if self._asked_again:
                key = (key, self._known_null(state))
            if key in kept:
                old, old_order = kept[key]
                kept[key] = (Join(old, state, old_order, order, False).run(), old_order)
            else:
                kept[key] = (state, order)
        found = [state for state, _ in kept.values()]
        if len(found) <= MAX_STATES:
            return found
        self.weakened = True
        for state in found[MAX_STATES // 2 :]:
            self._give_up(state)
        if len(states) > len(found):
            return self._unite(found)
        if len(found) > 2 * MAX_STATES:
            self.limited = True
        return found[:MAX_STATES]

    def _grain_for(self, states: int) -> int:
        return max(self.coarse, (states > MANY_STATES) + (states > VERY_MANY_STATES))

    @staticmethod
    def _give_up(state: State) -> None:
        for identity, cell in list(state.cells.items()):
            if cell.kind == HEAP and not cell.escaped:
                rules.escape(state, (identity, 0))

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

    def _branch(self, block: Block, state: State, terminator: op.Terminator) -> None:
        _, place, operand, yes, no = terminator
        condition = self.value(state, operand)
        if type(condition) is int:
            self._enter(block, yes if condition else no, state)
            return
        guess = self._null_is_guess(block, state, condition)
        other = state.copy()
        if assume(state, condition, True):
            state.note(place, UNASKED if guess == "eq" else "", True)
            self._enter(block, yes, state)
        if assume(other, condition, False):
            other.note(place, UNASKED if guess == "ne" else "", False)
            self._enter(block, no, other)

    def _null_is_guess(self, block: Block, state: State, condition: Value) -> str:
        """The predicate of a branch that asks whether a variable was set, where it was: that what
        it was set to is null, and nobody asked for that, is a guess. Else nothing."""
        if type(condition) is not Comparison or condition.right != 0:
            return ""
        pointer = condition.left
        if type(pointer) is not tuple or type(pointer[0]) is not str:
            return ""
        if is_null(state, pointer) is not None:
            return ""
        if block.label not in self._asks_if_set:
            self._asks_if_set[block.label] = asks_if_set(self.function, block)
        return condition.predicate if self._asks_if_set[block.label] else ""

    def _switch(self, block: Block, state: State, terminator: op.Terminator) -> None:
        _, place, operand, default, cases = terminator
        value = self.value(state, operand)
        if type(value) is int:
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
            if possible and len(cases) <= 16:
                possible = assume(rest, compare(rest, "ne", value, number), True)
        if possible:
            rest.note(place, "default", None)
            self._enter(block, default, rest)

    def _enter(self, origin: Block, label: str, state: State) -> None:
        block = self.function.blocks[label]
        if block.phis:
            values = [
                (name, self.value(state, sources.get(origin.label))) for name, sources in block.phis
            ]
            for _, sources in block.phis:  # a temporary ends where it is handed on
                source = sources.get(origin.label)
                if source not in block.live and source not in self.function.variables:
                    state.env.pop(source, None)  # type: ignore[arg-type]
            for name, value in values:
                state.env[name] = value
        if not block.joins:
            self._push(label, None, state)
            return
        if block.terminator[0] == op.RETURN and self._returns_value(origin):
            state.note(origin.terminator[1], "return")
        prune(state, block.live)
        if block.loops:
            back = self.function.order[origin.label] >= self.function.order[label]
            self._count_unknown(block, state, back)
            fold(state)
        self._merge(block, label, state)

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
            if type(value) is int:
                symbol = env[name] = Symbol()
                state.facts[symbol] = known(value)
            elif type(value) is tuple and name in block.steps:
                env[name] = (value[0], ANYWHERE)
        first = self._numbers_at.setdefault(block.label, {})
        for identity, cell in list(state.cells.items()):
            if type(identity) is str:
                self._count_members(first, state, identity, cell, back)

    @staticmethod
    def _count_members(
        first: dict[object, int], state: State, identity: str, cell: Cell, back: bool
    ) -> None:
        for offset, value in list(cell.fields.items()):
            if type(value) is not int:
                continue
            if not back:
                first.setdefault((identity, offset), value)
            elif first.get((identity, offset)) != value:
                state.change(identity).fields[offset] = Symbol()

    def _merge(self, block: Block, label: str, state: State) -> None:
        points = self._points.setdefault(label, {})
        effects = self._effects.get(label)
        if effects is None:
            effects = self._effects[label] = Effects()
        if effects.learn(state) and points:
            points = self._rebuild(label, points)
        effects.adopt(state)
        grain = self._grain_for(len(points))
        if grain > self._grain.get(label, self.coarse):
            self._grain[label] = grain
            points = self._rebuild(label, points)
        grain = self._grain.get(label, self.coarse)
        key, order = self._name(label, state, grain)
        point = points.get(key)
        if point is None and len(points) >= MAX_STATES:
            self.weakened = True
            self._give_up(state)
            prune(state, block.live)
            key, order = canonical_key(state, grain)
            point = points.get(key)
            if point is None and len(points) >= 2 * MAX_STATES:
                self.limited = True
                return
        if point is None:
            points[key] = _Point(state, order)
            self._push(label, key, None)
            return
        point.visits += 1
        join = Join(point.state, state, point.order, order, point.visits > WIDEN_AFTER)
        merged = join.run()
        if not join.changed:
            return
        point.state = merged
        if not point.queued:
            point.queued = True
            self._push(label, key, None)

    def _name(self, label: str, state: State, grain: int) -> tuple[Key, list[CellId]]:
        """By which a block knows its states; those of one name are joined."""
        if grain == COARSEST:
            drop_dead(state, self.function.blocks[label].live)
        key, order = canonical_key(state, grain)
        if grain == FINE and self._nulls_matter(label):
            key = (key, null_parameters(state))
        elif self._asked_again:
            key = (key, self._known_null(state))
        return key, order

    def _known_null(self, state: State) -> Key:
        """Of the parameters that the function asks for again, those that are null."""
        return tuple([p for p in self._asked_again if state.cells[p].null == -1])

    def _nulls_matter(self, label: str) -> bool:
        """Whether states in which other parameters are null are kept apart at a block: what a row
        of a summary assumes of them is worth keeping, and a small function often asks twice."""
        if self.function.count <= SMALL:
            return True
        return bool(self.function.blocks[label].terminator[0] == op.RETURN)

    def _rebuild(self, label: str, points: dict[Key, _Point]) -> dict[Key, _Point]:
        """Name the states of a point anew: more of them have become alike."""
        grain = self._grain.get(label, self.coarse)
        fresh: dict[Key, _Point] = {}
        for before, point in points.items():
            self._effects[label].adopt(point.state)
            key, order = self._name(label, point.state, grain)
            old = fresh.get(key)
            if old is not None:
                old.state = Join(old.state, point.state, old.order, order, False).run()
                point = old
            else:
                point.order = order
                fresh[key] = point
            if old is not None or key != before:
                point.queued = True
                self._push(label, key, None)
        self._points[label] = fresh
        return fresh

    def _return(self, state: State, terminator: op.Terminator) -> None:
        """The end of a way. ``return p != NULL`` of new memory is the end of two."""
        _, place, operand = terminator
        result = None if operand is None else self.value(state, operand)
        if type(result) is not Comparison or not _asks_for_new(state, result):
            self._end(state, result, place)
            return
        other = state.copy()
        if assume(state, result, True):
            self._end(state, 1, place)
        if assume(other, result, False):
            self._end(other, 0, place)

    def _end(self, state: State, result: Value, place: Place | None) -> None:
        """Rule 1 for every local: only the result, the caller's cells and globals are kept."""
        keep = [result]
        for identity, cell in state.cells.items():
            if cell.kind in (PRE, GLOBAL) or (cell.escaped and cell.kind == HEAP):
                keep.append((identity, 0))
        alive = state.reachable(keep)
        suspects = {}
        names: dict[CellId, str] = {}
        for variable, value in state.env.items():
            if type(value) is tuple:
                names.setdefault(value[0], self.function.variables.get(variable, ""))
        where = self._return_place(state, place)
        for identity, cell in state.cells.items():
            if cell.tracked and identity not in alive:
                suspects[identity] = (LOCAL_LOST, where, names.get(identity) or "")
        if suspects:
            rules.report_unreachable(self, state, alive, suspects)
        self._returns.append((state, result))

    def _return_place(self, state: State, place: Place | None) -> Place | None:
        """The return statement: the common exit block has the line of the closing brace."""
        if state.trace is not None and state.trace[1].note == "return":
            step: Step = state.trace[1]
            return step.place
        return place


def _asks_for_new(state: State, asked: Comparison) -> bool:
    """Whether a comparison asks if new memory was had."""
    pointer = asked.left
    if asked.right != 0 or type(pointer) is not tuple:
        return False
    cell = state.cells.get(pointer[0])
    return cell is not None and cell.kind == HEAP
