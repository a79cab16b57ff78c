"""Members that functions fill with new memory, that nobody releases, and whose structure is freed.

No one function shows this: one fills the member, another one frees the structure. The whole
program is looked at, member by member (``struct.list+8``): where any function hands the value of a
member to one that releases or keeps it, nothing is said about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from heapstory.cfront.layout import Layout, is_pointer, member_key
from heapstory.cfront.program import Function, Place, Unit
from heapstory.static.function.confidence import confidence, doubts_of
from heapstory.static.heap.doubt import Doubt
from heapstory.static.heap.state import HEAP, Cell, Step
from heapstory.static.program.callee import Effects
from heapstory.static.program.component import FunctionResult
from heapstory.static.program.emptied import emptied
from heapstory.static.program.index import Index
from heapstory.static.program.member_flow import Fill, Flow, MemberFlow
from heapstory.static.transfer.losses import FIELD_LOST, Loss


class Structures:
    """Which members are pointers, and which structures lie inside others."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self.pointers: set[str] = set()
        self._inside: dict[str, set[str]] = {}  # structure -> those that have it as a member
        self.fixed: set[str] = set()  # structures that are variables of the program, or in them
        for unit in units:
            for kind in unit.layout.named:
                self._add(kind, unit.layout)
        for unit in units:
            for kind, _ in unit.initial.values():
                self._fix(_element(kind, unit.layout), unit.layout)

    def _add(self, kind: str, layout: Layout) -> None:
        for offset, member in layout.fields(kind):
            inner = _element(member, layout)
            if is_pointer(inner):
                self.pointers.add(member_key(kind, offset))
            elif inner[0] == "%":
                self._inside.setdefault(_name(inner), set()).add(_name(kind))

    def _fix(self, kind: str, layout: Layout) -> None:
        if kind[0] == "%" and _name(kind) not in self.fixed:
            self.fixed.add(_name(kind))
            for _, member in layout.fields(kind):
                self._fix(_element(member, layout), layout)

    def around(self, structure: str) -> set[str]:
        """A structure and all that it lies in."""
        found: set[str] = set()
        pending = [structure]
        while pending:
            each = pending.pop()
            if each not in found:
                found.add(each)
                pending.extend(self._inside.get(each, ()))
        return found


def _name(kind: str) -> str:
    return member_key(kind, 0).partition("+")[0]


def _element(kind: str, layout: Layout) -> str:
    element = None if is_pointer(kind) else layout.element(kind)
    return kind if element is None else _element(element, layout)


def add_forgotten(
    functions: Mapping[str, Function],
    index: Index,
    units: list[Unit],
    results: Mapping[str, FunctionResult],
) -> None:
    """Add the losses to the results of the functions that free the structures."""
    flows = _flows(functions, index, results)
    structures = Structures(units)
    gone = _gone(flows) | _emptied(flows, functions)
    known = [loss for each in results.values() for loss in each.losses if loss.kind == FIELD_LOST]
    mixed = set().union(*(flow.mixed for flow in flows.values()))
    for member, fill in _fills(flows):
        structure = member.partition("+")[0]
        unclear = structure in structures.fixed or structure.endswith(".anon")
        if gone & _alike(member, mixed) or unclear or member not in structures.pointers:
            continue
        found = _destructor(structures.around(structure), flows)
        if found is not None:
            name, place, careful = found
            if not any(_the_same(loss, fill, place) for loss in known):
                doubts = set() if careful else {Doubt.NOBODY_RELEASES}
                if not flows[name].unseen.isdisjoint(structures.around(structure)):
                    doubts.add(Doubt.UNSEEN_FUNCTION)
                _lose(results[name], functions[name], fill, place, doubts)


def _flows(
    functions: Mapping[str, Function], index: Index, results: Mapping[str, FunctionResult]
) -> dict[str, MemberFlow]:
    effects = Effects(index)
    flows = {}
    for name, result in results.items():  # callees first
        flows[name] = Flow(functions[name], effects).run()
        effects.add(result.summary, name, flows[name].returned)
    _free_members(flows)
    return flows


def _free_members(flows: Mapping[str, MemberFlow]) -> None:
    """``free(outer->inner)`` frees a structure that only other functions look into."""
    points: dict[str, set[str]] = {}
    for flow in flows.values():
        for member, structures in flow.points.items():
            points.setdefault(member, set()).update(structures)
    for flow in flows.values():
        for member, place in flow.freed_in.items():
            structures = points.get(member, set())
            if len(structures) == 1:
                flow.freed.setdefault(next(iter(structures)), place)


def _gone(flows: Mapping[str, MemberFlow]) -> set[str]:
    """Members whose value some function releases, or gives away, for good."""
    found = set()
    for flow in flows.values():
        last: dict[str, int] = {}
        for fill in flow.fills:
            last[fill.member] = max(last.get(fill.member, 0), fill.place.line)
        for member, places in flow.gone.items():
            if any(p is None or p.line > last.get(member, 0) for p in places):
                found.add(member)
    return found


def _emptied(flows: Mapping[str, MemberFlow], functions: Mapping[str, Function]) -> set[str]:
    """Members that a function releases where it is given null, and it is given null somewhere."""
    found = set()
    for name, zeros in set().union(*(flow.zeros for flow in flows.values())):
        flow = flows.get(name)
        if flow is not None:
            found |= emptied(functions[name], flow.released_in, flow.filled_in, zeros)
    return found


def _alike(member: str, mixed: set[frozenset[str]]) -> set[str]:
    """A member, and those at the same offset of structures that names are taken for as well."""
    structure, _, offset = member.partition("+")
    return {member} | {f"{s}+{offset}" for group in mixed if structure in group for s in group}


def _fills(flows: Mapping[str, MemberFlow]) -> list[tuple[str, Fill]]:
    """One fill for a member: the first in the order of the source."""
    found: dict[str, Fill] = {}
    for name in sorted(flows):
        for fill in flows[name].fills:
            known = found.get(fill.member)
            if known is None or fill.place < known.place:
                found[fill.member] = fill
    return sorted(found.items())


def _destructor(
    structures: set[str], flows: Mapping[str, MemberFlow]
) -> tuple[str, Place, bool] | None:
    """A function that frees such a structure, best one that releases other members of it."""
    found = []
    for name, flow in flows.items():
        for structure in structures & flow.freed.keys():
            others = sum(member.partition("+")[0] in structures for member in flow.gone)
            found.append((-others, name, flow.freed[structure]))
    if not found:
        return None
    others, name, place = min(found)
    return name, place, others < 0


def _the_same(loss: Loss, fill: Fill, place: Place) -> bool:
    """Whether a function was seen to lose what the member takes, where the structure is freed."""
    site = loss.cell.site
    if site is None or loss.place is None or loss.place[:2] != place[:2]:
        return False
    if confidence(doubts_of(loss)) == "low":
        return False
    made = (*fill.site.calls, fill.site.place)
    return (*site.calls, site.place)[-len(made) :] == made


def _lose(
    result: FunctionResult, function: Function, fill: Fill, place: Place, doubts: set[Doubt]
) -> None:
    steps = [
        Step(fill.place, f"{fill.label or 'a member'} takes the new memory"),
        Step(place, "the structure is freed; no function releases that member"),
    ]
    cell = Cell(HEAP, fill.site)
    loss = Loss(FIELD_LOST, function.place.function, place, fill.label, cell, steps, -1)
    loss.doubts |= doubts
    result.losses.append(loss)
