"""Random histories of more calls than all interleavings can be tried of: they can only refute."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from heapstory._core import Interleaved, MachineCall

# Calls and threads.
SIZES = ((4, 3), (5, 3), (6, 3), (7, 4), (8, 4), (5, 2), (7, 3), (6, 4), (8, 3), (7, 2))
COUNT = 200  # histories in a row, at first
SECONDS = 5.0  # and as long as that
SHRINKING = 5.0  # seconds to find a smaller one
TRIED = (20_000, 1.0)  # states and seconds for all histories of a program, then
DRAWN = 1000  # histories of it

Program = list[list[int]]  # the operations that each thread calls


class Drawing:
    """Which histories come next."""

    def __init__(self, threads: int) -> None:
        self.threads = threads  # at least
        self.turn = self.first = 0

    def next(self) -> tuple[int, int, int, int]:
        """Calls, threads, the first seed, and how many: of every size some, then more of each."""
        calls, threads = SIZES[self.turn % len(SIZES)]
        count = COUNT * (1 + self.turn // len(SIZES))
        self.turn += 1
        self.first += count
        return calls, max(self.threads, threads), self.first - count, count


def program_of(calls: list[MachineCall], threads: int) -> Program:
    """What each thread called."""
    every = sorted(calls, key=lambda call: call.slot)
    return [[c.operation for c in every if c.thread == thread] for thread in range(threads)]


def size_of(program: Program) -> int:
    return len(list(chain.from_iterable(program)))


def shrunk(
    found: Interleaved, program: Program, search: Callable[[Program], Interleaved | None]
) -> tuple[Interleaved, Program]:
    """The same with fewer calls; ``search`` gives what is wrong with a program, if it finds it."""
    again = True
    while again:
        again = False
        for thread, own in enumerate(program):
            for at in range(len(own)):
                fewer = [list(each) for each in program]
                del fewer[thread][at]
                smaller = search(fewer) if size_of(fewer) > 1 else None
                if smaller is not None:
                    found, program, again = smaller, fewer, True
                    break
            if again:
                break
    return found, program
