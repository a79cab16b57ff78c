"""Return addresses become places, by the files they came from."""

from __future__ import annotations

from pathlib import Path

from heapstory import _core
from heapstory.checks.finding import Stack
from heapstory.guarding.report import Module, Process
from heapstory.store.places import Place

_GUARD = "libheapstory-guard.so"
# Bytes of the call instructions of x86-64 by their length; a return address follows one.
_NEAR_CALL = 0xE8
_INDIRECT = 0xFF


class Namer:
    """Names addresses, each once; remembers which files are not what they were."""

    def __init__(self) -> None:
        self._symbols = _core.Symbols()
        self._known: dict[tuple[str, str, int], Stack] = {}
        self._code: dict[str, bytes] = {}
        self.changed: set[str] = set()

    def stack(self, process: Process, addresses: list[int], exact: bool = False) -> Stack:
        """A stack, inlined callers included; ``exact``: the first address is no return address.

        Frames beyond the first were found by frame pointers, which code may use for other things:
        the stack ends where one does not follow a call.
        """
        made: Stack = []
        for depth, address in enumerate(addresses):
            module = process.module(address)
            if module is None:
                if depth == 0:
                    made.append(Place())
                break
            offset = address - module.start + module.offset
            if depth and not self._follows_call(module, offset):
                break
            if Path(module.path).name != _GUARD:
                made += self._places(module, offset if exact and depth == 0 else offset - 1)
        return made

    def _places(self, module: Module, offset: int) -> Stack:
        key = (module.path, module.build_id, offset)
        if key not in self._known:
            rows = self._symbols.places(*key)
            self._known[key] = [
                Place(row["path"], row["line"], row["function"], module.path, offset)
                for row in rows
            ] or [Place(module=module.path, offset=offset)]
            if self._symbols.state(module.path, module.build_id) == "changed":
                self.changed.add(module.path)
        return self._known[key]

    def _follows_call(self, module: Module, offset: int) -> bool:
        code = self._code.get(module.path)
        if code is None:
            try:
                code = Path(module.path).read_bytes()
            except OSError:
                code = b""
            self._code[module.path] = code
        before = code[max(offset - 7, 0) : offset]
        if len(before) < 7:
            return True  # the file is gone: there is nothing to judge by
        if before[-5] == _NEAR_CALL:
            return True
        # call r/m: ff /2, two to seven bytes with its displacement.
        return any(
            before[-length] == _INDIRECT and before[-length + 1] >> 3 & 7 == 2
            for length in range(2, 8)
        )
