"""How a trace was recorded and how that ended.

The record command writes ``meta.json`` when all is over, from what it was asked (``record.json``)
and what the collector found out (``collector.json``), with a checksum of what it says. Where it did
not come to that, whoever opens the trace puts the two together.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from heapstory.errors import TraceError

META = "meta.json"
ASKED = "record.json"
COLLECTED = "collector.json"
_CHECKSUM = "checksum"


def seal(meta: dict[str, Any]) -> dict[str, Any]:
    """The same with its checksum."""
    return {**meta, _CHECKSUM: _checksum(meta)}


def read(trace: Path) -> dict[str, Any]:
    """What is known of a recording; little where it was cut off early."""
    path = trace / META
    if not path.exists():
        return {**(read_part(trace / ASKED) or {}), **(read_part(trace / COLLECTED) or {})}
    meta = read_part(path)
    # A trace that an older heapstory could not sign off has no checksum.
    if meta is None or meta.get(_CHECKSUM, _checksum(meta)) != _checksum(meta):
        raise TraceError(f"{path}: damaged (record the program again)")
    return meta


def read_part(path: Path) -> dict[str, Any] | None:
    """One of the files, None where it is missing or no JSON object."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _checksum(meta: dict[str, Any]) -> str:
    told = {name: value for name, value in meta.items() if name != _CHECKSUM}
    return f"{zlib.crc32(json.dumps(told, sort_keys=True).encode()):08x}"
