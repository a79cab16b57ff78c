# SPDX-License-Identifier: GPL-2.0-or-later
"""Recording programs with their instruction stream."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from heapstory import _core
from heapstory.recording.recorder import Request, record


@dataclass
class StreamRequest(Request):
    def options(self) -> list[str]:
        return [*super().options(), "--stream=yes"]


def recorded(program: Path, folder: Path, *, stream: bool = True) -> _core.Trace:
    """A trace of the program in ``folder``."""
    trace = folder / ("stream.story" if stream else "plain.story")
    record((StreamRequest if stream else Request)([str(program)], trace))
    return _core.Trace(str(trace))
