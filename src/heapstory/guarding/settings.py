"""The modes of the guard. The library itself only knows the single settings."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """What the library does; names as in native/guard/state.h."""

    fill_new: int  # bytes of a new block that are filled, at most
    fill_freed: int  # bytes of a freed block that are filled, and checked before it is reused
    held_blocks: int  # small freed blocks of a size that each thread holds back; a power of two
    held_bytes: int  # larger ones, per thread
    frames: int  # of a stack beyond the return address
    moving_realloc: int = 0  # every realloc moves
    mismatches: int = 1  # new, delete and free are compared
    leaks: int = 1  # at exit, blocks that nothing refers to
    live: int = 1  # at exit, blocks that are live
    alias_in_blocks: int = 0  # words in blocks count, too, not only variables
    page_every: int = 0  # every so many allocations a block gets pages of its own; 0: none
    scan_every: int = 0  # milliseconds between two scans while the program runs
    scan_budget: int = 0  # thousandths of a processor that they may take; 0: any

    def as_text(self) -> str:
        """For the environment variable HEAPSTORY_GUARD."""
        return ",".join(f"{name}={value}" for name, value in asdict(self).items())


_WHOLE = 2**31 - 16
MODES = {
    "light": Settings(
        fill_new=32, fill_freed=32, held_blocks=32, held_bytes=16 << 10, frames=0, leaks=0
    ),
    "default": Settings(fill_new=64, fill_freed=64, held_blocks=32, held_bytes=64 << 10, frames=3),
    "thorough": Settings(
        fill_new=_WHOLE,
        fill_freed=_WHOLE,
        held_blocks=512,
        held_bytes=16 << 20,
        frames=7,
        moving_realloc=1,
        alias_in_blocks=1,
        page_every=256,
    ),
}
