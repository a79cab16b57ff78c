"""Calls: the few functions of the library that have a meaning here; others are followed."""

from __future__ import annotations

from heapstory.cfront import program as op
from heapstory.cfront.program import Statement
from heapstory.linear.c.path import Frame, Path
from heapstory.linear.c.source import plain
from heapstory.linear.c.statements import Statements
from heapstory.linear.c.values import (
    EXPRESSIONS,
    ONE,
    ZERO,
    CannotModel,
    Untyped,
    Value,
)
from heapstory.linear.language.syntax import Assign, Condition, Const, Free, OwnId

IDLE = {"pthread_mutex_destroy", "sched_yield", "usleep"}
DEEPEST = 12


class Calls:
    """Runs calls."""

    def __init__(self, statements: Statements) -> None:
        self.statements = statements
        self.source = statements.source

    def run(self, path: Path, statement: Statement) -> None:
        """Run a call, or step into it."""
        line = statement[1].line if statement[1] else 0
        _, _, register, callee, operands = statement[:5]
        name = plain(callee) if isinstance(callee, str) else "?"
        given = [self.statements.value(path, o, line) for o in operands]
        result = self._known(path, name, register or "", given, line)
        if result is not None:
            if register:
                path.frame.values[register] = result
            return
        if name not in self.source.functions:
            raise CannotModel(f"a call of '{name}' is not covered", line)
        self._enter(path, name, register, given, line)

    def _known(
        self, path: Path, name: str, register: str, given: list[Value], line: int
    ) -> Value | None:
        """What a function of the library gives; None where it is no known one."""
        match name:
            case "malloc" if isinstance(given[0], Const):
                return Untyped(register, given[0].value)
            case "calloc" if isinstance(given[1], Const) and given[0] == ONE:
                return Untyped(register, given[1].value, cleared=True)
            case "pthread_mutex_init":
                self.statements.write(path, given[0], ZERO, 0, "", line)
            case "pthread_mutex_lock":
                place = self.statements.place(path, given[0], 0, line)
                free = Condition(place, "==", ZERO)
                path.emit(line, Assign(place, OwnId()), guard=free, effect=True)
                path.held.append(place)
            case "pthread_mutex_unlock":
                place = self.statements.place(path, given[0], 0, line)
                if place not in path.held:
                    raise CannotModel("unlocks a mutex that it has not locked", line)
                mine = Condition(place, "==", OwnId())
                path.emit(line, Assign(place, ZERO), guard=mine, effect=True)
                path.held.remove(place)
            case "free":
                if isinstance(given[0], EXPRESSIONS):
                    path.emit(line, Free(given[0]))
                elif not isinstance(given[0], Untyped):
                    raise CannotModel("memory that was not allocated is freed", line)
            case _:
                if name not in IDLE:
                    return None
        return ZERO

    def _enter(
        self, path: Path, name: str, register: str | None, given: list[Value], line: int
    ) -> None:
        function = self.source.functions[name]
        if len(path.frames) >= DEEPEST or any(f.function is function for f in path.frames):
            raise CannotModel(f"a call of '{name}' that calls itself", line)
        if function.variadic or len(given) != len(function.parameters):
            raise CannotModel(f"a call of '{name}' with other arguments", line)
        values = {p: v for (p, _), v in zip(function.parameters, given, strict=True)}
        path.frames.append(Frame(function, path.calls, values, function.entry, result=register))
        path.calls += 1

    @staticmethod
    def leave(path: Path, value: Value | None) -> None:
        """Go back to the caller with what the function returns."""
        done = path.frames.pop()
        if done.result is not None and value is not None:
            path.frame.values[done.result] = value


def is_call(statement: Statement) -> bool:
    """Whether a statement is a call."""
    return bool(statement[0] == op.CALL)
