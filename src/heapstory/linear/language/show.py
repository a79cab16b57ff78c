"""Specifications and their parts in the notation of the language, as the grammar reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heapstory.linear.language.syntax import (
    Assign,
    Condition,
    Const,
    Expr,
    Field,
    Free,
    Global,
    Guard,
    Hint,
    Index,
    Local,
    Malloc,
    NoNode,
    Operation,
    OwnId,
    Read,
    Return,
    Specification,
    Statement,
    SubOperation,
    Sum,
    Table,
    Variable,
)

_NUMBERED = re.compile(r"s\d+")  # a label that nobody wrote


def show_specification(spec: Specification, lines: bool = False) -> str:
    """A whole specification; with ``lines`` each step names the line it stands on."""
    parts = [f"name {spec.name};", *_contents(spec, lines)]
    return "\n".join(parts) + "\n"


def _contents(spec: Specification, lines: bool) -> Iterator[str]:
    if spec.implements:
        yield f"implements {spec.implements};"
    if spec.model is not None:
        yield "model {"
        yield from (f"  {line}" for line in _contents(spec.model, lines))
        yield "}"
    for name, fields in spec.structs.items():
        inner = ", ".join(f"{'ghost ' * f.ghost}{f.type} {f.name}" for f in fields)
        yield f"struct {name} {{ {inner} }};"
    yield from map(_declaration, spec.globals)
    if spec.init or spec.init_locals:
        yield "init {"
        yield from (f"  {_declaration(v)}" for v in spec.init_locals)
        yield from (f"  {show_statement(s)}" for s in spec.init)
        yield "}"
    for operation in spec.operations:
        yield from _operation(operation, lines)
    if spec.tables or spec.hints:
        yield ""
    yield from (f"{show_table(t)};" for t in spec.tables)
    yield from map(_hint, spec.hints)


def _declaration(variable: Variable) -> str:
    size = "" if variable.size is None else str(variable.size)
    array = f"[{size}]" if variable.array else ""
    initial = f" = {show(variable.initial)}" if variable.initial is not None else ""
    return f"{'ghost ' * variable.ghost}{variable.type} {variable.name}{array}{initial};"


def _operation(operation: Operation, lines: bool) -> Iterator[str]:
    parameters = ", ".join(f"{p.type} {p.name}" for p in operation.parameters)
    yield ""
    yield f"{operation.name} ({parameters}) is {operation.method}"
    yield from (f"  {_declaration(v)}" for v in operation.locals)
    for step in operation.steps:
        label = "" if _NUMBERED.fullmatch(step.label) else f" ...{step.label}"
        line = f"   // line {step.position.line}" if lines else ""
        yield f"  {show_step(step)}{label}{line}"


def show_table(table: Table) -> str:
    """A claim about two steps."""
    word = table.relation if table.holds else f"not{table.relation}"
    return f"{word} {table.first}, {table.second}{_when(table.premises)}"


def _hint(hint: Hint) -> str:
    if not hint.facts:
        return f"hint point {hint.label};"
    where = f" before {hint.label}" if hint.label else ""
    if hint.node is not None:
        name, struct = hint.node
        where = f" all {struct} {name}"
    facts = ", ".join(map(show_guard, hint.facts))
    return f"hint{where}: {facts}{_when(hint.when)};"


def _when(premises: tuple[Condition, ...]) -> str:
    return f" if {', '.join(map(show_guard, premises))}" if premises else ""


def show_guard(item: Guard) -> str:
    """A condition in the notation of the language."""
    if isinstance(item, NoNode):
        inner = ", ".join(map(show_guard, item.conditions))
        return f"none {item.struct} {item.name} : {inner}"
    return f"{show(item.left)} {item.op} {show(item.right)}"


def show(expr: Expr) -> str:
    """The expression in the notation of the language."""
    match expr:
        case Const(value, name):
            return name or str(value)
        case OwnId():
            return "ID"
        case Global(name) | Local(name):
            return name
        case Field(base, _, name):
            return f"{show(base)}.{name}"
        case Index(array, index):
            return f"{array}[{show(index)}]"
        case Sum(op, left, right):
            inner = f"({show(right)})" if isinstance(right, Sum) else show(right)
            return f"{show(left)} {op} {inner}"


def show_statement(statement: Statement) -> str:
    """The statement in the notation of the language."""
    match statement:
        case Assign(target, value):
            return f"{show(target)} = {show(value)};"
        case Malloc(target, struct):
            return f"{show(target)} = malloc {struct};"
        case Free(target):
            return f"free {show(target)};"
        case Read(place):
            return f"READ {show(place)};"
        case Return(values):
            return f"return {', '.join(map(show, values))};".replace(" ;", ";")


def show_step(step: SubOperation) -> str:
    """The sub-operation in the notation of the language."""
    guard = " ".join(f"{show_guard(c)};" for c in step.guard)
    mark = f"{step.mark} loop" if step.loop else step.mark
    body = " ".join(map(show_statement, step.body))
    parts = (mark, f"< {guard} >" if guard else "", body)
    return " ".join(part for part in parts if part)
