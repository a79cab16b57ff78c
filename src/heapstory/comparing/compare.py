"""Comparing two traces: the first change that differs, growth by site and type, statements."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from heapstory.store.sql import query

if TYPE_CHECKING:
    from heapstory.store.open_trace import OpenTrace

# Who made it and the how-manieth of those; variables by their names. Library code that works for a
# statement of the program counts as that statement, so only what the program itself did is left.
_NAMES = """
WITH own AS (
    SELECT s.site, place(s.site) AS place, s."function" AS inside FROM sites s
    JOIN modules m ON m.own AND (s.module = m.path OR ends_with(m.path, '/' || s.module))),
named AS (
    SELECT node, kind, type, coalesce(place(created_site), '?') || ' #' || row_number() OVER (
        PARTITION BY place(created_site) ORDER BY node) AS key FROM nodes WHERE kind = 'heap'
    UNION ALL SELECT node, kind, type, name FROM nodes WHERE kind = 'global' AND name IS NOT NULL)
"""
_CHANGES = (
    _NAMES
    + """
SELECT e.timestamp, own.place, own.inside, n.key, e."offset", n.type,
    CASE WHEN e.state = 'null' THEN 'NULL' WHEN t.key IS NULL THEN 'elsewhere'
    ELSE t.key || CASE WHEN e.target_offset = 0 THEN '' ELSE '+' || e.target_offset END
    || CASE WHEN e.state = 'stale' THEN ' (stale)' ELSE '' END END AS held
FROM edges e JOIN own USING (site) JOIN named n ON n.node = e.node
LEFT JOIN named t ON t.node = e.target
ORDER BY e.timestamp, n.key, e."offset"
"""
)
_ALIVE = """
SELECT coalesce(type, '?') AS type, coalesce(place(created_site), '?') AS made,
    count(*) AS nodes, sum(size)::BIGINT AS bytes
FROM nodes WHERE kind = 'heap' AND freed IS NULL GROUP BY ALL
"""
_WRITES = (
    _NAMES
    + """
SELECT own.place, coalesce(own.inside, '?'), count(*) FROM events e JOIN own USING (site)
WHERE own.place IS NOT NULL GROUP BY ALL
"""
)


@dataclass(frozen=True, slots=True)
class Change:
    """A pointer that was stored: into which field of which node, and what it meant then."""

    timestamp: int
    place: str | None
    function: str | None
    node: str
    offset: int
    type: str | None
    held: str

    @property
    def key(self) -> tuple[str | None, str, int, str]:
        return (self.place, self.node, self.offset, self.held)


@dataclass(frozen=True, slots=True)
class Parting:
    """The first change that is not the same in both; None where one run ends before."""

    number: int  # changes that agree before it
    a: Change | None
    b: Change | None


@dataclass(frozen=True, slots=True)
class Growth:
    """What a statement made and is alive at the end, in both runs."""

    type: str
    made: str
    nodes: tuple[int, int]
    bytes: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Statement:
    """How often a statement wrote, in both runs."""

    place: str
    function: str
    writes: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``parting`` is None where all pointers were stored alike."""

    a: str
    b: str
    changes: tuple[int, int]
    parting: Parting | None
    growth: list[Growth]
    statements: list[Statement]

    @property
    def same(self) -> bool:
        return self.parting is None and not self.growth and not self.statements


def compare(a: OpenTrace, b: OpenTrace) -> Comparison:
    """What differs between two runs; that which differs most first."""
    changes_a, changes_b = _changes(a), _changes(b)
    return Comparison(
        a=str(a.path),
        b=str(b.path),
        changes=(len(changes_a), len(changes_b)),
        parting=_parting(changes_a, changes_b),
        growth=_growth(a, b),
        statements=_statements(a, b),
    )


def _changes(trace: OpenTrace) -> list[Change]:
    return [Change(*row) for row in query(trace, _CHANGES)]


def _parting(a: list[Change], b: list[Change]) -> Parting | None:
    for number, (one, other) in enumerate(zip_longest(a, b)):
        if one is None or other is None or one.key != other.key:
            return Parting(number, one, other)
    return None


def _growth(a: OpenTrace, b: OpenTrace) -> list[Growth]:
    alive = [{(row[0], row[1]): (row[2], row[3]) for row in query(one, _ALIVE)} for one in (a, b)]
    found = []
    for type_name, made in {**alive[0], **alive[1]}:
        (nodes_a, bytes_a), (nodes_b, bytes_b) = (
            one.get((type_name, made), (0, 0)) for one in alive
        )
        if (nodes_a, bytes_a) != (nodes_b, bytes_b):
            found.append(Growth(type_name, made, (nodes_a, nodes_b), (bytes_a, bytes_b)))
    return sorted(found, key=lambda one: (-abs(one.bytes[1] - one.bytes[0]), one.made))


def _statements(a: OpenTrace, b: OpenTrace) -> list[Statement]:
    written = [{(row[0], row[1]): row[2] for row in query(one, _WRITES)} for one in (a, b)]
    found = [
        Statement(*key, (written[0].get(key, 0), written[1].get(key, 0)))
        for key in {**written[0], **written[1]}
    ]
    # Statements that only one of the runs reached come first.
    return sorted(
        (one for one in found if one.writes[0] != one.writes[1]),
        key=lambda one: (min(one.writes) > 0, -abs(one.writes[1] - one.writes[0]), one.place),
    )
