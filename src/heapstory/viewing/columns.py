"""Tables as typed arrays behind a JSON header: the answers that a page reads."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heapstory import _core

MAGIC = b"HSC1"
SCHEMA = "heapstory.view/1"

NamedTables = Sequence[tuple[str, "_core.Table"]]
Rows = Mapping[str, Sequence[Any]]  # a small table: its columns, written into the header


def pack(
    answer: str,
    tables: NamedTables,
    *,
    rows: Mapping[str, Rows] | None = None,
    for_files: bool = False,
    header: Mapping[str, Any] | None = None,
) -> bytes:
    """One answer. ``for_files`` arranges the arrays so that they compress well."""
    from heapstory import _core

    described, strings, buffers = _core.pack(list(tables), for_files)
    members = json.loads(described)
    for name, columns in (rows or {}).items():
        length = len(next(iter(columns.values()), ()))
        values = {column: {"values": list(of)} for column, of in columns.items()}
        members[name] = {"rows": length, "columns": values}
    said = {
        "schema": SCHEMA,
        "answer": answer,
        **(header or {}),
        "strings": strings,
        "tables": members,
    }
    text = json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")
    text += b" " * (-len(text) % 8)
    return MAGIC + struct.pack("<I", len(text)) + text + buffers
