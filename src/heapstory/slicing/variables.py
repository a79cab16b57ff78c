"""Where variables lie at a point of the run, and which variable lies somewhere."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory._core import CodeVariable, Slicer
    from heapstory.trace import Trace

RETURN_ADDRESS = 8  # the frame address is so far above it


@dataclass(frozen=True, slots=True)
class Bytes:
    """Memory (address, bytes) and registers (first byte, count) that hold a variable."""

    memory: tuple[tuple[int, int], ...] = ()
    registers: tuple[tuple[int, int], ...] = ()


class Scope(NamedTuple):
    """An instruction, and where the return address of the function it is in lies."""

    address: int
    stack: int | None


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that lies in memory, as a whole."""

    name: str
    address: int
    size: int
    type: int | None


class Variables:
    """Local variables by the debug information, global ones by the trace."""

    def __init__(self, trace: Trace, slicer: Slicer) -> None:
        self.in_scope = cache(slicer.variables)
        self._in_memory = cache(self._find_in_memory)
        rows = trace.query(
            "SELECT address, size, name, node FROM nodes WHERE kind = 'global' "
            "AND name IS NOT NULL ORDER BY address"
        ).rows
        self._starts = [row[0] for row in rows]
        self._globals = [
            Variable(name, address, size, trace.node(node).type_id)
            for address, size, name, node in rows
        ]

    def find(self, name: str, scope: Scope | None) -> Bytes:
        """A variable by its name; UsageError where it is not there."""
        local = [one for one in self._locals(scope) if one["name"] == name]
        if local:
            assert scope is not None
            return _bytes_of(local, scope)
        for variable in self._globals:
            if name in (variable.name, variable.name.rpartition("::")[2]):
                return Bytes(memory=((variable.address, variable.size),))
        raise UsageError(f"{name}: no such variable there ({self._known(scope)})")

    def at(self, address: int, *scopes: Scope) -> Variable | None:
        """The variable that holds an address: a local one of these functions, or a global one."""
        for scope in scopes:
            for one in self._in_memory(scope):
                if one.address <= address < one.address + one.size:
                    return one
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        found = self._globals[index]
        return found if address < found.address + found.size else None

    def _locals(self, scope: Scope | None) -> list[CodeVariable]:
        return [] if scope is None else self.in_scope(scope.address)

    def _find_in_memory(self, scope: Scope) -> list[Variable]:
        placed = [(one, _address(one, scope)) for one in self._locals(scope)]
        return [
            Variable(one["name"], address, one["size"], one["type"])
            for one, address in placed
            if address is not None and one["piece"] == (0, one["size"])
        ]

    def _known(self, scope: Scope | None) -> str:
        names = list(dict.fromkeys(one["name"] for one in self._locals(scope) if one["where"]))
        return f"there are: {', '.join(names[:20])}" if names else "give a global one"


def _bytes_of(pieces: list[CodeVariable], scope: Scope) -> Bytes:
    name = pieces[0]["name"]
    memory, registers = [], []
    for one in pieces:
        size = one["piece"][1]
        if one["where"] == "registers":
            registers.append((one["at"], size))
            continue
        address = _address(one, scope)
        if address is not None:
            memory.append((address, size))
        elif one["where"] is None:
            raise UsageError(
                f"{name}: is optimised away there (build with -O0 or -Og, or ask at another line)"
            )
        else:
            began = one["where"] == "frame"
            reason = "its function began before the stream" if began else "a register points to it"
            raise UsageError(
                f"{name}: where it lies is not known there ({reason}; ask for "
                "FILE:LINE:0xADDRESS, for FILE:LINE or at another line)"
            )
    return Bytes(tuple(memory), tuple(registers))


def _address(one: CodeVariable, scope: Scope) -> int | None:
    if one["where"] == "address":
        return one["at"]
    if one["where"] == "frame" and scope.stack is not None:
        return scope.stack + RETURN_ADDRESS + one["at"]
    return None
