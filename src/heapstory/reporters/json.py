"""The machine output: one object per command, with the name and version of its schema."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heapstory.store.places import Place
    from heapstory.trace import Trace

encode = json.JSONEncoder(ensure_ascii=False).encode


def dumps(command: str, body: dict[str, Any]) -> str:
    """One object on one line."""
    answer = {"schema": f"heapstory.{command}/1", **body}
    return json.dumps(answer, ensure_ascii=False, default=str) + "\n"


def about(trace: Trace) -> dict[str, Any]:
    """Which trace an answer is about; ``view`` refuses an answer about another one."""
    return {"program": trace.meta.get("program") or [], "timestamps": trace.last}


def place(place: Place | None) -> dict[str, Any] | None:
    """A place, where one is known."""
    return place.as_json() if place else None


@cache
def place_text(of: Place | None) -> str:
    """The same as text, for the core, which writes nodes and edges."""
    return encode(place(of))


@cache
def text(text: str | None) -> str:
    """A text or null, for the core as well."""
    return encode(text)
