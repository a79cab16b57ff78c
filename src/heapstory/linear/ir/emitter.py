"""Writes instructions of the native machine: registers, operands, rows of arguments."""

from __future__ import annotations

import re
import struct
from typing import Protocol

from heapstory.cfront.constants import typed
from heapstory.cfront.layout import Layout, bits_of
from heapstory.cfront.program import Operand
from heapstory.linear.ir import instructions as op
from heapstory.linear.ir.exceptions import TypeInfo
from heapstory.linear.ir.instructions import Body, Instruction

_FRACTION = re.compile(r"(float|double) (?:\w+ )*(-?\d\S*)\Z")


def _bits(kind: str, text: str) -> int:
    """A constant of a floating type as it is in memory; LLVM writes some as those of a double."""
    if text.startswith("0x"):
        value: float = struct.unpack(">d", bytes.fromhex(text[2:].rjust(16, "0")))[0]
    else:
        value = float(text)
    return int.from_bytes(struct.pack("<f" if kind == "float" else "<d", value), "little")


class Surroundings(Protocol):
    """What instructions need of the module around them."""

    layout: Layout
    types: TypeInfo

    def constant(self, number: int) -> int:
        """The operand that stands for a constant."""

    def address(self, name: str, offset: int) -> int | None:
        """The operand that stands for the address of a global."""

    def of_each_thread(self, name: str) -> int:
        """The size of a variable that each thread has one of; 0 for others."""

    def made_up(self, name: str, size: int) -> int:
        """The number of a variable that is made up."""

    def function(self, name: str) -> int | None:
        """The number of a function of the module."""

    def reason(self, text: str) -> int:
        """The number of a reason why something is not known."""


class Emitter:
    """Writes one function."""

    def __init__(self, module: Surroundings, name: str, parameters: list[str]) -> None:
        self.module, self.layout = module, module.layout
        self.body = Body(name)
        self.registers: dict[str, int] = {}
        self.variables: dict[str, str] = {}  # slots that are registers
        self.line = 0
        for parameter in parameters:
            self.register(parameter)

    def register(self, name: str) -> int:
        """The register of a name."""
        if name not in self.registers:
            self.registers[name] = self.fresh()
        return self.registers[name]

    def fresh(self, count: int = 1) -> int:
        """Some registers in a row; the first."""
        self.body.registers += count
        return self.body.registers - count

    def emit(self, code: int, **members: int) -> Instruction:
        """Add an instruction."""
        one = Instruction(code, line=self.line)
        for name, number in members.items():
            setattr(one, name, number)
        self.body.code.append(one)
        return one

    def operand(self, found: Operand) -> int:
        """An operand of the C front as one of the machine."""
        if isinstance(found, bool | int):
            return self.module.constant(int(found))
        if isinstance(found, tuple):
            address = self.module.address(found[0], found[1])
            if address is not None:
                step = self.module.of_each_thread(found[0])
                return self.own(address, step) if step else address
        elif isinstance(found, str):
            return self.register(self.variables.get(found, found))
        return self._nobody("a value that is not known")

    def thread(self, alike: bool = False) -> int:
        """A register with the number of the thread; ``alike``: only to find what is its own, so
        that it does not matter which thread it is."""
        found = self.fresh()
        self.emit(op.LIBRARY, kind=op.THREAD, dst=found, b=0, c=0, size=int(alike))
        return found

    def own(self, first: int, step: int) -> int:
        """The address of what each thread has one of."""
        found = self.fresh()
        self.emit(op.INDEX, kind=step, dst=found, a=first, b=self.thread(alike=True), size=64)
        return found

    def _nobody(self, why: str) -> int:
        self.unknown(why)
        return self.fresh()

    def unknown(self, why: str) -> None:
        """From here on nothing can be said."""
        self.emit(op.UNKNOWN, kind=self.module.reason(why))

    def typed(self, piece: str) -> tuple[str, int]:
        """The type and the operand of ``TYPE VALUE``."""
        fraction = _FRACTION.match(piece)
        if fraction is not None:  # it can be kept, if not computed with
            return fraction.group(1), self.module.constant(_bits(*fraction.groups()))
        kind, found = typed(piece, self.layout)
        if piece.rsplit(" ", 1)[-1] in ("undef", "poison"):
            return kind, self.fresh()
        if isinstance(found, int) and bits_of(kind):
            found &= (1 << min(bits_of(kind), 64)) - 1
        return kind, self.operand(found)

    def move(self, target: int, source: int) -> None:
        """One register or constant to a register."""
        self.emit(op.MOVE, dst=target, a=source)

    def row(self, operands: list[int]) -> int:
        """Operands in registers in a row; the first."""
        first = self.fresh(len(operands))
        for number, source in enumerate(operands):
            self.move(first + number, source)
        return first

    def finished(self) -> Body:
        """The function, with what each instruction reads and sets."""
        for one in self.body.code:
            one.uses, one.defines = _effects(one)
        return self.body


def _effects(one: Instruction) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The registers that an instruction reads and those it sets."""
    row = tuple(range(one.b, one.b + one.c))
    match one.op:
        case op.MOVE | op.TRUNCATE | op.EXTEND | op.LOAD | op.ALLOT:
            return (one.a,), (one.dst,)
        case op.BINARY | op.COMPARE | op.INDEX | op.MODIFY:
            return (one.a, one.b), (one.dst,)
        case op.SELECT:
            return (one.a, one.b, one.c), (one.dst,)
        case op.STORE:
            return (one.a, one.b), ()
        case op.EXCHANGE:
            return (one.a, one.b, one.c), (one.dst, one.dst + 1)
        case op.BRANCH:
            return (one.a,), ()
        case op.CALL | op.CALL_BY_ADDRESS:
            called = (one.a,) if one.op == op.CALL_BY_ADDRESS else ()
            given = range(one.dst, one.dst + one.size) if one.dst >= 0 else ()
            return (*row, *called), tuple(given)
        case op.GIVE:
            return row, ()
        case op.LIBRARY if one.kind == op.CAUGHT:
            return (), (one.dst, one.dst + 1)
        case op.LIBRARY:
            return row, (one.dst,) if one.dst >= 0 else ()
    return (), ()
