"""Places and functions as the options of ``record`` name them, checked before anything runs."""

from __future__ import annotations

import re

from heapstory.errors import UsageError

_TIMES = re.compile(r"#(\d+)$")
_SUFFIX = re.compile(r":(entry|exit|\d+)$")
_ARGUMENTS = re.compile(r"(?<!:):(?P<numbers>\d[^:]*)$")


def check_place(option: str, text: str) -> None:
    """FUNC, FUNC:entry, FUNC:exit or FILE:LINE, with #K behind for the K-th time."""
    times = _TIMES.search(text)
    name = text[: times.start()] if times else text
    suffix = _SUFFIX.search(name)
    name = name[: suffix.start()] if suffix else name
    if times and int(times[1]) == 0:
        raise UsageError(f"{option} {text}: times are counted from #1")
    if suffix and suffix[1].isdecimal() and int(suffix[1]) == 0:
        raise UsageError(f"{option} {text}: lines are counted from 1")
    if not name.strip(":"):
        raise UsageError(f"{option} {text}: a function or FILE:LINE is missing")


def check_function(option: str, text: str) -> None:
    """NAME, NAME:ARG or NAME:ARG*ARG, arguments numbered from 1."""
    found = _ARGUMENTS.search(text)
    name = text[: found.start()] if found else text
    if found and not re.fullmatch(r"[1-6](\*[1-6])?", found["numbers"]):
        raise UsageError(
            f"{option} {text}: arguments are numbered 1 to 6 (NAME:ARG or NAME:ARG*ARG)"
        )
    if not name.strip(":") or name.endswith(":"):
        raise UsageError(f"{option} {text}: a function's name is missing")
