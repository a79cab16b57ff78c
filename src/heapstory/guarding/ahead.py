"""What the library is told of the program before it starts: a file, as native/guard/program.h."""

from __future__ import annotations

from pathlib import Path

from heapstory import _core
from heapstory.errors import HeapstoryError
from heapstory.guarding.functions import ranges

_MOST_NUMBERS = 4096  # ranges; native/guard/program.c
_MOST_BYTES = 64 << 20  # of a program whose variables are read: it waits for that


def write(folder: Path, program: Path, paged: list[str]) -> None:
    """Writes which code is named, and which variables hold no address."""
    lines = [f"exe {program.resolve()}"]
    lines += [f"page {start:x}-{end:x}" for start, end in (ranges(program, paged) if paged else [])]
    if program.stat().st_size <= _MOST_BYTES:
        found = _core.Symbols().numbers(str(program), _MOST_NUMBERS)
        lines += [f"numbers {start:x}-{end:x}" for start, end in found]
    try:
        (folder / "program").write_text("".join(f"{line}\n" for line in lines))
    except OSError as error:  # without the types every variable counts
        if paged:
            raise HeapstoryError(f"{folder}: {error.strerror} (set TMPDIR)") from error
