"""Recording a program and opening what was recorded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from heapstory.recording import recorder, requests
from heapstory.trace import Trace


def record(
    command: requests.Command,
    trace: str | os.PathLike[str] | None = None,
    *,
    mode: str = "alloc",
    force: bool = False,
    start: str | None = None,
    until: str | None = None,
    changes: int | None = None,
    cpoints: Sequence[str] = (),
    own: Sequence[str] = (),
    not_own: Sequence[str] = (),
    alloc_fn: Sequence[str] = (),
    free_fn: Sequence[str] = (),
    allocators: Sequence[str] = (),
    follow_children: bool = False,
    source: bool = True,
    source_from: Sequence[str] = (),
    abort_on_bad_free: bool = False,
    stream: bool = False,
    stream_start: str | None = None,
    stream_until: str | None = None,
    stream_instructions: int | None = None,
) -> Trace:
    """Runs a program under the recorder and opens its trace; how it ended is in ``info()``.

    The program's input, output and signals are its own. The keywords are the options of
    ``heapstory record`` (`start` is ``--from``, `changes` is ``--for``, `stream_start` and
    `stream_instructions` are ``--stream-from`` and ``--stream-for``); without `trace` it is
    PROG.story in the current directory.
    """
    words = requests.words_of(command)
    request = recorder.Request(
        command=words,
        trace=Path(trace) if trace is not None else requests.default_trace(words),
        mode=mode,
        force=force,
        start=start,
        until=until,
        changes=changes,
        own=list(own),
        not_own=list(not_own),
        alloc_fn=list(alloc_fn),
        free_fn=list(free_fn),
        allocators=list(allocators),
        cpoints=list(cpoints),
        follow_children=follow_children,
        source=source,
        source_from=list(source_from),
        abort_on_bad_free=abort_on_bad_free,
        stream=stream,
        stream_start=stream_start,
        stream_until=stream_until,
        stream_instructions=stream_instructions,
    )
    requests.check(request)
    recorder.record(request)
    return Trace(request.trace)
