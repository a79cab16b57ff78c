"""What the source says a block is: the truth that types of blocks are judged by.

For C and C++ from clang's syntax tree: the pointer that an allocation is cast to, assigned to,
returned as or passed as, or the type of a `new`. Where that is `void *` the caller is asked. For
standard containers and Rust from the names of the functions that allocate, which carry the type:
`std::__new_allocator<X>::allocate`, `Box::new<X>`. None of this reads debug information but for
the functions and lines of the unoptimised program's call stacks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from clang import cindex
from clang.cindex import Cursor, CursorKind, Type, TypeKind

from tests.locating.faults.source import SourceError, resource_directory

_ALLOCATES = re.compile(r"new_allocator<(.*)>::allocate\(|(?<!raw)allocator<(.*)>::allocate\(")
_BOXED = re.compile(
    r"^alloc::boxed::.*?::(?:new|try_new_uninit_in|new_uninit_in|new_in|try_new_in)<(.*)>$"
)
_VECTOR = re.compile(r"^alloc::raw_vec::RawVec(?:<.*?>)?::(?:\w+)<(.*)>$")
_TAG = re.compile(r"\b(struct|class|union|enum) ")
_TRANSPARENT = {
    CursorKind.UNEXPOSED_EXPR,
    CursorKind.PAREN_EXPR,
    CursorKind.CONDITIONAL_OPERATOR,
    CursorKind.BINARY_OPERATOR,
}
NUMBERS = re.compile(
    r"^(unsigned |signed |long |short |int|char|double|float|bool|[iuf]\d+$|usize)"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One call of an allocation's stack."""

    function: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A type that a line of the source states."""

    name: str
    size: int  # 0: unknown
    exact: bool  # by `new`, which allocates just this, or an array of it

    def fits(self, size: int) -> bool:
        """Whether a block of this size can be meant: a line may allocate other things as well."""
        if not self.exact or not self.size:
            return size >= self.size
        return size % self.size == 0 or (size - 8) % self.size == 0


def base_name(name: str) -> str:
    """A type's name without namespaces, template arguments, tags and qualifiers; the same for all
    numbers, since a program may write them in several ways."""
    name = _TAG.sub("", name).replace("const ", "").replace("volatile ", "").strip()
    stars = name.count("*") if name.endswith("*") else 0
    name = name.rstrip("* ")
    depth, plain = 0, ""
    for character in name.replace("->", ""):
        depth += character in "<("
        if not depth:
            plain += character
        depth -= character in ">)"
    plain = re.sub(r"\[\d*\]$", "", plain).strip().rsplit("::", 1)[-1]
    if NUMBERS.match(name):
        plain = "number"
    return plain + "*" * stars


class Stated:
    """The types that the sources of a program state, by file and line."""

    def __init__(self, sources: Iterable[Path], flags: list[str]) -> None:
        self._lines: dict[tuple[str, int], set[Entry]] = defaultdict(set)
        index = cindex.Index.create()
        for source in sources:
            unit = index.parse(str(source), args=[*flags, "-resource-dir", resource_directory()])
            for one in unit.diagnostics:
                # The library need not understand the headers of another version of the compiler.
                foreign = str(one.location.file).startswith("/usr")
                if one.severity >= cindex.Diagnostic.Error + foreign:
                    raise SourceError(str(one))
            for cursor in unit.cursor.get_children():
                file = cursor.location.file
                if file and not file.name.startswith("/usr"):
                    self._visit(cursor, [])

    def of(self, frames: Iterable[Frame], size: int) -> str | None:
        """What a block with this call stack is, innermost frame first; None if nothing tells."""
        for frame in frames:
            if named := _named(frame.function):
                return base_name(named)
            entries = self._lines.get((frame.path, frame.line), set())
            found = {entry.name for entry in entries if entry.fits(size)}
            if len(found) == 1:
                return next(iter(found))
            if entries:
                return None
        return None

    def _visit(self, cursor: Cursor, parents: list[Cursor]) -> None:
        told = None
        if cursor.kind is CursorKind.CXX_NEW_EXPR:
            told = _entry(cursor.type, exact=True)
        elif cursor.kind is CursorKind.CALL_EXPR and _is_void_pointer(cursor.type):
            told = _received(parents)
            if told and (larger := _measured(cursor)) and larger.size > told.size:
                told = larger  # a `struct base *` that holds a derived one
        if told:
            for line in range(cursor.extent.start.line, cursor.extent.end.line + 1):
                self._lines[str(cursor.location.file), line].add(told)
        for child in cursor.get_children():
            self._visit(child, [*parents, cursor])


def _named(function: str) -> str | None:
    for pattern in (_ALLOCATES, _BOXED, _VECTOR):
        if match := pattern.search(function):
            arguments = next(group for group in match.groups() if group is not None)
            return _first_argument(arguments)
    return None


def _first_argument(arguments: str) -> str:
    depth = 0
    for at, character in enumerate(arguments):
        depth += character in "<(["
        depth -= character in ">)]"
        if character == "," and not depth:
            return arguments[:at]
    return arguments


def _is_void_pointer(kind: Type) -> bool:
    canonical = kind.get_canonical()
    return canonical.kind is TypeKind.POINTER and canonical.get_pointee().kind is TypeKind.VOID


def _entry(kind: Type, exact: bool = False) -> Entry | None:
    """What a pointer of some type says; nothing if it is void or depends on a template."""
    canonical = kind.get_canonical()
    if canonical.kind is not TypeKind.POINTER:
        return None
    pointee = canonical.get_pointee()
    if pointee.kind is TypeKind.VOID:
        return None
    size = max(pointee.get_size(), 0)
    return Entry(base_name(pointee.spelling), size, exact)


def _measured(call: Cursor) -> Entry | None:
    """The structure in a call's `sizeof(struct …)`."""
    for inner in call.walk_preorder():
        if inner.kind is not CursorKind.CXX_UNARY_EXPR:
            continue
        named = [child for child in inner.get_children() if child.kind is CursorKind.TYPE_REF]
        if named and not any(token.spelling == "*" for token in inner.get_tokens()):
            kind = named[0].type.get_canonical()
            if kind.kind is TypeKind.RECORD:
                return Entry(base_name(kind.spelling), max(kind.get_size(), 0), exact=False)
    return None


def _received(parents: list[Cursor]) -> Entry | None:
    """What the pointer becomes that an expression yields."""
    for depth in range(len(parents) - 1, -1, -1):
        parent = parents[depth]
        if parent.kind in _TRANSPARENT or parent.kind is CursorKind.CSTYLE_CAST_EXPR:
            if told := _entry(parent.type):
                return told
        elif parent.kind is CursorKind.VAR_DECL:
            return _entry(parent.type)
        elif parent.kind is CursorKind.RETURN_STMT:
            functions = (p for p in reversed(parents) if p.kind is CursorKind.FUNCTION_DECL)
            function = next(functions, None)
            return _entry(function.result_type) if function else None
        else:
            return None
    return None
