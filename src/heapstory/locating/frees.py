"""Where a free was decided: wrappers of ``free`` only hand on what they were given."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from heapstory import _core

if TYPE_CHECKING:
    from heapstory.store.places import Place
    from heapstory.trace import Trace

FIRST_ARGUMENT = 1 << 7  # a set of registers: rdi


class Frees:
    """Looks call stacks of frees up, each once."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._found: dict[int, Place | None] = {}
        self._symbols = _core.Symbols()

    def place(self, stack: int) -> Place | None:
        """The statement that decided to free: the innermost one of the program's own code whose
        function does more than to hand its argument to the next. `raw` is the statement that the
        deallocator was called from, if that is another one."""
        if stack not in self._found:
            self._found[stack] = self._decided(stack)
        return self._found[stack]

    def _decided(self, stack: int) -> Place | None:
        arguments = FIRST_ARGUMENT
        first = found = None
        for site in self.trace.core.stack(stack):
            places = self.trace.places.inlined(site)
            for place, handed in zip(places, self._handed_on(places, arguments), strict=True):
                arguments = handed
                if not place.is_library:
                    if first is not None and not place.line:
                        return self._told(stack, found)
                    first, found = first or place, place
                if found is not None and not arguments:
                    return self._told(stack, found)
        return self.trace.places.statement(stack)

    def _told(self, stack: int, found: Place | None) -> Place | None:
        innermost = next(iter(self.trace.places.stack(stack)), None)
        return found if found is None or found == innermost else replace(found, raw=innermost)

    def _handed_on(self, places: list[Place], arguments: int) -> list[int]:
        """Of each place of a call, which arguments of its function it hands on as these."""
        at = places[0] if places else None
        unknown = [0] * len(places)
        if not at or not at.module or at.offset is None or not arguments:
            return unknown
        build_id = self._build_ids.get(at.module)
        if not build_id:
            return unknown
        found = self._symbols.handed_on(at.module, build_id, at.offset, arguments)
        return found if len(found) == len(places) else unknown

    @cached_property
    def _build_ids(self) -> dict[str, str]:
        rows = self.trace.core.table("modules").rows(["path", "build_id"])
        return {path: build_id for path, build_id in rows if path and build_id}
