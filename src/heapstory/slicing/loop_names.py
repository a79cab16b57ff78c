"""Places and names for what the core says of loops."""

from __future__ import annotations

from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from heapstory.slicing.naming import Naming
from heapstory.slicing.registers import register_name
from heapstory.slicing.variables import Scope, Variables
from heapstory.store.places import Place, own_place

if TYPE_CHECKING:
    from heapstory._core import Slicer
    from heapstory.trace import Trace

_LOADERS = ("ld-linux", "ld.so", "ld-2.")
_LARGEST = 1 << 24  # of a loader's code, where no other module follows


class LoopNames:
    """Looks up instructions, and the memory and registers that a dependence went through."""

    def __init__(self, trace: Trace, slicer: Slicer) -> None:
        self._trace, self._slicer = trace, slicer
        self._variables = Variables(trace, slicer)
        self._naming = Naming(trace, slicer, self._variables)
        self.place = cache(self._place)

    def _place(self, address: int) -> Place:
        rows = [
            Place(row["path"], row["line"], row["function"]) for row in self._slicer.place(address)
        ]
        if not rows:
            return Place(function=hex(address))
        return own_place(rows) or rows[0]

    def name(self, row: dict[str, Any]) -> str | None:
        """The variable that a value went through, or the type of the node; None where that is not
        known."""
        if row["kind"] == "control":
            return None
        scopes = [Scope(row[end], row["stack"]) for end in ("to", "from")]
        if not row["memory"]:
            return self._in_register(row["where"], scopes)
        variable = self._variables.at(row["where"], *scopes)
        if variable is not None:
            return variable.name
        node = self._naming.node_at(row["where"], row["step"])
        return node.title if node else None

    def _in_register(self, byte: int, scopes: list[Scope]) -> str:
        for scope in scopes:
            for one in self._variables.in_scope(scope.address):
                if one["where"] == "registers" and 0 <= byte - one["at"] < one["piece"][1]:
                    return one["name"]
        return register_name(byte)

    def loader_code(self) -> list[tuple[int, int]]:
        """Where the dynamic loader lies: it writes down a function's address at the first call."""
        rows = self._trace.query(
            "SELECT address, path FROM modules WHERE address IS NOT NULL ORDER BY address"
        ).rows
        ends = [address for address, _ in rows[1:]]
        found = []
        for number, (start, path) in enumerate(rows):
            if PurePath(path).name.startswith(_LOADERS):
                end = ends[number] if number < len(ends) else start + _LARGEST
                found.append((start, end - start))
        return found
