"""What a binding answers, whether there is a trace behind it or not."""

from __future__ import annotations

from typing import Protocol

from heapstory.constraints.binding.layout import Layout
from heapstory.constraints.language import syntax


class Binding(Protocol):
    """What the compiler asks of a trace."""

    def layout(self, line: syntax.TypeLine) -> Layout | None:
        """The layout of a type; None if nothing of the trace is of it."""

    def roots(self, variable: str, path: str) -> list[Layout]:
        """The words of a global variable (and a field in it) that hold pointers."""

    def array_of(self, name: str) -> Layout | None:
        """Blocks that hold some of what a pointer points to: ``int``, ``node *``, ``node``."""

    def constant(self, name: str) -> int | None:
        """The value of an enumerator or macro of the program."""

    def type_names(self) -> list[str]:
        """The names that types may have, for suggestions."""
