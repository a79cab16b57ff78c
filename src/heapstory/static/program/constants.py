"""Variables that keep their initial values: those that are const, and those that nothing writes."""

from __future__ import annotations

from heapstory.cfront.constants import Initial, initial_values
from heapstory.cfront.program import Unit

LONGEST = 512  # characters of an initial value whose numbers are read if it has no functions


class Constants:
    """What is read at an address inside such a variable: numbers, null, functions.

    Another unit may write a variable that is not ``static``: only once all units are added is it
    known which stay as they are, and only where all of them could be read.
    """

    def __init__(self) -> None:
        self._tables: dict[str, dict[int, str]] = {}  # functions, by variable and offset
        self._values: dict[str, dict[int, Initial]] = {}
        self._const: set[str] = set()
        self._written: set[str] = set()

    def add(self, unit: Unit) -> None:
        """Add what one unit says."""
        tables: dict[str, dict[int, str]] = {}
        for (name, offset), function in unit.tables.items():
            tables.setdefault(name, {})[offset] = function
        for name, (kind, text) in unit.initial.items():
            if len(text) > LONGEST and name not in tables:
                continue
            values = initial_values(kind, text, unit.layout, str)
            if self._values.setdefault(name, values) != values:
                self._written.add(name)  # two programs, each with its own
        for name, functions in tables.items():
            if self._tables.setdefault(name, functions) != functions:
                self._written.add(name)
        self._const |= unit.constants
        self._written |= unit.written

    def close(self, internals: set[str], complete: bool, hooks: set[str]) -> None:
        """Forget what may change; without all units that is every variable that others see. Hooks
        that start as null, and in which the program itself puts nothing, stay so."""
        gone = self._written - self._const - {hook for hook in hooks if self._null(hook)}
        if not complete:
            gone |= (self._values.keys() | self._tables.keys()) - internals - self._const
        for name in gone:
            self._values.pop(name, None)
            self._tables.pop(name, None)
        self._written = set()

    def _null(self, variable: str) -> bool:
        values = self._values.get(variable)
        return values is not None and all(each.operand == 0 for each in values.values())

    def functions(self) -> set[str]:
        """All functions in tables."""
        return {function for table in self._tables.values() for function in table.values()}

    def listed(self, variable: str) -> set[str]:
        """All functions in a variable."""
        return set(self._tables.get(variable, {}).values())

    def function(self, variable: str, offset: int) -> str | None:
        """The function at an offset of a variable."""
        return self._tables.get(variable, {}).get(offset)

    def number(self, variable: str, offset: int, size: int) -> int | None:
        """The number (or null) of so many bytes at an offset of a variable."""
        values = self._values.get(variable)
        if values is None:
            return None
        first = values.get(offset)
        if first is not None and first.size == size:
            return first.operand if isinstance(first.operand, int) else None
        found = [
            at for at, each in values.items() if at < offset + size and offset < at + each.size
        ]
        return None if found else 0

    def seen_by_others(self, internals: set[str]) -> list[object]:
        """What functions of other units may depend on, to compare with an earlier run."""
        tables = {n: t for n, t in self._tables.items() if n not in internals}
        values = {n: v for n, v in self._values.items() if n not in internals}
        return [
            sorted((n, sorted(t.items())) for n, t in tables.items()),
            sorted((n, sorted(v.items(), key=str)) for n, v in values.items()),
        ]
