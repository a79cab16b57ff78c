"""From LLVM IR text to units.

The module is read at -O0. Slots whose address is never taken are promoted here rather than by
LLVM's sroa: an assignment then stays a statement with its own line, which is where a last
reference is lost, and the variable keeps its name and its contents until the function returns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from hashlib import sha256

from heapstory.cfront.body import BodyBuilder
from heapstory.cfront.constants import function_addresses, global_name
from heapstory.cfront.debug import DebugInfo
from heapstory.cfront.layout import Layout, is_pointer, member_key, type_length, variable_key
from heapstory.cfront.liveness import annotate
from heapstory.cfront.program import Function, Place, Unit
from heapstory.cfront.signatures import copied_parameters, declared_signature, read_parameters
from heapstory.cfront.written import mentioned, written

_GLOBAL = re.compile(r'(@"[^"]+"|@[\w.$-]+) = (.*?)\b(global|constant) (.*)\Z', re.DOTALL)
_DEFINE = re.compile(r'(?:define|declare) (.*?)(@"[^"]+"|@[\w.$-]+)\((.*)\Z', re.DOTALL)
_DBG = re.compile(r"!dbg !(\d+)")

Prepare = Callable[[Function], None]  # done to every function before its liveness is computed
# Another definition may take its place, or somebody else may set it.
_REPLACED = frozenset(("weak", "weak_odr", "linkonce", "extern_weak", "externally_initialized"))
LONGEST = 4_096  # characters of an initial value that is kept …
LONGEST_TABLE = 100_000  # … and of one with functions in it


class IRError(Exception):
    """The text is not LLVM IR that this reader knows."""


class ModuleReader:
    """Reads one module."""

    def __init__(self, text: str, path: str) -> None:
        self.layout = Layout()
        self.unit = Unit(path, layout=self.layout)
        # Function pointers by the member they are stored in: "struct.ops+8" -> names.
        self.members: dict[str, set[str]] = {}
        self.bodies: list[tuple[str, list[str]]] = []
        self.global_lines: list[str] = []
        self._internals: set[str] = set()
        self.functions: set[str] = set()
        self._digest = sha256(text.encode("utf-8", "replace")).hexdigest()
        metadata = self._split(text)
        self.debug = DebugInfo(metadata)

    def _split(self, text: str) -> list[str]:
        metadata: list[str] = []
        lines = iter(text.split("\n"))
        for line in lines:
            first = line[:1]
            if first == "!":
                metadata.append(line)
            elif first == "d":
                if line.startswith("define "):
                    self.bodies.append((line, self._take_body(lines)))
                elif line.startswith("declare "):
                    self._declare(line)
            elif first == "%":
                name, found, kind = line.partition(" = type ")
                if found:
                    self.layout.named[name] = kind
            elif first == "@":
                self.global_lines.append(line)
        return metadata

    @staticmethod
    def _take_body(lines: Iterator[str]) -> list[str]:
        taken: list[str] = []
        for line in lines:
            if line == "}":
                return taken
            if line:
                taken.append(line)
        raise IRError("the IR ends inside a function")

    def _declare(self, line: str) -> None:
        match = _DEFINE.match(line)
        if match:
            name = global_name(match.group(2))
            self.unit.signatures[name] = declared_signature(match.group(1), match.group(3))

    def qualify(self, name: str) -> str:
        """The name of a global for the whole program: static ones carry their unit."""
        return f"{name}@{self.unit.path}" if name in self._internals else name

    def read(self, prepare: Prepare) -> None:
        """Lower every function and every table of the module."""
        headers = [(self._header(line), line, lines) for line, lines in self.bodies]
        self._read_globals()
        for function, _, _ in headers:
            function.name = self.qualify(function.name)
        unit = self.unit
        unit.signatures = {self.qualify(n): s for n, s in unit.signatures.items()}
        unit.internals = {self.qualify(n) for n in self._internals}
        self.functions = set(unit.signatures)
        for function, line, lines in headers:
            builder = BodyBuilder(self, function)
            builder.build(lines)
            unit.written.update(map(self.qualify, written(lines)))
            prepare(function)
            annotate(function)
            function.unit = self.unit.path
            function.digest = self._digest
            self.unit.functions[function.name] = function
            self._check(function, line)

    @staticmethod
    def _check(function: Function, line: str) -> None:
        if not function.blocks:
            raise IRError(f"no blocks in {line[:80]}")

    def _header(self, line: str) -> Function:
        match = _DEFINE.match(line)
        if match is None:
            raise IRError(f"cannot read {line[:80]}")
        prefix, name, rest = match.group(1), global_name(match.group(2)), match.group(3)
        node = _DBG.search(rest)
        place = self.debug.subprogram(node.group(1)) if node else Place(self.unit.path, 0, name[1:])
        parameters, variadic = read_parameters(rest)
        function = Function(name, place, parameters, variadic)
        function.copies = copied_parameters(rest, self.layout)
        words = prefix.split()
        function.internal = "internal" in words or "private" in words
        function.returns_pointer = is_pointer(words[-1])
        function.signature = declared_signature(prefix, rest)
        self.unit.signatures[name] = function.signature
        if function.internal:
            self._internals.add(name)
        return function

    def _read_globals(self) -> None:
        functions = set(self.unit.signatures)
        matches = [m for m in map(_GLOBAL.match, self.global_lines) if m]
        for match in matches:
            if "internal" in match.group(2) or "private" in match.group(2):
                self._internals.add(global_name(match.group(1)))
        for match in matches:
            name, words, constant, rest = match.groups()
            name = self.qualify(global_name(name))
            if "external" in words:
                continue
            end = type_length(rest)
            text = _without_tail(rest[end + 1 :])
            if len(text) <= (LONGEST_TABLE if "@" in text else LONGEST):
                self.unit.initial[name] = (rest[:end], text)
            if constant == "constant":
                self.unit.constants.add(name)
            elif not _REPLACED.isdisjoint(words.split()):
                self.unit.written.add(name)
            if "@" not in rest:
                continue
            self.unit.written.update(map(self.qualify, mentioned(text)))
            found = function_addresses(rest[:end], text, 0, self.layout, functions)
            for offset, function, owner, at in found:
                target = self.qualify(function)
                self.unit.addressed.add(target)
                self.unit.tables[name, offset] = target
                self.members.setdefault(variable_key(name, offset), set()).add(target)
                if owner:
                    self.members.setdefault(member_key(owner, at), set()).add(target)


def _without_tail(text: str) -> str:
    """An initializer without the attributes that follow it."""
    if text[:1] in "[{<":
        return text[: type_length(text)]
    return text.split(", align", 1)[0].split(", section", 1)[0]


def as_it_is(function: Function) -> None:
    """The preparation of those who want all statements."""


def read_module(
    text: str, path: str, prepare: Prepare = as_it_is
) -> tuple[Unit, dict[str, set[str]]]:
    """Read a module; gives the unit and the functions stored in structure members."""
    reader = open_module(text, path, prepare)
    return reader.unit, reader.members


def open_module(text: str, path: str, prepare: Prepare = as_it_is) -> ModuleReader:
    """Read a module for those who want its debug information as well."""
    if "target datalayout" not in text and "define " not in text and "source_filename" not in text:
        raise IRError("this is not LLVM IR")
    reader = ModuleReader(text, path)
    reader.read(prepare)
    return reader
