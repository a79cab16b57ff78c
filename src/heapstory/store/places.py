"""Places: the source statement, or at least the module and offset, behind a site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heapstory import _core

# Where what libraries put into a program by their headers comes from.
_LIBRARIES = ("/usr/include/", "/usr/lib/", "/usr/local/include/", "/rustc/", "/rust/deps/")


@dataclass(frozen=True, slots=True)
class Place:
    """A source location that executed. Unknown members are None."""

    path: str | None = None
    line: int | None = None
    function: str | None = None
    module: str | None = None
    offset: int | None = None
    raw: Place | None = None  # the statement of a library's header that was inlined there

    @property
    def is_library(self) -> bool:
        """Whether it is in a header of a library, or in Rust's."""
        return self.path is not None and self.path.startswith(_LIBRARIES)

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
        """The *place* of the machine output; without a line, where the code is in its file."""
        raw = {"raw": self.raw.as_json()} if self.raw else {}
        code: dict[str, Any] = {}
        if not self.line and self.module and self.offset is not None:
            code = {"module": self.module, "offset": hex(self.offset)}
        return {
            "file": self.file,
            "path": self.path,
            "line": self.line,
            "function": self.function,
            **code,
            **raw,
        }


def own_place(places: Sequence[Place]) -> Place | None:
    """The first statement, innermost first, that is not of a library's header; None: all are."""
    return next((place for place in places if not place.is_library), None)


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
        if not places or not places[0].is_library:
            return places[0] if places else None
        own = own_place(places)
        return replace(own, raw=places[0]) if own else places[0]

    def stack(self, stack: int | None) -> list[Place]:
        """A call stack, innermost first, inlined callers included."""
        return [place for site in self._stack(stack) for place in self.inlined(site)]

    def statement(self, stack: int | None) -> Place | None:
        """The statement a call stack begins with; not one of a library's headers."""
        places = [place for site in self._stack(stack) if (place := self.place(site))]
        return own_place(places) or (places[0] if places else None)

    def _stack(self, stack: int | None) -> list[int]:
        if stack is None:
            return []
        if stack not in self._stacks:
            self._stacks[stack] = self._core.stack(stack)
        return self._stacks[stack]
