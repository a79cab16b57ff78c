"""The compiled form of a specification, bound to one trace: what the engine evaluates.

**Objects.** A type's objects are places in live nodes, identified by (node id, base); pointers to
an object hold the address of its base. Nearly always the base is 0 and an object is a node; it is
another one for a structure embedded in a node (``struct list_head``) and for blocks that hold an
array of structures. Objects are ordered by (node id, base). An object lives as long as its node:
another allocation at the same address is another object.

**Values** of expressions: UNKNOWN, booleans, integers (exact; beyond 128 bits UNKNOWN), floats,
texts, and pointers. A pointer is resolved at the time it is read: *null*; *live* (node, offset: a
live node it meant when it was stored); *stale* (node, offset: freed since); *wild* (an address).
Two pointers are equal if they agree in kind, node, offset and address. A pointer equals an integer
if its address is that integer (NULL is 0); ``< <= > >=`` compare addresses. An object compares as
the live pointer to its base. A live pointer to the base of an object *is* that object.

**Three-valued logic.** Comparisons and arithmetic with an UNKNOWN operand are UNKNOWN; ``and or
not`` are Kleene's; a guard fires only on TRUE; a body is violated only on FALSE; ``if`` takes its
first branch only on TRUE. A field with a byte that was never written is UNKNOWN, and so is any
field, degree or attribute of a null (but see `PlanAttribute.null`), stale or wild pointer or of a
live one that is no object of the type the operator names. Division truncates; ``x/0`` is UNKNOWN.

**Quantification.** Node variables range over the live objects of their type; two may be the same
object. The FORALL variables come first. A constraint is violated by a binding of its FORALL
variables and loops if the guard is TRUE and the body is FALSE; with EXISTS variables the body
counts as the disjunction over their bindings (FALSE over none); here objects that are not among the
candidates of the variable's binder count as FALSE, so a field that was never written points to
nothing. That binding, without the EXISTS variables, is the inconsistency's subgraph. If two or more
FORALL variables have one type with `PlanType.roots`, only bindings within one instance count: the
*instance* of an object is the first holder of a root (an object or a global node, by (node id,
base)) one of whose roots points to it or leads to it by a path over edge set 0; objects that no
root leads to form one instance together.

**Arguments** (of an inconsistency, for the traceback): the values of its atoms, that is of the
maximal subexpressions of guard and body whose op is in `ATOMS`. An atom that mentions an EXISTS
variable is left out; if there are any such variables the truth of the whole body is one more
atom. Objects that are not live make every atom ABSENT, which differs from all values.

**Binders and shapes** say how to find inconsistencies without trying every binding; those of FORALL
variables never change what is violated, but a shape other than ``nested`` reports *canonical
witnesses* only (see `ShapeKind`). Afterwards, in the traceback, a witness is judged by guard and
body like any other.

JSON: `to_json` writes the `Plan` as one object; every dataclass is an object with its fields as
members under the same names, tuples are arrays, enums their values, None is null. Expressions
leave out the members that have their default.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """How the bytes of a field are read (little-endian)."""

    INT = "int"
    UINT = "uint"
    FLOAT = "float"
    POINTER = "pointer"
    CHARS = "chars"  # a text up to the first NUL, or all `size` bytes; a written prefix will do
    # No debug information: a pointer where it is live or NULL, else a signed integer.
    WORD = "word"


@dataclass(frozen=True, slots=True)
class PlanField:
    """A scalar of a type, or the pattern of a run's elements (`offset` is then the first's).

    `counted`: its live pointers to bases of objects (of any type of the plan) are edges: the ones
    that degrees, ``->`` and ``->>`` see in edge set 0. `target`: the type its pointers lead to.
    """

    name: str
    offset: int
    size: int
    kind: Kind
    counted: bool = False
    target: int | None = None
    bit_offset: int = 0
    bit_size: int = 0


@dataclass(frozen=True, slots=True)
class PlanRun:
    """An array in a type: element i at ``field.offset + i*stride`` from the base, 0 <= i < `count`;
    without a count, as many as fit in the node. Its elements are fields like the others."""

    field: PlanField
    stride: int
    count: int | None


@dataclass(frozen=True, slots=True)
class PlanMember:
    """Which nodes are objects of a type: heap nodes of a trace type, heap nodes allocated with one
    of some call stacks (`created_stack`), or one node (a variable); exactly one of the three.
    With `stride`, also at base + stride, base + 2*stride, … while `PlanType.size` bytes fit."""

    type_id: int | None = None
    stacks: tuple[int, ...] = ()
    node: int | None = None
    base: int = 0
    stride: int | None = None


@dataclass(frozen=True, slots=True)
class EdgeRef:
    """A pointer field or a run of pointers of a type."""

    type: int
    field: int | None = None
    run: int | None = None


@dataclass(frozen=True, slots=True)
class PlanType:
    """A node type of the specification. A node smaller than base + `size` is no object of it.

    `implied`: the specification only reads through it and does not declare it: pointers to its
    objects are no edges of edge set 0 (they are of sets that name the pointer's field).
    """

    name: str
    size: int
    members: tuple[PlanMember, ...]
    fields: tuple[PlanField, ...]
    runs: tuple[PlanRun, ...] = ()
    roots: tuple[EdgeRef, ...] = ()  # where its instances begin
    implied: bool = False


class Op(StrEnum):
    """What an expression does; `args` are its operands unless said otherwise."""

    # Atoms.
    FIELD = "field"  # args[0].field: `type`, `index` of the field
    INDEX = "index"  # args[0].run[args[1]]: `type`, `index` of the run; out of range is UNKNOWN
    STRING = "string"  # the C text at pointer args[0], at most 4096 bytes; else UNKNOWN
    ATTRIBUTE = "attribute"  # `index` of the attribute, of args[0]
    INDEGREE = "indegree"  # number of edges of set `edges` that end in args[0]
    OUTDEGREE = "outdegree"  # number of edges of set `edges` that begin in args[0]
    EXTERNAL = "external"  # outdegree 0 or indegree 0, over `edges`
    INTERNAL = "internal"  # neither is 0
    ISROOT = "isroot"  # indegree 0
    ISLEAF = "isleaf"  # outdegree 0
    # An edge of `edges` from args[0] to args[1]; FALSE if either is a null, stale or wild pointer.
    EDGE = "edge"
    PATH = "path"  # the same for a path of length >= 1
    # args[0] is held by a root of its type, or a path over edge set 0 leads to it from there.
    ROOTED = "rooted"
    # Pointer args[0] is null, or live and the base of an object of `type`. Without a `type`, and in
    # a node of unknown type, the first byte of a live node will do. With a `text`, it is anything
    # but wild.
    SAFE = "safe"
    # args[0], a field, has been written since its node was made.
    WRITTEN = "written"
    # The number of words in live nodes that hold a live pointer equal to args[0].
    REFERENCES = "references"
    # The `text` (count, sum, min, max) of args[1], with variable `index` ranging over the objects
    # reached from args[0] over `edges`, itself included, each once. Where args[1] is UNKNOWN an
    # object is left out; `count` counts those for which it is TRUE. With a `type`, only its objects
    # count, but the way may lead over others. From null: count and sum are 0, min and max UNKNOWN;
    # from a stale or wild pointer UNKNOWN.
    AGGREGATE = "aggregate"
    EXISTS = "exists"  # an object of `type`, variable `index`, found by `binder`, with args[0]
    # Not atoms.
    VARIABLE = "variable"  # object or loop number, `index` in variables ++ loops (then as bound)
    NUMBER = "number"  # `number`, integer or float
    TEXT = "text"  # `text`
    NULL = "null"
    TRUE = "true"
    FALSE = "false"
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    MOD = "mod"  # the sign of the dividend, as in C
    BITAND = "bitand"
    NEG = "neg"
    ABS = "abs"
    MIN = "min"
    MAX = "max"
    LEAST = "least"  # the least of the operands that are not UNKNOWN; UNKNOWN if none
    GREATEST = "greatest"
    EXTENT = "extent"  # how many elements run `index` of `type` has in args[0]
    LENGTH = "length"  # bytes of a text
    HASH = "hash"  # of a text, by the function `text`: djb2 | fnv1a | fnv1a64 | sdbm, unsigned
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    AND = "and"
    OR = "or"
    NOT = "not"
    IF = "if"


ATOMS = frozenset(
    {
        Op.FIELD,
        Op.INDEX,
        Op.STRING,
        Op.ATTRIBUTE,
        Op.INDEGREE,
        Op.OUTDEGREE,
        Op.EXTERNAL,
        Op.INTERNAL,
        Op.ISROOT,
        Op.ISLEAF,
        Op.EDGE,
        Op.PATH,
        Op.ROOTED,
        Op.SAFE,
        Op.WRITTEN,
        Op.REFERENCES,
        Op.AGGREGATE,
        Op.EXISTS,
    }
)


class BinderKind(StrEnum):
    """Where the candidates for a variable are to be found, given the earlier ones."""

    ALL = "all"  # every object of the type
    VALUE = "value"  # the object that expression `of` points to, if any
    OUT = "out"  # ends of the edges of `edges` that begin in object `of`
    IN = "in"  # beginnings of the edges that end in `of`
    REACHED = "reached"  # ends of the paths from `of`
    REACHING = "reaching"  # beginnings of the paths to `of`


@dataclass(frozen=True, slots=True)
class Binder:
    """All candidates that can make the guard (EXISTS: the body) TRUE are among these."""

    kind: BinderKind = BinderKind.ALL
    of: Expr | None = None
    edges: int = 0


@dataclass(frozen=True, slots=True)
class Expr:
    """A node of an expression; which members matter is said at `Op`."""

    op: Op
    args: tuple[Expr, ...] = ()
    index: int = 0
    type: int | None = None
    edges: int = 0
    number: int | float = 0
    text: str = ""
    binder: Binder = Binder()


@dataclass(frozen=True, slots=True)
class PlanAttribute:
    """A user-defined attribute: `value` of variable 0, an object of `type`.

    `edges` is the edge set the definition recurses through (None: it does not recurse). An object
    from which a cycle of these edges can be reached has the value UNKNOWN, whatever `value` says;
    do not cache that beyond its interval. `null` is the attribute of NULL (None: UNKNOWN).
    """

    name: str
    type: int
    value: Expr
    edges: int | None
    null: int | float | None


class Quantifier(StrEnum):
    FORALL = "forall"
    EXISTS = "exists"


@dataclass(frozen=True, slots=True)
class PlanVariable:
    """A node variable; `binder` may refer to variables before it."""

    name: str
    type: int
    quantifier: Quantifier
    binder: Binder


@dataclass(frozen=True, slots=True)
class PlanLoop:
    """A number that takes every value from `first` to `last`, both included (FORALL). UNKNOWN
    bounds, or a body that is UNKNOWN because an index is out of range, violate nothing."""

    name: str
    first: Expr
    last: Expr


class ShapeKind(StrEnum):
    """How to find canonical witnesses (given as bindings of the FORALL variables, in order)."""

    # By binders, one variable after the other; every violating binding is a witness.
    NESTED = "nested"
    # X ->> Y => Y -/>> X: `edges` has no cycle. Depth-first search over the objects in order, along
    # the edges in order of offset: each edge (X, Y) to an object on the search stack, once per
    # pair, whatever the types of the two.
    ACYCLIC = "acyclic"
    # X ->> Y for all objects of a type (of an instance of it): with r the first object, (r, Y) for
    # each Y that r does not reach and (Y, r) for each Y != r that does not reach r.
    CONNECTED = "connected"
    # Objects of one type for which `filter` is TRUE and whose `keys` (variable 0) are equal
    # and not UNKNOWN, within one instance: (first, other) for each other object.
    UNIQUE = "unique"
    # Single variable, body ROOTED: among the objects that are not, one for each strongly connected
    # component (over edge set 0) without edges from other unrooted components: its first object.
    ROOTED = "rooted"


@dataclass(frozen=True, slots=True)
class Shape:
    kind: ShapeKind
    edges: int = 0
    filter: Expr | None = None
    keys: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanConstraint:
    """One constraint. `source` is its text, `line` and `column` where it begins (0: implied by the
    specification, not written there), `words` what it means in plain English."""

    name: str
    source: str
    line: int
    column: int
    words: str
    variables: tuple[PlanVariable, ...]
    loops: tuple[PlanLoop, ...]
    guard: Expr | None
    body: Expr
    shape: Shape


@dataclass(frozen=True, slots=True)
class Plan:
    """A specification bound to a trace. `edge_sets[0]` is all counted fields and runs. `pause`:
    functions inside which the structure may be inconsistent."""

    name: str
    types: tuple[PlanType, ...]
    edge_sets: tuple[tuple[EdgeRef, ...], ...]
    attributes: tuple[PlanAttribute, ...]
    constraints: tuple[PlanConstraint, ...]
    pause: tuple[str, ...] = ()

    def to_json(self) -> str:
        """The plan as one JSON text, as the native core takes it."""
        return json.dumps(_plain(self), separators=(",", ":"))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if not is_dataclass(value) or isinstance(value, type):
        return value
    lean = isinstance(value, Expr)
    return {
        field.name: _plain(getattr(value, field.name))
        for field in fields(value)
        if not lean or getattr(value, field.name) != field.default
    }
