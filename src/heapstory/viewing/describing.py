"""What the numbers in tables stand for: sites as statements, shapes as lists of fields."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from heapstory.errors import UsageError
from heapstory.store.sql import quoted
from heapstory.viewing.columns import Rows

if TYPE_CHECKING:
    from heapstory.store.open_trace import OpenTrace
    from heapstory.store.types import Leaf
    from heapstory.trace import Trace

MOST_LEAVES = 256


def sites_rows(trace: OpenTrace, sites: Iterable[int]) -> Rows:
    """The table ``sites``: the statement of each."""
    rows = []
    for site in sorted(set(sites)):
        place = trace.places.place(site)
        if place is not None:
            module = place.module
            rows.append(
                (site, place.file, place.path, place.line, place.function, module, str(place))
            )
    names = ("site", "file", "path", "line", "function", "module", "text")
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def same_statement(trace: Trace, site: int) -> list[int]:
    """All sites of the same file and line."""
    place = trace.places.place(site)
    if place is None:
        raise UsageError(f"there is no site {site} in {trace.path}")
    if place.path is None or place.line is None:
        return [site]
    rows = trace.query(
        f"SELECT site FROM sites WHERE path = {quoted(place.path)} AND line = {place.line}"
    )
    return sorted({site, *(row[0] for row in rows)})


def shape(trace: OpenTrace, type_id: int, size: int) -> dict[str, Any]:
    """How the bytes of a node of some type and size are read."""
    types = trace.types
    own = types.get(type_id)["size"]
    described: dict[str, Any] = {"type": types.name(type_id), "size": size, "leaves": []}
    repeats = bool(own) and size >= 2 * own and not types.is_open_ended(type_id)
    if repeats:
        described["repeats"] = own
    for leaf in types.leaves(type_id, own if repeats else size):
        if len(described["leaves"]) == MOST_LEAVES:
            break
        described["leaves"].append(_leaf(trace, leaf))
    return described


def _leaf(trace: OpenTrace, leaf: Leaf) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": leaf.name,
        "offset": leaf.offset,
        "size": leaf.size,
        "kind": leaf.kind,
    }
    flags = {"signed": leaf.is_signed, "float": leaf.is_float, "char": leaf.is_char}
    made |= {name: True for name, value in flags.items() if value}
    if leaf.bit_size:
        made |= {"bit_offset": leaf.bit_offset, "bit_size": leaf.bit_size}
    if leaf.kind == "pointer":
        made["points_to"] = trace.types.get(leaf.target)["kind"] if leaf.target else None
    return made
