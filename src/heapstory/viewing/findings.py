"""Findings of other commands, in the one form that the page shows: each with its moment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heapstory.errors import UsageError

if TYPE_CHECKING:
    from heapstory.trace import Trace

_EMPTY: dict[str, Any] = {
    "ts": None,
    "node": None,
    "offset": None,
    "nodes": [],
    "place": None,
    "site": None,
    "constraint": None,
    "cpoint": None,
}


def read(trace: Trace, path: str) -> list[dict[str, Any]]:
    """The findings in a file that ``locate``, ``info --suspicious``, ``leaks`` or ``check`` wrote
    with ``--json``."""
    return from_answer(trace, read_json(path), path)


def read_json(path: str) -> dict[str, Any]:
    """One JSON object from a file."""
    try:
        answer = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror} (name a file of --json)") from error
    except ValueError as error:
        raise UsageError(f"{path}: no JSON: {error} (write it with --json)") from error
    if not isinstance(answer, dict):
        raise UsageError(f"{path}: no answer of a command (write it with --json)")
    return answer


def read_slice(trace: Trace, path: str) -> dict[str, Any]:
    """What ``slice --json`` wrote; UsageError where it is about another trace."""
    answer = read_json(path)
    if answer.get("schema") != "heapstory.slice/1":
        raise UsageError(f"{path}: is no slice (write it with heapstory slice --json)")
    if not {"program", "timestamps", "statements"} <= answer.keys():
        raise UsageError(f"{path}: is no whole answer of slice (write it again)")
    _check(trace, answer, [], path)
    return answer


def from_answer(trace: Trace, answer: dict[str, Any], path: str) -> list[dict[str, Any]]:
    """The findings of one answer; UsageError where it is about another trace."""
    schema = str(answer.get("schema", ""))
    readers = {
        "heapstory.locate/1": _located,
        "heapstory.info/1": _suspicious,
        "heapstory.leaks/1": _leaks,
        "heapstory.check/1": _checked,
    }
    if schema not in readers:
        known = ", ".join(sorted(name.split(".")[1].split("/")[0] for name in readers))
        raise UsageError(
            f"{path}: has schema {schema or 'none'}; findings come from the --json of {known}"
        )
    try:
        found = [{**_EMPTY, **one} for one in readers[schema](trace, answer)]
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: is no whole answer: {error!r} (write it again)") from error
    _check(trace, answer, found, path)
    return found


def _check(trace: Trace, answer: dict[str, Any], found: list[dict[str, Any]], path: str) -> None:
    """Whether it can be about this trace: by the program, by counts, and by what there is in it."""
    other = f"{path}: is about another trace than {trace.path}"
    again = f"(make it again from {trace.path})"
    program = answer.get("program")
    if program is not None and program != trace.meta.get("program"):
        raise UsageError(f"{other}: of the program {' '.join(map(str, program))} {again}")
    last = answer.get("timestamps")
    if last is not None and last != trace.last:
        raise UsageError(
            f"{other}: of one with {last} timestamps, where it has {trace.last} {again}"
        )
    nodes = len(trace.core.table("nodes"))
    for one in found:
        if one["ts"] is not None and one["ts"] > trace.last:
            raise UsageError(f"{other}: timestamp {one['ts']}, where it has {trace.last} {again}")
        for node in [*one["nodes"], one["node"]]:
            if node is not None and node > nodes:
                raise UsageError(f"{other}: node {node}, where it has {nodes} {again}")


def _located(trace: Trace, answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    words = {c["name"]: c["words"] for c in answer["constraints"]}
    bad = answer["bad"]["ts"] if answer["bad"] else None
    nodes = sorted({node for broken in answer["inconsistencies"] for node in broken["nodes"]})
    for fault in sorted(answer["faults"], key=partial(_rank, answer["statements"])):
        slot = fault["slots"][0] if fault["slots"] else None
        names = fault["constraints"]
        yield {
            "source": "locate",
            "kind": "fault",
            "title": f"{_where(fault['place'])}: {fault['operation']}",
            "text": "\n".join(f"{name}: {words.get(name, '')}".strip() for name in names),
            "ts": fault["ts"],
            "node": slot["node"] if slot else fault["node"],
            "offset": slot["offset"] if slot else None,
            "nodes": nodes,
            "place": fault["place"],
            "constraint": fault["constraint"],
            "cpoint": bad,
        }
    for broken in answer["inconsistencies"]:
        name = broken["constraint"]
        yield {
            "source": "locate",
            "kind": "inconsistency",
            "title": f"{name} does not hold",
            "text": words.get(name, ""),
            "ts": broken["cpoint"],
            "node": broken["nodes"][0] if broken["nodes"] else None,
            "nodes": broken["nodes"],
            "place": answer["bad"]["place"] if answer["bad"] else None,
            "constraint": name,
            "cpoint": broken["cpoint"],
        }


def _rank(statements: list[dict[str, Any]], fault: dict[str, Any]) -> int:
    """When to look at a fault: `locate` lists statements in that order, perhaps not all of them."""
    place = fault["place"]
    return statements.index(place) if place in statements else len(statements)


def _suspicious(trace: Trace, answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for one in answer["suspicious"]:
        nodes = [node["id"] for node in (one["node"], one["reached"]) if node]
        sure = "certain" if one["certain"] else "possible"
        what = "overflow"
        if one["kind"] == "stale":
            what = "use after free"
            nodes = nodes or _freed_at(trace, int(one["base"], 16), one["ts"])
        yield {
            "source": "suspicious",
            "kind": one["kind"],
            "title": f"{_where(one['place'])}: {sure} {what}",
            "text": one["words"],
            "ts": one["ts"],
            "node": nodes[-1] if nodes else None,
            "nodes": nodes,
            "place": one["place"],
        }


def _freed_at(trace: Trace, address: int, ts: int) -> list[int]:
    """The node that last had the memory at an address and was freed by then."""
    rows = trace.query(
        f"SELECT node FROM nodes WHERE kind = 'heap' AND freed <= {ts} AND address <= {address} "
        f"AND {address} < address + size ORDER BY freed DESC LIMIT 1"
    )
    return [row[0] for row in rows]


def _leaks(trace: Trace, answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for one in answer["leaks"]:
        seen = one.get("confirmation") or {}
        isolated = seen.get("failed_allocation") is not None  # a run that no trace was kept of
        text = (
            f"{one['confidence']}: {one['variable'] or 'the block'} from {_where(one['allocated'])}"
        )
        yield {
            "source": "leaks",
            "kind": one["kind"],
            "title": f"{_where(one['place'])}: {one['kind']}",
            "text": f"{text}\n{seen['label']}" if seen else text,
            "ts": None if isolated else (seen.get("moment") or {}).get("timestamp"),
            "place": one["place"],
        }


def _checked(trace: Trace, answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    moments = _moments(trace)
    for one in answer["errors"]:
        kind = one["kind"]
        ts, node = moments.get((kind, int(one["address"], 16)), (None, None))
        yield {
            "source": "check",
            "kind": kind,
            "title": f"{_where(one['place'])}: {kind}",
            "text": "\n".join([one["text"], *(_where(place) for place in one["stack"])]),
            "ts": ts,
            "node": node,
            "place": one["place"],
        }
    for one in answer["leaks"]:
        if one["kind"] == "reachable":
            continue
        size = f"{_counted(one['bytes'], 'byte')} in {_counted(one['blocks'], 'block')}"
        yield {
            "source": "check",
            "kind": one["kind"],
            "title": f"{_where(one['place'])}: {one['kind']}",
            "text": "\n".join([size, *(_where(place) for place in one["stack"])]),
            "ts": (one["lost"] or {}).get("timestamp"),
            "place": one["place"],
        }


def _moments(trace: Trace) -> dict[tuple[str, int], tuple[int, int | None]]:
    """When the errors that a trace has happened, and to which node, by kind and address."""
    rows = trace.query(
        """SELECT CASE WHEN starts_with(kind, 'uninitialized') THEN 'uninitialized' ELSE kind END,
                  address, timestamp, node FROM errors
           UNION ALL SELECT error, address, timestamp, node FROM frees WHERE error IS NOT NULL
           ORDER BY timestamp DESC"""
    )
    return {(kind, address): (ts, node) for kind, address, ts, node in rows}


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _where(place: dict[str, Any] | None) -> str:
    if not place or not place.get("file"):
        return (place or {}).get("function") or "?"
    return f"{place['file']}:{place['line']}" if place.get("line") else str(place["file"])
