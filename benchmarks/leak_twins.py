"""The independent twins in tests/static/twins, as pairs of jobs.

They were written from the list of constructs alone, by someone who had not read the analysis.
Each program is compiled twice: with ``-DLEAK`` it leaks, without it does not. ``NAME.part.c`` is a
second file of the program ``NAME.c``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "tests" / "static" / "twins"


@dataclass(frozen=True, slots=True)
class Twin:
    """One program; ``note`` is the comment in its first line."""

    name: str
    files: tuple[Path, ...]
    note: str

    @property
    def shows_in_a_run(self) -> bool:
        """Whether LeakSanitizer can see the leak in a plain run."""
        return "needs a failing allocation" not in self.note and "a stream" not in self.note


def twins() -> Iterator[Twin]:
    """All twins, by name."""
    for path in sorted(FOLDER.glob("*.c")):
        if path.name.endswith(".part.c"):
            continue
        part = path.with_name(f"{path.stem}.part.c")
        files = (path, part) if part.exists() else (path,)
        yield Twin(path.stem, files, path.read_text().splitlines()[0])
