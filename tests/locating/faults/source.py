"""A structure's C source as the fault operators see it: which statements write its nodes, which
functions call which. Read with libclang, so that a write is what the compiler takes for one."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from clang.cindex import Cursor, CursorKind, Index, TranslationUnit, TypeKind

ALLOCATORS = {"malloc", "calloc", "realloc"}
WRITES = {CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR,
          CursorKind.UNARY_OPERATOR}  # fmt: skip


class SourceError(Exception):
    """The source could not be read."""


@dataclass(frozen=True)
class Span:
    """Where some text stands: byte offsets, and the lines it touches."""

    start: int
    end: int
    first_line: int
    last_line: int

    @property
    def lines(self) -> range:
        return range(self.first_line, self.last_line + 1)


@dataclass(frozen=True)
class Write:
    """A statement that assigns to a field of a node: ``target = value;``."""

    statement: Span  # with its semicolon
    function: str
    target: str
    owner: str  # the expression before the arrow
    field: str
    index: str | None  # of an array element
    value: str | None  # None for ``++`` and the like
    struct: str
    pointee: str | None  # the struct a pointer field leads to
    integer: bool
    plain: bool  # no call in the value: it may be evaluated twice


@dataclass(frozen=True)
class Call:
    """A call of one of the source's own functions."""

    expression: Span
    statement: Span | None  # the call is a whole statement, with its semicolon
    function: str  # that contains it
    callee: str
    arguments: tuple[str, ...]


@dataclass
class Source:
    """All of it; names are enough as keys, C having one name for a function of a file."""

    path: Path
    text: str
    structs: dict[str, dict[str, str]]  # struct -> field -> type as spelt
    nodes: set[str]  # the structs that are allocated
    writes: list[Write] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    # Function and line of what allocates or frees, or writes through a pointer to a link.
    allocations: list[tuple[str, int]] = field(default_factory=list)

    def own_functions(self) -> set[str]:
        """The structure's code: the functions that write fields of its nodes."""
        return {write.function for write in self.writes}

    def callers(self, function: str) -> set[str]:
        """The functions that call it, directly or not."""
        found: set[str] = set()
        fresh = {function}
        while fresh:
            fresh = {c.function for c in self.calls if c.callee in fresh} - found - {function}
            found |= fresh
        return found

    def callees(self, function: str) -> set[str]:
        return {call.callee for call in self.calls if call.function == function}

    def change_lines(self, functions: set[str]) -> set[int]:
        """The lines of these functions that write, allocate or free nodes."""
        lines = {n for w in self.writes if w.function in functions for n in w.statement.lines}
        return lines | {line for function, line in self.allocations if function in functions}


@cache
def resource_directory() -> str:
    """The compiler's own headers, which the libclang wheel comes without."""
    said = subprocess.run(["clang", "-print-resource-dir"], capture_output=True, text=True)
    if said.returncode:
        raise SourceError("clang -print-resource-dir failed; is clang installed?")
    return said.stdout.strip()


def read(path: Path) -> Source:
    unit = Index.create().parse(
        str(path), args=["-std=gnu11", "-resource-dir", resource_directory()],
        options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)  # fmt: skip
    errors = [one.spelling for one in unit.diagnostics if one.severity >= one.Error]
    if errors:
        raise SourceError(f"{path}: {errors[0]}")
    return _Reader(path, unit).source


class _Reader:
    def __init__(self, path: Path, unit: TranslationUnit) -> None:
        self.path = path
        # libclang counts bytes; the programs are ASCII, so that bytes are characters.
        self.text = path.read_text(encoding="ascii")
        own = [c for c in unit.cursor.get_children() if self._here(c)]
        structs = [c for c in own if c.kind == CursorKind.STRUCT_DECL and c.is_definition()]
        self.source = Source(path, self.text, {c.spelling: _fields(c) for c in structs}, set())
        functions = [c for c in own if c.kind == CursorKind.FUNCTION_DECL and c.is_definition()]
        self.names = {function.spelling for function in functions}
        for function in functions:
            self._allocations(function)
        for function in functions:
            self._statements(function, function)

    def _here(self, cursor: Cursor) -> bool:
        file = cursor.location.file
        return file is not None and Path(file.name) == self.path

    def _allocations(self, function: Cursor) -> None:
        for cursor in function.walk_preorder():
            if cursor.kind == CursorKind.CALL_EXPR and cursor.spelling in {*ALLOCATORS, "free"}:
                self.source.allocations.append((function.spelling, cursor.location.line))
            holder = _receiver(cursor)
            if holder is not None:
                struct = _struct_of(holder)
                if struct in self.source.structs:
                    self.source.nodes.add(struct)

    def _statements(self, cursor: Cursor, function: Cursor) -> None:
        for child in cursor.get_children():
            if cursor.kind in _HOLDERS and child.kind in WRITES:
                self._write(child, function)
            if child.kind == CursorKind.CALL_EXPR and child.spelling in self.names:
                self._call(child, function, cursor.kind in _HOLDERS)
            self._statements(child, function)

    def _write(self, cursor: Cursor, function: Cursor) -> None:
        operands = list(cursor.get_children())
        target = operands[0]
        member = target
        index = None
        if target.kind == CursorKind.ARRAY_SUBSCRIPT_EXPR:
            base, subscript = target.get_children()
            member = _unwrapped(base)
            index = self._text(subscript)
        if self._operator(cursor) == "==":
            return
        if (
            member.kind == CursorKind.UNARY_OPERATOR
            and _struct_of(target.type) in self.source.nodes
        ):
            self.source.allocations.append((function.spelling, cursor.location.line))  # *link = …
        if member.kind != CursorKind.MEMBER_REF_EXPR:
            return
        inner = next(iter(member.get_children()), None)
        struct = _struct_of(inner.type) if inner is not None else None
        if inner is None or struct not in self.source.nodes or "->" not in self._text(member):
            return
        plain_assignment = cursor.kind == CursorKind.BINARY_OPERATOR
        value = operands[1] if plain_assignment else None
        self.source.writes.append(Write(
            self._statement(cursor), function.spelling, self._text(target), self._text(inner),
            member.spelling, index, self._text(value) if value is not None else None, struct,
            _struct_of(target.type), target.type.get_canonical().kind == TypeKind.INT,
            value is not None and not any(
                c.kind == CursorKind.CALL_EXPR for c in value.walk_preorder()),
        ))  # fmt: skip

    def _call(self, cursor: Cursor, function: Cursor, whole: bool) -> None:
        self.source.calls.append(Call(
            self._span(cursor), self._statement(cursor) if whole else None, function.spelling,
            cursor.spelling, tuple(self._text(a) for a in cursor.get_arguments()),
        ))  # fmt: skip

    def _operator(self, cursor: Cursor) -> str:
        left = next(iter(cursor.get_children()))
        rest = self.text[left.extent.end.offset : cursor.extent.end.offset]
        found = re.match(r"\s*(==|=|[-+*/|&^]=|\+\+|--)?", rest)
        return (found.group(1) or "") if found else ""

    def _span(self, cursor: Cursor) -> Span:
        start, end = cursor.extent.start, cursor.extent.end
        return Span(start.offset, end.offset, start.line, end.line)

    def _statement(self, cursor: Cursor) -> Span:
        span = self._span(cursor)
        return Span(span.start, self.text.index(";", span.end) + 1, span.first_line, span.last_line)

    def _text(self, cursor: Cursor) -> str:
        return " ".join(self.text[cursor.extent.start.offset : cursor.extent.end.offset].split())


# What holds statements as its direct children.
_HOLDERS = {CursorKind.COMPOUND_STMT, CursorKind.IF_STMT, CursorKind.WHILE_STMT,
            CursorKind.FOR_STMT, CursorKind.DO_STMT, CursorKind.CASE_STMT,
            CursorKind.DEFAULT_STMT}  # fmt: skip


def _unwrapped(cursor: Cursor) -> Cursor:
    while cursor.kind == CursorKind.UNEXPOSED_EXPR:
        cursor = next(iter(cursor.get_children()))
    return cursor


def _fields(struct: Cursor) -> dict[str, str]:
    return {c.spelling: c.type.spelling for c in struct.get_children()
            if c.kind == CursorKind.FIELD_DECL}  # fmt: skip


def _struct_of(type_or_none: object) -> str | None:
    """The struct that a pointer (or an array of pointers) leads to."""
    given = getattr(type_or_none, "get_canonical", None)
    if given is None:
        return None
    kind = given()
    while kind.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
        kind = kind.element_type.get_canonical()
    if kind.kind != TypeKind.POINTER:
        return None
    return re.sub(r"^(const )?struct ", "", kind.get_pointee().get_canonical().spelling)


def _receiver(cursor: Cursor) -> object | None:
    """The type of what receives an allocation, in an initialiser or an assignment."""
    if cursor.kind == CursorKind.VAR_DECL:
        parts = list(cursor.get_children())
        return cursor.type if parts and _allocates(parts[-1]) else None
    if cursor.kind == CursorKind.BINARY_OPERATOR:
        left, right = cursor.get_children()
        return left.type if _allocates(right) else None
    return None


def _allocates(cursor: Cursor) -> bool:
    names: Iterator[str] = (c.spelling for c in cursor.walk_preorder()
                            if c.kind == CursorKind.CALL_EXPR)  # fmt: skip
    return any(name in ALLOCATORS for name in names)
