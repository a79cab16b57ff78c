"""Names of cells that a function does not make itself: parameters, globals, slots of its stack, and
the members that are reached from them (``P0[8]``).

There is one object for a name, so that names are compared and hashed as fast as numbers.
"""

from __future__ import annotations

from typing import Any, Final

# Where a name begins.
PARAMETER: Final = 0
GLOBAL_VARIABLE: Final = 1  # or a function
SLOT: Final = 2


class Named:
    """The name of a cell. ``text`` orders names and shows them; nothing is read out of it."""

    __slots__ = ("_below", "depth", "holder", "number", "offset", "origin", "text", "top")

    def __init__(self, text: str, origin: int, number: int, holder: Named | None, offset: int):
        self.text = text
        self.origin = origin
        self.number = number  # of a parameter, from 0; -1 for all others
        self.holder = holder  # the cell it is a member of, at ``offset``
        self.offset = offset
        self.depth: int = 0 if holder is None else holder.depth + 1
        self.top: Named = self if holder is None else holder.top
        self._below: dict[int, Named] = {}

    def below(self, offset: int) -> Named:
        """The cell that the member at an offset leads to."""
        found = self._below.get(offset)
        if found is None:
            text = f"{self.text}[{offset}]"
            found = self._below[offset] = Named(text, self.origin, self.number, self, offset)
        return found

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        if self.holder is not None:
            return _member, (self.holder, self.offset)
        return _top, (self.text, self.origin, self.number)


_known: Final[dict[tuple[str, int], Named]] = {}


def _top(text: str, origin: int, number: int) -> Named:
    found = _known.get((text, origin))
    if found is None:
        found = _known[text, origin] = Named(text, origin, number, None, 0)
    return found


def _member(holder: Named, offset: int) -> Named:
    return holder.below(offset)


def parameter(number: int) -> Named:
    """The cell that a pointer passed as a parameter leads to."""
    return _top(f"P{number}", PARAMETER, number)


def global_cell(name: str) -> Named:
    """A global variable or a function, by its name in the IR (``@name``)."""
    return _top(name, GLOBAL_VARIABLE, -1)


def slot(name: str) -> Named:
    """A slot of the stack."""
    return _top(name, SLOT, -1)


def by_text(name: Named) -> str:
    """The order of names."""
    return name.text


EXTRA: Final = _top("PV", PARAMETER, -1)  # what a variadic function finds in further arguments
