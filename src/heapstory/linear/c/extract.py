"""Specifications extracted from C: one operation per loop-free path of each function.

Every shared access is a sub-operation. A loop that starts again with nothing changed is a retry:
its turns are dropped, or, where they help others along (a CAS), become an operation of their own
that changes nothing abstract. A loop that only walks along pointers becomes a ``loop`` step. What
cannot be modelled (weak orderings, calls of unknown functions, loops that write) ends in
*unknown*, with the line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path as FilePath

from heapstory.cfront.program import Function
from heapstory.errors import SpecificationError, UsageError
from heapstory.linear.c.initial import field_of_shared, fields_read, initialiser, made_shared
from heapstory.linear.c.path import Path
from heapstory.linear.c.paths import Paths
from heapstory.linear.c.races import first_race
from heapstory.linear.c.replacing import replaced_step
from heapstory.linear.c.simplify import simplify
from heapstory.linear.c.source import (
    NUMBER,
    Source,
    is_object,
    notation,
    pointed,
    read_source,
    word,
)
from heapstory.linear.c.statements import SHARED, Statements
from heapstory.linear.c.values import CannotModel
from heapstory.linear.language.binding import bind, mentions
from heapstory.linear.language.methods import SKIP, TYPES, method_of
from heapstory.linear.language.show import show_specification
from heapstory.linear.language.syntax import (
    Assign,
    Expr,
    Field,
    Global,
    Local,
    Operation,
    Position,
    Return,
    Specification,
    Statement,
    Variable,
)
from heapstory.linear.program.locks import cell_of
from heapstory.linear.program.settled import settled_fields
from heapstory.linear.program.steps import prepare


@dataclass
class Extracted:
    """The specification and how it reads, or the reason why there is none."""

    text: str
    spec: Specification | None
    reason: str = ""
    doubt: str = ""  # why nothing good can be said of it


def extract(
    path: str,
    struct: str | None,
    functions: str | None,
    implements: str | None,
    options: tuple[str, ...] = (),
) -> Extracted:
    """Extract a specification from a C file; ``options`` are for the compiler."""
    source = read_source(path, options)
    chosen = _chosen(source, functions, implements, path)
    kind = implements or _type_of(chosen, path)
    shared = struct.removeprefix("struct ") if struct else _shared_struct(source, chosen)
    builder = _Builder(source, path, shared)
    try:
        spec = builder.specification(kind, chosen)
    except CannotModel as reason:
        return Extracted("", None, f"{path}:{reason.line}: {reason}")
    prepare(spec)  # finds operations that never touch shared state
    text = f"// extracted from {path}\n{show_specification(spec, lines=True)}"
    doubt = f"{path}:{builder.race[0]}: {builder.race[1]}" if builder.race else ""
    return Extracted(text, spec, doubt=doubt)


def _chosen(
    source: Source, functions: str | None, implements: str | None, path: str
) -> dict[str, str]:
    """Which functions are operations, and of which method."""
    if functions:
        found = {}
        for item in functions.split(","):
            name, _, method = item.partition("=")
            if name not in source.functions:
                raise UsageError(f"{path}: no function '{name}'")
            found[name] = method or method_of(name)
        return found
    kinds = [implements] if implements else list(TYPES)
    for kind in kinds:
        if kind not in TYPES:
            raise UsageError(f"unknown type '{kind}' (known: {', '.join(TYPES)})")
        found = {n: method_of(n) for n in source.functions if method_of(n) in TYPES[kind]}
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


def _shared_struct(source: Source, chosen: dict[str, str]) -> str | None:
    for name in chosen:
        for kind in source.parameter_types(source.functions[name])[:1]:
            if struct := pointed(kind):
                return struct
    return None


class _Builder:
    """Builds the specification of one source."""

    def __init__(self, source: Source, path: str, shared: str | None) -> None:
        self.source, self.path, self.shared = source, path, shared
        self.text = FilePath(path).read_text(encoding="utf-8", errors="replace")
        self.statements = Statements(source, shared)
        self.structs: dict[str, tuple[Variable, ...]] = {}
        self.helpers = 0
        self.race: tuple[int, str] | None = None

    def specification(self, kind: str, chosen: dict[str, str]) -> Specification:
        """The whole."""
        operations = [o for n, m in chosen.items() for o in self._operations(n, m)]
        self.race = first_race(self.statements.accesses)
        init_locals, init = self._init(set(chosen), operations)
        globals_ = self._globals()
        for variable in globals_:
            self._declare(variable.type)
        spec = Specification(
            FilePath(self.path).name.split(".")[0],
            kind,
            None,
            {name: self.structs[name] for name in self.source.structs if name in self.structs},
            globals_,
            init_locals,
            init,
            _labelled(operations),
            source=self.text,
            path=self.path,
            cleared=False,
        )
        self._check_walks(spec)
        return spec

    def _check_walks(self, spec: Specification) -> None:
        """A walk is one step only if each turn reads one thing that can change."""
        settled = settled_fields(spec)
        for line, loads in self.statements.walks:
            changing = [p for p in loads if cell_of(p) not in {("f", *f) for f in settled}]
            if len(changing) > 1:
                raise CannotModel("a walk that reads more than one changing field in a turn", line)

    def _operations(self, name: str, method: str) -> list[Operation]:
        function = self.source.functions[name]
        paths = Paths(self.statements, function, method)
        found: list[Operation] = []
        for path in paths.all():
            operation = self._operation(f"{name}_p{len(found)}", method, paths.arguments, path)
            if all(_shape(operation) != _shape(other) for other in found):
                found.append(operation)
        for turn in paths.helping:
            self.helpers += 1
            found.append(self._operation(f"help{self.helpers}", SKIP, [], turn))
        return found

    def _operation(self, name: str, method: str, arguments: list[str], path: Path) -> Operation:
        where = path.steps[0].position
        locals_ = tuple(Variable(n, k) for n, k in path.locals.items() if n not in arguments)
        parameters = tuple(Variable(a, NUMBER) for a in arguments)
        raw = Operation(name, method, parameters, locals_, tuple(path.steps), where)
        operation = self._named(replace(raw, steps=tuple(simplify(raw))), path)
        for variable in operation.locals:
            self._declare(variable.type)
        return bind(operation, self.source.structs, self._fail)

    def _named(self, operation: Operation, path: Path) -> Operation:
        """The operation with the locals that it needs, called as in the source."""
        used = [name for step in operation.steps for _, name in mentions(step)]
        order = dict.fromkeys([*(p.name for p in operation.parameters), *used])
        called = {**_read_from(operation), **path.called}
        names = _names(list(order), called, set(self.statements.globals))
        by: dict[str, Expr] = {old: Local(new) for old, new in names.items()}
        kept = [replace(v, name=names[v.name]) for v in operation.locals if v.name in names]
        return replace(
            operation,
            parameters=tuple(replace(p, name=names[p.name]) for p in operation.parameters),
            locals=tuple(sorted(kept, key=lambda v: v.name)),
            steps=tuple(replaced_step(step, by, targets=True) for step in operation.steps),
        )

    def _fail(self, message: str, where: Position) -> Exception:
        return SpecificationError(message, self.path, self.text, where.line, where.column)

    def _declare(self, struct: str) -> None:
        """Note that a struct is needed, and those that it leads to."""
        if struct in self.source.structs and struct not in self.structs:
            self.structs[struct] = self.source.variables(struct)
            for variable in self.structs[struct]:
                self._declare(variable.type)

    def _globals(self) -> tuple[Variable, ...]:
        found = [Variable(SHARED, self.shared)] if self.shared else []
        for name, plain in self.statements.globals.items():
            declared = self.source.global_type(plain)
            kind = is_object(declared) or notation(declared)
            initial = self.source.initial(plain)
            if initial is None:
                raise CannotModel(f"what '{plain}' holds at the start", 1)
            found.append(Variable(name, kind, initial=initial if initial.value else None))
        return tuple(found)

    def _init(
        self, chosen: set[str], operations: list[Operation]
    ) -> tuple[tuple[Variable, ...], tuple[Statement, ...]]:
        name = initialiser(self.source, chosen, self.shared)
        if name is None:
            return (), ()
        function: Function = self.source.functions[name]
        found = Paths(self.statements, function, SKIP).all()
        if len(found) != 1:
            raise CannotModel(f"'{name}' branches", function.place.line)
        path = found[0]
        body = tuple(s for step in path.steps for s in step.body if not isinstance(s, Return))
        whole = replace(path.steps[0], guard=(), body=body)
        whole = made_shared(whole, self.shared)
        if self.shared:
            written = set(map(field_of_shared, whole.body))
            for struct, field in sorted(fields_read(tuple(operations))):
                if struct == self.shared and field not in written:
                    message = f"'{name}' leaves '{field}' of the structure without a value"
                    raise CannotModel(message, function.place.line)
        locals_ = tuple(Variable(n, k) for n, k in path.locals.items())
        init = self._named(Operation(name, SKIP, (), locals_, (whole,)), path)
        for variable in init.locals:
            self._declare(variable.type)
        return init.locals, init.steps[0].body


def _read_from(operation: Operation) -> dict[str, str]:
    """Locals that are read from a field or a variable, and what that is called."""
    return {
        statement.target.name: statement.value.name
        for step in operation.steps
        for statement in step.body
        if isinstance(statement, Assign)
        and isinstance(statement.target, Local)
        and isinstance(statement.value, (Field, Global))
    }


def _names(order: list[str], called: dict[str, str], taken: set[str]) -> dict[str, str]:
    """A name of its own for each local: what the source calls it, and a number where needed."""
    found: dict[str, str] = {}
    for old in order:
        base = word(called.get(old, "value"))
        number, name = 1, base
        while name in taken or name in found.values():
            number += 1
            name = f"{base}_{number}"
        found[old] = name
    return found


def _shape(operation: Operation) -> object:
    """An operation up to the names of its locals: two ways round a loop may come to the same."""
    order: dict[str, Expr] = {}
    for step in operation.steps:
        for _, name in mentions(step):
            order.setdefault(name, Local(f"l{len(order)}"))
    kinds = {order[v.name]: v.type for v in operation.locals}
    steps = [replaced_step(step, order, targets=True) for step in operation.steps]
    return kinds, [replace(step, binds=(), picks=()) for step in steps]


def _labelled(operations: list[Operation]) -> tuple[Operation, ...]:
    number = 0
    found = []
    for operation in operations:
        steps = []
        for step in operation.steps:
            number += 1
            steps.append(replace(step, label=f"s{number}"))
        found.append(replace(operation, steps=tuple(steps)))
    return tuple(found)
