"""What a slice looked for that was there before the stream began.

A stream that begins with the program has what came before the program: its arguments, initial data.
One that begins later lacks whatever wrote what is looked for, unless nothing ever did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapstory._core import Explanation, Slicer
    from heapstory.slicing.naming import Naming
    from heapstory.trace import Trace

MOST = 10  # things to name


def beyond(
    trace: Trace, slicer: Slicer, naming: Naming, found: Explanation, control: bool
) -> list[str]:
    """In words; nothing where the stream begins with the program. ``control``: decisions were
    followed. Which of them were made before the stream is not known, so all may have been."""
    if not begins_late(trace):
        return []
    first = slicer.timestamp(0)
    named = [
        naming.memory(address, size, None, 0).name or f"{address:#x}"
        for address, size in found["unresolved_memory"]
        if _may_be_written(trace, address, size, first)
    ]
    words = list(dict.fromkeys(named))
    if len(words) > MOST:
        words = [*words[:MOST], f"{len(words) - MOST:,} more"]
    if found["unresolved_registers"]:
        words.append("registers")
    if control and found["instructions"] and begins_inside(trace):
        words.append("branches")
    return words


def begins_late(trace: Trace) -> bool:
    """Whether part of the program ran before the stream began."""
    return is_forked(trace) or bool(_options(trace, "--from=", "--stream-from="))


def begins_inside(trace: Trace) -> bool:
    """Whether main was running already when the stream began."""
    places = _options(trace, "--from=", "--stream-from=")
    return is_forked(trace) or any(place.partition("=")[2] != "main" for place in places)


def is_forked(trace: Trace) -> bool:
    """Whether the trace is of a child, which began in the middle of its parent's run."""
    return trace.meta.get("forked") is True


def before_it(trace: Trace) -> str:
    """Where to look for what ran before a stream that begins late."""
    if is_forked(trace):
        return "this is a forked child, and what came before the fork is in its parent's trace"
    return "record again from main on, or without --from and --stream-from"


def ends_early(trace: Trace) -> bool:
    """Whether part of the program may have run after the stream ended."""
    stream = trace.info().stream
    ends = [window.ended for window in stream.windows] if stream else []
    return "until" in ends or "for" in ends or bool(_options(trace, "--until=", "--for="))


def after_it() -> str:
    """How to get what ran after a stream that ends early."""
    return "record again without --until, --for, --stream-until and --stream-for"


def is_window(trace: Trace) -> bool:
    """Whether part of the program may have run outside of the stream."""
    return begins_late(trace) or ends_early(trace)


def has_option(trace: Trace, name: str) -> bool:
    """Whether the recorder was given an option."""
    return bool(_options(trace, name))


def _options(trace: Trace, *names: str) -> list[str]:
    """Those of the recorder and of its collector that begin so."""
    options = (str(word) for word in trace.meta.get("options") or [])
    words = (word.removeprefix("--collector-arg=") for word in options)
    return [word for word in words if word.startswith(names)]


def _may_be_written(trace: Trace, address: int, size: int, until: int) -> bool:
    """Whether something wrote there by a timestamp; of nodes the trace knows, of stacks nobody.

    What a parent wrote before the fork, the child's trace does not know.
    """
    if is_forked(trace) or trace.core.node_at(address, until) is None:
        return True
    return len(trace.core.history(address, size, 1, until)) > 0
