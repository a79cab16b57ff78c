"""A C file as the C front reads it, with the types that its declarations name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapstory.cfront import program as op
from heapstory.cfront.debug import DebugInfo, Member
from heapstory.cfront.frontend import compile_file
from heapstory.cfront.program import Function, Unit
from heapstory.cfront.reader import IRError, open_module
from heapstory.errors import UsageError
from heapstory.linear.language.expressions import CONSTANTS
from heapstory.linear.language.grammar import KEYWORDS
from heapstory.linear.language.syntax import Const, Variable

NUMBER = "int"
_STRUCT = re.compile(r"struct (\w+)")
_POINTER = re.compile(r"struct (\w+) \*")
_RESERVED = {*KEYWORDS.split("|"), *CONSTANTS, "ID", "SHARED"}


@dataclass(frozen=True)
class StructField:
    """A field of a struct: its name in the notation, its type, where it lies and how wide."""

    name: str
    kind: str
    offset: int
    size: int
    union: bool = False  # has members of its own, which share its bytes (a mutex is one)


class Source:
    """One translation unit."""

    def __init__(self, unit: Unit, debug: DebugInfo) -> None:
        self.unit = unit
        self.debug = debug
        self.functions = {plain(name): f for name, f in unit.functions.items()}
        self._members = debug.structures()
        self._types = debug.variables()
        self.structs = {name: self._fields(name) for name in self._members}

    def _fields(self, struct: str, prefix: str = "", base: int = 0) -> list[StructField]:
        """The fields of a struct, those of structs inside it included; arrays have none."""
        sizes = dict(self._layout(struct))
        found = []
        for member in self._members[struct]:
            found += self._field(member, sizes.get(member.offset, 0), prefix, base)
        return found

    def _field(self, member: Member, size: int, prefix: str, base: int) -> list[StructField]:
        kind = bare(member.type)
        inner = _STRUCT.fullmatch(kind)
        if kind.endswith("]"):
            return []
        if inner and inner[1] in self._members:
            return self._fields(inner[1], f"{prefix}{member.name}_", base + member.offset)
        name, union = word(prefix + member.name), kind.startswith("union")
        return [StructField(name, notation(kind), base + member.offset, size, union)]

    def _layout(self, struct: str) -> list[tuple[int, int]]:
        layout = self.unit.layout
        fields = layout.fields(f"%struct.{struct}")
        return [(offset, layout.size(kind)) for offset, kind in fields]

    def size(self, struct: str) -> int:
        """The size of a struct in bytes."""
        return self.unit.layout.size(f"%struct.{struct}")

    def field_at(self, struct: str, offset: int) -> StructField | None:
        """The field that begins at an offset."""
        return next((f for f in self.structs.get(struct, ()) if f.offset == offset), None)

    def variables(self, struct: str) -> tuple[Variable, ...]:
        """The fields of a struct as the notation declares them."""
        return tuple(Variable(f.name, f.kind) for f in self.structs[struct])

    def parameter_types(self, function: Function) -> list[str]:
        """The types of a function's parameters as C writes them."""
        slots = {
            statement[3]: statement[2]
            for statement in function.blocks[function.entry].statements
            if statement[0] == op.ASSIGN
        }
        found = []
        for register, pointer in function.parameters:
            node = function.declared.get(slots.get(register, ""))
            found.append(self.debug.type_of(node) if node else "void *" if pointer else NUMBER)
        return found

    def variable_type(self, function: Function, slot: str) -> str:
        """The type of a local variable in the notation."""
        node = function.declared.get(slot)
        return notation(bare(self.debug.type_of(node))) if node else NUMBER

    def global_type(self, name: str) -> str:
        """The type of a global variable as C writes it."""
        return bare(self._types.get(name, NUMBER))

    def global_size(self, name: str) -> int:
        """The size of a global variable in bytes; 0: the file does not say, or it is a union, whose
        members are not told apart."""
        kind = next((k for n, (k, _) in self.unit.initial.items() if plain(n) == name), "")
        return 0 if not kind or "union." in kind else self.unit.layout.size(kind)

    def initial(self, name: str) -> Const | None:
        """What a global variable holds before the program runs; None: it is no plain number."""
        text = next((v for n, (_, v) in self.unit.initial.items() if plain(n) == name), "")
        if text in ("null", "zeroinitializer", "false"):
            return Const(0)
        return Const(int(text)) if re.fullmatch(r"-?\d+", text) else None


def plain(name: str) -> str:
    """A name of the C front as the source has it; static ones carry their unit there."""
    return name[1:].split("@")[0]


def bare(kind: str) -> str:
    """A type without ``_Atomic``."""
    return kind.removeprefix("_Atomic(").removesuffix(")") if kind.startswith("_Atomic(") else kind


def notation(kind: str) -> str:
    """A C type in the notation: the struct that a pointer leads to, or a number."""
    pointer = _POINTER.fullmatch(kind)
    return pointer[1] if pointer else NUMBER


def pointed(kind: str) -> str | None:
    """The struct that a C type points to."""
    pointer = _POINTER.fullmatch(bare(kind))
    return pointer[1] if pointer else None


def is_object(kind: str) -> str | None:
    """The struct that a C type is."""
    whole = _STRUCT.fullmatch(bare(kind))
    return whole[1] if whole else None


def word(name: str) -> str:
    """A name of C as one that the notation can read."""
    return f"{name}_" if name in _RESERVED else name


def read_source(path: str, options: tuple[str, ...] = ()) -> Source:
    """Compile a C file and read it."""
    text = compile_file(path, options)
    try:
        reader = open_module(text, path)
    except (IRError, RecursionError) as error:
        raise UsageError(f"{path}: cannot read its LLVM IR: {error}") from None
    return Source(reader.unit, reader.debug)
