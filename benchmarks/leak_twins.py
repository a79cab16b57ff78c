"""Independent twins as pairs of jobs: written by people who had not read the analysis.

Each program is compiled twice: with ``-DLEAK`` it leaks, without it does not. A program of several
files is a folder, or ``NAME.c`` with ``NAME.part.c``. Those in tests/static/twins were looked at
when the analysis was mended; those in benchmarks/programs/twins were not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "tests" / "static" / "twins"
UNSEEN = Path(__file__).parent / "programs" / "twins"


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


def twins(folder: Path = FOLDER) -> Iterator[Twin]:
    """All twins of a folder, by name."""
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            files = tuple(sorted(path.glob("*.c")))
        elif path.suffix == ".c" and not path.name.endswith(".part.c"):
            part = path.with_name(f"{path.stem}.part.c")
            files = (path, part) if part.exists() else (path,)
        else:
            continue
        if files:
            yield Twin(path.stem, files, files[0].read_text().splitlines()[0])
