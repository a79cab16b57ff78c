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

The words (`Kind`, `Op`, `BinderKind`, `Quantifier`, `ShapeKind`) are listed and explained in
native/core/constraints/plan/vocabulary.h, once for the engine and for Python.
"""

from __future__ import annotations

from dataclasses import dataclass

from heapstory._core import BinderKind, Kind, Op, Quantifier, ShapeKind, is_atom

ATOMS = frozenset(op for op in Op if is_atom(op))


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
    With `stride`, also at base + stride, base + 2*stride, … while `PlanType.size` bytes fit, or
    `count` of them in all. A node that is kept holds what it held last for ever after."""

    type_id: int | None = None
    stacks: tuple[int, ...] = ()
    node: int | None = None
    is_kept: bool = False
    base: int = 0
    stride: int | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class EdgeRef:
    """A pointer field or a run of pointers of a type."""

    type: int
    field: int | None = None
    run: int | None = None
    element: int | None = None  # of the run; None: all
    via: int | None = None  # a set of edges: only in objects that one of these leads to


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


@dataclass(frozen=True, slots=True)
class Binder:
    """All candidates that can make the guard (EXISTS: the body) TRUE are among these."""

    kind: BinderKind = BinderKind.ALL
    of: Expr | None = None
    edges: int = 0


@dataclass(frozen=True, slots=True)
class Expr:
    """A node of an expression; which members matter is said with the words for `op`."""

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
    do not cache that beyond its interval. Where `stop` is TRUE the definition does not recurse, and
    no edge leads on. `null` is the attribute of NULL (None: UNKNOWN).
    """

    name: str
    type: int
    value: Expr
    edges: int | None
    null: int | float | None
    stop: Expr | None = None


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
    functions inside which the structure may be inconsistent. `users`: functions whose variables are
    roots, which belong to no structure themselves."""

    name: str
    types: tuple[PlanType, ...]
    edge_sets: tuple[tuple[EdgeRef, ...], ...]
    attributes: tuple[PlanAttribute, ...]
    constraints: tuple[PlanConstraint, ...]
    pause: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
