"""The answers of ``info``, ``history`` and ``query`` for other programs."""

from __future__ import annotations

from dataclasses import asdict
from json import loads
from typing import TYPE_CHECKING, Any

from heapstory.reporters.json import about, place, place_text, text

if TYPE_CHECKING:
    from heapstory.graph.history import History, Version
    from heapstory.graph.model import Node
    from heapstory.store.sql import Rows
    from heapstory.trace import Trace
    from heapstory.trace.bad_frees import BadFree
    from heapstory.trace.crash import Crash
    from heapstory.trace.discoveries import Discoveries
    from heapstory.trace.info import Info, StreamInfo
    from heapstory.trace.suspicions import Suspicion


def info(info: Info) -> dict[str, Any]:
    """The body of ``info --json``."""
    return {
        "trace": info.path,
        "program": info.program,
        "directory": info.directory,
        "started": info.started,
        "heapstory": info.heapstory,
        "exit": {
            "code": info.exit_code,
            "signal": info.exit_signal,
            "place": place(info.exit_place),
        },
        "crash": _crash(info.crash) if info.crash else None,
        "ended": info.ended,
        "mode": info.mode,
        "timestamps": info.timestamps,
        **info.counts,
        **info.sizes,
        "complete": info.complete,
        "damage": info.damage,
        "bad_frees": [_bad_free(one) for one in info.bad_frees],
        "bad_free_count": info.bad_free_count,
        "stream": _stream(info.stream) if info.stream else None,
        **(_discoveries(info.discoveries) if info.discoveries else {}),
    }


def _crash(crash: Crash) -> dict[str, Any]:
    return {
        "stack": [place(one) for one in crash.stack],
        "address": None if crash.address is None else f"{crash.address:#x}",
        "access": crash.access,
        "node": None if crash.node is None else crash.node.id,
        "words": crash.words,
    }


def _bad_free(one: BadFree) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "ts": one.timestamp,
        "place": place(one.place),
        "address": f"{one.address:#x}",
        "node": None if one.node is None else one.node.id,
        "deallocator": one.deallocator,
    }


def _stream(stream: StreamInfo) -> dict[str, Any]:
    return {**asdict(stream), "complete": stream.complete}


def _discoveries(found: Discoveries) -> dict[str, Any]:
    return {
        "candidates": [
            {
                "kind": one.kind,
                "allocator": one.allocator,
                "place": place(one.place),
                "low": f"{one.low:#x}",
                "high": f"{one.high:#x}",
                "blocks": one.blocks,
            }
            for one in found.candidates
        ],
        "counted": found.counted,
        "untouched": found.untouched,
    }


def suspicious(trace: Trace, found: list[Suspicion]) -> dict[str, Any]:
    """The body of ``info --suspicious --json``."""
    return {
        **about(trace),
        "suspicious": [
            {
                "kind": one.kind,
                "certain": one.certain,
                "words": one.words,
                "ts": one.timestamp,
                "place": place(one.place),
                "address": f"{one.address:#x}",
                "bytes": one.bytes,
                "base": f"{one.base:#x}",
                "node": None if one.node is None else _node(trace, one.node),
                "reached": None if one.reached is None else _node(trace, one.reached),
            }
            for one in found
        ],
    }


def history(history: History) -> dict[str, Any]:
    """The body of ``history --json``."""
    return {
        "address": f"{history.address:#x}",
        "size": history.size,
        "node": history.node.id if history.node else None,
        **({"pointing_to": history.pointing_to.id} if history.pointing_to else {}),
        "versions": [
            {**_version(version), **({"until": version.until} if history.pointing_to else {})}
            for version in history
        ],
    }


def query(rows: Rows) -> dict[str, Any]:
    """The body of ``query --json``."""
    return {"columns": rows.columns, "rows": [list(row) for row in rows]}


def _node(trace: Trace, node: Node) -> dict[str, Any]:
    statement, name = trace.places.statement, trace.types.name
    written = trace.core.node_json(
        node.id, lambda stack: place_text(statement(stack)), lambda of: text(name(of)), text
    )
    members: dict[str, Any] = loads(written)
    return members


def _version(version: Version) -> dict[str, Any]:
    return {
        "ts": version.timestamp,
        "place": place(version.place),
        "offset": version.offset,
        "value": None if version.value is None else f"{version.value:#x}",
        "bytes": None if version.data is None else version.data.hex(),
        "target": _target(version.target, version.target_offset),
        "node": version.node,
        "address": f"{version.address:#x}",
        "size": version.size,
        "field": version.field,
        "state": version.state,
        "kind": version.kind,
        "silent": version.silent,
        "thread": version.thread,
    }


def _target(node: int | None, offset: int | None) -> dict[str, Any] | None:
    return None if node is None else {"node": node, "offset": offset}
