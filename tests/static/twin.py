"""Independent twins as pairs of jobs: written by people who had not read the analysis.

Each program is compiled twice: with ``-DLEAK`` it leaks, without it does not. A program of several
files is a folder, or ``NAME.c`` with ``NAME.part.c``. Those in the folder beside
were looked at while the analysis was written; those in benchmarks/programs/twins were not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from heapstory.cfront.capture import Job
from heapstory.static import Options, Sources, analyse, collect_findings, load_models

FOLDER = Path(__file__).parent / "twins"


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


def heapstory(files: Sequence[Path], options: Sequence[str]) -> int:
    """Leaks of at least medium confidence, the default of the command."""
    jobs = [Job(str(f.parent), f.name, tuple(options)) for f in files]
    result = analyse(jobs, Options(load_models([]), processes=1))
    found = collect_findings(result.results, False, Sources())
    return sum(f.confidence != "low" for f in found)
