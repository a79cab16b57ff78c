"""Names and values for what flowed from statement to statement, and for what came before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from heapstory.graph.model import Node, find_node
from heapstory.slicing.registers import register_name
from heapstory.slicing.variables import Scope, Variables
from heapstory.store.types import part

if TYPE_CHECKING:
    from heapstory._core import Slicer
    from heapstory.store.types import Leaf
    from heapstory.trace import Trace

SMALL = 1 << 20  # larger words are taken for addresses
MOST = 200_000  # names that are kept for further slices of the same trace


@dataclass(frozen=True, slots=True)
class Named:
    """What holds a value, and the value as text."""

    name: str | None
    text: str | None


class Naming:
    """Asks the variables in scope, then the nodes of the heap."""

    def __init__(self, trace: Trace, slicer: Slicer, variables: Variables) -> None:
        self._trace, self._slicer, self._variables = trace, slicer, variables
        self.register = cache(register_name)
        self.memory = lru_cache(MOST)(self._memory)
        self._timestamp = cache(slicer.timestamp)
        self._node = cache(lambda node: find_node(trace, node))

    def _memory(
        self, address: int, size: int, value: int | None, step: int, *scopes: Scope | None
    ) -> Named:
        """What lay at an address when a step was done."""
        name, leaf = self._holder(address, step, scopes)
        return Named(name, None if value is None else self._text(value, size, leaf, step))

    def _holder(
        self, address: int, step: int, scopes: tuple[Scope | None, ...]
    ) -> tuple[str | None, Leaf | None]:
        variable = self._variables.at(address, *filter(None, scopes))
        if variable is not None:
            inside = address - variable.address
            leaf = self._trace.types.leaf(variable.type, variable.size, inside)
            return variable.name + part(leaf, inside), leaf
        node = self.node_at(address, step)
        if node is None:
            return None, None
        inside = address - node.address
        leaf = self._trace.types.leaf(node.type_id, node.size, inside)
        return node.title + part(leaf, inside), leaf

    def node_at(self, address: int, step: int) -> Node | None:
        """The node that held an address."""
        found = self._trace.core.node_at(address, self._timestamp(step))
        return None if found is None else self._node(found)

    def _text(self, value: int, size: int, leaf: Leaf | None, step: int) -> str:
        if leaf is not None and leaf.size == size and leaf.kind != "pointer":
            return leaf.text(value.to_bytes(size, "little"))
        if size == 8 and value:
            node = self.node_at(value, step)
            if node is not None:
                inside = value - node.address
                return f"&{node.title}" + (f"+{inside}" if inside else "")
        if leaf is not None and leaf.size == size:
            return leaf.text(value.to_bytes(size, "little"))
        signed = value - (value >> (8 * size - 1) << 8 * size)
        return str(signed) if size < 8 or -SMALL <= signed < SMALL else f"{value:#x}"
