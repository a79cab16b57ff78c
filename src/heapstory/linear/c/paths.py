"""The loop-free paths of a function, as sub-operations of a specification."""

from __future__ import annotations

from heapstory.cfront import program as op
from heapstory.cfront.program import Function, Terminator
from heapstory.linear.c.calls import Calls, is_call
from heapstory.linear.c.loops import Loops
from heapstory.linear.c.path import Frame, Path
from heapstory.linear.c.source import NUMBER, pointed
from heapstory.linear.c.statements import SHARED, Statements
from heapstory.linear.c.values import (
    EMPTY,
    ZERO,
    Address,
    CannotModel,
    Out,
    Test,
    Truth,
    Value,
)
from heapstory.linear.language.methods import SKIP
from heapstory.linear.language.syntax import Const, Expr, Global, Local, Return

TAKES = {"dequeue", "pop"}
SILENT = {"enqueue", "push", "write", SKIP}  # what they return is no answer
MOST_PATHS = 64


class Paths:
    """All paths of one function from entry to return; ``helping``: turns of its loops that change
    shared state, each an operation that does nothing abstract."""

    def __init__(self, statements: Statements, function: Function, method: str) -> None:
        self.statements, self.function, self.method = statements, function, method
        self.calls = Calls(statements)
        self.loops = Loops(self)
        self.arguments: list[str] = []
        self._answers_by_pointer = False
        self._status: Expr | None = None  # what is returned where that is no answer

    @property
    def helping(self) -> list[Path]:
        """Turns of loops that change shared state."""
        return self.loops.helping

    def all(self) -> list[Path]:
        """The paths."""
        return self.follow([self._start()])

    def _start(self) -> Path:
        values: dict[str, Value] = {}
        path = Path([Frame(self.function, 0, values, self.function.entry)])
        kinds = self.statements.source.parameter_types(self.function)
        for number, ((register, pointer), kind) in enumerate(
            zip(self.function.parameters, kinds, strict=True)
        ):
            struct = pointed(kind)
            if number == 0 and struct and struct == self.statements.shared:
                values[register] = Address(Global(SHARED))
            elif pointer and struct is None:
                values[register] = Address(Out())
                self._answers_by_pointer = True
            else:
                name = path.new_local(NUMBER)
                values[register] = Local(name)
                self.arguments.append(name)
        return path

    def follow(self, todo: list[Path]) -> list[Path]:
        """Follow paths to their ends."""
        found: list[Path] = []
        todo.reverse()
        while todo:
            path = todo.pop()
            after = self._advance(path)
            if after is None:
                found.append(path)
            else:
                todo += reversed(after)
            if len(found) > MOST_PATHS:
                raise CannotModel("too many paths", self.function.place.line)
        return found

    def _advance(self, path: Path) -> list[Path] | None:
        """The paths that this one goes on in; None: it is complete."""
        frame = path.frame
        if frame.index == 0:
            entered = self.loops.enter(path)
            if entered is not None:
                return entered
        return self.run(path)

    def run(self, path: Path) -> list[Path] | None:
        """Run what is left of a block."""
        frame = path.frame
        statements = frame.code.statements
        while frame.index < len(statements):
            statement = statements[frame.index]
            frame.index += 1
            if is_call(statement):
                self.calls.run(path, statement)
                if path.frame is not frame:
                    return [path]
                continue
            forks = self.statements.run(path, statement)
            if forks is not None:
                return forks
        return self._terminator(path, frame.code.terminator)

    def _terminator(self, path: Path, terminator: Terminator) -> list[Path] | None:
        kind, place = terminator[:2]
        line = place.line if place else 0
        if kind == op.JUMP:
            return [path.goto(terminator[2])]
        if kind == op.BRANCH:
            _, _, operand, yes, no = terminator
            tested = self.statements.value(path, operand, line)
            return [
                taken.goto(label)
                for truth, label in ((True, yes), (False, no))
                for taken in self.statements.assume(path, tested, truth, line)
            ]
        if kind == op.SWITCH:
            return self._switch(path, terminator, line)
        if kind == op.RETURN:
            return self._return(path, terminator[2], line)
        return []

    def _switch(self, path: Path, terminator: Terminator, line: int) -> list[Path]:
        _, _, operand, default, cases = terminator
        value = self.statements.value(path, operand, line)
        found, rest = [], [path]
        for constant, label in cases:
            tested = self.statements.compared(path, value, "==", Const(constant), line)
            found += [p.goto(label) for p in self.statements.assume(rest[0], tested, True, line)]
            rest = self.statements.assume(rest[0], tested, False, line)
            if not rest:
                return found
        return [*found, rest[0].goto(default)]

    # -- answers ----------------------------------------------------------------------------------

    def _return(self, path: Path, operand: op.Operand, line: int) -> list[Path] | None:
        value = None if operand is None else self.statements.value(path, operand, line)
        if len(path.frames) > 1:
            self.calls.leave(path, value)
            return [path]
        if path.inline:
            return []
        if path.held:
            raise CannotModel("returns with a lock held", line)
        if value is None or self.method in SILENT:
            if value is not None and self.method != SKIP:
                self._same_status(value, line)
            path.emit(line, Return(()))
            return None
        if isinstance(value, Test):
            return [p for truth in (True, False) for p in self._decided(path, value, truth, line)]
        answer = self.statements.expression(path, value, NUMBER, line)
        path.emit(line, Return((self._answer(path, answer, line),)))
        return None

    def _same_status(self, value: Value, line: int) -> None:
        """What an insertion returns says nothing only if it is always the same."""
        if not isinstance(value, Const) or self._status not in (None, value):
            raise CannotModel("an insertion that answers in more than one way", line)
        self._status = value

    def _decided(self, path: Path, value: Test, truth: bool, line: int) -> list[Path]:
        """The path on which a comparison that is returned is true, or false."""
        taken = self.statements.assume(path, value, truth, line)
        operand = path.frame.code.terminator[2]
        for each in taken:
            each.frame.values[operand] = Truth(truth)
        return taken

    def _answer(self, path: Path, answer: Expr, line: int) -> Expr:
        if self.method not in TAKES:
            return answer
        if self._answers_by_pointer:
            if answer == ZERO:
                return EMPTY
            if path.out is None:
                raise CannotModel("an answer that is not written", line)
            return self.statements.expression(path, path.out, NUMBER, line)
        return EMPTY if answer == Const(-1) else answer
