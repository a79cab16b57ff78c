"""What the traces of a checked run say. Loaded while the program runs: it would wait for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from itertools import count
from pathlib import Path
from signal import SIGRTMIN, Signals
from typing import TYPE_CHECKING

from heapstory.checking.checked import CHILDREN, Checked, Scan
from heapstory.checking.errors import Error, errors
from heapstory.checking.leaks import Leak, by_kind, leaks
from heapstory.checking.lost import scans
from heapstory.checks.finding import identity, merged
from heapstory.errors import HeapstoryError
from heapstory.recording.folder import never_called, successors
from heapstory.trace import Trace

if TYPE_CHECKING:
    from heapstory.recording.recorder import Checks

MOST_MOMENTS = 100  # leaks whose loss is looked for
_COUNTED = {
    "lost": ("leak", "indirect-leak"),
    "possibly lost": ("possible-leak", "possible-indirect-leak"),
    "reachable": ("reachable",),
}
LEAKS = "leaks at the end"
LEAKS_SO_FAR = "leaks so far"
NO_HEAP = "the heap (no allocation was seen: the program has none, or an allocator of its own)"

NEVER_CALLED = (
    "what {} hands out or takes back (no call of it was seen: another name, inlined, or not run)"
)


def news(path: Path, told: Collection[tuple[str, ...]], recorded: bool) -> tuple[int, list[Error]]:
    """How many errors can be read by now, and which of them were not told.

    Nothing of a trace that has only just begun. With ``recorded`` they have their pointers.
    """
    try:
        with Trace(path) as trace:
            all_of_them = errors(trace)
            found = [error for error in merged(all_of_them) if identity(error) not in told]
            if recorded and found:
                from heapstory.checking.pointers import find_pointers

                find_pointers(trace, found, None)
            return sum(error.count if error.is_free else 1 for error in all_of_them), found
    except HeapstoryError:
        return 0, []


def read(made: Checked, path: Path, checks: Checks) -> None:
    """All that was found, with its past where that was recorded."""
    lost: dict[int, list[Leak] | None] = {}  # by process: of what it became by exec, the last
    found: list[Error] = []
    killed: set[int] = set()  # processes whose end was not seen
    for part in [path, *successors(path)]:
        try:
            with Trace(part) as trace:
                process = trace.meta.get("pid") or 0
                (killed.add if _was_killed(trace) else killed.discard)(process)
                child = bool(lost) and process not in lost
                new = _errors(trace, path if child else None)
                if checks.leaks and not made.failure:
                    lost[process] = _last_leaks(trace, child, checks.heuristics)
                else:
                    lost[process] = None
                made.scans += _scans(trace)
                made.crash = _crash(trace) or made.crash
                if checks.stores or made.scans:
                    _explain(trace, new, lost[process] or [], checks)
                found += new
        except HeapstoryError as error:
            if made.failure is None:
                raise
            made.failure += f"; {error}"
    known = next(iter(lost.values()), None)
    if not known and not found and not made.failure and not _has_heap(path):
        made.not_looked_for.append(NO_HEAP)
    made.findings = merged(found)
    made.leaks = by_kind(leak for leaks in lost.values() for leak in leaks or ())
    made.heuristics = dict(sum((leak.parts for leak in made.leaks), Counter[str]()))
    first = next(iter(lost), None)
    if first in killed and known is not None:
        made.looked_for.append(LEAKS_SO_FAR)
    unknown = first in killed or known is None
    (made.not_looked_for if unknown else made.looked_for).append(LEAKS)
    if checks.leaks:
        made.not_looked_for += [f"{LEAKS} of process {one}" for one in sorted(killed - {first})]
    (made.looked_for if checks.follow_children else made.not_looked_for).append(CHILDREN)
    made.not_looked_for += [NEVER_CALLED.format(name) for name in never_called(path)]


def _was_killed(trace: Trace) -> bool:
    return trace.meta.get("ended") == "killed"


def _last_leaks(trace: Trace, child: bool, heuristics: bool) -> list[Leak] | None:
    """Those at the end; of a killed process, those that the last search before has found."""
    at = None
    if _was_killed(trace):
        before = scans(trace.core, ("scan",))
        if not before:
            return None
        at = before[-1]
    return leaks(trace, child, heuristics, at)


def read_scan(path: Path) -> Checked:
    """What the last look at a program that still runs has found."""
    with Trace(path) as trace:
        last = scans(trace.core, ("scan",))[-1]
        found = leaks(trace, at=last) or []
        command = [str(word) for word in trace.meta.get("program") or ()]
    made = Checked(command, leaks=found, looked_for=[LEAKS_SO_FAR], not_looked_for=[])
    made.heuristics = dict(sum((leak.parts for leak in found), Counter[str]()))
    return made


def scan_counts(path: Path, heuristics: bool) -> list[int]:
    """What the last look at a program that still runs has found, as Memcheck counts it: bytes, then
    blocks; each lost, possibly lost, reachable."""
    with Trace(path) as trace:
        found = leaks(trace, at=scans(trace.core, ("scan",))[-1], parts=heuristics) or []
    sums = Counter[tuple[str, str]]()
    for leak in found:
        sort = next(sort for sort, kinds in _COUNTED.items() if leak.kind in kinds)
        sums["bytes", sort] += leak.bytes
        sums["blocks", sort] += leak.blocks
    return [sums[what, sort] for what in ("bytes", "blocks") for sort in _COUNTED]


def _errors(trace: Trace, parent: Path | None) -> list[Error]:
    """The errors of a trace; of a child's, with what its parent knows."""
    if parent is None:
        return merged(errors(trace))
    with Trace(parent) as before:
        return merged(errors(trace, before))


def _crash(trace: Trace) -> str | None:
    """The signal that ended the program, where, and what the address was."""
    number = (trace.meta.get("exit") or {}).get("signal")
    if not number:
        return None
    name = Signals(number).name if number < SIGRTMIN else f"signal {number}"
    crash = trace.info().crash
    place = f" at {crash.place}" if crash and crash.place else ""
    words = f", {crash.words}" if crash and crash.words else ""
    return f"{name}{place}{words}"


def _has_heap(path: Path) -> bool:
    """Whether any block was ever allocated; variables, where they are recorded, come first."""
    with Trace(path) as trace:
        for number in count(1):
            row = trace.core.node(number)
            if row is None or row["kind"] == "heap":
                break
        return row is not None


def _scans(trace: Trace) -> list[Scan]:
    """What was left of the heap when somebody asked, before the end."""
    asked = scans(trace.core, ("scan",))
    return [Scan(timestamp, leaks(trace, at=timestamp) or []) for timestamp in asked]


def _explain(trace: Trace, found: list[Error], known: list[Leak], checks: Checks) -> None:
    """Gives errors and leaks their past, as far as it was recorded."""
    lost = [leak for leak in known if leak.kind == "leak"][:MOST_MOMENTS]
    if not found and not lost:
        return
    from heapstory.checking.moments import Moments
    from heapstory.checking.pointers import find_pointers
    from heapstory.slicing import Slicing

    slicing = Slicing(trace) if checks.stream else None
    if checks.stores:
        find_pointers(trace, found, slicing)
    moments = Moments(trace, slicing, checks.stores)
    for leak in lost:
        leak.lost = moments.of(leak.node, leak.created)
