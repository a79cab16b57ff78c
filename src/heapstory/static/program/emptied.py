"""Functions that release a member and leave it empty if they are given null: ``set(p, NULL)``."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from heapstory.cfront import program as op
from heapstory.cfront.liveness import successors
from heapstory.cfront.program import Function, Operand, Terminator

Blocks = dict[str, set[str]]  # member -> labels of blocks
_HOLDS_OF_ZERO: dict[str, Callable[[int], bool]] = {
    "eq": lambda n: n == 0, "ne": lambda n: n != 0,
    "sgt": lambda n: n < 0, "sge": lambda n: n <= 0,
    "slt": lambda n: n > 0, "sle": lambda n: n >= 0,
    "ugt": lambda n: False, "uge": lambda n: n == 0,
    "ult": lambda n: n != 0, "ule": lambda n: True,
}  # fmt: skip


def emptied(function: Function, released: Blocks, filled: Blocks, zeros: Iterable[int]) -> set[str]:
    """The members that are released, and then not filled again, on a way through the function on
    which the arguments ``zeros`` are 0."""
    both = released.keys() & filled.keys()
    if not both:
        return set()
    ways = _Ways(
        function, {function.parameters[n][0] for n in zeros if n < len(function.parameters)}
    )
    return {member for member in both if ways.leave(released[member], filled[member])}


class _Ways:
    """The ways through a function that some parameters allow that are 0."""

    def __init__(self, function: Function, zero: set[str]) -> None:
        self._function = function
        self._zero = _copies(function, zero)
        self._decided = {
            s[2]: _HOLDS_OF_ZERO[s[3]](s[5])
            for block in function.blocks.values()
            for s in block.statements
            if s[0] == op.ICMP and self._is_zero(s[4]) and isinstance(s[5], int)
        }

    def _is_zero(self, operand: Operand) -> bool:
        return isinstance(operand, str) and operand in self._zero

    def leave(self, released: set[str], filled: set[str]) -> bool:
        """Whether the function can be left after a block of ``released`` around those of
        ``filled``, and that block be reached."""
        begun = self._reached([self._function.entry], set())
        after = self._reached([b for b in released if b in begun and b not in filled], filled)
        return any(self._function.blocks[b].terminator[0] == op.RETURN for b in after)

    def _reached(self, pending: list[str], around: set[str]) -> set[str]:
        seen = set(pending)
        while pending:
            for label in self._next(self._function.blocks[pending.pop()].terminator):
                if label not in seen and label not in around:
                    seen.add(label)
                    pending.append(label)
        return seen

    def _next(self, terminator: Terminator) -> list[str]:
        if terminator[0] == op.BRANCH and terminator[2] in self._decided:
            return [terminator[3 if self._decided[terminator[2]] else 4]]
        return successors(terminator)


def _copies(function: Function, names: set[str]) -> set[str]:
    """Names and those that never have another value."""
    sources: dict[str, set[Operand]] = {}
    for block in function.blocks.values():
        for statement in block.statements:
            if statement[0] in (op.COPY, op.ASSIGN, op.CAST):
                sources.setdefault(statement[2], set()).add(statement[3])
        for _, values in block.phis:
            for name, value in values.items():
                sources.setdefault(name, set()).add(value)
    found = {name for name in names if name not in sources}
    pending = True
    while pending:
        more = {n for n, values in sources.items() if n not in found and values <= found}
        found |= more
        pending = bool(more)
    return found
