"""What a call does with its arguments, in short: from a summary, or from the model of a library."""

from __future__ import annotations

from dataclasses import dataclass, field

from heapstory.static.heap.names import parameter
from heapstory.static.heap.state import HEAP, Site
from heapstory.static.heap.values import CellId, Pointer
from heapstory.static.program.index import Index
from heapstory.static.summaries.summary import Row, Summary, put_somewhere
from heapstory.static.transfer.library import BUILTINS
from heapstory.static.transfer.models import Models


@dataclass(slots=True)
class Callee:
    """Arguments by number."""

    anything: bool = False  # nobody knows it: it may do anything with all of them
    taken: set[int] = field(default_factory=set)  # released, or kept
    below: set[int] = field(default_factory=set)  # what lies at the address is
    released: set[int] = field(default_factory=set)  # of those taken: released, and nothing else
    given: dict[int, Site] = field(default_factory=dict)  # new memory is put at the address
    makes: Site | None = None  # the result is new memory, which nothing else leads to
    passes: int | None = None  # the result is, or lies in, this argument
    returned: set[str] = field(default_factory=set)  # the result is the value of such a member

    def takes(self, number: int) -> bool:
        """Whether what an argument points to is released or kept."""
        return self.anything or number in self.taken

    def takes_below(self, number: int) -> bool:
        """Whether an argument is an address, and what the pointer there leads to is released or
        kept."""
        return self.anything or number in self.below

    def frees(self, number: int) -> bool:
        """Whether an argument is released."""
        return number in self.released

    def gives(self, number: int) -> Site | None:
        """The new memory that is put where an argument points."""
        return self.given.get(number)


class Effects:
    """Callees by name."""

    def __init__(self, index: Index) -> None:
        self._models = index.models
        self._aliases = index.aliases
        self._known: dict[str, Callee] = {}
        self._unknown = Callee(anything=True)

    def add(self, summary: Summary, name: str, returned: set[str]) -> None:
        """A function of the program."""
        if not self._models.standard(_plain(name)):
            self._known[name] = _summarised(summary)
            self._known[name].returned = returned

    def meant(self, name: str, unit: str) -> str:
        """The function that a name means in a unit."""
        return self._aliases.get((unit, name), name)

    def callee(self, name: object, unit: str) -> Callee:
        """What a call of this name in this unit does."""
        if not isinstance(name, str) or name[0] != "@":
            return self._unknown
        name = self.meant(name, unit)
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = _modelled(_plain(name), self._models)
        return found


def _plain(name: str) -> str:
    return name[1:].split("@", 1)[0]


def _summarised(summary: Summary) -> Callee:
    found = Callee(summary.unknown, released=set(summary.frees))
    for row in summary.rows:
        kept = put_somewhere(row.cells)
        for number in range(summary.parameters):
            _argument(row, number, kept, found)
    if summary.returns_new or _enlarges(summary):
        found.makes = _made(summary)
    return found


def _enlarges(summary: Summary) -> bool:
    """Whether a function is one like realloc: its result is new memory, what it was given, or
    null."""
    results = [row.result for row in summary.rows]
    cells = [result.cell for result in results if isinstance(result, Pointer) and not result.offset]
    given = [parameter(number) for number in range(summary.parameters)]
    return (
        len(cells) + results.count(0) == len(results)
        and any(isinstance(cell, int) for cell in cells)
        and all(isinstance(cell, int) or cell in given for cell in cells)
    )


def _argument(row: Row, number: int, kept: set[CellId], found: Callee) -> None:
    passed = parameter(number)
    inner = passed.below(0)
    returned = row.result.cell if isinstance(row.result, Pointer) else None
    cell, below = row.cells.get(passed), row.cells.get(inner)
    if passed in kept or passed is returned:
        found.taken.add(number)
    if inner in kept or inner is returned:
        found.below.add(number)
    if below is not None and (below.freed is not None or below.escaped):
        found.below.add(number)
    if cell is None:
        return
    if cell.freed is not None or cell.escaped:
        found.taken.add(number)
    if cell.deep or cell.weak:
        found.below.add(number)
    value = cell.fields.get(0)
    new = row.cells.get(value.cell) if isinstance(value, Pointer) else None
    if new is not None and new.kind == HEAP and new.tracked and new.site is not None:
        found.given.setdefault(number, new.site)


def _made(summary: Summary) -> Site | None:
    """Where the result was made; None if something else leads to it as well."""
    site = None
    for row in summary.rows:
        made = row.cells.get(row.result.cell) if isinstance(row.result, Pointer) else None
        if made is None or made.kind != HEAP or not isinstance(row.result, Pointer):
            continue
        if made.escaped or row.result.cell in put_somewhere(row.cells):
            return None
        site = made.site
    return site


def _modelled(name: str, models: Models) -> Callee:
    if name.startswith("llvm."):
        moves = name.startswith(("llvm.memcpy", "llvm.memmove"))
        return Callee(below={0, 1}) if moves else Callee()
    if name.endswith(("realloc", "reallocarray")) and name in BUILTINS:
        return Callee(taken={0}, makes=Site(name, None))
    if name in BUILTINS:
        clears = name in ("memset", "bzero", "explicit_bzero")
        return Callee() if clears else Callee(below={0, 1})
    if name in models.releases:
        number = models.releases[name]
        return Callee(taken={number}, released={number})
    if name in models.empties:
        return Callee(below={models.empties[name]})
    if name in models.allocates:
        return Callee(makes=Site(name, None, (), models.allocates[name]))
    if name in models.gives:
        argument, _, release = models.gives[name]
        return Callee(given={argument: Site(name, None, (), release)})
    if name in models.returns:
        return Callee(passes=models.returns[name])
    return Callee(anything=not models.known(name))
