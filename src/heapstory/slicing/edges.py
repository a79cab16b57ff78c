"""Why an edge of the graph is what it is: its last write, or what kept it from being written."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from heapstory.errors import LimitError, UsageError
from heapstory.slicing.beyond import is_window
from heapstory.slicing.options import Options
from heapstory.slicing.points import StreamPlace

if TYPE_CHECKING:
    from heapstory.graph.history import Version
    from heapstory.graph.model import Node
    from heapstory.slicing.model import Slice
    from heapstory.slicing.search import Slicing

_FORM = re.compile(r"(?P<node>[0-9]+)\.(?P<field>[^@]+)(?:@(?P<at>.+))?")
_BY_ORDER = 2


@dataclass(frozen=True, slots=True)
class EdgeName:
    """``NODE.FIELD[@T]``."""

    node: int
    field: str
    at: str | None  # as --at


@dataclass(frozen=True, slots=True)
class _Kept:
    """An execution of a branch, and the statement that it kept from running."""

    branch: StreamPlace
    writer: int  # address
    rank: int  # what it has to do with the node: see Slicer.kept


def parse_edge(text: str) -> EdgeName:
    """UsageError where it is something else."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise UsageError(f"--edge {text}: wants NODE.FIELD[@TIMESTAMP], as 12.next or 12.next@340")
    return EdgeName(int(found["node"]), found["field"], found["at"])


def why_edge(slicing: Slicing, text: str, options: Options) -> Slice:
    """The slice of the value that an edge holds; of the branch that kept it from being written."""
    name = parse_edge(text)
    trace = slicing.trace
    moment = trace.moment(name.at)
    node = trace.node(name.node)
    history = trace.history(node=name.node, field=name.field)
    written = [v for v in history if v.timestamp <= moment and v.kind in ("store", "copy")]
    if written:
        last = written[-1]
        made = slicing.slice(f"@{last.timestamp}", options)
        return replace(made, criterion=text, about=[_written(node, name, last)])
    kept = _find_kept(slicing, node, history.address - node.address, moment)
    if kept is None and is_window(trace):
        raise LimitError(
            f"--edge {text}: nothing wrote that field, and no branch of the stream kept it from "
            "being written; the stream is a part of the run (record again without "
            "--stream-from and --stream-until)"
        )
    if kept is None:
        raise UsageError(
            f"--edge {text}: nothing wrote that field, and no branch after the node was made "
            "decided over a statement that writes it elsewhere"
        )
    writer = slicing.lines.at(kept.writer)
    place = slicing.lines.at(slicing.slicer.address(kept.branch))
    asked = slicing.points.instruction(kept.branch, f"what the branch at {place} used")
    about = [f"node {node.id}.{name.field} was never written: {place} kept {writer} from running"]
    if kept.rank == _BY_ORDER:
        about.append(
            f"this is the first execution of {place} after the node was made; which one was about "
            "the node is not known"
        )
    return replace(slicing.slice_of(text, asked, options), about=about)


def _written(node: Node, name: EdgeName, last: Version) -> str:
    target = f"node {last.target}" if last.target is not None else _number(last.value)
    return (
        f"node {node.id}.{name.field} = {target}, "
        f"written at timestamp {last.timestamp} by {last.place or 'unknown code'}"
    )


def _number(value: int | None) -> str:
    if value is None:
        return "unknown"
    return "NULL" if value == 0 else f"{value:#x}"


def _find_kept(slicing: Slicing, node: Node, offset: int, moment: int) -> _Kept | None:
    """The branch after the node was made that did not lead to a statement which writes this field
    of nodes of its kind; of its executions, the one that has most to do with the node."""
    since = slicing.points.step(node.created.timestamp or 1)
    until = _last_step(slicing, node, moment)
    if since is None or until is None:
        return None
    others = _others(slicing, node)
    found = []
    for writer in _writers(slicing, node, offset):
        for decider in slicing.slicer.deciders(writer):
            kept = slicing.slicer.kept(
                decider, writer, (since, until), (node.address, node.size), others
            )
            if kept is not None:
                found.append(_Kept(kept[0], writer, kept[1]))
    return min(found, key=lambda kept: (kept.rank, kept.branch), default=None)


def _last_step(slicing: Slicing, node: Node, moment: int) -> int | None:
    """Up to which something could have been written."""
    if node.freed is not None and node.freed.timestamp is not None:
        moment = min(moment, node.freed.timestamp)
    if moment == slicing.trace.last:
        return slicing.slicer.end[0]
    return slicing.points.step(moment)


_KIND = "nodes.type = mine.type OR nodes.created_site = mine.created_site"


def _mine(node: Node) -> str:
    return f"WITH mine AS (SELECT type, created_site FROM nodes WHERE node = {node.id})"


def _others(slicing: Slicing, node: Node) -> list[tuple[int, int]]:
    """Where the other nodes of its kind are, by address."""
    rows = slicing.trace.query(
        f"""
        {_mine(node)}
        SELECT nodes.address, max(nodes.size) FROM nodes JOIN mine ON {_KIND}
        WHERE nodes.address <> {node.address} GROUP BY nodes.address ORDER BY nodes.address
        """
    ).rows
    return [(address, size) for address, size in rows]


def _writers(slicing: Slicing, node: Node, offset: int) -> list[int]:
    """Addresses of the instructions that write this field of nodes of the same type, or of nodes
    that were made by the same statement."""
    rows = slicing.trace.query(
        f"""
        {_mine(node)}
        SELECT DISTINCT modules.address + sites."offset"
        FROM nodes
        JOIN mine ON {_KIND}
        JOIN events ON events.address = nodes.address + {offset}
            AND events.timestamp >= coalesce(nodes.created, 0)
            AND events.timestamp <= coalesce(nodes.freed, events.timestamp)
        JOIN sites ON events.site = sites.site
        JOIN modules ON modules.path = sites.module
        WHERE events.kind = 'store'
        """
    ).rows
    return sorted(address for (address,) in rows if address is not None)
