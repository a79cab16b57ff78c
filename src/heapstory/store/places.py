"""Places: the source statement, or at least the module and offset, behind a site."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heapstory import _core


@dataclass(frozen=True, slots=True)
class Place:
    """A source location that executed. Unknown members are None."""

    path: str | None = None
    line: int | None = None
    function: str | None = None
    module: str | None = None
    offset: int | None = None

    @property
    def file(self) -> str | None:
        """The base name of the path."""
        return PurePath(self.path).name if self.path else None

    def __str__(self) -> str:
        if self.path and self.line:
            return f"{self.file}:{self.line}"
        if not self.module:
            return self.function or "?"
        module = PurePath(self.module).name
        if self.function:
            return f"{self.function} in {module}"
        return f"{module}+{self.offset:#x}" if self.offset is not None else module

    def as_json(self) -> dict[str, Any]:
        """The *place* of the machine output."""
        return {
            "file": self.file,
            "path": self.path,
            "line": self.line,
            "function": self.function,
        }


class Places:
    """Looks sites and stacks up, each once."""

    def __init__(self, core: _core.Trace) -> None:
        self._core = core
        self._sites: dict[int, list[Place]] = {}
        self._stacks: dict[int, list[int]] = {}

    def inlined(self, site: int) -> list[Place]:
        """The statement of a site and, where it was inlined, its callers, innermost first."""
        if site not in self._sites:
            self._sites[site] = [
                Place(row["path"], row["line"], row["function"], row["module"], row["offset"])
                for row in self._core.place(site)
            ]
        return self._sites[site]

    def place(self, site: int | None) -> Place | None:
        """The statement of a site; None for initial contents."""
        if site is None:
            return None
        places = self.inlined(site)
        return places[0] if places else None

    def stack(self, stack: int | None) -> list[Place]:
        """A call stack, innermost first, inlined callers included."""
        return [place for site in self._stack(stack) for place in self.inlined(site)]

    def statement(self, stack: int | None) -> Place | None:
        """The statement a call stack begins with."""
        sites = self._stack(stack)
        return self.place(sites[0]) if sites else None

    def _stack(self, stack: int | None) -> list[int]:
        if stack is None:
            return []
        if stack not in self._stacks:
            self._stacks[stack] = self._core.stack(stack)
        return self._stacks[stack]
