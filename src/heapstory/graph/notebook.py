"""How graphs and histories show themselves in a notebook.

Reporters know how and say so here (``heapstory.reporters.notebook``); this room does not know them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_taught: dict[str, Callable[[Any], str | None]] = {}


def teach(what: str, how: Callable[[Any], str | None]) -> None:
    """From now on ``how`` shows what is asked for under this name."""
    _taught[what] = how


def show(what: str, thing: object) -> str | None:
    """None where nobody said how; a notebook then shows the plain text."""
    how = _taught.get(what)
    return None if how is None else how(thing)
