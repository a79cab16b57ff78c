"""A compiled C or C++ file: its functions with the types of the source, its variables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from heapstory.cfront.constants import global_name, initial_values
from heapstory.cfront.debug import DebugInfo
from heapstory.cfront.layout import Layout, type_length
from heapstory.cfront.program import Operand
from heapstory.cfront.reader import IRError, ModuleReader
from heapstory.cfront.signatures import copied_parameters, read_parameters
from heapstory.errors import UsageError
from heapstory.linear.ir.assembly import is_of_x86
from heapstory.linear.ir.exceptions import TypeInfo
from heapstory.linear.ir.instructions import FIRST_FUNCTION, THREADS, Body, address_of
from heapstory.linear.ir.library import Library, is_known, is_thread_number
from heapstory.linear.ir.lower import Lowering
from heapstory.linear.ir.unit import OWN_HEADERS, Compiled, compiled, including

_DEFINE = re.compile(r'define (.*?)(@"[^"]+"|@[\w.$-]+)\((.*)\Z', re.DOTALL)
_GLOBAL = re.compile(r'(@"[^"]+"|@[\w.$-]+) = (.*?)\b(global|constant) (.*)\Z', re.DOTALL)
_ALIAS = re.compile(r"(@[\w.$-]+) = [^\n]*? alias [^\n]*(@[\w.$-]+)(?:,|$)")
_DECLARE = re.compile(r"^declare [^@\n]*(@[\w.$-]+)\(", re.MULTILINE)
_IN_RANGE = re.compile(r"\binrange(?:\([^)]*\))? ")
_DBG = re.compile(r"!dbg !(\d+)")
_TAIL = re.compile(r", (?:align|section|comdat|!)")
_QUOTED = re.compile(r'([%@])"([^"]+)"')
# What libstdc++ does not have in its headers, of lists, trees and tables.
_CONTAINERS = re.compile(
    r"_ZNSt8__detail15_List_node_base|_ZSt\d+_Rb_tree_|_ZNKSt8__detail20_Prime_"
)
_CONTAINERS_HEADER = OWN_HEADERS / "heapstory_containers.h"
ELSEWHERE = 3000  # numbers of functions that are not in the file
SYSTEM = ("/usr/", "/lib/")  # what lies there is not the user's


@dataclass(frozen=True)
class Type:
    """A type of the source: how C writes it, and the size of what a pointer leads to."""

    text: str
    size: int = 0
    pointed: int = 0


@dataclass
class Declared:
    """A function that the file defines."""

    symbol: str
    name: str  # in the source
    line: int
    parameters: list[str]  # registers
    lines: list[str]
    returns: Type
    types: list[Type]
    names: list[str]
    owner: str = ""  # the class of a member function
    calls: set[str] = field(default_factory=set)
    file: str = ""  # where it is
    copied: dict[int, int] = field(default_factory=dict)  # parameters in memory: their sizes


class Module:
    """One translation unit, lowered as far as it is asked for."""

    def __init__(self, made: Compiled, path: str) -> None:
        self.path, self.program, self.options = path, made.program, made.options
        self.absent = made.absent
        reader = ModuleReader(_QUOTED.sub(_unquoted, _IN_RANGE.sub("", made.ir)), path)
        self.layout: Layout = reader.layout
        self.debug: DebugInfo = reader.debug
        self.functions: dict[str, Declared] = {}
        self._same: dict[str, str] = {}
        for header, lines in reader.bodies:
            declared = self._declared(header, lines)
            self.functions[declared.symbol] = declared
        # a constructor that is explicitly instantiated has two names
        for match in filter(None, map(_ALIAS.match, reader.global_lines)):
            alias, target = map(global_name, match.groups())
            if target in self.functions:
                self._same[alias] = target
        self.of_x86 = is_of_x86([line for f in self.functions.values() for line in f.lines])
        self.library = Library({s[1:] for s in (*self.functions, *self._same)})
        self._globals = {
            global_name(m.group(1)): m for m in map(_GLOBAL.match, reader.global_lines) if m
        }
        self.types = TypeInfo(
            {name[1:]: m.group(4) for name, m in self._globals.items()},
            [line for f in self.functions.values() for line in f.lines],
        )
        self.elsewhere = [global_name(n) for n in _DECLARE.findall(made.ir)]
        self._lines = reader.global_lines
        self._own: dict[str, bool] = {}
        self._shown: dict[str, int] = {}
        self.constants: list[int] = []
        self.variables: list[tuple[str, int]] = []  # name, size
        self.bodies: list[Body | None] = []
        self._numbers: dict[str, int] = {}
        self._todo: list[str] = []
        self._reasons: list[str] = [
            "a part of something that threads see differently",
            "the unlocking of a mutex that its thread does not hold",
            "the locking of a mutex that its thread holds",
            "an exception that leaves an operation",
        ]

    # -- the source -------------------------------------------------------------------------------

    def _declared(self, header: str, lines: list[str]) -> Declared:
        match = _DEFINE.match(header)
        if match is None:
            raise IRError(f"cannot read {header[:80]}")
        symbol = global_name(match.group(2))
        parameters = [register for register, _ in read_parameters(match.group(3))[0]]
        node = _DBG.search(header)
        number = node.group(1) if node else ""
        debug = self.debug
        types = debug.signature(number)
        place = debug.subprogram(number) if node else None
        names = debug.arguments(number)
        found = [Type(*debug.described(each)) for each in types[1:]]
        returns = Type(*debug.described(types[0])) if types else Type("void")
        name = debug.attribute(number, "name") or symbol[1:]
        calls = set(re.findall(r"(?:call|invoke) [^\n]*?(@[\w.$-]+)\(", "\n".join(lines)))
        return Declared(
            symbol, name, place.line if place else 0, parameters, lines, returns, found, names,
            debug.owner(number), calls, place.path if place else "",
            copied_parameters(match.group(3), self.layout),
        )  # fmt: skip

    def line_of(self, location: str) -> int:
        """The line of an instruction that is shown, or of the call that was inlined there; 0: only
        lines of a system's headers, or of a program that includes the file."""
        if location not in self._shown:
            place = self.debug.place(location)
            outer = self.debug.attribute(location, "inlinedAt")
            if place is not None and self._is_own(place.path):
                self._shown[location] = place.line
            else:
                self._shown[location] = self.line_of(outer[1:]) if outer else 0
        return self._shown[location]

    def _is_own(self, path: str) -> bool:
        if path not in self._own:
            others = (*SYSTEM, str(_CONTAINERS_HEADER))
            self._own[path] = not path.startswith(others) and Path(path).is_file()
        return self._own[path]

    # -- for the lowering -------------------------------------------------------------------------

    def constant(self, number: int) -> int:
        """The operand that stands for a constant."""
        number &= (1 << 64) - 1
        signed = number - (1 << 64) if number >> 63 else number
        if signed not in self.constants:
            self.constants.append(signed)
        return -1 - self.constants.index(signed)

    def address(self, name: str, offset: int) -> int | None:
        """The operand that stands for the address of a global."""
        if name in self.functions:
            number = self.function(name)
            assert number is not None
            return self.constant(address_of(FIRST_FUNCTION + number) + offset)
        if name in self.elsewhere:  # a function of another file: its address is as good as any
            elsewhere = FIRST_FUNCTION + ELSEWHERE + self.elsewhere.index(name)
            return self.constant(address_of(elsewhere) + offset)
        found = None if self._is_elsewhere(name) else self.variable(name)
        return None if found is None else self.constant(address_of(found) + offset)

    def _is_elsewhere(self, name: str) -> bool:
        """Whether a variable is one of another file, so that nobody knows what is in it."""
        match = self._globals.get(name)
        return match is not None and "external " in match.group(2) and not is_known(name[1:])

    def start(self) -> list[str]:
        """The functions that run before the program."""
        text = next((t for t in self._lines if t.startswith("@llvm.global_ctors ")), "")
        return [name for name in re.findall(r"@[\w.$-]+", text) if name in self.functions]

    def variable(self, name: str, size: int | None = None) -> int | None:
        """The number of a global variable, or of one that is made up."""
        known = [n for n, _ in self.variables]
        if name in known:
            return known.index(name)
        if size is None:
            match = self._globals.get(name)
            if match is None:
                return None
            rest = match.group(4)
            size = self.layout.size(rest[: type_length(rest)])
            if self.of_each_thread(name):
                size *= THREADS + 1
        self.variables.append((name, size))
        return len(self.variables) - 1

    def of_each_thread(self, name: str) -> int:
        """The size of a variable that each thread has one of; 0 for others."""
        match = self._globals.get(name)
        if match is None or "thread_local" not in match.group(2):
            return 0
        rest = match.group(4)
        return self.layout.size(rest[: type_length(rest)])

    def made_up(self, name: str, size: int) -> int:
        """The number of a variable that is made up."""
        found = self.variable(name, size)
        assert found is not None
        return found

    def function(self, name: str) -> int | None:
        """The number of a function of the module."""
        name = self._same.get(name, name)
        if name not in self.functions:
            return None
        if name not in self._numbers:
            self._numbers[name] = self.reserve()
            self._todo.append(name)
        return self._numbers[name]

    def reserve(self) -> int:
        """The number of a function that is made up."""
        self.bodies.append(None)
        return len(self.bodies) - 1

    def reason(self, text: str) -> int:
        """The number of a reason why something is not known."""
        if text not in self._reasons:
            self._reasons.append(text)
        return self._reasons.index(text)

    def why(self, number: int) -> str:
        """The reason of a number."""
        return self._reasons[number]

    # -- words ------------------------------------------------------------------------------------

    def complete(self) -> None:
        """Lower all that is called."""
        while self._todo:
            name = self._todo.pop()
            declared = self.functions[name]
            lowering = Lowering(self, declared.name, declared.parameters)
            self.bodies[self._numbers[name]] = lowering.build(declared.lines)

    def words_of_variables(self) -> list[int]:
        """The variables with their initial values."""
        while True:
            held = []
            number = 0
            while number < len(self.variables):  # an initial value may name another variable
                name, size = self.variables[number]
                held.append([size, *self._initial(name)])
                number += 1
            if not self._todo:  # or a function, which may name more
                return [len(held), *(word for each in held for word in each)]
            self.complete()

    def _initial(self, name: str) -> list[int]:
        match = self._globals.get(name)
        if match is None or "external " in match.group(2):
            return [0]
        rest = match.group(4)
        end = type_length(rest)
        text = rest[end + 1 :]
        text = text[: type_length(text)] if text[:1] in "[{<" else _TAIL.split(text)[0]
        values = initial_values(rest[:end], text, self.layout, lambda n: n)
        one = {at: (each.size, self._number(each.operand)) for at, each in values.items()}
        step = self.of_each_thread(name)
        found = dict(one)
        for thread in range(1, THREADS + 1 if step else 1):
            found.update({thread * step + at: each for at, each in one.items()})
        if step and not any(number for _, number in one.values()) and is_thread_number(name[1:]):
            self.library.assumed.add(name[1:])
            found = {thread * step: (step, thread) for thread in range(1, THREADS + 1)}
        held = [(at, *each) for at, each in sorted(found.items()) if each[1]]
        return [len(held), *(word for each in held for word in each)]

    def _number(self, value: Operand) -> int:
        if isinstance(value, int):
            return value
        if isinstance(value, tuple):
            operand = self.address(*value)
            return self.constants[-1 - operand] if operand is not None else 0
        return 0


def _unquoted(name: re.Match[str]) -> str:
    """A name of C++ without quotes, each odd character as its number."""
    return name[1] + re.sub(r"[^\w.$-]", lambda odd: f"${ord(odd[0]):x}", name[2])


def read_module(path: str, options: tuple[str, ...] = (), program: str = "") -> Module:
    """Compile a file, or a program about it, and read it; with what it uses of containers."""
    found = _read(path, compiled(path, options, program))
    if any(_CONTAINERS.match(name[1:]) for name in found.elsewhere):
        text = f'{found.program or including(path)}#include "{_CONTAINERS_HEADER}"\n'
        try:
            return _read(path, compiled(path, found.options, text))
        except UsageError:  # an old standard, perhaps
            return found
    return found


def _read(path: str, made: Compiled) -> Module:
    try:
        return Module(made, path)
    except (IRError, RecursionError) as error:
        raise UsageError(f"{path}: cannot read its LLVM IR: {error}") from None
