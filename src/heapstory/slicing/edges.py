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
MOST_EXECUTIONS = 10_000


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
    about = f"node {node.id}.{name.field} was never written: {place} kept {writer} from running"
    return replace(slicing.slice_of(text, asked, options), about=[about])


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
    """The first branch after the node was made that did not lead to a statement which writes this
    field of nodes of its kind."""
    since = slicing.points.step(node.created.timestamp or 1)
    until = slicing.slicer.end[0] if moment == slicing.trace.last else slicing.points.step(moment)
    if since is None or until is None:
        return None
    found = [
        _Kept(branch, writer)
        for writer in _writers(slicing, node, offset)
        for decider in slicing.slicer.deciders(writer)
        if (branch := _not_leading(slicing, decider, writer, since, until)) is not None
    ]
    return min(found, key=lambda kept: kept.branch, default=None)


def _not_leading(
    slicing: Slicing, decider: int, writer: int, since: int, until: int
) -> StreamPlace | None:
    """The first execution of a branch after which the writer did not run before it ran again."""
    branches = slicing.slicer.since(decider, since, MOST_EXECUTIONS)
    writes = slicing.slicer.since(writer, since, MOST_EXECUTIONS)
    for branch, following in zip(branches, [*branches[1:], None], strict=False):
        if branch[0] > until:
            return None
        led = [w for w in writes if branch < w and (following is None or w < following)]
        if not led:
            return branch
    return None


def _writers(slicing: Slicing, node: Node, offset: int) -> list[int]:
    """Addresses of the instructions that write this field of nodes of the same type, or of nodes
    that were made by the same statement."""
    rows = slicing.trace.query(
        f"""
        WITH mine AS (SELECT type, created_site FROM nodes WHERE node = {node.id})
        SELECT DISTINCT modules.address + sites."offset"
        FROM nodes
        JOIN mine ON nodes.type = mine.type OR nodes.created_site = mine.created_site
        JOIN events ON events.address = nodes.address + {offset}
            AND events.timestamp >= coalesce(nodes.created, 0)
            AND events.timestamp <= coalesce(nodes.freed, events.timestamp)
        JOIN sites ON events.site = sites.site
        JOIN modules ON modules.path = sites.module
        WHERE events.kind = 'store'
        """
    ).rows
    return sorted(address for (address,) in rows if address is not None)
