"""Asks a trace for slices, in a process of its own so that its memory can be told:

    python benchmarks/support/slicing.py TRACE             the last five reads, ours
    python benchmarks/support/slicing.py TRACE SECONDS     by the thesis' algorithms, too

Prints one JSON object. Criteria are asked in an order that makes the first the last read.
"""

import json
import resource
import sys
import time
from typing import Any

from heapstory import _core

CRITERIA = 5


def timed(call: Any, *words: Any, **options: Any) -> tuple[float, Any]:
    """CPU seconds, since other work goes on beside; all of it is done by one thread."""
    begin = time.process_time()
    answer = call(*words, **options)
    return time.process_time() - begin, answer


def peak() -> int:
    """KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def ours(slicer: Any) -> list[dict[str, Any]]:
    """One after the other: a further one may take what it has in common with those before it."""
    found = []
    for number in range(1, CRITERIA + 1):
        place = slicer.read(-number)
        seconds, (_, totals) = timed(slicer.backward, place, conventions=False)
        found.append({"number": number, "seconds": seconds, **totals})
    return found


def alone(trace: Any, criterion: dict[str, Any]) -> float:
    """Seconds of its walk, had nothing been asked before."""
    slicer = _core.Slicer(trace)
    place = slicer.read(-criterion["number"])
    return timed(slicer.backward, place, conventions=False)[0]


def main() -> None:
    begin = peak()
    opened, trace = timed(_core.Trace, sys.argv[1])
    prepared, slicer = timed(_core.Slicer, trace)
    answer: dict[str, Any] = {
        "open": opened,
        "prepare": prepared,
        "counts": slicer.counts,
        "criteria": ours(slicer),
    }
    answer["peak_kib"] = peak() - begin
    for one in answer["criteria"]:
        one["alone"] = alone(trace, one)
    if len(sys.argv) > 2:
        for one in answer["criteria"]:
            place = slicer.read(-one["number"])
            one["lists"] = slicer.by_lists(place, float(sys.argv[2]))
        answer["lists_peak_kib"] = peak()
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
