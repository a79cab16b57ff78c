# SPDX-License-Identifier: GPL-2.0-or-later
"""Recording programs with their instruction stream."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from heapstory import _core
from heapstory.recording.recorder import Request, record


def recorded(program: Path, folder: Path, *, stream: bool = True, **options: Any) -> _core.Trace:
    """A trace of the program in ``folder``; options as of `Request`."""
    trace = folder / ("stream.story" if stream else "plain.story")
    record(Request([str(program)], trace, stream=stream, **options))
    return _core.Trace(str(trace))
