"""What a function does with members of structures, whatever the order: which it fills with new
memory, which it gives away, and which structures it frees.

A member is named by its structure and offset (``struct.list+8``), not by the object it belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from heapstory.cfront import program as op
from heapstory.cfront.program import Function, Operand, Place, Statement
from heapstory.static.heap.state import Site
from heapstory.static.program.callee import Callee, Effects

MAX_ROUNDS = 8  # of names that take each other's values


@dataclass(slots=True)
class Fill:
    """New memory is stored in a member."""

    member: str
    place: Place
    label: str
    site: Site


@dataclass(slots=True)
class MemberFlow:
    """What one function does."""

    fills: list[Fill] = field(default_factory=list)
    gone: dict[str, list[Place | None]] = field(default_factory=dict)  # given away, or released
    freed: dict[str, Place] = field(default_factory=dict)  # structures that it did not make
    freed_in: dict[str, Place] = field(default_factory=dict)  # members that hold what it frees
    points: dict[str, set[str]] = field(default_factory=dict)  # members -> structures they lead to
    returned: set[str] = field(default_factory=set)  # members whose value it returns
    # Structures that one name is taken for: members at the same offset may be the same.
    mixed: set[frozenset[str]] = field(default_factory=set)
    # The blocks in which it releases members, or gives them away, and in which it fills them.
    released_in: dict[str, set[str]] = field(default_factory=dict)
    filled_in: dict[str, set[str]] = field(default_factory=dict)
    # Its calls of functions by name, with the arguments that are 0.
    zeros: set[tuple[str, tuple[int, ...]]] = field(default_factory=set)
    unseen: set[str] = field(default_factory=set)  # structures given to functions nobody knows


class Flow:
    """Names (registers, variables) with all they may be at any time."""

    def __init__(self, function: Function, effects: Effects) -> None:
        self._function = function
        self._effects = effects
        self._at: dict[str, set[str]] = {r: {m} for r, m in function.members.items()}
        self._holds: dict[str, set[str]] = {}
        self._made: dict[str, set[str]] = {}  # name -> registers of calls that made it
        self._kinds: dict[str, set[str]] = {}  # name -> structures it is taken for
        self._sites: dict[str, Site] = {}
        self._dirty: set[str] = set()  # registers of calls whose memory is also kept elsewhere
        self._stored: dict[str, set[str]] = {}  # register of a call -> members it was stored in
        self._fills: list[tuple[str, Fill]] = []
        self._loads: list[tuple[str, str]] = []  # what is read, and by which name of an address
        self._block = ""  # the one whose statements are looked at
        self.found = MemberFlow()

    def run(self) -> MemberFlow:
        """Names first, then what is done with them."""
        statements = [s for block in self._function.blocks.values() for s in block.statements]
        edges = self._edges(statements)
        self._spread(edges)
        for block in self._function.blocks.values():
            self._block = block.label
            for statement in block.statements:
                self._do(statement)
            if block.terminator[0] == op.RETURN:
                self._return(block.terminator[2])
        for name, members in self._holds.items():
            for member in members if name in self._kinds else ():
                self.found.points.setdefault(member, set()).update(self._kinds[name])
        self.found.mixed = {frozenset(k) for k in self._kinds.values() if len(k) > 1}
        for register, fill in self._fills:
            if register not in self._dirty and len(self._stored.get(register, ())) < 2:
                self.found.fills.append(fill)
        return self.found

    # --- names ----------------------------------------------------------------------------------

    def _edges(self, statements: list[Statement]) -> list[tuple[str, str]]:
        """Who takes whose value; and what is known at once."""
        found: list[tuple[str, str]] = []
        members = self._function.members
        for statement in statements:
            opcode = statement[0]
            if opcode in (op.COPY, op.ASSIGN, op.CAST):
                self._edge(found, statement[2], statement[3])
            elif opcode == op.SELECT:
                self._edge(found, statement[2], statement[4])
                self._edge(found, statement[2], statement[5])
            elif opcode == op.LOAD:
                address = statement[3]
                if isinstance(address, str) and address in members:
                    self._holds.setdefault(statement[2], set()).add(members[address])
                elif isinstance(address, tuple):
                    self._edge(found, statement[2], address[0])
                elif isinstance(address, str):
                    self._loads.append((statement[2], address))
            elif opcode == op.STORE and isinstance(statement[2], tuple):
                self._edge(found, statement[2][0], statement[3])
            elif opcode == op.GEP:
                self._member(found, statement)
            elif opcode == op.CALL:
                self._result(found, statement)
        for block in self._function.blocks.values():
            for name, values in block.phis:
                for value in values.values():
                    self._edge(found, name, value)
        return found

    @staticmethod
    def _edge(found: list[tuple[str, str]], target: str, source: Operand) -> None:
        if isinstance(source, str):
            found.append((target, source))

    def _member(self, found: list[tuple[str, str]], statement: Statement) -> None:
        target, base = statement[2], statement[3]
        if target in self._function.members and isinstance(base, str):
            structure = self._function.members[target].partition("+")[0]
            self._kinds.setdefault(base, set()).add(structure)
        elif isinstance(base, str):
            found.append((target, base))  # inside the same block

    def _result(self, found: list[tuple[str, str]], statement: Statement) -> None:
        _, place, register, callee, operands, _, _ = statement
        if register is None or place is None:
            return
        known = self._effects.callee(callee, self._function.unit)
        if known.passes is not None and known.passes < len(operands):
            self._edge(found, register, operands[known.passes])
        if known.makes is not None:
            self._made[register] = {register}
            self._sites[register] = called_from(known.makes, place)
        if known.returned:
            self._holds.setdefault(register, set()).update(known.returned)

    def _spread(self, edges: list[tuple[str, str]]) -> None:
        tables = (self._at, self._holds, self._made, self._kinds)
        for _ in range(MAX_ROUNDS):
            changed = False
            for target, source in edges:
                changed |= _add(self._kinds, source, self._kinds.get(target))
                for table in tables:
                    changed |= _add(table, target, table.get(source))
            for target, address in self._loads:
                changed |= _add(self._holds, target, self._at.get(address))
            if not changed:
                return

    # --- what is done ---------------------------------------------------------------------------

    def _do(self, statement: Statement) -> None:
        opcode, place = statement[0], statement[1]
        if opcode == op.STORE:
            self._store(statement)
        elif opcode == op.CALL:
            self._call(statement)
        elif opcode in (op.CMPXCHG, op.RMW, op.ASM):
            for operand in statement[2:]:
                for each in operand if isinstance(operand, tuple) else (operand,):
                    self._away(each, place)

    def _away(self, operand: object, place: Place | None) -> None:
        """A value gets out of sight; so does the member whose address it is."""
        if not isinstance(operand, str):
            return
        for member in (*self._holds.get(operand, ()), *self._at.get(operand, ())):
            self.found.gone.setdefault(member, []).append(place)
            self.found.released_in.setdefault(member, set()).add(self._block)
        self._dirty |= self._made.get(operand, set())

    def _store(self, statement: Statement) -> None:
        _, place, address, value, _, label, _, _ = statement
        if isinstance(address, tuple) and address[0][0] == "%":
            return  # a slot of this function
        members = self._at.get(address, set()) if isinstance(address, str) else set()
        if not isinstance(value, str):
            return
        if not members or self._at.get(value) or not self._holds.get(value, members) <= members:
            self._away(value, place)
        for register in self._made.get(value, ()) if members and place is not None else ():
            self._stored.setdefault(register, set()).update(members)
            site = self._sites[register]
            for member in members:
                self.found.filled_in.setdefault(member, set()).add(self._block)
            self._fills += [(register, Fill(m, place, label, site)) for m in members]

    def _call(self, statement: Statement) -> None:
        _, place, _, name, operands, _, _ = statement
        callee = self._effects.callee(name, self._function.unit)
        zeros = tuple(number for number, operand in enumerate(operands) if operand == 0)
        direct = isinstance(name, str) and name[0] == "@"
        if zeros and direct:
            self.found.zeros.add((self._effects.meant(name, self._function.unit), zeros))
        for number, operand in enumerate(operands):
            if direct and callee.anything and isinstance(operand, str):
                self.found.unseen |= self._kinds.get(operand, set())
            slot = isinstance(operand, tuple) and operand[0][0] == "%"
            given = operand[0] if slot else operand
            if not isinstance(given, str):
                continue
            if slot:
                if callee.takes(number) or callee.takes_below(number):
                    self._away(given, place)
                continue
            if callee.takes(number):
                if callee.frees(number) and place is not None:
                    self._free(given, place)
                self._away(given, place)
            elif given in self._at:
                self._address(given, number, callee, place)

    def _free(self, given: str, place: Place) -> None:
        if not self._made.get(given):
            for structure in self._kinds.get(given, ()):
                self.found.freed.setdefault(structure, place)
            for member in self._holds.get(given, ()):
                self.found.freed_in.setdefault(member, place)

    def _address(self, given: str, number: int, callee: Callee, place: Place | None) -> None:
        """The address of a member is handed over."""
        if callee.takes_below(number):
            self._away(given, place)
        site = callee.gives(number)
        if site is not None and place is not None:
            for member in self._at[given]:
                self.found.filled_in.setdefault(member, set()).add(self._block)
                self.found.fills.append(Fill(member, place, "", called_from(site, place)))

    def _return(self, operand: Operand) -> None:
        if isinstance(operand, str):
            self.found.returned |= self._holds.get(operand, set())
            for member in self._at.get(operand, ()):
                self.found.gone.setdefault(member, []).append(None)
            self._dirty |= self._made.get(operand, set())


def called_from(site: Site, place: Place) -> Site:
    """The site of what a callee made, as its caller sees it."""
    if site.place is None:
        return site._replace(place=place)
    return site._replace(calls=(place, *site.calls))


def _add(table: dict[str, set[str]], name: str, more: set[str] | None) -> bool:
    if not more:
        return False
    known = table.setdefault(name, set())
    before = len(known)
    known |= more
    return len(known) != before
