"""meta.json: how a trace was recorded, with a checksum of what it says."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from heapstory.errors import TraceError

_CHECKSUM = "checksum"


def seal(meta: dict[str, Any]) -> dict[str, Any]:
    """The same with its checksum."""
    return {**meta, _CHECKSUM: _checksum(meta)}


def read(path: Path, text: str) -> dict[str, Any]:
    """What the file says; the collector's own, which nobody signed off, has no checksum yet."""
    if not text:  # the recording was cut off before there was one
        return {}
    try:
        meta = json.loads(text)
    except ValueError:
        meta = None
    if not isinstance(meta, dict) or meta.get(_CHECKSUM, _checksum(meta)) != _checksum(meta):
        raise TraceError(f"{path}: damaged (record the program again)")
    return meta


def _checksum(meta: dict[str, Any]) -> str:
    told = {name: value for name, value in meta.items() if name != _CHECKSUM}
    return f"{zlib.crc32(json.dumps(told, sort_keys=True).encode()):08x}"
