"""What locating finds: C-points, inconsistencies, faults, and the diagnosis they make up."""

from __future__ import annotations

from dataclasses import dataclass, field

from heapstory.constraints.plan import Plan, PlanConstraint
from heapstory.store.places import Place

FEW, PAIR = 5, 2  # statements
# Relations of which one fault is enough evidence.
TELLING = ("wild", "decisive", "omission", "derived", "followed")


@dataclass(frozen=True, slots=True)
class CPoint:
    """A moment at which the constraints must hold: after ``timestamp``.

    ``kind`` is 'exit' or 'entry' (of ``function``; ``place`` is where it was called), 'mark' (the
    program said so, ``text``), 'line' (a statement that was asked for), 'crash' or 'end'. What is
    no longer wrong at ``operation_end`` was temporary and does not count.
    """

    timestamp: int
    kind: str
    place: Place | None
    function: str = ""
    text: str = ""
    operation_end: int | None = None
    busy: tuple[tuple[int, int], ...] = ()  # when other threads ran in the middle of operations
    is_round: bool = False  # the function was inlined, and may have gone on instead

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place else ""
        if self.kind == "exit":
            return f"after {self.function or 'a function'} returned to {self.place or 'its caller'}"
        if self.kind == "entry":
            return f"on entry of {self.function}{where}"
        if self.kind == "mark":
            return f"at the C-point {self.text!r}{where}"
        if self.kind == "line":
            return f"at {self.place}"
        return f"at the {self.kind}{where}"


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """A constraint and what it does not hold for: ``bindings`` are (variable, value) pairs, a value
    being a (node, offset) pair or the number of a loop."""

    constraint: PlanConstraint
    bindings: tuple[tuple[str, tuple[int, int] | int], ...]

    @property
    def nodes(self) -> list[int]:
        """The ids of the nodes, each once."""
        places = (value for _, value in self.bindings if not isinstance(value, int))
        return list(dict.fromkeys(node for node, _ in places))

    def __str__(self) -> str:
        shown = []
        for name, value in self.bindings:
            if isinstance(value, int):
                shown.append(f"{name} = {value}")
            else:
                node, offset = value
                shown.append(f"{name} = node {node}" + (f"{offset:+}" if offset else ""))
        return ", ".join(shown)


@dataclass(frozen=True, slots=True)
class Slot:
    """One field that an operation changed; ``offset`` is the field's in its node."""

    node: int
    offset: int
    field: str
    old: str
    new: str

    def __str__(self) -> str:
        was = "which it was" if self.old == self.new else f"was {self.old}"
        return f"{self.name} = {self.new} ({was})"

    @property
    def name(self) -> str:
        """``node 5.next``, ``node 7[15].key``."""
        dot = "" if self.field.startswith("[") else "."
        return f"node {self.node}{dot}{self.field}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A faulty operation. ``kind`` is 'store', 'birth', 'death' or 'crash'.

    ``relation`` is 'wild' (it stored a dangling or wild pointer); 'decisive' (if it alone had
    stored or freed something else, the structure would be right at the C-point); 'omission' (if one
    more field had been written with those it wrote, it would be right); 'derived' (if it had stored
    another value and what was computed from that had changed accordingly, it would be right);
    'followed' (if it had stored another pointer and a later store had gone through that, it would
    be right); 'direct' (it contributed to what is wrong there); 'crash' (the program crashed
    there); 'fed' (it wrote a value that a violated constraint reads); or 'related' (it contributed
    to something wrong that led there). ``missing`` is the field of an omission;
    ``stack`` the calls that led to a free, innermost first.
    """

    timestamp: int
    relation: str
    kind: str
    place: Place | None
    node: int | None
    slots: tuple[Slot, ...]
    contributed_to: tuple[Inconsistency, ...]
    missing: str = ""
    stack: tuple[Place, ...] = ()

    @property
    def operation(self) -> str:
        """What it did, in one line."""
        if self.kind == "birth":
            return f"node {self.node} was allocated"
        if self.kind == "death":
            return f"node {self.node} was freed"
        if self.kind == "crash":
            return "the program crashed"
        if not self.slots:
            return "memory that the specification reads was written"
        more = f" and {len(self.slots) - 1} more" if len(self.slots) > 1 else ""
        return f"{self.slots[0]}{more}"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything about one search. ``bad`` and ``clean`` are the first bad C-point and the last
    one before it at which all was well. ``most``: how many statements are to be named (None: those
    for which there is evidence). ``unmatched``: what was asked for and is not in the trace, so that
    nothing can be said to have held. ``untyped``: blocks without a type that may be nodes of one of
    the specification's types. ``types``: how many nodes of each there are. ``functions``: those
    that were taken for the structure's. ``reading``: which nodes the constraints are about.
    ``wrong_before``: what else was wrong just before the first statement, where that is a free or
    not the structure's own."""

    plan: Plan
    cpoints: list[CPoint]
    bad: CPoint | None
    clean: CPoint | None
    inconsistencies: list[Inconsistency]
    faults: list[Fault]
    objects: int
    seconds: dict[str, float]
    notes: list[str] = field(default_factory=list)
    most: int | None = None
    unmatched: list[str] = field(default_factory=list)
    untyped: int = 0
    types: dict[str, int] = field(default_factory=dict)
    functions: tuple[str, ...] = ()
    reading: str = ""
    wrong_before: tuple[Inconsistency, ...] = ()

    @property
    def is_unknown(self) -> bool:
        """Whether nothing was found wrong, but not everything that was asked for was checked."""
        seen = self.objects and self.cpoints and not self.unmatched and not self.untyped
        return self.bad is None and not seen

    @property
    def checked(self) -> list[CPoint]:
        """The C-points up to the first bad one."""
        if self.bad is None:
            return self.cpoints
        return [point for point in self.cpoints if point.timestamp <= self.bad.timestamp]

    @property
    def near(self) -> list[Fault]:
        """The faults to look at: those that stored a wild pointer, the decisive ones (or
        those beside which a write is missing, by which others computed, or that others followed)
        and what contributed first. Or else all that contributed to what is wrong, and with them
        what that was fed with and what led there, as long as it is a few statements in all. Where
        it is said how many, the first so many statements."""
        found = self._with_evidence()
        if self.most is None:
            return found
        named = {id(fault) for fault in found}
        ordered = [*found, *(fault for fault in self.faults if id(fault) not in named)]
        first = list(_statements(ordered))[: self.most]
        return [fault for fault in ordered if fault.place and _key(fault.place) in first]

    def _with_evidence(self) -> list[Fault]:
        told = [fault for fault in self.faults if fault.relation in TELLING]
        if told:
            first = list(_statements(told))[:FEW]
            found = [f for f in told if f.place is None or _key(f.place) in first]
            return self._joined(found, "direct", PAIR)
        found = [fault for fault in self.faults if fault.relation == "direct"]
        for relation in ("crash", "fed", "related"):
            found = self._joined(found, relation, FEW)
        return found

    def _joined(self, found: list[Fault], relation: str, most: int) -> list[Fault]:
        """Some faults and those of a relation, up to so many statements in all."""
        places = {str(fault.place) for fault in found}
        for fault in self.faults:
            if fault.relation == relation:
                if len(places) < most:
                    places.add(str(fault.place))
                if str(fault.place) in places:
                    found.append(fault)
        return found

    @property
    def statements(self) -> list[Place]:
        """The distinct places of the near faults, in the order to look at them."""
        return list(_statements(self.near).values())

    @property
    def statements_cut(self) -> int:
        """How many other statements have faults."""
        return len(_statements(self.faults)) - len(self.statements)


Key = tuple[str | None, int | None, str | None, int | None]


def _key(place: Place) -> Key:
    return place.path, place.line, place.function, None if place.line else place.offset


def _statements(faults: list[Fault]) -> dict[Key, Place]:
    return {_key(fault.place): fault.place for fault in faults if fault.place is not None}
