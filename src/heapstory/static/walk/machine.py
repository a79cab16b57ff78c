"""The walk itself: ways that wait, cheapest first, and the calls that are open on them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping

from heapstory.cfront import program as op
from heapstory.cfront.program import Function, Place, Statement
from heapstory.static.heap.conditions import assume, assume_equal, compare
from heapstory.static.heap.state import HEAP, STACK, Cell, State
from heapstory.static.heap.values import HIGH, CellId, Fact, Pointer, Symbol, Value
from heapstory.static.transfer import calls, rules
from heapstory.static.transfer.frame import ProgramView
from heapstory.static.transfer.losses import LOCAL_LOST, OVERWRITTEN, Suspects
from heapstory.static.transfer.rules import Infeasible
from heapstory.static.transfer.statements import States
from heapstory.static.walk.frame import Globals, WalkFrame
from heapstory.static.walk.memory import taken
from heapstory.static.walk.state import FURTHER, Caller, Finish, Way
from heapstory.static.walk.statements import execute

BUDGET = 30_000  # statements
MAX_WAYS = 300  # that wait
MAX_DEPTH = 120  # calls that are open
ELSEWHERE: list[State] = []  # the way goes on in another function, or after a jump
# A function of the C library with known values: the states after it, or None where too little is
# known and its model has to do.
Concrete = Callable[["Walk", Way, str | None, list[Value], Place | None], States]


class Walk:
    """Follows one program from its ``main``. ``frame`` holds the losses; ``limited`` says that not
    every way was followed to its end."""

    def __init__(
        self,
        main: Function,
        program: ProgramView,
        functions: Mapping[str, Function],
        aliases: Mapping[tuple[str, str], str],
        variables: Globals,
        library: Mapping[str, Concrete],
    ) -> None:
        self.frame = WalkFrame(main, program, variables)
        self.limited = False
        self.entered: set[str] = set()  # functions
        self.unsure: set[object] = set()  # places of allocations whose blocks got out of sight
        self._functions, self._aliases, self._library = functions, aliases, library
        self._activations = 0
        self._sequence = 0
        self._ways: list[tuple[int, int, Way]] = []

    # --- the ways

    def walk(self) -> None:
        """Follow all ways, as far as the budget goes."""
        main = self.frame.function
        start = Way(main)
        start.open_slots()
        for number, (register, _) in enumerate(main.parameters):
            value = start.env[register] = Symbol()
            if number == 0:  # the number of arguments, the program's name included
                start.facts[value] = Fact(1, HIGH)
        self.entered.add(main.name)
        self.wait(start)
        while self._ways:
            if self.frame.work > BUDGET:
                self.limited = True
                return
            self._follow(heapq.heappop(self._ways)[2])

    def wait(self, way: Way) -> None:
        """Follow this way later, if there are not too many already."""
        if len(self._ways) >= MAX_WAYS:
            self.limited = True
            return
        self._sequence += 1
        heapq.heappush(self._ways, (way.cost, self._sequence, way))

    def _follow(self, way: Way) -> None:
        try:
            while self.frame.work <= BUDGET:
                self.frame.now, self.frame.function = way, way.function
                block = way.function.blocks[way.label]
                if way.index < len(block.statements):
                    if not self._statement(way, block.statements[way.index], block.deaths):
                        break
                elif not self._terminator(way, block.terminator):
                    break
        except Infeasible:
            return
        for cell in way.cells.values():
            if cell.kind == HEAP and cell.site is not None and (cell.escaped or cell.weak):
                self.unsure.add(cell.site.place)

    def _statement(
        self, way: Way, statement: Statement, deaths: dict[int, tuple[str, ...]]
    ) -> bool:
        """One statement; False where the way ends."""
        self.frame.work += 1
        if statement[1] is not None:
            self.frame.last = statement[1]
        index = way.index
        called = statement[0] == op.CALL
        made = self.call(way, statement) if called else execute(self.frame, way, statement)
        if made is None:
            self._done(way, deaths.get(index), statement[1])
            return True
        if made is ELSEWHERE:
            return True
        for number, other in enumerate(made):
            assert isinstance(other, Way)
            self.frame.now = other
            self._done(other, deaths.get(index), statement[1])
            if other is not way:
                other.cost += number > 0
                self.wait(other)
        return any(other is way for other in made)

    def _done(self, way: Way, ended: tuple[str, ...] | None, place: Place | None) -> None:
        if ended:
            rules.forget(self.frame, way, ended, place)
        way.index += 1

    def _terminator(self, way: Way, terminator: op.Terminator) -> bool:
        self.frame.work += 1
        kind = terminator[0]
        if kind == op.JUMP:
            self._go(way, terminator[2])
            return True
        if kind == op.BRANCH:
            return self._decide(way, terminator)
        if kind == op.SWITCH:
            return self._choose(way, terminator)
        if kind == op.RETURN:
            return self.leave(way, self.frame.value(way, terminator[2]), terminator[1])
        return False

    def _go(self, way: Way, label: str) -> None:
        origin, block = way.label, way.function.blocks[label]
        values = [
            (name, self.frame.value(way, sources.get(origin))) for name, sources in block.phis
        ]
        for _, sources in block.phis:  # a temporary ends where it is handed on
            source = sources.get(origin)
            kept = source in block.live or source in way.function.variables
            if type(source) is str and not kept:
                way.env.pop(source, None)
        way.env.update(values)
        way.label, way.index = label, 0

    def _decide(self, way: Way, terminator: op.Terminator) -> bool:
        _, place, operand, yes, no = terminator
        condition = self.frame.value(way, operand)
        if isinstance(condition, int):
            self._go(way, yes if condition & 1 else no)
            return True
        other = way.copy()
        taken, refused = assume(way, condition, True), assume(other, condition, False)
        if not taken and not refused:
            return False
        if not refused:
            self._go(way, yes)
            return True
        if not taken:
            way.env, way.cells, way.facts = other.env, other.cells, other.facts
            self._go(way, no)
            return True
        way.note(place, way.function.said(terminator, True), True)
        other.note(place, way.function.said(terminator, False), False)
        for one, against in ((way, other), (other, way)):
            failed = against.cells.keys() - one.cells.keys()  # allocations, on this way
            one.cost += bool(failed) or len(one.cells) == len(against.cells)
            one.supposed |= any(self.frame.maker(cell)[1] != one.activation for cell in failed)
        self._go(way, yes)
        self._go(other, no)
        self.wait(way)
        self.wait(other)
        return False

    def _choose(self, way: Way, terminator: op.Terminator) -> bool:
        _, place, operand, default, cases = terminator
        value = self.frame.value(way, operand)
        if isinstance(value, int):
            self._go(way, next((label for number, label in cases if number == value), default))
            return True
        possible = True
        for number, label in cases:
            taken = way.copy()
            if assume_equal(taken, value, number):
                taken.note(place, "", number)
                taken.cost += 1
                self._go(taken, label)
                self.wait(taken)
            possible = possible and assume(way, compare(way, "ne", value, number), True)
        if possible:
            way.note(place, "default", None)
            way.cost += 1
            self._go(way, default)
            self.wait(way)
        return False

    # --- calls

    def enter(
        self,
        way: Way,
        function: Function,
        arguments: list[Value],
        register: str | None,
        place: Place | None,
        finish: Finish | None = None,
    ) -> States:
        """Call a function of the program."""
        if len(way.callers) >= MAX_DEPTH:
            self.limited = True
            return []
        self.entered.add(function.name)
        ended = way.function.blocks[way.label].deaths.get(way.index, ())
        for name in ended:  # the callee alone holds them from here on
            way.env.pop(name, None)
        self._activations += 1
        caller = Caller(way.function, way.label, way.index, register, way.activation, place, finish)
        copies = {n: taken(way, arguments[n], size) for n, size in function.copies.items()}
        way.call(caller, function, self._activations)
        for (name, _), value in zip(function.parameters, arguments, strict=False):
            way.env[name] = value
        for name, _ in function.parameters[len(arguments) :]:
            way.env[name] = Symbol()
        for number, piece in copies.items():
            copy = Cell(STACK)
            if piece is not None:
                copy.fields, copy.zero = piece.members(), piece.zero
            way.cells[way.slot(f"%copy{number}")] = copy
            way.env[function.parameters[number][0]] = Pointer(way.slot(f"%copy{number}"), 0)
        if function.variadic:
            extra = Cell(STACK)
            rest = arguments[len(function.parameters) :]
            extra.fields = {8 * number: value for number, value in enumerate(rest)}
            way.cells[way.slot(FURTHER)] = extra
        return ELSEWHERE

    def leave(self, way: Way, result: Value, place: Place | None) -> bool:
        """Rule 1 for the locals of a function that returns; False where the program ends."""
        names = {
            value.cell: way.function.variables.get(name, "")
            for name, value in way.env.items()
            if isinstance(value, Pointer)
        }
        suspect = way.close()
        if not way.callers:
            way.env = {}
            self._report(way, [], names, place, suspect)
            return self._at_exit(way)
        if suspect:
            self.frame.now = way.copy()  # who loses it is who returns
        caller = way.resume()
        self._report(way, [result], names, place, suspect)
        self.frame.now = way
        self._resumed(way, caller, result)
        return True

    def _report(
        self,
        way: Way,
        kept: list[Value],
        names: Mapping[CellId, str],
        place: Place | None,
        suspect: bool,
    ) -> None:
        if not suspect:
            return
        alive = way.reachable(rules.roots(way) + kept)
        suspects: Suspects = {
            identity: (LOCAL_LOST, place, names.get(identity, ""))
            for identity, cell in way.cells.items()
            if cell.tracked and identity not in alive
        }
        if suspects:
            rules.report_unreachable(self.frame, way, alive, suspects)

    def _resumed(self, way: Way, caller: Caller, result: Value) -> None:
        if caller.finish is not None:
            result = caller.finish(way, result)
        if caller.register is not None:
            way.env[caller.register] = result
        elif isinstance(result, Pointer):
            rules.check(self.frame, way, (result.cell,), OVERWRITTEN, caller.place, "")
        block = way.function.blocks[way.label]
        ended = block.deaths.get(way.index, ())
        if caller.register is not None and caller.register in ended:
            rules.forget(self.frame, way, (caller.register,), caller.place)
        way.index += 1

    def _at_exit(self, way: Way) -> bool:
        """The functions given to ``atexit`` run, the last one first."""
        if not way.handlers:
            return False
        name, way.handlers = way.handlers[-1], way.handlers[:-1]
        function = self.function_named(way, name)
        if function is None:
            return False
        way.env = {}
        self._activations += 1
        way.function, way.label, way.index = function, function.entry, 0
        way.activation = self._activations
        way.open_slots()
        self.entered.add(function.name)
        return True

    def exit(self, way: Way) -> States:
        """``exit`` leaves all functions at once; what they hold is not lost."""
        if not way.handlers:
            return []
        way.wait()
        way.callers = ()
        return ELSEWHERE if self._at_exit(way) else []

    def jump(self, way: Way, buffer: Value, value: Value, place: Place | None) -> States:
        """``longjmp``: the functions in between end, and what only they held is lost."""
        found = way.jumps.get(buffer)
        if found is None or found.depth > len(way.callers):
            return []
        activations = [*(c.activation for c in way.callers), way.activation]
        if activations[found.depth] != found.activation:
            return []
        now = way.copy()
        suspect = False
        while len(way.callers) > found.depth:
            suspect = way.close() or suspect
            way.resume()
        self.frame.now = now
        self._report(way, [], {}, place, suspect)
        self.frame.now = way
        way.label, way.index = found.label, found.at
        if found.register is not None:
            way.env[found.register] = 1 if value == 0 else value
        way.index += 1
        return ELSEWHERE

    def function_named(self, way: Way, name: str) -> Function | None:
        """What the running function means by a name."""
        return self._functions.get(self._aliases.get((way.function.unit, name), name))

    def call(self, way: Way, statement: Statement) -> States:
        """A call: of the C library with known values, of the program, or of a model."""
        _, place, register, callee, operands, _, _ = statement
        arguments = [self.frame.value(way, operand) for operand in operands]
        name = callee
        if type(callee) is str and callee[0] == "%":
            pointer = self.frame.value(way, callee)
            if pointer == 0:
                raise Infeasible
            name = calls.function_in(self.frame, pointer)
        if not isinstance(name, str):
            return calls.call(self.frame, way, statement)
        plain = name[1:].split("@", 1)[0]
        concrete = self._library.get(plain)
        function = self.function_named(way, name)
        if function is not None and not self.frame.program.models.standard(plain):
            return self.enter(way, function, arguments, register, place)
        if concrete is not None:
            made = concrete(self, way, register, arguments, place)
            if made is not None:
                return made
        return calls.named(self.frame, way, register, name, arguments, place)
