"""Specifications extracted from C: one operation per loop-free path of each function.

Reads the simplified LLVM IR of the file. Every shared access is a sub-operation. A loop that
starts again with nothing changed is a retry: its iterations are dropped, or, where they help
others along (a CAS), become an operation of their own that changes nothing abstract. A loop that
only walks along pointers becomes a ``loop`` step. What cannot be modelled (weak orderings, calls
to unknown functions, loops that write) ends in *unknown*, with the line.
"""

from __future__ import annotations

from dataclasses import dataclass

from heapstory.errors import UsageError
from heapstory.linear.c.cir import Function, Module, compile_c
from heapstory.linear.c.paths import Paths
from heapstory.linear.c.simplify import simplify
from heapstory.linear.c.walk import CannotModel, Walk
from heapstory.linear.language.binding import mentions
from heapstory.linear.language.methods import SKIP, TYPES, method_of
from heapstory.linear.language.syntax import Operation, Specification, show_step
from heapstory.linear.program.load import parse

INITIALISERS = ("init", "initialize", "initialise", "create")


@dataclass
class Extracted:
    """The specification as text and tree, or the reason why there is none."""

    text: str
    spec: Specification | None
    reason: str = ""


def extract(
    path: str, struct: str | None, functions: str | None, implements: str | None
) -> Extracted:
    """Extract a specification from a C file."""
    module = compile_c(path)
    chosen = _chosen(module, functions, implements, path)
    kind = implements or _type_of(chosen, path)
    shared = struct.removeprefix("struct ") if struct else _shared_struct(module, chosen)
    try:
        writer = _Writer(module, path, kind, shared, chosen)
    except CannotModel as reason:
        return Extracted("", None, f"{path}:{reason.line}: {reason}")
    raw = parse(writer.text(), path)
    for written in writer.operations:
        written.simplify(raw.operation(written.name))
    return Extracted(writer.text(), parse(writer.text(), path))


def _chosen(
    module: Module, functions: str | None, implements: str | None, path: str
) -> dict[str, str]:
    """Which functions are operations, and of which method."""
    if functions:
        found = {}
        for item in functions.split(","):
            name, _, method = item.partition("=")
            if name not in module.functions:
                raise UsageError(f"{path}: no function '{name}'")
            found[name] = method or method_of(name)
        return found
    kinds = [implements] if implements else list(TYPES)
    for kind in kinds:
        if kind not in TYPES:
            raise UsageError(f"unknown type '{kind}' (known: {', '.join(TYPES)})")
        found = {n: method_of(n) for n in module.functions if method_of(n) in TYPES[kind]}
        if len(found) > 1:
            return found
    raise UsageError(
        f"{path}: no functions named like a type's methods; say --functions NAME=METHOD"
    )


def _type_of(chosen: dict[str, str], path: str) -> str:
    for kind, methods in TYPES.items():
        if set(chosen.values()) <= set(methods):
            return kind
    raise UsageError(f"{path}: which abstract type? say --implements TYPE")


def _shared_struct(module: Module, chosen: dict[str, str]) -> str | None:
    for name in chosen:
        for kind, _ in module.functions[name].parameters[:1]:
            if kind.startswith("%struct.") and kind.endswith("*"):
                return kind[len("%struct.") : -1]
    return None


@dataclass
class _Written:
    """One operation as text: its locals by type, its steps with the lines of C they come from."""

    name: str
    parameters: str
    method: str
    locals: dict[str, str]
    steps: list[tuple[str, int]]

    def simplify(self, operation: Operation) -> None:
        """Rewrite the steps, given the operation as it was read back."""
        kept = simplify(operation)
        self.steps = [(show_step(step), self.steps[number][1]) for number, step in kept]
        named = {name for _, step in kept for _, name in mentions(step)}
        self.locals = {name: kind for name, kind in self.locals.items() if name in named}

    def lines(self) -> list[str]:
        """The operation in the notation."""
        lines = ["", f"{self.name} ({self.parameters}) is {self.method}"]
        lines += [f"  {kind} {local};" for local, kind in sorted(self.locals.items())]
        return lines + [f"  {step}   // line {line}" for step, line in self.steps]


class _Writer:
    def __init__(
        self, module: Module, path: str, kind: str, shared: str | None, chosen: dict[str, str]
    ) -> None:
        self.module, self.path, self.kind, self.shared = module, path, kind, shared
        self.used: set[str] = set()
        self.helpers = 0
        self.operations: list[_Written] = []
        for name, method in chosen.items():
            self._add(module.functions[name], method)
        self.init = self._init()

    def text(self) -> str:
        lines = [
            f"// extracted from {self.path}",
            f"name {self.path.rsplit('/', 1)[-1].split('.')[0]};",
            f"implements {self.kind};",
            *self._declarations(),
            *self.init,
        ]
        return "\n".join([*lines, *(line for o in self.operations for line in o.lines())]) + "\n"

    def _declarations(self) -> list[str]:
        lines = []
        for name, fields in self.module.structs.items():
            if name in self.used or name == self.shared:
                inner = ", ".join(f"{self._kind(kind)} {f}" for f, kind in fields)
                lines.append(f"struct {name} {{ {inner} }};")
        if self.shared:
            lines.append(f"{self.shared} SHARED;")
        for name, kind in self.module.globals.items():
            lines.append(f"{self._kind(kind)} {name};")
        return lines

    def _kind(self, kind: str) -> str:
        if kind.startswith("%struct.") and kind.endswith("*"):
            self.used.add(kind[8:-1])
            return kind[8:-1]
        return "int"

    def _init(self) -> list[str]:
        name = next((n for n in INITIALISERS if n in self.module.functions), None)
        if name is None:
            return []
        walk = self._paths(self.module.functions[name], "skip").all()
        if len(walk) != 1:
            return []
        lines = ["init {"]
        lines += [f"  {kind} {local};" for local, kind in sorted(walk[0].locals.items())]
        lines += [f"  {s.split('> ')[-1].removeprefix('1 ')}" for s in walk[0].plain()]
        return [*lines, "}"]

    def _paths(self, function: Function, method: str) -> Paths:
        return Paths(self.module, function, method, self.shared)

    def _add(self, function: Function, method: str) -> None:
        paths = self._paths(function, method)
        for number, walk in enumerate(paths.all()):
            parameters = ", ".join(f"int {p}" for p in paths.arguments)
            self._operation(f"{function.name}_p{number}", parameters, method, walk)
        for walk in paths.helping:
            self.helpers += 1
            self._operation(f"help{self.helpers}", "", SKIP, walk)

    def _operation(self, name: str, parameters: str, method: str, walk: Walk) -> None:
        self.used |= {kind for kind in walk.locals.values() if kind != "int"}
        self.operations.append(_Written(name, parameters, method, dict(walk.locals), walk.steps))
