"""Running a program under the checker."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heapstory.checking.checked import VALUES, Checked
from heapstory.errors import HeapstoryError
from heapstory.recording.folder import successors
from heapstory.recording.recorder import Checks, Request, record
from heapstory.store import meta

# What reads a trace is loaded while the program runs (`_load`), not before.
if TYPE_CHECKING:
    from heapstory.checking.errors import Error

# A look at the trace of a running program may take this part of the time.
_SHARE = 0.05


@dataclass(slots=True)
class Watch:
    """Looks at the trace while the program runs, and tells what is new."""

    trace: Path
    tell: Callable[[Error], None]
    told: set[tuple[str, ...]]  # identities
    recorded: bool = False  # so that the pointers behind errors are known
    heuristics: bool = True
    _found: int = 0
    _counted: dict[Path, int] = field(default_factory=dict)  # scans that were looked at, by trace
    _next: float = 0.0

    def __call__(self) -> None:
        """To be called from time to time."""
        collected = _collected(self.trace)
        self._count_leaks(self.trace, collected)
        for trace in successors(self.trace):
            self._count_leaks(trace, _collected(trace))
        counted = collected.get("findings", 0)
        start = time.monotonic()
        if counted == self._found or start < self._next:
            return
        from heapstory.checking.reading import news
        from heapstory.checks.finding import identity

        self._found, found = news(self.trace, self.told, self.recorded)
        for error in found:
            self.told.add(identity(error))
            self.tell(error)
        now = time.monotonic()
        self._next = now + (now - start) / _SHARE

    def _count_leaks(self, trace: Path, collected: dict[str, Any]) -> None:
        """Answers a program that asks how much is lost (VALGRIND_COUNT_LEAKS)."""
        scans = collected.get("scans") or 0
        if not scans or self._counted.get(trace) == scans:
            return
        from heapstory.checking.reading import scan_counts
        from heapstory.recording.nudge import answer_counts, asked_for_counts

        with contextlib.suppress(OSError):  # it may have ended
            asked = asked_for_counts(collected["pid"])
            if asked and asked <= scans:
                answer_counts(collected["pid"], asked, scan_counts(trace, self.heuristics))
                self._counted[trace] = scans


def _collected(trace: Path) -> dict[str, Any]:
    """What the collector has written about itself so far."""
    return meta.read_part(trace / meta.COLLECTED) or {}


def check(
    command: list[str],
    checks: Checks,
    trace: Path | None = None,
    force: bool = False,
    watch: Callable[[Path], Callable[[], None]] = lambda trace: lambda: None,
) -> Checked:
    """Runs a command to its end; with ``trace``, everything that was recorded stays there.

    ``watch`` makes what is called from time to time from the path of the trace.
    """
    made = Checked(command)
    (made.looked_for if checks.values else made.not_looked_for).append(VALUES)
    with _folder(trace) as path:
        request = Request(command, path, force=force, source=trace is not None, checks=checks)
        try:
            made.status = record(request, meanwhile=watch(path.absolute()), started=_load)
        except HeapstoryError as error:
            if not (path / meta.COLLECTED).exists():  # nothing ran
                raise
            made.failure = str(error)
        from heapstory.checking.reading import read

        read(made, path, checks)
    return made


def _load() -> None:
    import heapstory._core
    import heapstory.checking.reading  # noqa: F401


@contextlib.contextmanager
def _folder(trace: Path | None) -> Iterator[Path]:
    if trace is not None:
        yield trace
        return
    with tempfile.TemporaryDirectory(prefix="heapstory-check-") as folder:
        yield Path(folder) / "checked.story"
