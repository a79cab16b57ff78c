"""The heap state: one disjunct of what may be true at a program point.

It is the shape graph ⟨H, S⟩ of the paper, kept finite by its abstraction: cells that a variable
names (distance 0) and cells one member access away (distance 1) stand for themselves, all cells
further away with one allocation site are one *summary* cell (distance 2). ``abstraction`` reads
the paper's extended pointer structures off a state; ``canonical`` keeps it in canonical form.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from heapstory.cfront.program import Place
from heapstory.static.heap.doubt import Doubt
from heapstory.static.heap.names import GLOBAL_VARIABLE, SLOT, Named
from heapstory.static.heap.values import CellId, Fact, Offset, Pointer, Symbol, Value

# A cell is allocated here (HEAP), comes from the caller (PRE), is a slot of this function, a
# global variable, whatever a symbol points at (OPAQUE), or a structure in registers (WHOLE).
HEAP: Final = 0
PRE: Final = 1
STACK: Final = 2
GLOBAL: Final = 3
OPAQUE: Final = 4
WHOLE: Final = 5
# What a pointer is that leads to no cell: null, or an error (one of the last addresses, IS_ERR).
NULL: Final = -1
ERROR: Final = -2


ANY_MAKER = "a function pointer"  # the allocator, where a pointer can mean several functions


class Write(NamedTuple):
    """Who wrote a member of the caller's memory last, and what the member is called in the source.
    ``perhaps``: on some of the joined ways only."""

    place: Place | None
    label: str
    perhaps: bool = False


class Site(NamedTuple):
    """Where a cell was allocated: the allocator's name, the place, and the calls that led there."""

    allocator: str
    place: Place | None
    calls: tuple[Place, ...] = ()
    release: str = "free"


_MEMBERS: Final = (
    "deep", "escaped", "fields", "filled", "freed", "initial", "kind", "null", "read", "same",
    "site", "start", "summary", "texts", "weak", "writes", "zero",
)  # fmt: skip


class Cell:
    """A cell. Never changed once it is in a state: ``Heap`` puts changed copies in its place."""

    __slots__ = (
        *_MEMBERS,
        # What the cell leads to, and the symbols it holds: found once, for a cell in a state is
        # never changed. Not part of a copy. The same holds for its outline.
        "_held",
        "_leads",
        "_plain",
        "_symbols",
        "outline",
    )

    def __init__(self, kind: int, site: Site | None = None, zero: bool = False) -> None:
        self.kind = kind
        self.site = site
        self.zero = zero  # members not written are 0
        self.fields: dict[Offset, Value] = {}
        self.weak: frozenset[CellId] = frozenset()  # what members nobody can tell apart point to
        self.null = 0  # of a pointer to this cell: 0 perhaps null, 1 not null, NULL or ERROR
        # PRE: what the pointer to it was found equal to: other cells, those it came out of, or None
        # for something nobody knows.
        self.same: frozenset[CellId | None] = frozenset()
        self.freed: Place | None = None
        self.start = 0  # PRE: where the freed block began, as seen from the pointer passed
        self.escaped = False
        self.summary = False  # stands for any number of cells (distance 2)
        self.deep = False  # cells below the depth that is followed were freed or have escaped
        self.initial: dict[Offset, Value] = {}  # PRE, GLOBAL: values at the entry, where read
        self.read: frozenset[Offset] = frozenset()  # … of these, what the code looked at itself
        self.writes: dict[Offset, Write] = {}
        # PRE, GLOBAL: where library functions wrote numbers that nobody knows.
        self.filled: frozenset[int] = frozenset()
        # What comparisons of the text in it gave, by the constant and the place in the cell.
        self.texts: dict[str, Symbol] = {}
        self._held: tuple[Symbol, ...] | None = None
        self._leads: tuple[CellId, ...] | None = None
        self._symbols: tuple[Symbol, ...] | None = None
        self._plain: bool | None = None
        # What it contributes to the key of a state: nothing known yet, or one entry, or () if that
        # depends on the state.
        self.outline: tuple[Any, ...] | None = None

    def copy(self) -> Cell:
        """A copy that may be changed."""
        twin = Cell(self.kind, self.site, self.zero)
        twin.fields = self.fields.copy()
        twin.weak = self.weak
        twin.null = self.null
        twin.same = self.same
        twin.freed = self.freed
        twin.start = self.start
        twin.escaped = self.escaped
        twin.summary = self.summary
        twin.deep = self.deep
        twin.initial = self.initial
        twin.read = self.read
        twin.writes = self.writes
        twin.filled = self.filled
        twin.texts = self.texts
        return twin

    @property
    def leads(self) -> tuple[CellId, ...]:
        """The cells that members lead to; of a freed cell none."""
        if self._leads is None:
            self._leads = () if self.freed is not None else self._find_leads()
        return self._leads

    def _find_leads(self) -> tuple[CellId, ...]:
        found = list(self.weak)
        for value in self.fields.values():
            if isinstance(value, Pointer):
                found.append(value.cell)
            elif isinstance(value, Symbol) and value.root is not None:
                found.append(value.root)
        return tuple(found)

    @property
    def held(self) -> tuple[Symbol, ...]:
        """The symbols that members hold."""
        if self._held is None:
            self._held = tuple([v for v in self.fields.values() if isinstance(v, Symbol)])
        return self._held

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that members hold, or held at the entry."""
        if self._symbols is None:
            initial = [v for v in self.initial.values() if isinstance(v, Symbol)]
            self._symbols = (*self.held, *initial) if initial else self.held
        return self._symbols

    @property
    def plain(self) -> bool:
        """Of a cell from outside: whether nothing became of it and it holds no other cell than at
        the entry."""
        if self._plain is None:
            done = self.weak or self.freed is not None or self.escaped or self.deep
            initial = self.initial
            self._plain = not done and not any(
                isinstance(value, Pointer) and value != initial.get(offset)
                for offset, value in self.fields.items()
            )
        return self._plain

    @property
    def tracked(self) -> bool:
        """Whether losing this cell is a leak."""
        return self.kind == HEAP and not self.escaped and self.freed is None

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, tuple(getattr(self, name) for name in _MEMBERS)


def _rebuild(*members: Any) -> Cell:
    cell = Cell(HEAP)
    for name, member in zip(_MEMBERS, members, strict=True):
        setattr(cell, name, member)
    return cell


class Step(NamedTuple):
    """One step of the path that led to a state: a branch taken, a call, an allocation.

    ``note`` is shown to the user, ``decision`` is the branch taken; ``doubt`` is why a loss after
    this step is less than certain. ``returns``: it is a return statement; ``also`` are others, by
    which the function is left in the same state.
    """

    place: Place | None
    note: str
    decision: bool | int | None = None
    doubt: Doubt | None = None
    returns: bool = False
    also: tuple[Place, ...] = ()


class Trace:
    """A path, the last step first. Paths share their beginnings."""

    __slots__ = ("before", "step")

    def __init__(self, before: Trace | None, step: Step) -> None:
        self.before = before
        self.step = step


def joined(old: Trace | None, new: Trace | None) -> Trace | None:
    """The path of a state that another one was joined into: the older, with the returns of both."""
    if old is None or new is None or not (old.step.returns and new.step.returns):
        return old
    known = {old.step.place, *old.step.also}
    more = [place for place in (new.step.place, *new.step.also) if place not in known]
    places = {*old.step.also, *(place for place in more if place is not None)}
    return Trace(old.before, old.step._replace(also=tuple(sorted(places)))) if more else old


class State:
    """Variables, cells, facts, and the path that led here."""

    __slots__ = ("cells", "env", "facts", "trace")

    def __init__(self) -> None:
        self.env: dict[str, Value] = {}
        self.cells: dict[CellId, Cell] = {}
        self.facts: dict[Symbol, Fact] = {}
        self.trace: Trace | None = None

    def copy(self) -> State:
        """A copy that may be changed; cells are shared."""
        twin = State()
        twin.env = self.env.copy()
        twin.cells = self.cells.copy()
        twin.facts = self.facts.copy()
        twin.trace = self.trace
        return twin

    def change(self, identity: CellId) -> Cell:
        """A copy of a cell, already in the state, that may be changed."""
        cell = self.cells[identity].copy()
        self.cells[identity] = cell
        return cell

    def steps(self) -> list[Step]:
        """The path, oldest step first."""
        found: list[Step] = []
        trace = self.trace
        while trace is not None:
            found.append(trace.step)
            trace = trace.before
        return found[::-1]

    def note(
        self,
        place: Place | None,
        text: str,
        decision: bool | int | None = None,
        doubt: Doubt | None = None,
    ) -> None:
        """Add a step to the path."""
        self.trace = Trace(self.trace, Step(place, text, decision, doubt))

    def note_return(self, place: Place | None) -> None:
        """Add a return statement to the path."""
        self.trace = Trace(self.trace, Step(place, "returns", returns=True))

    def doubted(self, doubt: Doubt) -> bool:
        """Whether a step of the path has this doubt."""
        trace = self.trace
        while trace is not None:
            if trace.step.doubt is doubt:
                return True
            trace = trace.before
        return False

    def in_registers(self, value: Value | None) -> Cell | None:
        """The structure in registers that a value is."""
        cell = self.cells.get(value.cell) if isinstance(value, Pointer) else None
        return cell if cell is not None and cell.kind == WHOLE else None

    def parts(self, value: Value | None) -> list[Value]:
        """A value; of a structure in registers its members."""
        if value is None:
            return []
        whole = self.in_registers(value)
        return [value] if whole is None else [*whole.fields.values()]

    def held(self) -> list[Value]:
        """What variables and temporaries hold, structures in registers member by member."""
        found: list[Value] = []
        for value in self.env.values():
            if isinstance(value, Pointer) and isinstance(value.cell, int):
                found += self.parts(value)
            else:
                found.append(value)
        return found

    def reachable(self, values: Iterable[Value]) -> set[CellId]:
        """The cells that values lead to, through members of cells that are not freed."""
        seen: set[CellId] = set()
        stack: list[CellId] = []
        for value in values:
            if isinstance(value, Pointer):
                stack.append(value.cell)
            elif isinstance(value, Symbol) and value.root is not None:
                stack.append(value.root)
        cells = self.cells
        while stack:
            identity = stack.pop()
            if identity in seen:
                continue
            seen.add(identity)
            if isinstance(identity, Symbol) and identity.root is not None:
                stack.append(identity.root)
            cell = cells.get(identity)
            if cell is not None:
                stack.extend(cell.leads)
        return seen


def kind_of_name(name: Named) -> int:
    """The kind of a cell that no state holds yet."""
    if name.depth or name.origin not in (GLOBAL_VARIABLE, SLOT):
        return PRE
    return GLOBAL if name.origin == GLOBAL_VARIABLE else STACK
