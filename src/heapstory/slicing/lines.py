"""The statements of the program's own code that ran, by number, line and function."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING

from heapstory.errors import UsageError
from heapstory.store.places import Place, own_place

if TYPE_CHECKING:
    from heapstory._core import CodePlace, Slicer

NEAR = 3  # lines to name on each side
FEW = 10


class Lines:
    """Numbers statements from 1 in the order of the source, and tells the slicer.

    What a library's header put into the program is no statement: it counts for the program's line
    that it was inlined into, or, where it is a function of its own, for the one that called it.
    """

    def __init__(self, slicer: Slicer) -> None:
        self._slicer = slicer
        found = {
            address: [_place(row) for row in slicer.place(address)]
            for address in slicer.own_instructions()
        }
        places = {at: own for at, rows in found.items() if (own := _statement(rows))}
        calls = {at: _calls(found[at], place) for at, place in places.items()}
        every = set(places.values()).union(*calls.values())
        self.places = sorted(every, key=_order)
        numbers = {place: number for number, place in enumerate(self.places, 1)}
        self._calls = {at: {numbers[one] for one in all_of} for at, all_of in calls.items()}
        self.number_of = {address: numbers[place] for address, place in places.items()}
        self.library_of = {at: found[at][0] for at in places if found[at][0].is_library}
        self._addresses: dict[int, list[int]] = {}
        for address, number in self.number_of.items():
            self._addresses.setdefault(number, []).append(address)
        self.scope = cache(self._find_scope)
        # Calls of functions that were inlined are lines without instructions of their own.
        self._lines = {(row.path, row.line) for rows in found.values() for row in rows}
        slicer.set_statements(list(self.number_of), list(self.number_of.values()))

    def place(self, number: int) -> Place | None:
        """The place of a statement; None for 0."""
        return self.places[number - 1] if number else None

    def at(self, address: int | None) -> Place | None:
        """The statement of an instruction."""
        return self.place(self.number_of.get(address or 0, 0))

    def _find_scope(self, number: int) -> int | None:
        """An instruction in whose scope a statement's variables are."""
        addresses = self._addresses.get(number, [])
        written = [at for at in addresses if at not in self.library_of]
        return next(reversed(written or addresses), None)

    def inlined(self, statements: list[int], addresses: Iterable[int]) -> dict[int, list[Place]]:
        """What of libraries' headers these instructions are of, by the index of the statement."""
        index = {number: at for at, number in enumerate(statements)}
        found: dict[int, set[Place]] = {}
        for address in addresses:
            if address in self.library_of and self.number_of[address] in index:
                at = index[self.number_of[address]]
                found.setdefault(at, set()).add(self.library_of[address])
        return {at: sorted(places, key=_order) for at, places in found.items()}

    def calls(self, addresses: Iterable[int]) -> set[int]:
        """The statements with the calls that these instructions were inlined for."""
        return set().union(*(self._calls.get(address, ()) for address in addresses))

    def find(self, file: str, line: int) -> tuple[Place, list[int]]:
        """A line and its instructions; UsageError where none ran, or where two files match."""
        path = self._path(file)
        numbers = [
            number
            for number, one in enumerate(self.places, 1)
            if (one.path, one.line) == (path, line) and number in self._addresses
        ]
        if numbers:
            return self.places[numbers[0] - 1], [at for n in numbers for at in self._addresses[n]]
        addresses = self._slicer.addresses(path, line)
        if not addresses:
            raise UsageError(f"{file}:{line}: {self._never(path, line)}")
        # Where no instruction is the line's own, code that was inlined there stands for it, or the
        # instruction at which it was to begin.
        rows = self._slicer.place(addresses[0])
        place = next((_place(row) for row in rows if row["line"] == line), None)
        return place or Place(path, line, rows[-1]["function"] if rows else None), addresses

    def named(self, text: str) -> list[int]:
        """The statements of ``FUNC`` or ``FILE:LINE``."""
        file, colon, line = text.rpartition(":")
        if colon and line.isdecimal():
            addresses = self.find(file, int(line))[1]
            return sorted({self.number_of[at] for at in addresses if at in self.number_of})
        found = [n for n, place in enumerate(self.places, 1) if _is_function(place, text)]
        if not found:
            names = sorted({place.function for place in self.places if place.function})
            raise UsageError(
                f"{text}: no function of that name ran in the stream (some that did: {_few(names)})"
            )
        return found

    def _path(self, file: str) -> str:
        """The source file that was meant."""
        wanted = PurePath(file).parts
        all_paths = sorted({path for path, _ in self._lines if path})
        found = [path for path in all_paths if PurePath(path).parts[-len(wanted) :] == wanted]
        if not all_paths:
            raise UsageError(
                f"{file}: no code of the program's own with line information ran in the stream "
                "(was it built with -g? see heapstory info)"
            )
        if not found:
            raise UsageError(
                f"{file}: no code of such a file ran in the stream "
                f"(files: {_few(PurePath(path).name for path in all_paths)})"
            )
        if len(found) > 1:
            raise UsageError(f"{file}: can be {' or '.join(found)} (give more of the path)")
        return found[0]

    def _never(self, path: str, line: int) -> str:
        lines = sorted({at for of, at in self._lines if of == path and at})
        before = [each for each in lines if each < line][-NEAR:]
        after = [each for each in lines if each > line][:NEAR]
        return f"never ran in the stream (the nearest lines that did: {_few(before + after)})"


def _place(row: CodePlace) -> Place:
    return Place(row["path"], row["line"], row["function"])


def _statement(places: list[Place]) -> Place | None:
    own = own_place(places)
    return own if own and own.line else None


def _calls(places: list[Place], statement: Place) -> set[Place]:
    """The program's own lines around the statement that an instruction is of, in one function."""
    around = places[places.index(statement) + 1 :]
    return {place for place in around if place.line and not place.is_library}


def _order(place: Place) -> tuple[str, int, str]:
    return place.path or "", place.line or 0, place.function or ""


def _is_function(place: Place, name: str) -> bool:
    """Also without its arguments and the namespaces around it."""
    full = (place.function or "").partition("(")[0]
    return name in (place.function, full) or full.endswith(f"::{name}")


def _few(items: Iterable[object]) -> str:
    words = list(dict.fromkeys(str(item) for item in items))
    return ", ".join([*words[:FEW], *(["..."] if len(words) > FEW else [])]) or "none"
