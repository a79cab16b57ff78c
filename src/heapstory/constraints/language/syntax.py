"""The parts of a specification as they are written, each with its position in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

DEGREES = ("INDEGREE", "OUTDEGREE", "EXTERNAL", "INTERNAL", "ISROOT", "ISLEAF")


@dataclass(frozen=True, slots=True)
class At:
    """A stretch of the text: where it begins (line and column from 1) and its characters."""

    line: int
    column: int
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, constant, or, inside an aggregate, a field of the node in question."""

    text: str
    at: At


@dataclass(frozen=True, slots=True)
class Number:
    value: int | float
    at: At


@dataclass(frozen=True, slots=True)
class Text:
    value: str
    at: At


@dataclass(frozen=True, slots=True)
class Word:
    """``NULL``, ``true``, ``false``, or the ``*`` of ``COUNT(X, *)``."""

    text: str
    at: At


@dataclass(frozen=True, slots=True)
class Member:
    """``base.name``: a field, an attribute or a degree."""

    base: Term
    name: str
    at: At


@dataclass(frozen=True, slots=True)
class Index:
    """``base[i]``; with names, the fields a degree is restricted to. `numbered`: ``base.(n)``."""

    base: Term
    items: tuple[Term, ...]
    at: At
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    args: tuple[Term, ...]
    at: At


@dataclass(frozen=True, slots=True)
class Fields:
    """A list of fields, ``[left, right]``, as the last argument of an aggregate."""

    names: tuple[str, ...]
    at: At


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator of `plan.Op` applied to terms: arithmetic, comparison, logic, ``?:``."""

    op: str
    args: tuple[Term, ...]
    at: At


@dataclass(frozen=True, slots=True)
class Connection:
    """``a -> b`` and its kin; ``fields`` None: all counted ones."""

    is_path: bool
    negated: bool
    fields: tuple[str, ...] | None
    source: Term
    target: Term
    at: At


@dataclass(frozen=True, slots=True)
class Exists:
    """``exists Y: …`` or ``exists node Y: …``."""

    type: str | None
    variable: str
    body: Term
    at: At


Term = (
    Name | Number | Text | Word | Member | Index | Call | Fields | Operation | Connection | Exists
)


def children(term: Term) -> tuple[Term, ...]:
    """The terms directly inside one."""
    match term:
        case Member(base=base):
            return (base,)
        case Index(base=base, items=items):
            return (base, *items)
        case Call(args=args) | Operation(args=args):
            return args
        case Connection(source=source, target=target):
            return (source, target)
        case Exists(body=body):
            return (body,)
    return ()


def subterms(term: Term) -> Iterator[Term]:
    """A term and everything inside it."""
    yield term
    for child in children(term):
        yield from subterms(child)


def dotted(term: Term) -> str:
    """A name with its dots and numbers in brackets, empty if it is none."""
    match term:
        case Name(text=text):
            return text
        case Member(base=base, name=name) if dotted(base):
            return f"{dotted(base)}.{name}"
        case Index(base=base, items=(Number(value=value),)) if dotted(base):
            return f"{dotted(base)}[{value}]"
    return ""


@dataclass(frozen=True, slots=True)
class FieldLine:
    """``left*;`` in a type: `mark` is ``*`` (a counted edge), ``^`` (a pointer not counted) or
    empty; `count` the length of an array, 0 if it is none, None if it goes to the block's end.
    `values` names the field's values: ``color {RED, BLACK};``. With ``!`` it must be `written`."""

    name: str
    count: int | None
    mark: str
    unchecked: bool
    written: bool
    target: str | None
    values: tuple[tuple[str, int], ...]
    at: At


@dataclass(frozen=True, slots=True)
class TypeLine:
    """A node type: by counts (``FIELD n EDGE n``), by named fields, or an ``ARRAY``.

    `native` is its name in the debug information if that is another; `holders` says where its
    objects lie besides blocks of its own: ``item.link``, or ``*`` for anywhere.
    """

    name: str
    native: str | None
    holders: tuple[str, ...]
    at: At
    counts: tuple[int, int] | None = None
    fields: tuple[FieldLine, ...] = ()
    is_array: bool = False
    element: int | None = None


@dataclass(frozen=True, slots=True)
class Declaration:
    """``node X, Y;``."""

    type: str
    variables: tuple[str, ...]
    at: At


@dataclass(frozen=True, slots=True)
class AttributeLine:
    """``node.HEIGHT;``: the name of an attribute, or a statement that turns out to be none."""

    type: str
    name: str
    at: At


@dataclass(frozen=True, slots=True)
class Rule:
    """``guard => X.h = a || X.h = b;`` or ``X.h = b;``; for ``NULL.h = n;`` variable is NULL."""

    guard: Term | None
    terminal: Term | None
    variable: str
    attribute: str
    value: Term
    at: At


@dataclass(frozen=True, slots=True)
class Loop:
    variable: str
    first: Term
    last: Term
    at: At


@dataclass(frozen=True, slots=True)
class Constraint:
    """``[name:] [for I in a to b,] [guard =>] body;``."""

    name: str | None
    loop: Loop | None
    guard: Term | None
    body: Term
    at: At


@dataclass(frozen=True, slots=True)
class OneLiner:
    """A statement of the library: ``sorted(node, next, key);``."""

    name: str | None
    call: Call
    at: At


FRAME = "frame "  # before FUNCTION.VARIABLE, in specifications and as the names of such nodes


@dataclass(frozen=True, slots=True)
class RootLine:
    """``root: node from table.bucket, head, frame main.list;``."""

    type: str
    sources: tuple[str, ...]
    at: At


@dataclass(frozen=True, slots=True)
class OwnerLine:
    """``owner: T.f;`` (exactly one pointer to what it holds) or ``no alias: T.f;``."""

    type: str
    field: str
    exclusive: bool
    at: At


@dataclass(frozen=True, slots=True)
class PauseLine:
    functions: tuple[str, ...]
    at: At


@dataclass(frozen=True, slots=True)
class ConstLine:
    name: str
    value: int | float
    at: At


Statement = (
    TypeLine
    | Declaration
    | AttributeLine
    | Rule
    | Constraint
    | OneLiner
    | RootLine
    | OwnerLine
    | PauseLine
    | ConstLine
)


@dataclass(frozen=True, slots=True)
class Specification:
    """A whole specification, in the order it was written."""

    path: str
    source: str
    statements: tuple[Statement, ...]

    @property
    def size(self) -> int:
        """Statements as Table 2.2 of the thesis counts them: all but variable declarations."""
        return sum(not isinstance(statement, Declaration) for statement in self.statements)

    def text(self, at: At) -> str:
        """The characters of a stretch, on one line."""
        return " ".join(self.source[at.start : at.end].split())
