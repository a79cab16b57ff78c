"""Calls as instructions of the native machine, and the exceptions that leave them."""

from __future__ import annotations

import re
from typing import Protocol

from heapstory.cfront.constants import global_name
from heapstory.cfront.debug import DebugInfo
from heapstory.cfront.layout import bits_of, is_pointer, split_top, type_length
from heapstory.cfront.signatures import argument_text
from heapstory.linear.ir import instructions as op
from heapstory.linear.ir.assembly import SEPARATED, locked
from heapstory.linear.ir.emitter import Emitter, Surroundings
from heapstory.linear.ir.instructions import Instruction
from heapstory.linear.ir.library import Library

_CALLEE = re.compile(r'(@"[^"]+"|@[\w.$-]+|%[\w.]+)\(')
_ATTRIBUTES = re.compile(r"\)( #\d+)?( \[.*\])?\Z")
_CLAUSE = re.compile(r" ((?:catch|filter) .*?)(?= catch | filter | cleanup|\Z)")
_TYPE_INFO = re.compile(r"@(_ZTI[\w.$]+)")
_HINTS = ("", "pause", "nop", "rep", "rep nop")
_FENCES = {"lfence": op.ACQUIRE, "sfence": op.RELEASE, "mfence": op.STRONG, "lock": op.STRONG}
_LOCKED = re.compile(r"(?:lock )?(?:add|or)[lq] \$+0, ?-?\d*\(%[er]sp\)")  # of nothing


class Module(Surroundings, Protocol):
    """What the body of a function needs of the module around it."""

    debug: DebugInfo
    library: Library
    of_x86: bool

    def line_of(self, location: str) -> int:
        """The line of an instruction that is shown; 0: none is."""


class Calls(Emitter):
    """Lowers calls."""

    def __init__(self, module: Module, name: str, parameters: list[str]) -> None:
        super().__init__(module, name, parameters)
        self.whole = module
        self.parts: dict[str, list[int]] = {}  # structures in registers
        self.phis: dict[str, list[tuple[str, dict[str, str]]]] = {}
        self.jumps: list[tuple[Instruction, str]] = []  # to labels
        self.block = ""

    def _fields(self, kind: str) -> list[tuple[int, str]] | None:
        """The members of a structure that is kept in registers."""
        if is_pointer(kind) or kind[0] not in "{%[":
            return None
        whole = self.layout.named.get(kind, kind)
        return self.layout.fields(whole) if whole[0] == "{" else None

    def _jump(self, label: str) -> None:
        moves = [
            (self.register(target), self.typed(sources[self.block])[1])
            for target, sources in self.phis.get(label, [])
            if self.block in sources
        ]
        first = self.fresh(len(moves)) if moves else 0
        for number, (_, source) in enumerate(moves):
            self.move(first + number, source)
        for number, (target, _) in enumerate(moves):
            self.move(target, first + number)
        self.jumps.append((self.emit(op.JUMP), label))

    def _do_invoke(self, target: str, rest: str) -> None:
        call, _, ways = rest.rpartition(" to label ")
        self._do_call(target, call)
        normal, _, unwind = ways.partition(" unwind label ")
        self.jumps.append((self.emit(op.LANDING), unwind.strip().lstrip("%")))
        self._jump(normal.strip().lstrip("%"))

    def _do_landingpad(self, target: str, rest: str) -> None:
        """Which clause the exception fits; if none does and nothing is cleaned up, it goes on."""
        caught = self.fresh(3)
        kind, chosen = caught + 1, caught + 2
        self.emit(op.LIBRARY, kind=op.CAUGHT, dst=caught)
        types = self.module.types
        self.move(chosen, self.module.constant(0))
        for clause in reversed(_CLAUSE.findall(rest)):
            match = _TYPE_INFO.search(clause)
            if match is None:  # all, or a list of what may be thrown
                self.move(chosen, self.module.constant(types.EVERY))
                continue
            for thrown in types.thrown_as(match.group(1)):
                same = self.fresh()
                number = self.module.constant(types.number(thrown))
                self.emit(op.COMPARE, kind=0, dst=same, a=kind, b=number, size=32)
                wanted = self.module.constant(types.number(match.group(1)))
                self.emit(op.SELECT, dst=chosen, a=same, b=wanted, c=chosen)
        if " cleanup" not in rest:
            none = self.fresh()
            self.emit(op.COMPARE, kind=0, dst=none, a=chosen, b=self.module.constant(0), size=32)
            branch = self.emit(op.BRANCH, a=none)
            branch.b = len(self.body.code)
            self.emit(op.LIBRARY, kind=op.RAISE_AGAIN)
            branch.c = len(self.body.code)
        self.parts[target] = [caught, chosen]

    def _do_resume(self, _: str, __: str) -> None:
        self.emit(op.LIBRARY, kind=op.RAISE_AGAIN)

    def _do_call(self, target: str, rest: str) -> None:
        rest = _ATTRIBUTES.sub(")", rest.strip())
        cast = re.search(r"bitcast \(.*?(@\"[^\"]+\"|@[\w.$-]+) to .*?\)\(", rest)
        match = _CALLEE.search(rest)
        if re.match(r"[^@%(]*\basm ", rest) or not (cast or match):
            self._assembly(target, rest)
            return
        if cast and (match is None or cast.start() < match.start()):
            name, start, prefix = global_name(cast.group(1)), cast.end(), rest[: cast.start()]
        else:
            assert match
            name, start, prefix = match.group(1), match.end(), rest[: match.start()]
            name = global_name(name) if name[0] == "@" else name
        pieces = [p for p in split_top(argument_text(rest[start:])) if p]
        if name[0] == "%":
            self._call(target, prefix, self._arguments(pieces), address=self.operand(name))
            return
        if name.startswith("@llvm.umul.with.overflow"):
            self._multiply(target, pieces)
            return
        if name.startswith("@llvm.eh.typeid.for"):
            self.move(self.register(target), self._type_number(pieces[0]))
            return
        if name == "@__cxa_throw":
            row = self.row([self.typed(pieces[0])[1], self._type_number(pieces[1])])
            self.emit(op.LIBRARY, kind=op.RAISE, b=row, c=2)
            return
        if self.whole.library.call(self, target, name[1:], pieces):
            return
        number = self.module.function(name)
        if number is None:
            self.unknown(f"the function '{name[1:]}', which is not in the file")
            return
        self._call(target, prefix, self._arguments(pieces), number=number)

    def _type_number(self, piece: str) -> int:
        match = _TYPE_INFO.search(piece)
        return self.module.constant(self.module.types.number(match.group(1)) if match else 0)

    def _multiply(self, target: str, pieces: list[str]) -> None:
        """The size of an array, and whether it is too large."""
        kind, count = self.typed(pieces[0])
        size = self.typed(pieces[1])[1]
        first, back = self.fresh(2), self.fresh()
        mul, udiv = (op.BINARY_KINDS.index(word) for word in ("mul", "udiv"))
        self.emit(op.BINARY, kind=mul, dst=first, a=count, b=size, size=bits_of(kind))
        self.emit(op.BINARY, kind=udiv, dst=back, a=first, b=size, size=bits_of(kind))
        differs = op.PREDICATES.index("ne")
        self.emit(op.COMPARE, kind=differs, dst=first + 1, a=back, b=count, size=bits_of(kind))
        self.parts[target] = [first, first + 1]

    def _arguments(self, pieces: list[str]) -> tuple[int, int]:
        found = []
        for piece in pieces:
            source = piece.rsplit(" ", 1)[-1]
            if "byval(" in piece:
                found.append(self._copy(piece))
                continue
            found += self.parts.get(source) or [self.typed(piece)[1]]
        return self.row(found), len(found)

    def _copy(self, piece: str) -> int:
        """A copy of a structure that is passed by value in memory."""
        kind = argument_text(piece[piece.index("byval(") + 6 :])
        size = self.module.constant(self.layout.size(kind))
        made = self.fresh()
        self.emit(op.ALLOT, dst=made, a=size)
        self.emit(op.LIBRARY, kind=op.COPY, b=self.row([made, self.typed(piece)[1], size]), c=3)
        return made

    def _call(
        self,
        target: str,
        prefix: str,
        arguments: tuple[int, int],
        number: int = 0,
        address: int = 0,
    ) -> None:
        result, count = -1, 1
        if target:
            fields = self._fields(_returned(prefix))
            if fields is not None:
                count = len(fields)
                result = self.fresh(count)
                self.parts[target] = list(range(result, result + count))
            else:
                result = self.register(target)
        code = op.CALL_BY_ADDRESS if address else op.CALL
        self.emit(
            code, kind=number, dst=result, a=address, b=arguments[0], c=arguments[1], size=count
        )

    def _assembly(self, target: str, rest: str) -> None:
        """Hints to the processor, its barriers, and its locked instructions."""
        text = re.search(r'asm (?:\w+ )*"([^"]*)"', rest)
        parts = ["?"] if text is None else SEPARATED.split(text.group(1))
        words = [_LOCKED.sub("lock", " ".join(part.split())) for part in parts]
        if any(word not in _HINTS and word not in _FENCES for word in words):
            results = locked(self, rest)
            if results is None:
                self.unknown("assembly")
            elif len(results) == 1:
                self.move(self.register(target), results[0])
            elif results:
                self.parts[target] = results
            return
        for word in words:
            if word in _FENCES:
                self.emit(op.FENCE, order=_FENCES[word])
        if not any(words) and "~{memory}" in rest and self.whole.of_x86:
            self.emit(op.FENCE, order=op.BOTH)  # that processor keeps what the compiler keeps


def _returned(prefix: str) -> str:
    """The return type in what stands before a callee."""
    text = prefix.strip()
    at = text.find("{")
    return text[at : type_length(text, at)] if at >= 0 else text.split()[-1]
