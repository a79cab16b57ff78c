"""Asks a trace for slices, in a process of its own so that its memory can be told:

    python -m benchmarks.support.slicing TRACE                       the last five reads, ours
    python -m benchmarks.support.slicing TRACE --reasons             with their reasons, too
    python -m benchmarks.support.slicing TRACE --lists SECONDS       by the thesis' algorithms, too

Prints one JSON object. Criteria are asked in an order that makes the first the last read.
"""

import argparse
import json
import resource
import time
from typing import Any

import heapstory
from heapstory import _core
from heapstory.slicing import Slicing

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


def with_reasons(path: str, criteria: list[dict[str, Any]]) -> None:
    """What `heapstory slice` does without starting and printing: as a further criterion of one
    command, and alone, with making the stream ready."""
    with heapstory.open(path) as trace:
        slicing = Slicing(trace)
        for one in criteria:
            one["told"], _ = timed(slicing.slice, f"read#-{one['number']}")
    for one in criteria:
        with heapstory.open(path) as trace:
            ready, slicing = timed(Slicing, trace)
            seconds, _ = timed(slicing.slice, f"read#-{one['number']}")
            one["told_alone"] = ready + seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("--reasons", action="store_true")
    parser.add_argument("--lists", type=float, metavar="SECONDS")
    options = parser.parse_args()
    begin = peak()
    opened, trace = timed(_core.Trace, options.trace)
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
    if options.reasons:
        with_reasons(options.trace, answer["criteria"])
    if options.lists:
        for one in answer["criteria"]:
            place = slicer.read(-one["number"])
            one["lists"] = slicer.by_lists(place, options.lists)
        answer["lists_peak_kib"] = peak()
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
