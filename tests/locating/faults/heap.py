"""A dump of a program's heap (dump.h) as the oracle reads it. Nothing here knows of heapstory."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Broken(Exception):
    """The structure is not what it should be; the message says where."""


def need(fact: object, message: str) -> None:
    if not fact:
        raise Broken(message)


class Heap:
    """Blocks by address. `kinds` says which ctypes structure the blocks of an allocating function
    are."""

    def __init__(self, dump: Path, kinds: dict[str, type[ctypes.Structure]]) -> None:
        lines = dump.read_text().splitlines()
        self.end, *notes = lines[0].split(" ") if lines else ["none"]
        self.silent = "silent" in notes
        self.kinds = kinds
        self.blocks: dict[int, tuple[str, bool, bytes]] = {}
        for line in lines[1:]:
            address, function, live, *content = line.split(" ")
            data = bytes.fromhex(content[0]) if content else b""
            self.blocks[int(address, 16)] = (function, live == "1", data)

    def live(self, kind: type[ctypes.Structure]) -> set[int]:
        return {address for address, (function, live, _) in self.blocks.items()
                if live and self.kinds.get(function) is kind}  # fmt: skip

    def only(self, kind: type[ctypes.Structure]) -> Any:
        """The one handle of the program, or its first where helpers come and go."""
        found = self.live(kind)
        need(found, f"no {kind.__name__}")
        return self.at(min(found, key=list(self.blocks).index), kind)

    def at(self, address: int | None, kind: type[ctypes.Structure]) -> Any:
        """What a pointer leads to, which must be a live block of that kind, or None for NULL."""
        if not address:
            return None
        function, live, data = self.blocks.get(address, ("", False, b""))
        need(function, f"wild pointer {address:#x}")
        need(live, f"pointer to the freed block {address:#x}")
        need(self.kinds.get(function) is kind, f"{address:#x} is no {kind.__name__}")
        return kind.from_buffer_copy(data)

    def chain(self, address: int | None, kind: type[ctypes.Structure]) -> Iterator[tuple[int, Any]]:
        """Along `next`; a node that comes again is broken."""
        seen: set[int] = set()
        while address:
            need(address not in seen, f"{address:#x} is in a cycle or two lists")
            seen.add(address)
            node = self.at(address, kind)
            yield address, node
            address = node.next

    def all_seen(self, seen: set[int], kind: type[ctypes.Structure]) -> None:
        lost = self.live(kind) - seen
        need(not lost, f"{len(lost)} nodes of {kind.__name__} cannot be reached")
