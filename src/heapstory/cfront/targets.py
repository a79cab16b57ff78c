"""Which functions a value of a body may mean: where it was loaded from, what was assigned to it."""

from __future__ import annotations

from heapstory.cfront.layout import member_key, variable_key
from heapstory.cfront.program import Operand


class Targets:
    """``stored`` are the functions that bodies put into members and variables of the program."""

    def __init__(self, functions: set[str], stored: dict[str, set[str]]) -> None:
        self.stored = stored
        self.members: dict[str, str] = {}  # register -> member it points at
        self._functions = functions
        # register -> member, or variable of the program, it was loaded from
        self._origins: dict[str, str] = {}
        self._meant: dict[str, set[str]] = {}  # register or variable -> functions it may hold

    def origin(self, register: str) -> str:
        """The member or variable of the program that a register was loaded from; '' if none."""
        return self._origins.get(register, "")

    def points_at(self, target: str, base: Operand, member: tuple[str, int] | None) -> None:
        """A register takes the address of a member, or of an element of what another points at."""
        if member is not None:
            self.members[target] = member_key(*member)
        elif isinstance(base, str) and base in self.members:
            self.members[target] = self.members[base]

    def copied(self, target: str, source: str) -> None:
        """A register takes the value of another one, or of a variable."""
        for table in (self._origins, self.members):
            if source in table:
                table[target] = table[source]
        if source in self._meant:
            self._meant[target] = self._meant[source]

    def loaded(self, target: str, address: Operand, pointer: bool) -> None:
        """A register takes what lies at an address."""
        if isinstance(address, str) and address in self.members:
            self._origins[target] = self.members[address]
        elif isinstance(address, tuple) and pointer and address[0][0] == "@":
            self._origins[target] = variable_key(*address)

    def assigned(self, variable: str, value: Operand) -> None:
        """A variable of the function takes a value, one of several perhaps."""
        if isinstance(value, str) and value in self._origins:
            self._origins[variable] = self._origins[value]
        functions = self._means(value)
        if functions:
            self._meant[variable] = self._meant.get(variable, set()) | functions

    def put(self, address: Operand, value: Operand) -> None:
        """A value is stored at an address."""
        functions = self._means(value)
        if not functions:
            return
        if isinstance(address, str):
            if address in self.members:
                self.stored.setdefault(self.members[address], set()).update(functions)
        elif isinstance(address, tuple) and address[0][0] == "@":
            self.stored.setdefault(variable_key(*address), set()).update(functions)

    def _means(self, value: Operand) -> set[str]:
        if isinstance(value, tuple):
            return {value[0]} & self._functions
        return self._meant.get(value, set()) if isinstance(value, str) else set()
